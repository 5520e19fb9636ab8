// A comparison answers for the methods, data sets and number of features that are chosen.
(() => {
  const card = document.querySelector("[data-compare]");
  if (!card) return;
  const { svg, axes, color, figure } = sieve;
  const data = sieve.json(card), form = card.querySelector("form"), hidden = new Set();
  const unit = data.sizes.flat().every(Number.isInteger) ? {} : { whole: false, xTitle: "share of features", unit: "of the features" };
  const show = sieve.curves(card.querySelector(".plot"), card.querySelector(".readout"));
  const [spread, ranks, times] = [...document.querySelectorAll(".compared .plot")];
  const of = (method) => color(data.method.indexOf(method));
  const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;
  function quantile(values, share) {
    const sorted = [...values].sort((a, b) => a - b), at = share * (sorted.length - 1), low = Math.floor(at);
    return sorted[low] + (at - low) * ((sorted[low + 1] ?? sorted[low]) - sorted[low]);
  }
  const valueAt = (row, size) => (size === "" ? row.score : row.mean[data.sizes[row.sizes].indexOf(Number(size))] ?? null);
  // The curve between its ends: straight from one measured size to the next.
  const between = ({ sizes, mean: known }, n, all = data.sizes[sizes], i = all.findIndex((size) => size >= n), a = known[i - 1] ?? null, b = known[i] ?? null) =>
    (all[i] === n ? b : a === null || b === null ? null : a + (b - a) * (n - all[i - 1]) / (all[i] - all[i - 1]));
  // The rows that agree with the form, by data set. Values without a view count in each.
  function chosen(wanted) {
    const found = new Map(wanted.getAll("dataset").map((name) => [name, []]));
    for (const [m, d, c, v, at, sizes, means, half, score] of data.rows) {
      const [method, contest, view] = [data.method[m], data.contest[c], data.view[v]];
      const suits = data.measure[at] === wanted.get("measure") && contest === (wanted.get("contest") ?? contest) && ["none", wanted.get("view") ?? view].includes(view);
      if (suits && !hidden.has(method)) found.get(data.dataset[d])?.push({ method, sizes, mean: means, half, score });
    }
    return [...found].filter(([, rows]) => rows.length);
  }
  // One data set has its own curve; several have their mean and their middle half: of those
  // whose curves reach every size that most of them reach, and of methods that lack none.
  function lines(found) {
    const each = found.map(([, rows]) => data.sizes[rows[0].sizes]);
    const sizes = [...new Set(each.flat())].filter((n) => 2 * each.filter((all) => all[0] <= n && n <= all.at(-1)).length > each.length).sort((a, b) => a - b);
    const drawn = data.method.flatMap((method) => {
      const rows = found.flatMap(([, all]) => all.filter((row) => row.method === method));
      const common = { method, color: of(method), dashed: data.controls.includes(method), count: rows.length };
      if (found.length === 1 && rows.length) return [sieve.band({ ...common, ...rows[0], sizes: data.sizes[rows[0].sizes] })];
      const values = rows.map((row) => sizes.map((n) => between(row, n))).filter((all) => !all.includes(null));
      const along = (what) => sizes.map((_, i) => what(values.map((all) => all[i])));
      const middle = { low: along((all) => quantile(all, 0.25)), high: along((all) => quantile(all, 0.75)) };
      return !values.length ? [] : [{ ...common, count: values.length, sizes, mean: along(mean), ...(data.method.length - hidden.size > 3 ? {} : middle) }];
    });
    return drawn.filter(({ count }) => drawn.every((other) => other.count <= count));
  }
  // What each method loses on each data set against the best shown; a method that lacks a
  // value somewhere is left out, and so is a data set without this size.
  function losses(found, measure, size) {
    const sign = data.smaller.includes(measure) ? 1 : -1;
    const tables = found.map(([name, rows]) => [name, new Map(rows.map((row) => [row.method, valueAt(row, size)]).filter(([, value]) => value !== null))]).filter(([, table]) => table.size);
    const whole = data.method.filter((method) => tables.length && tables.every(([, table]) => table.has(method)));
    const judged = whole.some((method) => !data.controls.includes(method)) ? whole.filter((method) => !data.controls.includes(method)) : whole;
    const best = tables.map(([, table]) => Math.min(...judged.map((method) => sign * table.get(method))));
    return { names: tables.map(([name]) => name), rows: whole.map((method) => ({ method, points: tables.map(([, table], i) => sign * table.get(method) - best[i]) })) };
  }
  // A row for each method, the best on top: an interval, a mark, and points.
  function draw(host, label, xTitle, names, items) {
    const left = Math.min(180, 16 + 6.8 * Math.max(4, ...items.map(({ method }) => method.length)));
    const { root, x, box } = axes(host, { label, xTitle, xs: items.flatMap((one) => [...one.points, ...one.ends]), height: 56 + 22 * items.length, left });
    items.sort((a, b) => a.mark - b.mark).forEach(({ method, points, ends, mark }, place) => {
      const y = box.top + 11 + 22 * place, style = `stroke:${of(method)};fill:${of(method)}`;
      svg("text", { x: left - 8, y: y + 4, "text-anchor": "end" }, root, method.length > 24 ? `${method.slice(0, 23)}…` : method);
      svg("line", { x1: x(ends[0]), x2: x(ends[1]), y1: y, y2: y, class: "spread", style }, root);
      points.forEach((value, i) => svg("title", {}, svg("circle", { cx: x(value), cy: y, r: 3, class: "point", style }, root), `${names[i] ?? method}: ${figure(value)}`));
      svg("line", { x1: x(mark), x2: x(mark), y1: y - 7, y2: y + 7, class: "middle", style }, root);
    });
  }
  // Average ranks, ties in their middle, with half the critical difference at each side.
  function ranked({ names, rows }) {
    const half = data.q[rows.length] * Math.sqrt(rows.length * (rows.length + 1) / (6 * names.length)) / 2;
    return rows.map(({ method, points }) => {
      const mark = mean(points.map((value, i) => 0.5 + rows.reduce((sum, { points: { [i]: other } }) => sum + (Math.abs(other - value) <= 1e-12 ? 0.5 : other < value ? 1 : 0), 0)));
      return { method, mark, points: [mark], ends: [Math.max(1, mark - half), Math.min(rows.length, mark + half)] };
    });
  }
  function scatter(host, { names, rows }) {
    const points = rows.filter(({ method }) => !data.controls.includes(method)).map(({ method, points: all }) => ({ method, y: mean(all), x: quantile(names.map((name) => data.seconds[method]?.[name]).filter(Number.isFinite), 0.5) }))
      .filter((one) => one.x >= 0).map((one) => ({ ...one, x: Math.max(one.x, 1e-4) })).sort((a, b) => a.x - b.x);
    if (!points.length) { host.replaceChildren("No times are known."); return; }
    const { root, x, y, box } = axes(host, { title: "mean loss", label: "Mean loss against seconds of a selection", xTitle: "seconds of a selection", log: true, xs: points.map((one) => one.x), ys: points.map((one) => one.y), height: 320 });
    const front = points.filter((one, i) => points.slice(0, i).every((other) => other.y > one.y));
    svg("polyline", { points: front.map((one) => `${x(one.x)},${y(one.y)}`).join(" "), class: "line", style: "stroke:var(--c1)" }, root);
    const placed = points.map((one) => [x(one.x) - 4, y(one.y) + 4, x(one.x) + 4]); // no name covers a point or a name
    for (const one of [...front, ...points.filter((other) => !front.includes(other))]) {
      const late = x(one.x) > (box.left + box.right) / 2, wide = 7 * one.method.length, beside = [late, !late].flatMap((end) => [4, -9, 17].map((below) => [x(one.x) + (end ? -7 - wide : 7), y(one.y) + below, end]));
      const [from, top, end] = beside.find(([a, at]) => a > 0 && a + wide < box.right + 20 && at < box.bottom + 5 && !placed.some(([left, above, right]) => Math.abs(above - at) < 13 && a < right && left < a + wide)) ?? [];
      svg("title", {}, svg("circle", { cx: x(one.x), cy: y(one.y), r: 4, style: `fill:${of(one.method)}` }, root), one.method);
      if (top === undefined) continue;
      placed.push([from, top, from + wide]);
      svg("text", { x: x(one.x) + (end ? -7 : 7), y: top, "text-anchor": end ? "end" : "start" }, root, one.method);
    }
  }
  function render() {
    const wanted = new FormData(form), size = wanted.get("size");
    const found = chosen(wanted), title = form.elements.measure.selectedOptions[0].text;
    show({ title, label: `${title} of ${data.method.filter((method) => !hidden.has(method)).join(", ")}`, series: lines(found), chosen: size === "" ? null : Number(size), ...unit });
    const lost = losses(found, wanted.get("measure"), size), { names } = lost;
    const said = `${names.length} of ${data.dataset.length} data sets, ${lost.rows.filter(({ method }) => !data.controls.includes(method)).length} methods`;
    document.querySelectorAll(".compared-said").forEach((one) => { one.textContent = said; });
    if (lost.rows.length) draw(spread, `Loss by data set: ${said}`, "loss against the best, by data set", names, lost.rows.map((one) => ({ ...one, mark: quantile(one.points, 0.5), ends: [quantile(one.points, 0.25), quantile(one.points, 0.75)] })));
    else spread.replaceChildren("No method has a value on all of these data sets.");
    if (names.length > 1 && lost.rows.length > 1) draw(ranks, `Average ranks: ${said}`, "average rank (1 is best)", [], ranked(lost));
    else ranks.replaceChildren("Ranks need two data sets and two methods.");
    scatter(times, lost);
    const parts = new URLSearchParams();
    for (const one of form.elements) {
      const some = [...one.options].filter((option) => option.selected).map((option) => option.index);
      if (one.multiple ? some.length < one.options.length : some[0]) parts.set(one.name, some.join("."));
    }
    if (hidden.size) parts.set("off", [...hidden].map((method) => data.method.indexOf(method)).join("."));
    sieve.remember(parts);
  }
  for (const [key, text] of sieve.remembered()) {
    const asked = text.split(".").map(Number);
    if (key === "off") asked.filter((m) => data.method[m]).forEach((m) => hidden.add(data.method[m]));
    else for (const option of form.elements[key]?.options ?? []) option.selected = asked.includes(option.index);
  }
  form.hidden = false;
  form.addEventListener("change", render);
  window.addEventListener("resize", render);
  sieve.legend(card.querySelector(".legend"), data.method, hidden, render);
  render();
})();
