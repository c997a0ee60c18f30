"use strict";
(() => {
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

  // Charts: drawn anew from their marks, at the size that they have, over the axes that the reader chose.
  const NS = "http://www.w3.org/2000/svg";
  const make = (name, attributes, parent, text) => {
    const element = document.createElementNS(NS, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    if (parent) parent.append(element);
    return element;
  };
  const number = (value) => Number(value.toPrecision(12)).toString();
  const digits = (value, decimals) => (decimals === undefined ? number(value) : value.toFixed(decimals));
  const inUnits = (value, units) => {
    const found = units.findLast(([, size]) => Math.abs(value) >= size * (1 - 1e-9)) || units[0];
    return `${number(Number((value / found[1]).toPrecision(6)))} ${found[0]}`;
  };
  const BYTES = [["B", 1], ["KiB", 2 ** 10], ["MiB", 2 ** 20], ["GiB", 2 ** 30]];
  const TIMES = [["ps", 1e-6], ["ns", 1e-3], ["us", 1], ["ms", 1e3], ["s", 1e6]];
  const SCALES = {
    linear: [(value) => value, (place) => place],
    binary: [Math.log2, (place) => 2 ** place],
    decimal: [Math.log10, (place) => 10 ** place],
    tail: [(share) => -Math.log10(1 - share), (place) => 1 - 10 ** -place],
  };
  const nice = (least) => {
    const power = 10 ** Math.floor(Math.log10(least));
    return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least * (1 - 1e-9));
  };
  const evenly = ([low, high], most) => {
    const step = nice((high - low) / most);
    const values = [];
    for (let nth = Math.ceil(low / step - 1e-9); nth * step <= high + step * 1e-9 && values.length < 100; nth += 1) values.push(nth * step);
    return [values, Math.max(0, -Math.floor(Math.log10(step) + 1e-9))];
  };
  // An axis as it is shown: where a value lies from 0 to 1, and which values are labelled.
  const shown = (axis, view, room) => {
    const [place, back] = SCALES[view.scale];
    const ends = view.ends.map(place);
    const share = (value) => (place(value) - ends[0]) / (ends[1] - ends[0]);
    const value = (part) => back(ends[0] + part * (ends[1] - ends[0]));
    const inside = ([at]) => share(at) >= -1e-9 && share(at) <= 1 + 1e-9;
    const asDrawn = view.scale === axis.scale;
    let ticks = axis.ticks.filter(inside);
    const whole = asDrawn && view.ends.every((end, nth) => end === axis.ends[nth]);
    if (!whole && axis.label !== "fixed" && (ticks.length < 4 || !asDrawn)) {
      const unit = axis.per || 1;
      const label = { bytes: (at) => inUnits(at, BYTES), time: (at) => inUnits(at, TIMES), share: (at) => `${number(Number((at * 100).toPrecision(6)))} %` }[axis.label];
      const [low, high] = [value(0), value(1)];
      const wide = low > 0 && high / low > 20 && view.scale !== "linear";
      if (wide) {
        const base = view.scale === "binary" ? 2 : 10;
        const log = (at) => Math.log(at) / Math.log(base);
        const every = Math.max(1, Math.ceil((log(high / unit) - log(low / unit)) / room));
        ticks = [];
        for (let power = Math.ceil(log(low / unit) - 1e-9); power <= log(high / unit) + 1e-9; power += 1) {
          if (power % every === 0) ticks.push([base ** power * unit, label ? label(base ** power * unit) : number(base ** power)]);
        }
      } else {
        const [values, decimals] = evenly([low / unit, high / unit], room);
        ticks = values.map((at) => [at * unit, label ? label(at * unit) : digits(at, decimals)]);
      }
      ticks = ticks.filter(inside);
    }
    return { share, value, ticks, title: axis.title };
  };
  // Labels that would touch the one before them are left out.
  const apart = (ticks, place, size) => {
    let before = -Infinity;
    return ticks.filter(([at, text]) => {
      const [middle, half] = [place(at), size(text) / 2];
      if (middle - half < before) return false;
      before = middle + half + 6;
      return true;
    });
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

    const size = () => {
      const width = Math.max(280, svg.clientWidth || 960);
      return [width, Math.round(Math.min(440, Math.max(280, width * 0.55)))];
    };
    const upright = () => shown(graph.y, view[1], Math.floor(size()[1] / 60));
    chart.widest = () => Math.max(0, ...upright().ticks.map(([, text]) => text.length));
    chart.draw = (widest) => {
      const [width, height] = size();
      const small = width < 640;
      svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
      svg.classList.add("drawn");
      const y = upright();
      const [left, right, top, bottom] = [Math.min(width / 3, 30 + widest * 7.5), width - 12, 12, height - 44];
      const x = shown(graph.x, view[0], Math.floor((right - left) / (small ? 62 : 80)));
      const across = (value) => left + x.share(value) * (right - left);
      const up = (value) => bottom - y.share(value) * (bottom - top);
      Object.assign(chart, { left, right, top, bottom, x, y, across, up });
      const at = ([one, other]) => [across(one), up(other)].map((part) => Math.max(-1e5, Math.min(1e5, part)));
      const path = (list) => list.map((place) => at(place).map((part) => (Number.isFinite(part) ? part.toFixed(1) : "-9999")).join(",")).join(" ");

      const axes = svg.querySelector("g.axes");
      axes.replaceChildren();
      const line = (x1, y1, x2, y2) => make("line", { x1, y1, x2, y2, "stroke-width": 1 }, axes);
      const write = (text, tx, ty, anchor, size, more) => make("text", { x: tx, y: ty, "text-anchor": anchor, "font-size": size, fill: "currentColor", ...more }, axes, text);
      line(left, bottom, right, bottom);
      line(left, bottom, left, top);
      for (const [value] of x.ticks) line(across(value), bottom + 5, across(value), top);
      for (const [value] of y.ticks) line(left - 5, up(value), right, up(value));
      for (const [value, text] of apart(x.ticks, across, (text) => text.length * 7)) write(text, across(value), bottom + 18, "middle", 12);
      for (const [value, text] of apart([...y.ticks].sort((one, other) => up(one[0]) - up(other[0])), up, () => 10)) write(text, left - 8, up(value) + 4, "end", 12);
      write(x.title, (left + right) / 2, height - 6, "middle", 13);
      write(y.title, 0, 0, "middle", 13, { transform: `translate(13 ${(top + bottom) / 2}) rotate(-90)` });

      let clip = svg.querySelector("clipPath");
      if (!clip) clip = make("clipPath", { id: `inside-${svg.dataset.graph}` }, make("defs", {}, svg));
      clip.replaceChildren(make("rect", { x: left - 8, y: top - 8, width: right - left + 16, height: bottom - top + 14 }));
      for (const layer of layers) {
        layer.group.setAttribute("clip-path", `url(#inside-${svg.dataset.graph})`);
        layer.group.setAttribute("stroke-dasharray", layer.dashes);
        layer.group.replaceChildren();
        for (const mark of layer.marks) draw(mark, layer.group, { path, at });
        layer.places = layer.values.map(at);
      }
      ceilings(chart, small);
      aim.setAttribute("r", 7);
      svg.append(aim);
      chart.name();
    };
    const draw = (mark, group, { path, at }) => {
      const stroke = (points, width, dark) => make("polyline", { fill: "none", stroke: "currentColor", "stroke-width": width, opacity: dark, points }, group);
      if (mark.kind === "line") stroke(path(mark.through), mark.width / 4, mark.dark);
      if (mark.kind === "area") make("polygon", { fill: "currentColor", opacity: mark.dark, points: path(mark.outline) }, group);
      if (mark.kind === "point") {
        const [cx, cy] = at(mark.at);
        if (!Number.isFinite(cx + cy)) return;
        const paint = mark.filled ? { fill: "currentColor" } : { fill: "none", stroke: "currentColor", "stroke-width": mark.width / 4 };
        make("circle", { cx, cy, r: mark.radius / 4, ...paint }, group);
      }
      if (mark.kind === "interval") {
        const ends = mark.ends.map((end) => [mark.x, end]);
        stroke(path(ends), 1, mark.dark);
        for (const end of ends) {
          const [cx, cy] = at(end);
          stroke(`${cx - 5},${cy} ${cx + 5},${cy}`, 1, mark.dark);
        }
      }
    };
    // Lines that no curve can exceed, each with its name where no other name is.
    const ceilings = ({ left, right, top, bottom, across, up }, small) => {
      for (const group of svg.querySelectorAll("g.ceilings")) group.remove();
      const group = make("g", { class: "ceilings" }, svg);
      const taken = [];
      const letters = small ? 11 : 12;
      for (const { name, line } of graph.ceilings) {
        const points = line.map(([x, y]) => [across(x), up(y)]).filter(([, y]) => y >= top - 1 && y <= bottom + 1);
        const inside = points.length > 1;
        if (inside) make("polyline", { fill: "none", stroke: "currentColor", "stroke-width": 1, "stroke-dasharray": "6 4", "clip-path": `url(#inside-${svg.dataset.graph})`, points: points.map((point) => point.join(",")).join(" ") }, group);
        const text = inside ? name : `${name} (above this graph)`;
        const wide = text.length * letters * 0.58;
        const over = inside ? Math.max(top + 10, points[0][1] - 5) : top + 10;
        const rows = [over, over + 20, over + 34, over + 48, over + 62];
        const places = rows.flatMap((y) => [left + 6, right - 6 - wide, (left + right - wide) / 2].map((x) => [x, y]));
        const covers = ([x, y], [px, py]) => px > x - 4 && px < x + wide + 4 && py > y - letters - 2 && py < y + 6;
        const cost = ([x, y]) => {
          const others = taken.filter((other) => Math.abs(other.y - y) < letters + 2 && other.x < x + wide && x < other.x + other.wide);
          const points = layers.flatMap((layer) => layer.places).filter((place) => covers([x, y], place));
          return 1000 * others.length + points.length;
        };
        const [x, y] = places.reduce((one, other) => (cost(other) < cost(one) ? other : one));
        taken.push({ x, y, wide });
        make("text", { x, y, "font-size": letters, fill: "currentColor" }, group, text);
      }
    };

    const aim = make("circle", { class: "aim", r: 26, visibility: "hidden" }, svg);
    aims.push(aim);
    const spot = (event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const show = (event) => {
      const found = nearest(layers, spot(event));
      leave();
      if (!found) return;
      const { name, points, group } = found.layer;
      const lines = points[found.point];
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
    if (!graph.x) continue;

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
      if (axis.label === "fixed" || axis.label === "share" || axis.scale === "tail") return null;
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
      view[0] = { ...view[0], ends: xs };
      view[1] = { ...view[1], ends: ys };
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
        for (const key of ["fill", "stroke", "color", "font-family", "font-size", "opacity", "visibility", "display"]) to[nth].style.setProperty(key, seen.getPropertyValue(key));
      });
      const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
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
      const rows = layers.flatMap((layer) => layer.values.map(([x, y]) => [layer.name, x, y]));
      save(`${figure.id}.csv`, "text/csv", [["curve", graph.x.title, graph.y.title], ...rows].map((row) => row.map(quoted).join(",")).join("\n") + "\n");
    });
  }
  const redraw = () => { for (const group of groups.values()) group.draw(); };
  let width = innerWidth;
  addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; redraw(); } });
  redraw();
})();
