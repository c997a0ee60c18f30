// What charts are drawn with: numbers and words along axes, marks in units of them, and names that cover nothing.
const NS = "http://www.w3.org/2000/svg";
const make = (name, attributes, parent, text) => {
  const element = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  if (parent) parent.append(element);
  return element;
};
const clamp = (value, least, most) => Math.max(least, Math.min(most, value));
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
  if (!whole && axis.label !== "fixed" && axis.label !== "words" && (ticks.length < 4 || !asDrawn)) {
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
  return { share, value, ticks, title: axis.title, span: Math.abs(ends[1] - ends[0]), last: Math.max(...axis.ends) };
};

// Words, and the room that they take.
const LETTERS = 12;
const LINE = 15;
const pen = document.createElement("canvas").getContext("2d");
const widthOf = (text, size = LETTERS) => {
  pen.font = `${size}px system-ui, sans-serif`;
  return pen.measureText(text).width;
};
const widest = (texts) => texts.reduce((most, text) => Math.max(most, widthOf(text)), 0);
const fits = (text, room, end = "") => {
  let most = text.length;
  while (most > 1 && widthOf(text.slice(0, most) + end) > room) most -= 1;
  return text.slice(0, most) + end;
};
// A text in at most `most` lines of this room; what does not fit ends in dots.
const wrapped = (text, room, most) => {
  const lines = [""];
  const push = (word) => {
    const longer = [lines.at(-1), word].filter(Boolean).join(" ");
    if (widthOf(longer) <= room) lines[lines.length - 1] = longer;
    else if (lines.at(-1)) { lines.push(""); push(word); }
    else {
      const part = fits(word, room);
      lines[lines.length - 1] = part;
      if (part.length < word.length) { lines.push(""); push(word.slice(part.length)); }
    }
  };
  text.split(/\s+/).forEach(push);
  return lines.length <= most ? lines : [...lines.slice(0, most - 1), fits(lines[most - 1], room - 10, "\u2026")];
};
// Labels that would touch the one before them are left out.
const apart = (ticks, place, size) => {
  let before = -Infinity;
  return [...ticks].sort((one, other) => place(one[0]) - place(other[0])).filter(([at, text]) => {
    const [middle, half] = [place(at), size(text) / 2];
    if (middle - half < before) return false;
    before = middle + half + 6;
    return true;
  });
};

// Of words every so many that they are apart: 1, 2, 5, 10 and so on.
const everyFew = (ticks, pitch, room) => {
  const every = nice(Math.max(1, room / pitch));
  return ticks.filter(([at]) => at % every === 0);
};

