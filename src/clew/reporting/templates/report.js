"use strict";
// Themes, plots drawn when they come into view or when there is time, tables sorted by a click, and the section read.
//
// What is compressed is unpacked by the functions below, not by a DecompressionStream: that would return later, and
// printing does not wait.
function unpacked(id) {
  const packed = atob(document.getElementById(id).textContent);
  return new TextDecoder().decode(gunzipped(Uint8Array.from(packed, (letter) => letter.charCodeAt(0))));
}

// Deflate (RFC 1951) within gzip (RFC 1952), whose header has ten bytes here; the size is at the end.
function gunzipped(bytes) {
  const out = new Uint8Array(new DataView(bytes.buffer).getUint32(bytes.length - 4, true));
  let [at, held, buffer, end] = [10, 0, 0, 0];
  const bits = (count) => {
    for (; held < count; held += 8) buffer |= bytes[at++] << held;
    const value = buffer & ((1 << count) - 1);
    buffer >>>= count;
    held -= count;
    return value;
  };
  const codes = (lengths) => {
    const counts = new Uint16Array(16);
    for (const length of lengths) counts[length] += 1;
    counts[0] = 0;
    const symbols = [...lengths.keys()].filter((symbol) => lengths[symbol]);
    return { counts, symbols: symbols.sort((one, other) => lengths[one] - lengths[other] || one - other) };
  };
  const decoded = ({ counts, symbols }) => {
    let [code, first, index] = [0, 0, 0];
    for (let length = 1; ; length += 1) {
      code |= bits(1);
      const count = counts[length];
      if (code - count < first) return symbols[index + code - first];
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
  };
  const bases = (extra, first) => extra.map((_, place) => extra.slice(0, place).reduce((sum, wide) => sum + (1 << wide), first));
  const lengthBits = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
  const distanceBits = Array.from({ length: 30 }, (_, place) => Math.max(0, (place >> 1) - 1));
  const [lengthBase, distanceBase] = [[...bases(lengthBits, 3).slice(0, 28), 258], bases(distanceBits, 1)];
  const order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
  const fixed = [
    codes(Array.from({ length: 288 }, (_, symbol) => (symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8))),
    codes(new Array(30).fill(5)),
  ];
  const tables = () => {
    const [literals, distances, several] = [bits(5) + 257, bits(5) + 1, bits(4) + 4];
    const short = new Array(19).fill(0);
    for (let place = 0; place < several; place += 1) short[order[place]] = bits(3);
    const [meaning, lengths] = [codes(short), []];
    while (lengths.length < literals + distances) {
      const symbol = decoded(meaning);
      if (symbol < 16) lengths.push(symbol);
      else {
        const value = symbol === 16 ? lengths.at(-1) : 0;
        const times = symbol === 16 ? 3 + bits(2) : symbol === 17 ? 3 + bits(3) : 11 + bits(7);
        for (let time = 0; time < times; time += 1) lengths.push(value);
      }
    }
    return [codes(lengths.slice(0, literals)), codes(lengths.slice(literals))];
  };
  for (let last = 0; !last; ) {
    last = bits(1);
    const kind = bits(2);
    if (kind === 0) {
      at -= held >> 3;
      [held, buffer] = [0, 0];
      const size = bytes[at] | (bytes[at + 1] << 8);
      out.set(bytes.subarray(at + 4, at + 4 + size), end);
      [at, end] = [at + 4 + size, end + size];
      continue;
    }
    const [literals, distances] = kind === 1 ? fixed : tables();
    for (let symbol = decoded(literals); symbol !== 256; symbol = decoded(literals)) {
      if (symbol < 256) out[end++] = symbol;
      else {
        const length = lengthBase[symbol - 257] + bits(lengthBits[symbol - 257]);
        const far = decoded(distances);
        const distance = distanceBase[far] + bits(distanceBits[far]);
        for (let copied = 0; copied < length; copied += 1, end += 1) out[end] = out[end - distance];
      }
    }
  }
  return out;
}

(() => {
  const root = document.documentElement;
  const systemDark = matchMedia("(prefers-color-scheme: dark)");
  const coarse = matchMedia("(pointer: coarse)");
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const templates = read("templates");
  const places = [...document.querySelectorAll(".plot")];

  // ------------------------------------------------------------------ themes
  const button = document.getElementById("theme");
  const theme = () => root.dataset.theme || (systemDark.matches ? "dark" : "light");
  const tellTheme = () => {
    button.textContent = theme() === "dark" ? "Light theme" : "Dark theme";
    button.setAttribute("aria-pressed", String(theme() === "dark"));
    places.filter((place) => place.dataset.drawn).forEach(draw);
    dispatchEvent(new Event("clew-theme"));
  };
  button.addEventListener("click", () => {
    root.dataset.theme = theme() === "dark" ? "light" : "dark";
    tellTheme();
  });
  systemDark.addEventListener("change", tellTheme);

  // ------------------------------------------------------------------ plots
  function plotly() {
    if (!window.Plotly) {
      const script = document.createElement("script");
      script.textContent = unpacked("plotly");
      document.head.append(script);
    }
    return window.Plotly;
  }

  function figureOf(place) {
    const { figure, dark } = read(place.dataset.figure);
    if (theme() === "dark") {
      for (const [path, value] of dark) {
        const last = path.at(-1);
        path.slice(0, -1).reduce((part, key) => part[key], figure)[last] = value;
      }
    }
    const layout = { ...figure.layout, template: templates[theme()], dragmode: coarse.matches ? false : "zoom" };
    layout.autosize = true;
    layout.height = place.clientHeight;
    if (place.clientWidth < 480) wrapLabels(layout);
    layout.font = { size: place.clientWidth < 480 ? 12 : 13 };
    return [figure.data, layout];
  }

  // On a narrow screen long labels would take the room of the bars.
  function wrapLabels(layout) {
    const wrap = (label) => label.replace(/(.{8,}?) /g, "$1<br>");
    for (const [name, axis] of Object.entries(layout)) {
      if (name.startsWith("yaxis") && axis.ticktext) axis.ticktext = axis.ticktext.map(wrap);
    }
  }

  async function draw(place) {
    const [data, layout] = figureOf(place);
    const wanted = theme();
    await plotly().react(place, data, layout, { displayModeBar: false, responsive: true, scrollZoom: false });
    place.dataset.drawn = wanted;
  }

  const watcher = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        watcher.unobserve(target);
        draw(target);
      }
    },
    { rootMargin: "600px" },
  );
  places.forEach((place) => watcher.observe(place));

  // Printing does not wait: whatever is not drawn by then stays empty. So all plots are drawn, one after the other.
  const isOpen = (place) => place.checkVisibility();
  async function drawRest() {
    const place = places.find((each) => !each.dataset.drawn && isOpen(each));
    if (!place) return;
    await draw(place);
    (window.requestIdleCallback ?? setTimeout)(drawRest);
  }
  if (document.readyState === "complete") drawRest();
  else addEventListener("load", drawRest);

  // Paper is white and narrow.
  let screenTheme;
  addEventListener("beforeprint", () => {
    screenTheme = root.dataset.theme;
    root.dataset.theme = "light";
    root.classList.add("printing");
    places.filter(isOpen).forEach(draw);
  });
  addEventListener("afterprint", () => {
    root.classList.remove("printing");
    if (screenTheme === undefined) delete root.dataset.theme;
    else root.dataset.theme = screenTheme;
    tellTheme();
  });

  // ------------------------------------------------------------------ tables
  const keyOf = (cell) => (cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value));
  const compare = (one, other) =>
    typeof one === "number" && typeof other === "number" ? one - other : String(one).localeCompare(String(other));

  document.addEventListener("click", (event) => {
    const head = event.target.closest("thead th");
    if (!head || !event.target.closest("button")) return;
    const body = head.closest("table").tBodies[0];
    const rows = [...body.rows];
    const numbers = rows.some((row) => row.cells[head.cellIndex].dataset.value !== undefined);
    const before = head.getAttribute("aria-sort");
    const order = before ? (before === "descending" ? "ascending" : "descending") : numbers ? "descending" : "ascending";
    for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", order);
    const sign = order === "descending" ? -1 : 1;
    rows.sort((a, b) => sign * compare(keyOf(a.cells[head.cellIndex]), keyOf(b.cells[head.cellIndex])));
    body.append(...rows);
  });

  // ------------------------------------------------------------------ the section being read
  const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
  const marker = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        for (const link of links.values()) link.removeAttribute("aria-current");
        links.get(target.id)?.setAttribute("aria-current", "true");
      }
    },
    { rootMargin: "-20% 0px -70% 0px" },
  );
  document.querySelectorAll("section").forEach((section) => marker.observe(section));

  tellTheme();
})();
