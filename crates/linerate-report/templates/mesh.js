"use strict";
(() => {
  const { meshes, views } = JSON.parse(document.getElementById("meshes").textContent);
  const tip = document.getElementById("tip");
  const root = document.documentElement;
  const STEPS = 20;
  const MOST_ROWS = 100;

  // Values: 16 bits each, by sender, then by receiver; NaN was not measured.
  const unpack = (view) => {
    const bytes = atob(view.cells);
    const values = new Float64Array(bytes.length / 2);
    for (let at = 0; at < values.length; at += 1) {
      const number = bytes.charCodeAt(2 * at) | (bytes.charCodeAt(2 * at + 1) << 8);
      const share = number / 65534;
      const value = view.low > 0 ? view.low * (view.high / view.low) ** share : view.low + (view.high - view.low) * share;
      values[at] = number === 65535 ? NaN : value;
    }
    return values;
  };
  for (const view of views) {
    view.values = unpack(view);
    view.names = meshes[view.mesh];
    view.size = view.names.length;
    const place = view.log ? Math.log : (value) => value;
    const [best, worst] = [place(view.best), place(view.worst)];
    view.badness = (value) => Math.min(1, Math.max(0, (place(value) - best) / (worst - best))) || 0;
    view.times = (value) => (view.worse > 0 ? value / view.median : view.median / value);
    view.at = (from, to) => view.values[from * view.size + to];
  }
  const digits = (value) => {
    const magnitude = Math.floor(Math.log10(Math.abs(value)));
    return value.toFixed(Number.isFinite(magnitude) ? Math.min(6, Math.max(0, 3 - magnitude)) : 3);
  };
  const middle = (list) => {
    const sorted = list.filter((value) => !Number.isNaN(value)).sort((one, other) => one - other);
    const half = sorted.length >> 1;
    return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  };

  // In which order the ranks stand; those without a value come last.
  const order = (view, by) => {
    const ranks = Array.from({ length: view.size }, (_, rank) => rank);
    if (by === "number") return ranks;
    const rows = ranks.map((rank) => ranks.map((to) => view.at(rank, to)));
    const worst = (values) => values.reduce((one, other) => (Number.isNaN(one) || (other - one) * view.worse > 0 ? other : one), NaN);
    const both = (rank) => worst(rows[rank].concat(ranks.map((from) => view.at(from, rank))).filter((value) => !Number.isNaN(value)));
    const keys = ranks.map((rank) => (by === "median" ? middle(rows[rank]) : both(rank)));
    const key = (rank) => (Number.isNaN(keys[rank]) ? -Infinity : keys[rank] * view.worse);
    return ranks.sort((one, other) => key(other) - key(one) || one - other);
  };

  const show = (event, lines) => {
    tip.textContent = lines.join("\n");
    tip.className = "";
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    const right = event.clientX + 16 + box.width <= innerWidth;
    tip.style.left = `${Math.max(8, right ? event.clientX + 16 : event.clientX - 16 - box.width)}px`;
    tip.style.top = `${Math.max(8, Math.min(event.clientY + 16, innerHeight - box.height - 8))}px`;
  };
  const colour = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  const rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  const nice = (least) => {
    for (let power = 1; ; power *= 10) for (const factor of [1, 2, 5]) if (factor * power >= least) return factor * power;
  };
  const cut = (name, most) => (name.length > most ? `${name.slice(0, most >> 1)}\u2026${name.slice(-((most >> 1) - 1))}` : name);

  // A map: the static picture gives way to a canvas with a pixel or more for each cell.
  const maps = [];
  for (const figure of document.querySelectorAll("figure.mesh")) {
    const view = views[Number(figure.dataset.map)];
    const still = figure.querySelector("svg.field");
    const canvas = document.createElement("canvas");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", still.getAttribute("aria-label"));
    still.replaceWith(canvas);
    const map = { figure, view, canvas, by: "number", ranks: order(view, "number"), part: figure.dataset.part };
    maps.push(map);

    map.draw = () => {
      const room = canvas.parentElement.clientWidth;
      if (!room) return;
      const { ranks } = map;
      const size = view.size;
      const scale = devicePixelRatio || 1;
      const medians = size <= 24 && room >= 600;
      const named = size <= 40;
      const pen = canvas.getContext("2d");
      const font = "12px system-ui, sans-serif";
      pen.font = font;
      const labels = ranks.map((rank) => (named ? `${rank} ${cut(view.names[rank], room < 600 ? 10 : 18)}` : String(rank)));
      const left = Math.max(44, ...labels.map((label) => pen.measureText(label).width)) + 10;
      const [top, right] = [36, medians ? 76 : 4];
      const side = Math.max(80, Math.floor(Math.min(room - left - right, size * 64, Math.max(260, innerHeight - 120, 560))));
      map.tile = Math.ceil(size / side);
      const cells = Math.ceil(size / map.tile);
      const pitch = side / cells;
      Object.assign(map, { left, top, side, pitch, cells });
      canvas.width = Math.round((left + side + right) * scale);
      canvas.height = Math.round((top + side + 4) * scale);
      canvas.style.width = `${left + side + right}px`;
      canvas.style.height = `${top + side + 4}px`;
      const paints = Array.from({ length: STEPS }, (_, step) => colour(`--m${step}`));
      const [none, paper, ink, quiet] = ["--m-none", "--paper", "--ink", "--quiet"].map(colour);

      const image = new ImageData(cells, cells);
      const put = (at, [red, green, blue]) => image.data.set([red, green, blue, 255], 4 * at);
      const [shades, gap, page] = [paints.map(rgb), rgb(none), rgb(paper)];
      for (let row = 0; row < cells; row += 1) {
        for (let column = 0; column < cells; column += 1) {
          const found = map.worst(row, column);
          const blank = map.tile === 1 && row === column ? page : gap;
          const step = found && Math.min(STEPS - 1, Math.floor(view.badness(found.value) * STEPS));
          put(row * cells + column, found ? shades[step] : blank);
        }
      }
      const small = document.createElement("canvas");
      [small.width, small.height] = [cells, cells];
      small.getContext("2d").putImageData(image, 0, 0);
      pen.setTransform(scale, 0, 0, scale, 0, 0);
      pen.imageSmoothingEnabled = false;
      pen.drawImage(small, left, top, side, side);

      pen.font = font;
      pen.textBaseline = "middle";
      pen.fillStyle = quiet;
      const write = (text, x, y, align) => { pen.textAlign = align; pen.fillText(text, x, y); };
      for (let cell = 0; cell < cells; cell += nice(30 / pitch)) {
        write(String(ranks[cell * map.tile]), left + (cell + 0.5) * pitch, top - 9, "center");
      }
      for (let cell = 0; cell < cells; cell += nice(14 / pitch)) {
        const rank = ranks[cell * map.tile];
        const y = top + (cell + 0.5) * pitch;
        write(labels[cell * map.tile], left - 7, y, "right");
        const median = medians ? middle(ranks.map((to) => view.at(rank, to))) : NaN;
        if (!Number.isNaN(median)) write(digits(median), left + side + 66, y, "right");
      }
      write("from", left - 7, top - 9, "right");
      write("to rank", left, top - 26, "left");
      if (medians) write("median", left + side + 66, top - 9, "right");
      if (pitch >= 46 && map.tile === 1) {
        for (let row = 0; row < cells; row += 1) {
          for (let column = 0; column < cells; column += 1) {
            const found = map.worst(row, column);
            if (!found) continue;
            pen.fillStyle = view.badness(found.value) >= 0.5 ? paper : ink;
            write(digits(found.value), left + (column + 0.5) * pitch, top + (row + 0.5) * pitch, "center");
          }
        }
      }
      const note = map.tile > 1 ? `At this width a cell is the worst of ${map.tile} x ${map.tile} pairs.` : "";
      figure.querySelector(".tile").textContent = note;
    };

    // The worst pair of a cell.
    map.worst = (row, column) => {
      let found = null;
      const ends = [row, column].map((first) => Math.min(view.size, (first + 1) * map.tile));
      for (let one = row * map.tile; one < ends[0]; one += 1) {
        for (let other = column * map.tile; other < ends[1]; other += 1) {
          const [from, to] = [map.ranks[one], map.ranks[other]];
          const value = view.at(from, to);
          if (Number.isNaN(value) || (found && (value - found.value) * view.worse <= 0)) continue;
          found = { from, to, value };
        }
      }
      return found;
    };

    const over = (event) => {
      const box = canvas.getBoundingClientRect();
      const [column, row] = [event.clientX - box.left - map.left, event.clientY - box.top - map.top].map((place) => Math.floor(place / map.pitch));
      tip.hidden = true;
      if (Math.min(row, column) < 0 || Math.max(row, column) >= map.cells) return;
      const found = map.worst(row, column);
      if (!found) {
        const [from, to] = [row, column].map((cell) => view.names[map.ranks[cell * map.tile]]);
        if (row !== column) show(event, [`from ${from} to ${to}`, "not measured"]);
        return;
      }
      const back = view.at(found.to, found.from);
      const lines = [
        `from ${view.names[found.from]} (${found.from}) to ${view.names[found.to]} (${found.to})`,
        `${digits(found.value)} ${view.unit}`,
        `${digits(found.value / view.median)} times the median, ${digits(view.median)} ${view.unit}`,
      ];
      if (!Number.isNaN(back)) lines.push(`back: ${digits(back)} ${view.unit}`);
      if (map.tile > 1) lines.push(`the worst of ${map.tile} x ${map.tile} pairs`);
      show(event, lines);
    };
    canvas.addEventListener("pointermove", over);
    canvas.addEventListener("pointerdown", over);
    canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
    map.draw();
  }
  const redraw = () => { for (const map of maps) map.draw(); };
  let width = innerWidth;
  addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; redraw(); } });
  document.getElementById("theme").addEventListener("click", redraw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);

  // Ranks stand at the same place in every map of a mesh, so that maps can be held against each other.
  for (const select of document.querySelectorAll("select[data-order]")) {
    const part = select.dataset.order;
    const by = document.querySelector(`select[data-by="${part}"]`);
    const sort = () => {
      const ranks = order(views[Number(by.value)], select.value);
      for (const map of maps) {
        if (map.part !== part) continue;
        map.ranks = ranks;
        map.draw();
      }
    };
    select.addEventListener("change", sort);
    by.addEventListener("change", sort);
    select.closest(".tools").hidden = false;
  }

  // Tables of pairs: sorted by a click on a heading.
  for (const details of document.querySelectorAll("details.pairs")) {
    const view = views[Number(details.dataset.map)];
    const body = details.querySelector("tbody");
    const shown = details.querySelector(".shown");
    const search = details.querySelector("input");
    let [key, sign] = [2, 1];
    const fill = () => {
      const wanted = search.value.trim().toLowerCase();
      const fits = view.names.map((name) => name.toLowerCase().includes(wanted));
      const pairs = [];
      view.values.forEach((value, at) => {
        const [from, to] = [Math.floor(at / view.size), at % view.size];
        if (!Number.isNaN(value) && (fits[from] || fits[to])) pairs.push(at);
      });
      const from = (at) => Math.floor(at / view.size);
      const to = (at) => at % view.size;
      const bad = (at) => -view.values[at] * view.worse;
      const of = [from, to, bad, bad][key];
      pairs.sort((one, other) => sign * (of(one) - of(other)) || one - other);
      shown.textContent = pairs.length > MOST_ROWS ? `the first ${MOST_ROWS} of ${pairs.length} pairs` : `${pairs.length} pairs`;
      body.replaceChildren(...pairs.slice(0, MOST_ROWS).map((at) => {
        const row = document.createElement("tr");
        const value = view.values[at];
        [view.names[from(at)], view.names[to(at)], digits(value), digits(view.times(value))].forEach((text, nth) => {
          const cell = document.createElement("td");
          cell.textContent = text;
          if (nth > 1) cell.className = "number";
          row.append(cell);
        });
        return row;
      }));
    };
    const heads = [...details.querySelectorAll("th")];
    heads.forEach((head, nth) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        sign = key === nth ? -sign : 1;
        key = nth;
        heads.forEach((other, at) => {
          if (at === key) other.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
          else other.removeAttribute("aria-sort");
        });
        fill();
      });
    });
    search.addEventListener("input", fill);
    details.querySelector(".tools").hidden = false;
  }
})();