// Where the parts of a chart are, in a page with this room; `margin` is what labels take at the left of it or its neighbours.
const isOfWords = (axis) => axis.label === "words";
const layout = (graph, view, room, margin) => {
  const place = { width: room, left: 12, right: room - 12, top: 12, shift: 0, isStacked: false };
  const high = clamp(Math.round(room * 0.55), 280, 440);
  const y = shown(graph.y, view[1], Math.floor(high / 60));
  const names = graph.y.ticks.map(([, name]) => name);
  place.bottom = high - 44;
  if (!isOfWords(graph.y)) {
    place.left = Math.min(room / 3, 34 + margin);
    if (isOfWords(graph.x)) place.column = (place.right - place.left) / shown(graph.x, view[0], 1).span;
  } else if (graph.y.room) {
    place.top = graph.y.title ? 28 : 12;
    place.names = Math.min(widest(names), room < 640 ? room * 0.28 : 220);
    place.left = place.names + 14;
    // What stands beside rows gives way on a narrow page.
    place.beside = room < 640 || !graph.y.beside.length ? 0 : widest([...graph.y.beside, graph.y.over]);
    place.right -= place.beside && place.beside + 12;
    const columns = shown(graph.x, view[0], 1).span;
    place.column = clamp((place.right - place.left) / columns, ...graph.x.room);
    place.right = place.left + place.column * columns;
    place.width = Math.max(room, place.right + place.beside + 12);
    place.row = clamp(place.column, ...graph.y.room);
    place.bottom = place.top + place.row * y.span;
  } else {
    const beside = graph.y.beside;
    const [one, other] = [[names, 270], [beside, 400]].map(([texts, most]) => Math.min(most, widest(texts) + 1));
    place.isStacked = room - one - other < 300;
    place.names = place.isStacked ? room - 24 : one;
    place.beside = place.isStacked ? room - 24 : other;
    const many = names.map((name, nth) => [wrapped(name, place.names, 3), wrapped(beside[nth] || "", place.beside, 3)].map((lines) => lines.length));
    const most = Math.max(...many.map(([left, right]) => (place.isStacked ? left + right : Math.max(left, right))));
    place.row = most * LINE + (place.isStacked ? 26 : 12);
    place.shift = place.isStacked ? (most * LINE) / 2 : 0;
    if (!place.isStacked) Object.assign(place, { left: one + 14, right: room - other - 14 });
    place.bottom = place.top + place.row * y.span;
  }
  const x = shown(graph.x, view[0], Math.floor((place.right - place.left) / (room < 640 ? 62 : 80)));
  // Words stand under their columns: in lines, upright where a word is wider than a column, or only every few of a map.
  const words = isOfWords(graph.x) ? x.ticks.map(([, text]) => text) : [];
  place.isUpright = words.length > 0 && !isOfWords(graph.y) && widest(words.flatMap((text) => text.split(/\s+/))) > place.column - 6;
  const depth = place.isUpright ? Math.min(140, widest(words)) - 8 : place.column >= 30 ? LINE * (Math.max(1, ...words.map((text) => wrapped(text, place.column - 6, 3).length)) - 1) : 0;
  place.height = place.bottom + 20 + depth + (x.title ? 24 : 0);
  const across = (value) => place.left + x.share(value) * (place.right - place.left);
  const up = (value) => place.bottom - y.share(value) * (place.bottom - place.top) + place.shift;
  const at = ([one, other]) => [across(one), up(other)].map((part) => clamp(part, -1e5, 1e5));
  return { ...place, x, y, across, up, at };
};

