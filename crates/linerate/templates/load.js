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

  const place = (event) => {
    const box = tip.getBoundingClientRect();
    const left = event.clientX + 16 + box.width > innerWidth ? event.clientX - 16 - box.width : event.clientX + 16;
    const top = Math.min(event.clientY + 16, innerHeight - box.height - 8);
    tip.style.left = `${Math.max(8, left)}px`;
    tip.style.top = `${Math.max(8, top)}px`;
  };

  // Each figure by itself: its legend shows and hides curves, its tooltip names the nearest point.
  for (const svg of document.querySelectorAll("svg.graph")) {
    const curves = data[Number(svg.dataset.figure)];
    const groups = [...svg.querySelectorAll("g.curve")];
    const aim = document.createElementNS(svg.namespaceURI, "circle");
    aim.setAttribute("class", "aim");
    aim.setAttribute("r", "26");
    aim.setAttribute("visibility", "hidden");
    svg.append(aim);
    const leave = () => {
      tip.hidden = true;
      aim.setAttribute("visibility", "hidden");
    };
    for (const button of svg.closest("figure").querySelectorAll(".legend button")) {
      button.disabled = false;
      button.addEventListener("click", () => {
        const group = groups[Number(button.dataset.curve)];
        const hide = !group.hasAttribute("hidden");
        group.toggleAttribute("hidden", hide);
        button.setAttribute("aria-pressed", String(!hide));
        leave();
      });
    }
    const nearest = (at) => {
      let best = null;
      curves.forEach((curve, index) => {
        if (groups[index].hasAttribute("hidden")) return;
        curve.places.forEach(([x, y], point) => {
          const distance = Math.hypot(x - at.x, y - at.y);
          if (!best || distance < best.distance) best = { index, point, x, y, distance };
        });
      });
      return best;
    };
    const show = (event) => {
      const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      const found = nearest(at);
      leave();
      if (!found) return;
      const curve = curves[found.index];
      const lines = curve.points[found.point];
      tip.textContent = (curves.length > 1 ? [curve.name, ...lines] : lines).join("\n");
      tip.className = groups[found.index].classList[1];
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
