"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;
  const tip = document.getElementById("tip");
  const hidden = new Set();

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

  // Legend: one button a curve, for all three graphs.
  for (const button of document.querySelectorAll(".legend button")) {
    button.disabled = false;
    button.addEventListener("click", () => {
      const index = Number(button.dataset.curve);
      const show = hidden.delete(index);
      if (!show) hidden.add(index);
      button.setAttribute("aria-pressed", String(show));
      for (const curve of document.querySelectorAll(`g.curve[data-curve="${index}"]`)) {
        curve.toggleAttribute("hidden", !show);
      }
      leave();
    });
  }

  // Tooltip: the nearest point of the curves that are shown.
  const aims = [];
  const leave = () => {
    tip.hidden = true;
    for (const aim of aims) aim.setAttribute("visibility", "hidden");
  };
  const nearest = (graph, at) => {
    let best = null;
    data.places[graph].forEach((places, curve) => {
      if (hidden.has(curve)) return;
      places.forEach(([x, y], point) => {
        const distance = Math.hypot(x - at.x, y - at.y);
        if (!best || distance < best.distance) best = { curve, point, x, y, distance };
      });
    });
    return best;
  };
  const place = (event) => {
    const box = tip.getBoundingClientRect();
    const left = event.clientX + 16 + box.width > innerWidth ? event.clientX - 16 - box.width : event.clientX + 16;
    const top = Math.min(event.clientY + 16, innerHeight - box.height - 8);
    tip.style.left = `${Math.max(8, left)}px`;
    tip.style.top = `${Math.max(8, top)}px`;
  };
  for (const svg of document.querySelectorAll("svg.graph")) {
    const graph = Number(svg.dataset.graph);
    const aim = document.createElementNS(svg.namespaceURI, "circle");
    aim.setAttribute("class", "aim");
    aim.setAttribute("r", "26");
    aim.setAttribute("visibility", "hidden");
    svg.append(aim);
    aims.push(aim);
    const show = (event) => {
      const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      const found = nearest(graph, at);
      leave();
      if (!found) return;
      const curve = data.curves[found.curve];
      const lines = curve.points[found.point];
      tip.textContent = (data.curves.length > 1 ? [curve.name, ...lines] : lines).join("\n");
      tip.className = svg.querySelector(`g.curve[data-curve="${found.curve}"]`).classList[1];
      tip.hidden = false;
      place(event);
      aim.setAttribute("cx", found.x);
      aim.setAttribute("cy", found.y);
      aim.setAttribute("visibility", "visible");
    };
    svg.addEventListener("pointermove", show);
    svg.addEventListener("pointerdown", show);
    svg.addEventListener("pointerleave", leave);
  }
})();