// Grid, labels and titles.
const drawAxes = (group, above, graph, place) => {
  const { left, right, top, bottom, x, y, across, up } = place;
  group.replaceChildren();
  above.replaceChildren();
  const line = (x1, y1, x2, y2) => make("line", { x1, y1, x2, y2, "stroke-width": 1 }, group);
  const write = (text, tx, ty, anchor, more) => make("text", { x: tx, y: ty, "text-anchor": anchor, "font-size": LETTERS, fill: "currentColor", ...more }, above, text);
  // Lines of a label, whose whole text is its title if it is cut.
  const stack = (lines, whole, tx, first, anchor, more) => lines.forEach((text, nth) => {
    const made = write(text, tx, first + nth * LINE, anchor, more);
    if (lines.at(-1).endsWith("\u2026")) make("title", {}, made, whole);
  });
  line(left, bottom, right, bottom);
  line(left, bottom, left, top);
  if (!graph.y.room) {
    for (const [value] of x.ticks) line(across(value), bottom + 5, across(value), top);
    for (const [value] of y.ticks) line(left - (place.isStacked ? 0 : 5), up(value), right, up(value));
  }
  if (place.isUpright) {
    for (const [value, text] of x.ticks) stack(wrapped(text, 140, 1), text, 0, 0, "end", { class: "name", transform: `translate(${across(value) + 4} ${bottom + 9}) rotate(-90)` });
  } else if (place.column >= 30) {
    for (const [value, text] of x.ticks) stack(wrapped(text, place.column - 6, 3), text, across(value), bottom + 18, "middle", { class: "name" });
  } else {
    const seen = isOfWords(graph.x) ? everyFew(x.ticks, place.column, widest(x.ticks.map(([, text]) => text)) + 8) : apart(x.ticks, across, widthOf);
    for (const [value, text] of seen) write(text, Math.min(across(value), place.width - 2 - widthOf(text) / 2), bottom + 18, "middle");
  }
  const many = isOfWords(graph.y) ? Math.max(1, Math.min(3, Math.floor(place.row / LINE))) : 1;
  const seen = isOfWords(graph.y) ? everyFew(y.ticks, place.row, LETTERS + 2) : apart(y.ticks, up, () => LETTERS - 4);
  for (const [value, text] of seen) {
    const middle = (lines) => up(value) + 4 - ((lines.length - 1) * LINE) / 2;
    if (!isOfWords(graph.y)) { write(text, left - 8, up(value) + 4, "end"); continue; }
    const name = wrapped(text, place.names, graph.y.room ? many : 3);
    const beside = (graph.y.beside || [])[value] || "";
    const said = beside && place.beside ? wrapped(beside, place.beside, 3) : [];
    if (place.isStacked) {
      const first = up(value) - 14 - (name.length + said.length - 1) * LINE;
      stack(name, text, left, first, "start", { class: "name" });
      stack(said, beside, left, first + name.length * LINE, "start");
    } else {
      stack(name, text, left - 8, middle(name), "end", { class: "name" });
      stack(said, beside, right + 12, middle(said), "start");
    }
  }
  // A title in the middle of its axis, smaller if it is long.
  const title = (text, middle, room) => {
    const size = clamp((13 * (room - 8)) / Math.max(1, widthOf(text, 13)), 11, 13);
    const half = widthOf(text, size) / 2 + 4;
    return [clamp(middle, half, Math.max(half, room - half)), { "font-size": size }];
  };
  const [middle, size] = title(x.title, (left + right) / 2, place.width);
  stack([fits(x.title, place.width + 8)], x.title, middle, place.height - 6, "middle", size);
  // Of rows of cells it stands over their names.
  if (graph.y.room) {
    stack([fits(y.title, place.width - 8)], y.title, 4, top - 12, "start");
    if (place.beside) write(graph.y.over, right + 12, top - 12, "start");
  }
  else {
    const [middle, size] = title(y.title, (top + bottom) / 2, place.height);
    write(y.title, 0, 0, "middle", { ...size, transform: `translate(13 ${middle}) rotate(-90)` });
  }
};

