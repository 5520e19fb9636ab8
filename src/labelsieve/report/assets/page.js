"use strict";
// What all pages share: curves that can be chosen, toggled and read, tables that sort, text
// to copy. Names are strangers' text: they reach the page through textContent only.
const sieve = (() => {
  function put(element, parent, text, attributes) {
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    parent.append(element);
    return element;
  }
  const svg = (name, attributes, parent, text) => put(document.createElementNS("http://www.w3.org/2000/svg", name), parent, text, attributes);
  const add = (parent, name, text, className) => put(document.createElement(name), parent, text, className ? { class: className } : {});
  const figure = (value) => (value === null || value === undefined ? "–" : Number(value.toPrecision(4)).toString());
  const signed = (text) => text.replace("-", "\u2212");
  const color = (place) => `var(--c${(place % 8) + 1})`;
  const json = (parent) => JSON.parse(parent.querySelector("script[type='application/json']").textContent);
  // Round steps of 1, 2 or 5 that give about `count` ticks.
  function ticks(low, high, count) {
    const raw = (high - low) / Math.max(count, 1) || 1, power = 10 ** Math.floor(Math.log10(raw));
    const step = power * [1, 2, 5, 10].find((factor) => factor * power >= raw);
    const from = Math.ceil(low / step - 1e-9), to = Math.floor(high / step + 1e-9);
    return Array.from({ length: to - from + 1 }, (_, n) => Number(((from + n) * step).toPrecision(12)));
  }
  // An empty picture with axes, and its scales. Without ys, rows have names instead.
  function axes(host, { title = "", label, xs, ys, xTitle, height, left = 52, log, whole }) {
    const width = Math.max(host.clientWidth, 240);
    const along = log ? Math.log10 : (value) => value;
    let x0 = along(Math.min(...xs)), x1 = along(Math.max(...xs));
    if (log) [x0, x1] = [Math.floor(x0), Math.ceil(x1)];
    if (!(x1 > x0)) x1 = x0 + (log ? 1 : 1e-9);
    const xTicks = ticks(x0, x1, Math.min(8, (width - left) / 50))
      .filter((tick) => Number.isInteger(tick) || !(log || whole)).map((tick) => (log ? 10 ** tick : tick));
    const half = 2 + 4 * Math.max(2, ...xTicks.map((tick) => figure(tick).length)); // of a number
    const box = { left, right: width - half, top: ys ? 40 : 8, bottom: height - 40 };
    const x = (value) => box.left + (along(value) - x0) / (x1 - x0) * (box.right - box.left);
    host.replaceChildren();
    const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, height, role: "img", "aria-label": label }, host);
    svg("text", { x: 0, y: 13, class: "title" }, root, title);
    for (const tick of xTicks) svg("text", { x: x(tick), y: box.bottom + 17, "text-anchor": "middle" }, root, signed(figure(tick)));
    svg("text", { x: Math.min((box.left + box.right) / 2, width - 3.3 * xTitle.length), y: height - 4, "text-anchor": "middle" }, root, xTitle);
    if (!ys) return { root, x, box, width };
    let y0 = Math.min(...ys), y1 = Math.max(...ys);
    if (!(y1 > y0)) { y0 -= 0.5 * (Math.abs(y0) || 1); y1 += 0.5 * (Math.abs(y1) || 1); }
    const [first, second = first] = ticks(y0, y1, 5);
    const step = second - first || y1 - y0;
    [y0, y1] = [Math.floor(y0 / step + 1e-9) * step, Math.ceil(y1 / step - 1e-9) * step];
    const y = (value) => box.bottom - (value - y0) / (y1 - y0) * (box.bottom - box.top);
    for (const tick of ticks(y0, y1, (y1 - y0) / step * (1 + 1e-6))) { // by the same step
      svg("line", { x1: box.left, x2: box.right, y1: y(tick), y2: y(tick), class: "grid" }, root);
      svg("text", { x: box.left - 8, y: y(tick) + 4, "text-anchor": "end" }, root, signed(String(tick)));
    }
    return { root, x, y, box, width };
  }
  // What draws lines against the number of features, as often as need be. With a readout,
  // values can be pointed at or reached by the arrow keys.
  function curves(plot, readout) {
    let view = null, place = -1, given = null, last = 0;
    function draw(asked) {
      [given, last, view] = [asked, plot.clientWidth, null];
      const { series, chosen = null, height = Math.min(340, Math.max(260, last * 0.5)) } = asked;
      const ys = series.flatMap((one) => [...one.mean, ...(one.low ?? []), ...(one.high ?? [])]).concat(asked.ys ?? []).filter((v) => v !== null);
      const sizes = [...new Set(series.flatMap((one) => one.sizes))].sort((a, b) => a - b);
      if (!ys.length) { plot.replaceChildren("Nothing to show for this choice."); return; }
      view = { ...axes(plot, { xTitle: "number of features", whole: true, ...asked, xs: sizes, ys, height }), series, sizes };
      const { root, x, y, box } = view;
      if (chosen !== null && chosen >= sizes[0] && chosen <= sizes.at(-1)) {
        svg("line", { x1: x(chosen), x2: x(chosen), y1: box.top - 16, y2: box.bottom, class: "chosen" }, root);
        const late = x(chosen) > (box.left + box.right) / 2;
        svg("text", { x: x(chosen) + (late ? -5 : 5), y: box.top - 6, "text-anchor": late ? "end" : "start" }, root, `${chosen} kept`);
      }
      for (const one of series) {
        const group = svg("g", { "data-method": one.method }, root);
        const known = one.sizes.map((_, i) => i).filter((i) => one.mean[i] !== null);
        const points = (values) => known.map((i) => `${x(one.sizes[i])},${y(values[i])}`);
        if (one.low) svg("polygon", { points: [...points(one.high), ...points(one.low).reverse()].join(" "), class: "band", style: `fill:${one.color}` }, group);
        svg("polyline", { points: points(one.mean).join(" "), class: "line", style: `stroke:${one.color};${one.dashed ? "stroke-dasharray:6 4" : ""}` }, group);
      }
      view.guide = svg("line", { y1: box.top, y2: box.bottom, class: "guide", visibility: "hidden" }, root);
      view.dots = svg("g", {}, root);
      leave();
    }
    function point(at) {
      if (!view) return;
      place = Math.max(0, Math.min(view.sizes.length - 1, at));
      const size = view.sizes[place];
      for (const [key, value] of [["x1", view.x(size)], ["x2", view.x(size)], ["visibility", "visible"]]) view.guide.setAttribute(key, value);
      for (const one of [view.dots, readout]) one.replaceChildren();
      add(readout, "b", `${size} ${given.unit ?? (size === 1 ? "feature" : "features")}`);
      const there = (one) => one.mean[one.sizes.indexOf(size)] ?? null;
      for (const one of view.series.filter((each) => there(each) !== null).sort((a, b) => there(b) - there(a))) { // as from top to bottom
        const i = one.sizes.indexOf(size);
        svg("circle", { cx: view.x(size), cy: view.y(one.mean[i]), r: 4, style: `fill:${one.color}` }, view.dots);
        readout.append(` · ${one.method} `);
        add(readout, "b", figure(one.mean[i]));
        if (one.half?.[i] > 0) readout.append(` ± ${figure(Number(one.half[i].toPrecision(2)))}`);
      }
    }
    function leave() {
      place = -1;
      view?.guide.setAttribute("visibility", "hidden");
      view?.dots.replaceChildren();
      if (readout) readout.textContent = "Point at the chart, or focus it and use the arrow keys, to read values.";
    }
    function nearest(event) {
      const bounds = plot.getBoundingClientRect(), gaps = view?.sizes.map((size) => Math.abs(view.x(size) * bounds.width / view.width - event.clientX + bounds.left)) ?? [];
      point(gaps.indexOf(Math.min(...gaps)));
    }
    if (!readout) return draw;
    for (const kind of ["pointermove", "pointerdown"]) plot.addEventListener(kind, nearest);
    for (const kind of ["pointerleave", "blur"]) plot.addEventListener(kind, leave);
    plot.addEventListener("keydown", (event) => {
      const move = { ArrowLeft: -1, ArrowRight: 1, Home: -1e9, End: 1e9 }[event.key];
      if (move) { event.preventDefault(); point(place < 0 && move === 1 ? 0 : place + move); }
    });
    new ResizeObserver(() => { if (plot.clientWidth !== last && given) draw(given); }).observe(plot);
    return draw;
  }
  // A measure that is not negative has no band below 0.
  const band = (one) => ({ ...one, high: one.mean.map((mean, i) => (mean === null ? null : mean + one.half[i])),
    low: one.mean.map((mean, i) => (mean === null ? null : mean < 0 ? mean - one.half[i] : Math.max(0, mean - one.half[i]))) });
  // Boxes that hide and show lines; the hidden ones are in a set.
  function legend(parent, methods, hidden, changed) {
    const boxes = methods.map((method, at) => {
      const label = add(parent, "label");
      const box = put(document.createElement("input"), label, undefined, { type: "checkbox", value: method, ...(hidden.has(method) ? {} : { checked: "" }) });
      add(label, "span", undefined, "swatch").style.background = color(at);
      label.append(method);
      box.addEventListener("change", () => { if (box.checked) hidden.delete(method); else hidden.add(method); changed(); });
      return box;
    });
    if (methods.length > 3) add(parent, "button", "All or none", "small-button").addEventListener("click", (_, none = !hidden.size) => {
      for (const box of boxes) { box.checked = !none; hidden[none ? "add" : "delete"](box.value); }
      changed();
    });
    parent.hidden = false;
  }
  function chart(card) {
    const data = json(card), form = card.querySelector(".choices"), hidden = new Set();
    const show = curves(card.querySelector(".plot"), card.querySelector(".readout"));
    function draw() {
      const wanted = new FormData(form), lines = data.series.filter((one) => data.keys.every((key) => String(one[key]) === wanted.get(key)));
      const title = data.titles[lines[0]?.measure] ?? "";
      show({ title: form.hidden ? title : "", label: `${lines.map((one) => one.method).join(", ")}: ${title} against number of features`, chosen: data.chosen,
        series: lines.filter((one) => !hidden.has(one.method)).map((one) => band({ ...one, color: color(data.methods.indexOf(one.method)) })) });
    }
    legend(card.querySelector(".legend"), data.methods, hidden, draw);
    form.hidden = form.querySelectorAll("option").length <= form.querySelectorAll("select").length;
    form.addEventListener("change", draw);
    // The live part of a page sets another number of features.
    if (data.follows) document.addEventListener("size", (event) => { data.chosen = event.detail; draw(); });
    draw();
  }
  function sortable(table) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const text = head.textContent;
      head.textContent = "";
      add(head, "button", text).addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const value = ({ cells }) => { const number = Number(cells[column].dataset.sort ?? NaN); return Number.isNaN(number) ? cells[column].textContent : number; };
        const order = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true }));
        table.tBodies[0].append(...[...table.tBodies[0].rows].sort((a, b) => (down ? -1 : 1) * order(value(a), value(b))));
      });
    });
  }
  // Returns whether it could be copied.
  async function copy(text) {
    try { await navigator.clipboard.writeText(text); return true; } catch {
      const area = add(document.body, "textarea", undefined, "spoken");
      area.value = text;
      area.select();
      try { return document.execCommand("copy"); } finally { area.remove(); }
    }
  }
  function copyable(button) { // what stands before it
    button.hidden = false;
    button.addEventListener("click", async () => {
      button.textContent = await copy(button.previousElementSibling.textContent) ? "Copied" : "Press Ctrl+C";
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
  }
  // The state is kept in the address; a frame without an address of its own keeps none.
  function remember(parts) {
    try {
      if (parts.size || location.hash.includes("=")) history.replaceState(null, "", parts.size ? `#${parts}` : location.pathname + location.search);
    } catch { /* nothing to keep it in */ }
  }
  const remembered = () => new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
  // A long name or word may be broken behind signs and before capitals, and nowhere else.
  const breakable = (host, text) => host.append(...text.split(/(?<=[=_/.:;,([-])|(?<=[a-z])(?=[A-Z])/).flatMap((part) => [part, document.createElement("wbr")]));
  const words = (host, text) => { host.replaceChildren(); text.split(/(\s+)/).forEach((part, i) => (i % 2 ? host.append(part) : breakable(add(host, "span", undefined, "word"), part))); };
  // What needs scripts is shown; what it replaces is for print.
  document.documentElement.classList.add("alive");
  document.querySelectorAll(".explore[hidden]").forEach((one) => { one.hidden = false; });
  // A table wider than its frame says that there is more beside what is seen.
  const wider = new ResizeObserver((seen) => seen.forEach(({ target }) => target.classList.toggle("wider", target.scrollWidth > target.clientWidth + 1)));
  document.querySelectorAll("[data-chart]").forEach(chart);
  document.querySelectorAll("table.sortable").forEach(sortable);
  document.querySelectorAll(".copy").forEach(copyable);
  document.querySelectorAll("pre code").forEach((one) => words(one, one.textContent));
  document.querySelectorAll(".said li, .text, .lead").forEach((one) => { one.textContent = one.textContent.replaceAll("-F1", "\u2011F1"); });
  document.querySelectorAll(".table").forEach((frame) => wider.observe(frame));
  return { add, svg, axes, curves, legend, band, json, figure, color, copy, breakable, words, remember, remembered };
})();
