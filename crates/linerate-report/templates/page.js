// A page: its theme, which curves are shown, values under the pointer, zoom and files.
const data = JSON.parse(document.getElementById("data").textContent);
const root = document.documentElement;
const tip = document.getElementById("tip");

// Theme: what the system asks for, until the reader says otherwise.
const theme = document.getElementById("theme");
const system = matchMedia("(prefers-color-scheme: dark)");
const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
const nameTheme = () => { theme.textContent = dark() ? "Light" : "Dark"; };
theme.hidden = false;
theme.addEventListener("click", () => {
  root.dataset.theme = dark() ? "light" : "dark";
  nameTheme();
});
system.addEventListener("change", nameTheme);
nameTheme();

const aims = [];
const leave = () => {
  tip.hidden = true;
  for (const aim of aims) aim.setAttribute("visibility", "hidden");
};

// Legend: a curve is shown and hidden in every graph of its section.
for (const button of document.querySelectorAll(".legend button")) {
  button.disabled = false;
  button.addEventListener("click", () => {
    const show = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(show));
    const curve = `[data-curve="${button.dataset.curve}"]`;
    for (const group of document.querySelectorAll(`g.curve${curve}`)) group.toggleAttribute("hidden", !show);
    for (const other of document.querySelectorAll(`button${curve}`)) other.setAttribute("aria-pressed", String(show));
    leave();
  });
}

// Tooltip: the nearest point of the curves that are shown.
const nearest = (layers, at) => {
  let best = null;
  for (const layer of layers) {
    if (layer.group.hasAttribute("hidden")) continue;
    layer.places.forEach(([x, y], point) => {
      const distance = Math.hypot(x - at.x, y - at.y);
      if (!best || distance < best.distance) best = { layer, point, x, y, distance };
    });
  }
  return best;
};
const place = (event) => {
  const box = tip.getBoundingClientRect();
  const left = event.clientX + 16 + box.width > innerWidth ? event.clientX - 16 - box.width : event.clientX + 16;
  const top = Math.min(event.clientY + 16, innerHeight - box.height - 8);
  tip.style.left = `${Math.max(8, left)}px`;
  tip.style.top = `${Math.max(8, top)}px`;
};