// The outlines of shapes, in units of their radius.
const SHAPES = { up: [[-1, 1], [1, 1], [0, -1]], down: [[-1, -1], [1, -1], [0, 1]], diamond: [[0, -1], [1, 0], [0, 1], [-1, 0]] };
const CROSS = [[[-1, -1], [1, 1]], [[-1, 1], [1, -1]]];
const drawMark = (mark, group, place) => {
  const { at, across, up, top, bottom } = place;
  const path = (list) => list.map((spot) => at(spot).map((part) => (Number.isFinite(part) ? part.toFixed(1) : "-9999")).join(",")).join(" ");
  const stroke = (points, width, dark) => make("polyline", { fill: "none", stroke: "currentColor", "stroke-width": width, opacity: dark, points }, group);
  if (mark.kind === "line") stroke(path(mark.through), mark.width / 4, mark.dark);
  if (mark.kind === "area") make("polygon", { fill: "currentColor", opacity: mark.dark, points: path(mark.outline) }, group);
  if (mark.kind === "rule") stroke([top, bottom].map((y) => `${across(mark.at).toFixed(1)},${y}`).join(" "), mark.width / 4, 1);
  if (mark.kind === "point") {
    const [[cx, cy], r] = [at(mark.at), mark.radius / 4];
    if (!Number.isFinite(cx + cy)) return;
    const corners = (list) => list.map(([dx, dy]) => `${(cx + dx * r).toFixed(1)},${(cy + dy * r).toFixed(1)}`).join(" ");
    if (mark.shape === "cross") for (const ends of CROSS) stroke(corners(ends), mark.width / 4, 1);
    else if (SHAPES[mark.shape]) make("polygon", { fill: "currentColor", points: corners(SHAPES[mark.shape]) }, group);
    else make("circle", { cx, cy, r, ...(mark.shape === "disc" ? { fill: "currentColor" } : { fill: "none", stroke: "currentColor", "stroke-width": mark.width / 4 }) }, group);
  }
  const trace = (d, width, more) => make("path", { fill: "none", stroke: "currentColor", "stroke-width": width, d, ...more }, group);
  const spots = (list) => list.map((spot) => at(spot).map((part) => part.toFixed(1)).join(" "));
  if (mark.kind === "points") trace(spots(mark.at).map((spot) => `M${spot}h0`).join(""), mark.radius / 2, { "stroke-linecap": "round" });
  if (mark.kind === "bars") trace(mark.ends.map(([x, low, high]) => `M${spots([[x, low], [x, high]]).join("L")}`).join(""), 1, { opacity: mark.dark });
  if (mark.kind === "interval") {
    const ends = mark.ends.map((end) => [mark.x, end]);
    stroke(path(ends), 1, mark.dark);
    for (const end of ends) {
      const [cx, cy] = at(end);
      stroke(`${cx - 5},${cy} ${cx + 5},${cy}`, 1, mark.dark);
    }
  }
  if (mark.kind === "tiles") {
    const { wide, columns, cells, shades } = mark;
    const last = place.x.last;
    const edge = (column) => across(Math.min(column * wide - 0.5, last));
    const paths = {};
    for (let first = 0; first < cells.length; ) {
      const row = Math.floor(first / columns);
      let next = first + 1;
      while (next < (row + 1) * columns && cells[next] === cells[first]) next += 1;
      const [from, to] = [first, next].map((cell) => edge(cell - row * columns));
      paths[cells[first]] = `${paths[cells[first]] || ""}M${from.toFixed(1)} ${up(row).toFixed(1)}h${(to - from).toFixed(1)}`;
      first = next;
    }
    const tall = Math.abs(up(1) - up(0)) + 0.5;
    for (const [letter, d] of Object.entries(paths)) {
      const shade = letter === "." ? "gap" : letter === "-" ? "blank" : `${shades === "worse" ? "m" : "h"}${letter.charCodeAt(0) - 97}`;
      make("path", { class: `tiles ${shade}`, "stroke-width": tall.toFixed(1), d }, group);
    }
  }
};

