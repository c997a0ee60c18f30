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
  for (const svg of document.querySelectorAll("svg.graph")) {
    const layers = data.graphs[Number(svg.dataset.graph)].map((layer) => {
      return { ...layer, group: svg.querySelector(`g.curve[data-curve="${layer.curve}"]`) };
    });
    const aim = document.createElementNS(svg.namespaceURI, "circle");
    aim.setAttribute("class", "aim");
    aim.setAttribute("r", "26");
    aim.setAttribute("visibility", "hidden");
    svg.append(aim);
    aims.push(aim);
    const show = (event) => {
      const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      const found = nearest(layers, at);
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
  }
})();
