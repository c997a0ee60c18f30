"use strict";
(() => {
  const { meshes, views } = JSON.parse(document.getElementById("meshes").textContent);
  // Colours, the most cells of a row, and the most ranks with names and with numbers in their cells.
  const STEPS = 20;
  const MOST_CELLS = 200;
  const NAMED = 40;
  const NUMBERED = 16;
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
    const rounded = Number(value.toPrecision(3));
    const magnitude = Math.floor(Math.log10(Math.abs(rounded)));
    return rounded.toFixed(Number.isFinite(magnitude) ? Math.min(6, Math.max(0, 2 - magnitude)) : 2);
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

  const cut = (name, most) => (name.length > most ? `${name.slice(0, most >> 1)}\u2026${name.slice(-((most >> 1) - 1))}` : name);

  // A map: cells of several pairs, if there are more than it has room for, show the worst of them.
  const maps = [];
  views.forEach((view, number) => {
    const figure = document.getElementById(`map-${number}`);
    const { chart } = figure.querySelector("svg.graph");
    const [layer] = chart.layers;
    const tile = Math.ceil(view.size / MOST_CELLS);
    const side = Math.ceil(view.size / tile);
    const map = { view, part: String(view.mesh) };
    maps.push(map);
    const caption = figure.querySelector("figcaption");
    caption.textContent = caption.textContent.replace(/ Without a script,.*/, tile > 1 ? ` A cell is the worst of ${tile} x ${tile} pairs.` : "");

    map.draw = (ranks) => {
      // The worst pair of a cell.
      const worst = (row, column) => {
        let found = null;
        const ends = [row, column].map((first) => Math.min(view.size, (first + 1) * tile));
        for (let one = row * tile; one < ends[0]; one += 1) {
          for (let other = column * tile; other < ends[1]; other += 1) {
            const [from, to] = [ranks[one], ranks[other]];
            const value = view.at(from, to);
            if (Number.isNaN(value) || (found && (value - found.value) * view.worse <= 0)) continue;
            found = { from, to, value };
          }
        }
        return found;
      };
      const step = (value) => Math.min(STEPS - 1, Math.floor(view.badness(value) * STEPS));
      const first = Array.from({ length: side }, (_, cell) => ranks[cell * tile]);
      const isNamed = tile === 1 && side <= NAMED;
      const { x, y } = chart.graph;
      x.ticks = first.map((rank, cell) => [cell, String(rank)]);
      y.ticks = first.map((rank, cell) => [cell, isNamed ? `${rank} ${cut(view.names[rank], 18)}` : String(rank)]);
      x.ends = [-0.5, side - 0.5];
      y.ends = [side - 0.5, -0.5];
      x.room = y.room = [0, Math.min(64, 640 / side)];
      if (y.beside.length) y.beside = first.map((rank) => { const median = middle(ranks.map((to) => view.at(rank, to))); return median ? digits(median) : ""; });
      const cells = first.flatMap((_, row) => first.map((_, column) => [row, column, worst(row, column)]));
      const letter = ([row, column, found]) => (found ? String.fromCharCode(97 + step(found.value)) : tile === 1 && row === column ? "-" : ".");
      const tiles = { kind: "tiles", wide: 1, columns: side, cells: cells.map(letter).join(""), shades: "worse" };
      const numbers = side > NUMBERED ? [] : cells.filter(([, , found]) => found).map(([row, column, { value }]) => ({ kind: "text", at: [column, row], side: step(value) * 2 >= STEPS ? "over" : "inside", lines: [digits(value)] }));
      layer.marks = [tiles, ...numbers];
      const known = cells.filter(([row, column]) => tile > 1 || row !== column);
      layer.values = known.map(([row, column]) => [column, row]);
      layer.number = (nth) => (known[nth][2] ? digits(known[nth][2].value) : "");
      layer.said = (nth) => {
        const [row, column, found] = known[nth];
        if (!found) return [`from ${view.names[first[row]]} to ${view.names[first[column]]}`, "not measured"];
        const back = view.at(found.to, found.from);
        const lines = [
          `from ${view.names[found.from]} (${found.from}) to ${view.names[found.to]} (${found.to})`,
          `${digits(found.value)} ${view.unit}`,
          `${digits(found.value / view.median)} times the median, ${digits(view.median)} ${view.unit}`,
        ];
        if (!Number.isNaN(back)) lines.push(`back: ${digits(back)} ${view.unit}`);
        if (tile > 1) lines.push(`the worst of ${tile} x ${tile} pairs`);
        return lines;
      };
      chart.redraw();
    };
    map.draw(order(view, "number"));
  });

  // Ranks stand at the same place in every map of a mesh, so that maps can be held against each other.
  for (const select of document.querySelectorAll("select[data-order]")) {
    const part = select.dataset.order;
    const by = document.querySelector(`select[data-by="${part}"]`);
    const sort = () => {
      const ranks = order(views[Number(by.value)], select.value);
      for (const map of maps) {
        if (map.part !== part) continue;
        map.draw(ranks);
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