// Names where nothing else is. What is drawn last is named first.
const SIDES = [[10, 4, "start"], [-10, 4, "end"], [0, -10, "middle"], [0, 21, "middle"], [10, -10, "start"], [10, 21, "start"], [-10, -10, "end"], [-10, 21, "end"]];
const drawTexts = (layers, place, taken) => {
  const { at, left, right, top, bottom } = place;
  const texts = layers.toReversed().flatMap((layer) => layer.marks.filter((mark) => mark.kind === "text").map((mark) => [layer, mark]));
  if (!texts.length) return;
  const spots = layers.flatMap((layer) => layer.places).map(([x, y]) => [x - 5, y - 6, x + 5, y + 6]);
  for (const mark of layers.flatMap((layer) => layer.marks).filter((mark) => mark.kind === "line")) {
    mark.through.slice(1).forEach((to, nth) => {
      const [[x, y], [dx, dy]] = [at(mark.through[nth]), at(to)];
      const many = clamp(Math.ceil(Math.hypot(dx - x, dy - y) / 6) || 1, 1, 400);
      for (let piece = 0; piece <= many; piece += 1) {
        const [px, py] = [x + ((dx - x) * piece) / many, y + ((dy - y) * piece) / many];
        spots.push([px - 2, py - 2, px + 2, py + 2]);
      }
    });
  }
  const clear = (box, others) => others.every((other) => box[2] < other[0] || other[2] < box[0] || box[3] < other[1] || other[3] < box[1]);
  const within = (box) => box[0] >= left && box[2] <= right && box[1] >= top - 6 && box[3] <= bottom + 2;
  const box = ([x, y, anchor], lines) => {
    const wide = widest(lines);
    const from = x - { start: 0, middle: wide / 2, end: wide }[anchor];
    return [from, y - 11, from + wide, y + 4 + (lines.length - 1) * LINE];
  };
  const write = ([x, y, anchor], lines, layer, side = "free") => {
    taken.push(box([x, y, anchor], lines));
    lines.forEach((text, nth) => make("text", { x, y: y + nth * LINE, "text-anchor": anchor, "font-size": LETTERS, class: side }, layer.group, text));
  };
  for (const [layer, { at: where, side, lines }] of texts) {
    const [x, y] = at(where);
    if (side === "inside" || side === "over") {
      const seen = lines.slice(0, Math.floor((place.row - 4) / LINE)).filter((text) => widthOf(text) <= place.column - 4);
      if (seen.length) write([x, y + 4 - ((seen.length - 1) * LINE) / 2, "middle"], seen, layer, side);
    } else if (side === "beside") {
      const places = SIDES.map(([dx, dy, anchor]) => [x + dx, y + dy, anchor]).filter((spot) => within(box(spot, lines)));
      const isLast = layer === layers.at(-1);
      const found = places.find((spot) => clear(box(spot, lines), [...taken, ...spots])) || (isLast && places.find((spot) => clear(box(spot, lines), taken)));
      if (found) write(found, lines, layer);
    } else if (x >= left - 1 && x <= right + 1) {
      const isRight = x + 10 + widest(lines) <= right || right - x > x - left;
      const room = (isRight ? right - x : x - left) - 10;
      const seen = lines.flatMap((text) => wrapped(text, room, 3));
      for (const some of [seen, seen.slice(0, 1)]) {
        const rows = Array.from({ length: 10 }, (_, row) => [x + (isRight ? 6 : -6), top + 12 + row * LINE, isRight ? "start" : "end"]);
        const found = rows.find((spot) => within(box(spot, some)) && clear(box(spot, some), taken));
        if (found) { write(found, some, layer); break; }
      }
    }
  }
};

// Lines that no curve can exceed, each with its name where no other name is.
const drawCeilings = (svg, ceilings, layers, place, taken) => {
  const { left, right, top, bottom, at } = place;
  for (const group of svg.querySelectorAll("g.ceilings")) group.remove();
  const group = make("g", { class: "ceilings" }, svg);
  for (const { name, line } of ceilings) {
    const points = line.map(at).filter(([, y]) => y >= top - 1 && y <= bottom + 1);
    const inside = points.length > 1;
    if (inside) make("polyline", { fill: "none", stroke: "currentColor", "stroke-width": 1, "stroke-dasharray": "6 4", "clip-path": `url(#inside-${svg.dataset.graph})`, points: points.map((point) => point.join(",")).join(" ") }, group);
    const text = inside ? name : `${name} (above)`;
    const wide = widthOf(text);
    // Over its line; under it where that is too near to the top.
    const by = inside ? points[0][1] : top;
    const over = by - 5 - LETTERS < top - 2 ? by + LETTERS + 4 : by - 5;
    // Far from its line a name is not read as that of it: a row costs as much as three points.
    const places = [0, 20, 34, 48, 62].flatMap((more, row) => [left + 6, right - 6 - wide, (left + right - wide) / 2].map((x) => [x, over + more, 3 * row]));
    const covers = ([x, y], [px, py]) => px > x - 4 && px < x + wide + 4 && py > y - LETTERS - 2 && py < y + 6;
    const cost = ([x, y, far]) => {
      const others = taken.filter((other) => other[1] < y + 4 && y - LETTERS < other[3] && other[0] < x + wide && x < other[2]);
      return 1000 * others.length + far + layers.flatMap((layer) => layer.places).filter((spot) => covers([x, y], spot)).length;
    };
    const [x, y] = places.reduce((one, other) => (cost(other) < cost(one) ? other : one));
    taken.push([x, y - LETTERS, x + wide, y + 4]);
    make("text", { x, y, "font-size": LETTERS, fill: "currentColor" }, group, text);
  }
};
