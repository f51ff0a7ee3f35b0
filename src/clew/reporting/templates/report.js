"use strict";
// Themes, plots drawn when they come into view, tables sorted by a click, and the section being read.
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
  };
  button.addEventListener("click", () => {
    root.dataset.theme = theme() === "dark" ? "light" : "dark";
    tellTheme();
  });
  systemDark.addEventListener("change", tellTheme);

  // ------------------------------------------------------------------ plots
  let loading = null;
  const plotly = () => (loading ??= unpack());

  async function unpack() {
    const packed = atob(document.getElementById("plotly").textContent);
    const bytes = new Uint8Array(packed.length);
    for (let at = 0; at < packed.length; at += 1) bytes[at] = packed.charCodeAt(at);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const script = document.createElement("script");
    script.textContent = await new Response(stream).text();
    document.head.append(script);
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
    const Plotly = await plotly();
    const [data, layout] = figureOf(place);
    const wanted = theme();
    await Plotly.react(place, data, layout, { displayModeBar: false, responsive: true, scrollZoom: false });
    place.dataset.drawn = wanted;
  }

  const drawAll = () => Promise.all(places.filter((place) => !place.dataset.drawn).map(draw));
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
  addEventListener("beforeprint", drawAll);

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
