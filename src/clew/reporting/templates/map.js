// The picture of the graph: a canvas drawn again at every zoom, so that it stays sharp; labels, hover texts, a search.
(() => {
  const SIDE = 65535;
  const MOST_LABELS = 32;
  const MOST_LOOKED_AT = 6000; // vertices that may get a label
  const NEAR = 12; // pixels from the pointer
  const MOST_ZOOM = 400;
  const COLORS = "#4269d0 #d98a00 #e8553e #1f9e84 #a463f2 #c2478d #6b8e23 #0891b2 #9c6b4e #7a6ff0 #b3261e #5c7f9e".split(" ");

  document.querySelectorAll(".map").forEach((place) => {
    const canvas = place.querySelector("canvas");
    const pen = canvas.getContext("2d");
    const [input, output, options] = ["input", "output", "datalist"].map((tag) => place.querySelector(tag));
    const graph = JSON.parse(unpacked(place.dataset.map));
    const count = graph.x.length;
    const byDegree = Array.from(graph.x.keys()).sort((a, b) => graph.degree[b] - graph.degree[a]);
    const highest = Math.max(1, graph.degree[byDegree[0]]);
    const plain = graph.names.map((name) => name.toLowerCase());
    let [width, height, zoom, middleX, middleY, marked, asked] = [0, 0, 1, SIDE / 2, SIDE / 2, -1, 0];

    const scale = () => (zoom * 0.92 * Math.min(width, height)) / SIDE;
    const atX = (vertex) => (graph.x[vertex] - middleX) * scale() + width / 2;
    const atY = (vertex) => (graph.y[vertex] - middleY) * scale() + height / 2;
    const isSeen = (x, y) => x > -20 && y > -20 && x < width + 20 && y < height + 20;
    const radius = (vertex) => {
      const base = Math.min(5, Math.max(0.8, 90 / Math.sqrt(count))) * Math.min(2.5, zoom ** 0.35);
      return base * (0.75 + 2.2 * Math.sqrt(graph.degree[vertex] / highest));
    };
    const words = (vertex) => {
      const edges = graph.degree[vertex] === 1 ? "1 edge" : `${graph.degree[vertex].toLocaleString("en")} edges`;
      return `${graph.names[vertex]}: ${edges}${graph.group ? `, community ${graph.group[vertex] + 1}` : ""}`;
    };

    function redraw() {
      asked ||= requestAnimationFrame(draw);
    }

    function draw() {
      asked = 0;
      const ratio = window.devicePixelRatio || 1;
      [width, height] = [canvas.clientWidth, canvas.clientHeight];
      if (!width) return;
      canvas.width = width * ratio;
      canvas.height = height * ratio;
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      const ink = getComputedStyle(place).color;
      drawEdges(ink);
      drawVertices(ink);
      drawLabels(ink, getComputedStyle(place.closest("figure")).backgroundColor);
      place.dataset.drawn = String(zoom);
    }

    function drawEdges(ink) {
      const { edges } = graph;
      pen.strokeStyle = ink;
      pen.lineWidth = 0.6;
      pen.globalAlpha = Math.min(0.45, Math.max(0.035, (900 * Math.sqrt(zoom)) / (edges.length / 2 + 1)));
      pen.beginPath();
      for (let at = 0; at < edges.length; at += 2) {
        const [x0, y0, x1, y1] = [atX(edges[at]), atY(edges[at]), atX(edges[at + 1]), atY(edges[at + 1])];
        if (Math.max(x0, x1) < 0 || Math.max(y0, y1) < 0 || Math.min(x0, x1) > width || Math.min(y0, y1) > height) continue;
        pen.moveTo(x0, y0);
        pen.lineTo(x1, y1);
      }
      pen.stroke();
      pen.globalAlpha = 1;
    }

    function drawVertices(ink) {
      for (let color = COLORS.length; color >= 0; color -= 1) {
        pen.fillStyle = COLORS[color] ?? ink;
        pen.globalAlpha = color === COLORS.length ? 0.3 : 0.85;
        pen.beginPath();
        for (let vertex = 0; vertex < count; vertex += 1) {
          const group = graph.group ? Math.min(graph.group[vertex], COLORS.length) : 0;
          if (group !== color) continue;
          const [x, y, r] = [atX(vertex), atY(vertex), radius(vertex)];
          if (!isSeen(x, y)) continue;
          if (r < 2) pen.rect(x - r, y - r, 2 * r, 2 * r);
          else {
            pen.moveTo(x + r, y);
            pen.arc(x, y, r, 0, 7);
          }
        }
        pen.fill();
      }
      pen.globalAlpha = 1;
    }

    function drawLabels(ink, paper) {
      pen.font = "13px system-ui, -apple-system, sans-serif";
      pen.textBaseline = "middle";
      pen.lineWidth = 3.5;
      const taken = [];
      const write = (vertex, text) => {
        const [x, y, wide] = [atX(vertex) + radius(vertex) + 4, atY(vertex), pen.measureText(text).width];
        const box = [Math.min(x, width - wide - 4), y - 9, Math.min(x, width - wide - 4) + wide + 8, y + 9];
        if (taken.some((other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3])) return;
        taken.push(box);
        pen.strokeStyle = paper;
        pen.strokeText(text, box[0], y);
        pen.fillStyle = ink;
        pen.fillText(text, box[0], y);
      };
      if (marked >= 0) {
        pen.strokeStyle = ink;
        pen.lineWidth = 2;
        pen.beginPath();
        pen.arc(atX(marked), atY(marked), radius(marked) + 4, 0, 7);
        pen.stroke();
        pen.lineWidth = 3.5;
        write(marked, words(marked));
      }
      let looked = 0;
      for (const vertex of byDegree) {
        if (taken.length >= MOST_LABELS || looked >= MOST_LOOKED_AT) break;
        if (!isSeen(atX(vertex), atY(vertex)) || vertex === marked) continue;
        looked += 1;
        const name = graph.names[vertex];
        write(vertex, name.length > 24 ? `${name.slice(0, 23)}…` : name);
      }
    }

    function zoomBy(factor, x = width / 2, y = height / 2) {
      const before = scale();
      zoom = Math.min(MOST_ZOOM, Math.max(1, zoom * factor));
      middleX += (x - width / 2) * (1 / before - 1 / scale());
      middleY += (y - height / 2) * (1 / before - 1 / scale());
      if (zoom === 1) [middleX, middleY] = [SIDE / 2, SIDE / 2];
      redraw();
    }

    function mark(vertex) {
      if (vertex === marked) return;
      marked = vertex;
      output.textContent = vertex < 0 ? "" : words(vertex);
      redraw();
    }

    function nearest(x, y) {
      let [found, best] = [-1, NEAR * NEAR];
      for (let vertex = 0; vertex < count; vertex += 1) {
        const distance = (atX(vertex) - x) ** 2 + (atY(vertex) - y) ** 2;
        if (distance < best) [found, best] = [vertex, distance];
      }
      return found;
    }

    // ------------------------------------------------------------------ pointer, keys and buttons
    let dragged = null;
    canvas.addEventListener("pointerdown", (event) => {
      dragged = [event.offsetX, event.offsetY];
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointerup", () => (dragged = null));
    canvas.addEventListener("pointercancel", () => (dragged = null));
    canvas.addEventListener("pointermove", (event) => {
      if (!dragged) {
        mark(nearest(event.offsetX, event.offsetY));
        return;
      }
      middleX -= (event.offsetX - dragged[0]) / scale();
      middleY -= (event.offsetY - dragged[1]) / scale();
      dragged = [event.offsetX, event.offsetY];
      redraw();
    });
    canvas.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey && document.activeElement !== canvas) return; // the page scrolls
        event.preventDefault();
        zoomBy(Math.exp(-event.deltaY / 300), event.offsetX, event.offsetY);
      },
      { passive: false },
    );
    canvas.addEventListener("dblclick", (event) => zoomBy(2.5, event.offsetX, event.offsetY));
    const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    canvas.addEventListener("keydown", (event) => {
      if (moves[event.key]) {
        middleX += (moves[event.key][0] * 60) / scale();
        middleY += (moves[event.key][1] * 60) / scale();
        redraw();
      } else if (event.key === "+" || event.key === "=") zoomBy(1.5);
      else if (event.key === "-") zoomBy(1 / 1.5);
      else if (event.key === "0") zoomBy(0);
      else return;
      event.preventDefault();
    });
    const steps = [1.6, 1 / 1.6, 0];
    place.querySelectorAll("button").forEach((button, at) => button.addEventListener("click", () => zoomBy(steps[at])));

    // ------------------------------------------------------------------ search
    const fits = [(name, text) => name === text, (name, text) => name.startsWith(text), (name, text) => name.includes(text)];
    const matches = (text, most) => {
      const found = new Set();
      for (const fit of fits) {
        for (const vertex of byDegree) {
          if (found.size >= most) return [...found];
          if (fit(plain[vertex], text)) found.add(vertex);
        }
      }
      return [...found];
    };
    input.addEventListener("input", () => {
      const text = input.value.trim().toLowerCase();
      const found = text ? matches(text, 8) : [];
      options.replaceChildren(...found.map((vertex) => new Option(graph.names[vertex])));
      if (!text || found.length) mark(found[0] ?? -1);
      else output.textContent = "There is no such vertex.";
    });
    input.addEventListener("change", () => {
      if (!input.value.trim() || marked < 0) return;
      [middleX, middleY] = [graph.x[marked], graph.y[marked]];
      zoom = Math.max(zoom, Math.min(12, Math.sqrt(count) / 8));
      redraw();
    });

    addEventListener("resize", redraw);
    addEventListener("clew-theme", redraw);
    addEventListener("beforeprint", draw);
    draw();
  });
})();