// Charts of one section over one horizontal axis share it: they are zoomed together, and begin at one place.
const groups = new Map();
const grouped = (svg, axis) => {
  const key = axis ? `${svg.closest("section").id} ${axis.title} ${axis.scale} ${axis.ends}` : `${groups.size}`;
  if (!groups.has(key)) {
    const group = { charts: [], view: axis && { scale: axis.scale, ends: axis.ends } };
    group.draw = () => {
      const free = group.charts.filter((chart) => chart.graph.x);
      const widest = Math.max(0, ...free.map((chart) => chart.widest()));
      for (const chart of free) chart.draw(widest);
    };
    groups.set(key, group);
  }
  return groups.get(key);
};
for (const svg of document.querySelectorAll("svg.graph")) {
  const graph = data.graphs[Number(svg.dataset.graph)];
  const layers = graph.layers.map((layer) => ({ ...layer, group: svg.querySelector(`g.curve[data-curve="${layer.curve}"]`) }));
  const group = grouped(svg, graph.x);
  // What is seen of both axes.
  const view = { get 0() { return group.view; }, set 0(seen) { group.view = seen; }, 1: graph.y && { scale: graph.y.scale, ends: graph.y.ends } };
  const chart = { graph };
  group.charts.push(chart);
  const figure = svg.closest("figure");

  for (const layer of layers) layer.said = (point) => layer.points[point];
  const names = make("g", { class: "axes" }, svg);
  for (const tips of svg.querySelectorAll("g.tips")) tips.remove();
  const room = () => Math.max(280, svg.parentElement.clientWidth || 960);
  chart.widest = () => (isOfWords(graph.y) ? 0 : widest(shown(graph.y, view[1], Math.floor(clamp(room() * 0.55, 280, 440) / 60)).ticks.map(([, text]) => text)));
  chart.draw = (margin) => {
    const place = layout(graph, view, room(), margin);
    Object.assign(chart, place);
    svg.setAttribute("viewBox", `0 0 ${place.width} ${place.height}`);
    svg.style.minWidth = place.width > room() ? `${place.width}px` : "";
    svg.classList.add("drawn");
    drawAxes(svg.querySelector("g.axes"), names, graph, place);
    let clip = svg.querySelector("clipPath");
    if (!clip) clip = make("clipPath", { id: `inside-${svg.dataset.graph}` }, make("defs", {}, svg));
    clip.replaceChildren(make("rect", { x: place.left - 8, y: place.top - 8, width: place.right - place.left + 16, height: place.bottom - place.top + 14 }));
    for (const layer of layers) {
      layer.group.setAttribute("clip-path", `url(#inside-${svg.dataset.graph})`);
      layer.group.setAttribute("stroke-dasharray", layer.dashes);
      layer.group.replaceChildren();
      for (const mark of layer.marks) drawMark(mark, layer.group, place);
      layer.places = layer.values.map(place.at);
    }
    const taken = [];
    drawTexts(layers, place, taken);
    drawCeilings(svg, graph.ceilings, layers, place, taken);
    aim.setAttribute("r", 7);
    svg.append(names, aim);
    chart.name();
  };
  const aim = make("circle", { class: "aim", r: 26, visibility: "hidden" }, svg);
  aims.push(aim);
  const spot = (event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  const show = (event) => {
    const found = nearest(layers, spot(event));
    leave();
    if (!found) return;
    const { name, said, group } = found.layer;
    const lines = said(found.point);
    tip.textContent = (layers.length > 1 ? [name, ...lines] : lines).join("\n");
    tip.className = group.classList[1];
    tip.hidden = false;
    place(event);
    aim.setAttribute("cx", found.x);
    aim.setAttribute("cy", found.y);
    aim.setAttribute("visibility", "visible");
  };
  svg.addEventListener("pointermove", show);
  svg.addEventListener("pointerdown", show);
  svg.addEventListener("pointerleave", leave);

  // For who changes what is drawn.
  svg.chart = Object.assign(chart, {
    layers,
    redraw() {
      [graph.x, graph.y].forEach((axis, nth) => { view[nth] = { scale: axis.scale, ends: axis.ends }; });
      group.draw();
    },
  });

  // Tools: logarithmic and linear axes, zoom, and files.
  const tools = document.createElement("p");
  tools.className = "tools";
  svg.closest(".scroll").after(tools);
  const button = (text, act) => {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.addEventListener("click", () => act(made));
    tools.append(made);
    return made;
  };
  const others = [graph.x, graph.y].map((axis, nth) => {
    if (["fixed", "share", "words"].includes(axis.label) || axis.scale === "tail" || axis.ends[0] < 0) return null;
    const values = [...layers.flatMap((layer) => layer.values.map((at) => at[nth])), ...layers.flatMap((layer) => layer.marks.flatMap((mark) => (mark.kind === "line" ? mark.through.map((at) => at[nth]) : [])))].filter((value) => value > 0 && Number.isFinite(value));
    if (axis.scale === "linear") {
      if (!values.length) return null;
      const low = values.reduce((one, other) => Math.min(one, other));
      return low < axis.ends[1] / 3 ? { scale: "decimal", ends: [low * 0.9, axis.ends[1]] } : null;
    }
    return { scale: "linear", ends: [0, axis.ends[1]] };
  });
  // What the buttons say.
  const named = [];
  chart.name = () => named.forEach((name) => name());
  others.forEach((other, nth) => {
    if (!other) return;
    const axis = [graph.x, graph.y][nth];
    const name = () => `${nth ? "y" : "x"}: ${view[nth].scale === "linear" ? "logarithmic" : "linear"}`;
    const made = button(name(), () => {
      view[nth] = view[nth].scale === axis.scale ? { ...other } : { scale: axis.scale, ends: axis.ends };
      group.draw();
    });
    named.push(() => { made.textContent = name(); });
  });
  const whole = button("whole chart", () => {
    [graph.x, graph.y].forEach((axis, nth) => { view[nth] = view[nth].scale === axis.scale ? { scale: axis.scale, ends: axis.ends } : { ...others[nth] }; });
    group.draw();
  });
  const isWhole = (axis, nth) => view[nth].ends.every((end, at) => end === (view[nth].scale === axis.scale ? axis : others[nth]).ends[at]);
  named.push(() => { whole.hidden = [graph.x, graph.y].every(isWhole); });
  chart.name();
  let from = null;
  let box = null;
  svg.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "touch" || event.button) return;
    from = spot(event);
    box = make("rect", { class: "zoom" }, svg);
    event.preventDefault();
  });
  svg.addEventListener("pointermove", (event) => {
    if (!from) return;
    const to = spot(event);
    const size = { x: Math.min(from.x, to.x), y: Math.min(from.y, to.y), width: Math.abs(to.x - from.x), height: Math.abs(to.y - from.y) };
    for (const [key, value] of Object.entries(size)) box.setAttribute(key, value);
  });
  addEventListener("pointerup", (event) => {
    if (!from) return;
    const [one, other] = [from, spot(event)];
    box.remove();
    from = null;
    if (Math.abs(one.x - other.x) < 12 || Math.abs(one.y - other.y) < 12) return;
    const part = (value, low, high) => Math.max(0, Math.min(1, (value - low) / (high - low)));
    const xs = [one.x, other.x].sort((a, b) => a - b).map((value) => chart.x.value(part(value, chart.left, chart.right)));
    const ys = [one.y, other.y].sort((a, b) => b - a).map((value) => chart.y.value(part(value, chart.bottom, chart.top)));
    // Of words whole rows and columns.
    const whole = (ends) => {
      const [low, high] = [Math.floor(Math.min(...ends) + 0.5) - 0.5, Math.ceil(Math.max(...ends) - 0.5) + 0.5];
      return ends[0] < ends[1] ? [low, high] : [high, low];
    };
    [xs, ys].forEach((ends, nth) => { view[nth] = { ...view[nth], ends: isOfWords([graph.x, graph.y][nth]) ? whole(ends) : ends }; });
    leave();
    group.draw();
  });

  const save = (name, type, text) => {
    const link = document.createElement("a");
    link.href = typeof text === "string" ? URL.createObjectURL(new Blob([text], { type })) : text;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  const picture = () => {
    const copy = svg.cloneNode(true);
    const style = getComputedStyle(root);
    const [from, to] = [[svg, ...svg.querySelectorAll("*")], [copy, ...copy.querySelectorAll("*")]];
    from.forEach((element, nth) => {
      const seen = getComputedStyle(element);
      for (const key of ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "paint-order", "shape-rendering", "color", "font-family", "font-size", "opacity", "visibility", "display"]) to[nth].style.setProperty(key, seen.getPropertyValue(key));
    });
    const [, , width, plain] = svg.getAttribute("viewBox").split(" ").map(Number);
    // Its curves have their names below it: the page's legend stays in the page.
    const named = layers.length > 1 ? layers.filter((layer) => !layer.group.hasAttribute("hidden")) : [];
    const height = plain + named.length * LINE + (named.length && 8);
    named.forEach((layer, nth) => {
      const y = plain + (nth + 1) * LINE;
      make("line", { x1: 8, x2: 42, y1: y - 4, y2: y - 4, stroke: getComputedStyle(layer.group).color, "stroke-width": 3, "stroke-dasharray": layer.dashes }, copy);
      make("text", { x: 50, y, "font-size": LETTERS, "font-family": "system-ui, sans-serif", fill: style.getPropertyValue("--ink").trim() }, copy, wrapped(layer.name, width - 60, 1)[0]);
    });
    copy.setAttribute("viewBox", `0 0 ${width} ${height}`);
    copy.setAttribute("width", width);
    copy.setAttribute("height", height);
    copy.prepend(make("rect", { width, height, fill: style.getPropertyValue("--paper").trim() }));
    return [new XMLSerializer().serializeToString(copy), width, height];
  };
  const quoted = (cell) => (/[",\n]/.test(cell) ? `"${String(cell).replaceAll('"', '""')}"` : cell);
  button("SVG", () => save(`${figure.id}.svg`, "image/svg+xml", picture()[0]));
  button("PNG", () => {
    const [text, width, height] = picture();
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [2 * width, 2 * height];
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      save(`${figure.id}.png`, "image/png", canvas.toDataURL("image/png"));
    };
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  });
  button("CSV", () => {
    const told = (axis, value) => (isOfWords(axis) ? (axis.ticks.find(([at]) => at === Math.round(value)) || ["", value])[1] : value);
    const hasWords = [graph.x, graph.y].some((axis) => isOfWords(axis) || axis.label === "fixed");
    const more = (layer, nth) => [...(layer.number ? [layer.number(nth)] : []), ...(hasWords ? [layer.said(nth).join("; ")] : [])];
    const rows = layers.flatMap((layer) => layer.values.map(([x, y], nth) => [layer.name, told(graph.x, x), told(graph.y, y), ...more(layer, nth)]));
    const heads = ["curve", graph.x.title, graph.y.title || "row", ...(layers[0].number ? ["value"] : []), ...(hasWords ? ["in words"] : [])];
    save(`${figure.id}.csv`, "text/csv", [heads, ...rows].map((row) => row.map(quoted).join(",")).join("\n") + "\n");
  });
}
const redraw = () => { for (const group of groups.values()) group.draw(); };
let width = innerWidth;
addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; redraw(); } });
redraw();
