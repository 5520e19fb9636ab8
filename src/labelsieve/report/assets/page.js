"use strict";
// Curves that can be chosen, toggled and read; tables that sort; a command to copy.
// All text from data goes through textContent, never through markup.
const sieve = (() => {
  const SVG = "http://www.w3.org/2000/svg";

  function svg(name, attributes, parent, text) {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    parent.append(element);
    return element;
  }

  function add(parent, name, text, className) {
    const element = document.createElement(name);
    if (text !== undefined) element.textContent = text;
    if (className) element.className = className;
    parent.append(element);
    return element;
  }

  // Round steps of 1, 2 or 5 that give about `count` ticks.
  function ticks(low, high, count) {
    const raw = (high - low) / Math.max(count, 1) || 1;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = power * [1, 2, 5, 10].find((factor) => factor * power >= raw);
    const found = [];
    for (let n = Math.ceil(low / step - 1e-9); n * step <= high + step * 1e-9; n++) {
      found.push(Number((n * step).toPrecision(12)));
    }
    return found;
  }

  const figure = (value) => (value === null || value === undefined ? "–" : Number(value.toPrecision(4)).toString());

  function chart(card) {
    const data = JSON.parse(card.querySelector("script[type='application/json']").textContent);
    const plot = card.querySelector(".plot");
    const readout = card.querySelector(".readout");
    const legend = card.querySelector(".legend");
    const form = card.querySelector(".choices");
    for (const one of data.series) {
      // A measure that is not negative has no band below 0.
      one.low = one.mean.map((mean, i) =>
        (mean === null ? null : mean < 0 ? mean - one.half[i] : Math.max(0, mean - one.half[i])));
      one.high = one.mean.map((mean, i) => (mean === null ? null : mean + one.half[i]));
    }
    const hidden = new Set();
    let view = null;
    let place = -1;

    const colorOf = (method) => `var(--c${(data.methods.indexOf(method) % 8) + 1})`;

    function selected() {
      const wanted = new FormData(form);
      return data.series.filter((one) =>
        data.keys.every((key) => String(one[key]) === wanted.get(key)));
    }

    function draw() {
      const lines = selected();
      const visible = lines.filter((one) => !hidden.has(one.method));
      const width = Math.max(plot.clientWidth, 240);
      const height = Math.min(380, Math.max(260, width * 0.5));
      const xs = lines.flatMap((one) => one.sizes);
      const ys = (visible.length ? visible : lines).flatMap((one) => [...one.low, ...one.high])
        .filter((value) => value !== null);
      const x0 = Math.min(...xs), x1 = Math.max(...xs, x0 + 1e-9);
      const xTicks = ticks(x0, x1, Math.min(8, width / 70))
        .filter((tick) => Number.isInteger(tick) || data.fractions);
      const half = 2 + 4 * Math.max(2, ...xTicks.map((tick) => String(tick).length)); // of a number
      const box = { left: 52, right: width - half, top: 40, bottom: height - 40 };
      let y0 = Math.min(...ys), y1 = Math.max(...ys);
      if (!(y1 > y0)) { y0 -= 0.5 * (Math.abs(y0) || 1); y1 += 0.5 * (Math.abs(y1) || 1); }
      const yTicks = ticks(y0, y1, 5);
      const step = yTicks.length > 1 ? yTicks[1] - yTicks[0] : (y1 - y0);
      y0 = Math.floor(y0 / step + 1e-9) * step; y1 = Math.ceil(y1 / step - 1e-9) * step;
      const x = (v) => box.left + (v - x0) / (x1 - x0) * (box.right - box.left);
      const y = (v) => box.bottom - (v - y0) / (y1 - y0) * (box.bottom - box.top);
      plot.replaceChildren();
      const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, height, role: "img",
        "aria-label": `${lines.map((one) => one.method).join(", ")}: ${data.titles[lines[0]?.measure] ?? ""} against number of features` }, plot);
      svg("text", { x: 0, y: 13, class: "title" }, root, data.titles[lines[0]?.measure] ?? "");
      for (const tick of ticks(y0, y1, 5)) {
        svg("line", { x1: box.left, x2: box.right, y1: y(tick), y2: y(tick), class: "grid" }, root);
        svg("text", { x: box.left - 8, y: y(tick) + 4, "text-anchor": "end" }, root, String(tick));
      }
      for (const tick of xTicks) {
        svg("text", { x: x(tick), y: box.bottom + 17, "text-anchor": "middle" }, root, String(tick));
      }
      svg("text", { x: (box.left + box.right) / 2, y: height - 4, "text-anchor": "middle" }, root, data.x_title);
      if (data.chosen !== null && data.chosen >= x0 && data.chosen <= x1) {
        svg("line", { x1: x(data.chosen), x2: x(data.chosen), y1: box.top - 16, y2: box.bottom, class: "chosen" }, root);
        const late = x(data.chosen) > (box.left + box.right) / 2;
        svg("text", { x: x(data.chosen) + (late ? -5 : 5), y: box.top - 6, "text-anchor": late ? "end" : "start" }, root, `${data.chosen} kept`);
      }
      for (const one of visible) {
        const color = colorOf(one.method);
        const group = svg("g", { "data-method": one.method }, root);
        const known = one.sizes.map((_, i) => i).filter((i) => one.mean[i] !== null);
        const up = known.map((i) => `${x(one.sizes[i])},${y(one.high[i])}`);
        const down = known.map((i) => `${x(one.sizes[i])},${y(one.low[i])}`).reverse();
        svg("polygon", { points: [...up, ...down].join(" "), class: "band", style: `fill:${color}` }, group);
        svg("polyline", { points: known.map((i) => `${x(one.sizes[i])},${y(one.mean[i])}`).join(" "), class: "line",
          style: `stroke:${color};${one.dashed ? "stroke-dasharray:6 4" : ""}` }, group);
      }
      const guide = svg("line", { y1: box.top, y2: box.bottom, class: "guide", visibility: "hidden" }, root);
      const dots = svg("g", {}, root);
      const sizes = [...new Set(visible.flatMap((one) => one.sizes))].sort((a, b) => a - b);
      view = { x, y, box, visible, sizes, guide, dots, width };
    }

    function point(at) {
      if (!view || !view.sizes.length) return;
      place = Math.max(0, Math.min(view.sizes.length - 1, at));
      const size = view.sizes[place];
      view.guide.setAttribute("x1", view.x(size));
      view.guide.setAttribute("x2", view.x(size));
      view.guide.setAttribute("visibility", "visible");
      view.dots.replaceChildren();
      readout.replaceChildren();
      add(readout, "b", `${size} ${data.unit}`);
      for (const one of view.visible) {
        const at = one.sizes.indexOf(size);
        if (at < 0 || one.mean[at] === null) continue;
        svg("circle", { cx: view.x(size), cy: view.y(one.mean[at]), r: 4, style: `fill:${colorOf(one.method)}` }, view.dots);
        readout.append(` · ${one.method} `);
        add(readout, "b", figure(one.mean[at]));
        if (one.half[at] > 0) readout.append(` ± ${figure(Number(one.half[at].toPrecision(2)))}`);
      }
    }

    function leave() {
      place = -1;
      view?.guide.setAttribute("visibility", "hidden");
      view?.dots.replaceChildren();
      readout.textContent = "Point at the chart, or focus it and use the arrow keys, to read values.";
    }

    function nearest(event) {
      const bounds = plot.getBoundingClientRect();
      const at = (event.clientX - bounds.left) * view.width / bounds.width;
      let best = 0;
      view.sizes.forEach((size, i) => {
        if (Math.abs(view.x(size) - at) < Math.abs(view.x(view.sizes[best]) - at)) best = i;
      });
      point(best);
    }

    for (const method of data.methods) {
      const label = add(legend, "label");
      const box = add(label, "input");
      box.type = "checkbox"; box.checked = true; box.value = method;
      add(label, "span", undefined, "swatch").style.background = colorOf(method);
      label.append(method);
      box.addEventListener("change", () => {
        if (box.checked) hidden.delete(method); else hidden.add(method);
        draw(); leave();
      });
    }
    legend.hidden = false;
    form.hidden = form.querySelectorAll("option").length <= form.querySelectorAll("select").length;
    form.addEventListener("change", () => { draw(); leave(); });
    form.addEventListener("submit", (event) => event.preventDefault());
    plot.addEventListener("pointermove", nearest);
    plot.addEventListener("pointerdown", nearest);
    plot.addEventListener("pointerleave", leave);
    plot.addEventListener("blur", leave);
    plot.addEventListener("keydown", (event) => {
      const move = { ArrowLeft: -1, ArrowRight: 1, Home: -1e9, End: 1e9 }[event.key];
      if (move === undefined) return;
      event.preventDefault();
      point(place < 0 && move > 0 && move < 9 ? 0 : place + move);
    });
    // The live part of a page sets another number of features.
    if (data.follows) document.addEventListener("size", (event) => { data.chosen = event.detail; draw(); leave(); });
    draw(); leave();
    let last = plot.clientWidth;
    new ResizeObserver(() => {
      if (plot.clientWidth !== last) { last = plot.clientWidth; draw(); leave(); }
    }).observe(plot);
  }

  function sortable(table) {
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const value = (row) => {
          const cell = row.cells[column];
          const number = cell.dataset.sort === undefined ? NaN : Number(cell.dataset.sort);
          return Number.isNaN(number) ? cell.textContent : number;
        };
        const order = (a, b) => (typeof a === "number" && typeof b === "number"
          ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true }));
        const rows = [...body.rows].sort((a, b) => order(value(a), value(b)));
        body.append(...(down ? rows.reverse() : rows));
      });
    });
  }

  // Returns whether it could be copied.
  async function copy(text) {
    try { await navigator.clipboard.writeText(text); return true; } catch {
      const area = add(document.body, "textarea", undefined, "spoken");
      area.value = text;
      area.select();
      const done = document.execCommand("copy");
      area.remove();
      return done;
    }
  }

  function copyable(box) {
    const button = box.querySelector(".copy");
    if (button.dataset.copy) return;
    button.hidden = false;
    button.addEventListener("click", async () => {
      const done = await copy(box.querySelector("code").textContent);
      button.textContent = done ? "Copied" : "Press Ctrl+C";
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
  }

  // A table wider than its frame says that there is more beside what is seen.
  const wider = new ResizeObserver((seen) => seen.forEach(({ target }) => {
    target.classList.toggle("wider", target.scrollWidth > target.clientWidth + 1);
  }));

  document.querySelectorAll("[data-chart]").forEach(chart);
  document.querySelectorAll("table.sortable").forEach(sortable);
  document.querySelectorAll(".command").forEach(copyable);
  document.querySelectorAll(".table").forEach((frame) => wider.observe(frame));
  return { add, svg, figure, copy };
})();
