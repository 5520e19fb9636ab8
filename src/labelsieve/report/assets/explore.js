"use strict";
// The part of a selection's page that answers questions: another size, one feature, one
// label, a feature that cannot be used. The data are JSON in the page; all names are
// strangers' text and reach the page through textContent only. The state is in the
// fragment of the address, so that a link shows what its sender saw.
(() => {
  const source = document.getElementById("explore-data");
  if (!source) return;
  const data = JSON.parse(source.textContent);
  const { features, labels, sizes } = data;
  const ROWS = 25; // of a window of a list
  const { add, svg, figure, copy } = sieve;
  const by = (id) => document.getElementById(id);

  const fresh = () => ({ n: data.k, f: -1, l: -1, x: new Set(), q: "", s: "rank", lq: "", ls: "coverage" });
  let state = fresh();
  const windows = { features: 0, labels: 0 }; // the first row that is shown

  // ---- small helpers ----

  function button(parent, text, act, label, className = "link") {
    const made = add(parent, "button", text, className);
    made.type = "button";
    // What is drawn again keeps the focus by this name.
    made.dataset.key = `${parent.closest("tbody, [role=region]")?.id}/${parent.closest("tr")?.dataset.i}/${className === "link" ? text : ""}`;
    if (label) made.setAttribute("aria-label", label);
    made.addEventListener("click", act);
    return made;
  }

  const percent = (share) => (share > 0 && share < 1 ? "< 1 %" : share > 99 && share < 100 ? "> 99 %" : `${Math.round(share)} %`);
  // Names that open their panel, each with its percent.
  function links(parent, pairs, all, key, none) {
    if (!pairs.length) parent.append(none);
    pairs.forEach(([i, share], place) => {
      if (place) parent.append(", ");
      button(parent, all[i].n, () => change({ [key]: i }));
      parent.append(`\u00a0${percent(share)}`);
    });
  }

  // A percent with a bar beside it.
  function barred(cell, share, color) {
    const bar = add(cell, "span", undefined, "bar");
    bar.setAttribute("aria-hidden", "true");
    const filled = add(bar, "span");
    filled.style.width = `${share ?? 0}%`;
    filled.style.background = `var(--${color})`;
    add(cell, "span", share === null ? "–" : percent(share), "share");
  }

  const many = (count, what) => `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;
  const inside = (text, query) => text.toLowerCase().includes(query.toLowerCase());

  // The share of its best single feature that the first n features keep of a label.
  function coverage(label, n) {
    let share = 0;
    for (const [rank, covered] of label.rec) { if (rank > n) break; share = covered; }
    return share;
  }

  let known = { n: 0, shares: [] };
  function covered() { // by all labels, once for each number of features
    if (known.n !== state.n) known = { n: state.n, shares: labels.map((one) => coverage(one, state.n)) };
    return known.shares;
  }

  const nearest = (n) => sizes.reduce((best, one) =>
    (!best || Math.abs(one.n - n) < Math.abs(best.n - n) ? one : best), null);

  // ---- the state and the address ----

  function write() {
    const parts = new URLSearchParams();
    const plain = fresh();
    for (const key of Object.keys(plain)) {
      if (key !== "x" && state[key] !== plain[key]) parts.set(key, state[key]);
    }
    if (state.x.size) parts.set("x", [...state.x].join("."));
    const text = parts.toString();
    try { // a frame without an address of its own keeps none
      if (text) history.replaceState(null, "", `#${text}`);
      else if (location.hash.includes("=")) history.replaceState(null, "", location.pathname + location.search);
    } catch { /* nothing to keep it in */ }
  }

  function read() {
    if (!location.hash.includes("=")) return;
    const parts = new URLSearchParams(location.hash.slice(1));
    const whole = (key, least, most, otherwise) => {
      const found = Number.parseInt(parts.get(key) ?? "", 10);
      return found >= least && found <= most ? found : otherwise;
    };
    state = { ...fresh(),
      n: whole("n", data.least, features.length, data.k),
      f: whole("f", 0, features.length - 1, -1),
      l: whole("l", 0, labels.length - 1, -1),
      x: new Set((parts.get("x") ?? "").split(".").filter(Boolean).map(Number)
        .filter((i) => Number.isInteger(i) && i >= 0 && i < features.length)),
      q: parts.get("q") ?? "", lq: parts.get("lq") ?? "" };
    for (const key of ["s", "ls"]) if (orders[key]?.[parts.get(key)]) state[key] = parts.get(key);
  }

  function change(part) {
    const key = document.activeElement?.dataset?.key;
    Object.assign(state, part);
    write();
    render();
    const moved = "f" in part && !("x" in part) ? by("feature-panel") : "l" in part ? by("label-panel") : null;
    const heading = moved?.querySelector("h3");
    if (heading) { heading.focus(); return; }
    if (key) ([...document.querySelectorAll("[data-key]")].find((one) => one.dataset.key === key) ?? by("feature-query")).focus();
  }

  // ---- lists that show a window of their rows ----

  const orders = {
    s: {
      rank: (a, b) => a - b,
      name: (a, b) => features[a].n.localeCompare(features[b].n, undefined, { numeric: true }),
      score: (a, b) => features[b].s - features[a].s || a - b,
      redundancy: (a, b) => (features[b].r[0]?.[1] ?? 0) - (features[a].r[0]?.[1] ?? 0) || a - b,
      missing: (a, b) => features[b].m - features[a].m || a - b,
    },
    ls: {
      coverage: (a, b) => covered()[a] - covered()[b] || a - b,
      name: (a, b) => labels[a].n.localeCompare(labels[b].n, undefined, { numeric: true }),
      positives: (a, b) => labels[b].p - labels[a].p || a - b,
      loss: (a, b) => loss(labels[b]) - loss(labels[a]) || a - b,
    },
  };

  // What a label loses of its own F1 against all features at the measured size.
  function loss(label) {
    const at = sizes.indexOf(nearest(state.n));
    return label.f && label.fa !== null && label.f[at] !== null ? label.fa - label.f[at] : -Infinity;
  }

  function list(which, all, row) {
    const body = by(`${which}-rows`);
    const first = windows[which] = Math.max(0, Math.min(windows[which], Math.floor((all.length - 1) / ROWS) * ROWS));
    const shown = all.slice(first, first + ROWS);
    body.replaceChildren();
    for (const i of shown) {
      const line = add(body, "tr");
      line.dataset.i = i;
      row(line, i);
    }
    by(`${which}-count`).textContent = all.length
      ? `${first + 1} to ${first + shown.length} of ${all.length.toLocaleString("en")}` : "None found";
    const [back, on] = by(`${which}-pager`).querySelectorAll("button");
    back.disabled = first === 0;
    on.disabled = first + ROWS >= all.length;
  }

  function featureRow(line, i) {
    const one = features[i];
    const out = state.x.has(i);
    if (i >= state.n) line.className = "beyond";
    if (i === state.f) line.setAttribute("aria-current", "true");
    add(line, "td", String(i + 1), "number");
    const head = add(line, "th", undefined, out ? "out" : "");
    head.scope = "row";
    button(head, one.n, () => change({ f: i }), undefined, "link");
    if (one.inc) add(head, "span", " (included)", "mark");
    add(line, "td", figure(one.s), "number");
    links(add(line, "td"), one.l.slice(0, 3), labels, "l", "–");
    links(add(line, "td", undefined, "spare"), one.r.slice(0, 1), features, "f", "–");
    const last = add(line, "td");
    button(last, out ? "Use again" : "Cannot use", () => cross(i), `${out ? "Use again" : "Cannot use"}: ${one.n}`, "small-button");
  }

  function labelRow(line, i) {
    const one = labels[i];
    if (i === state.l) line.setAttribute("aria-current", "true");
    const head = add(line, "th");
    head.scope = "row";
    button(head, one.n, () => change({ l: i }));
    add(line, "td", one.p.toLocaleString("en"), "number");
    barred(add(line, "td", undefined, "number"), coverage(one, state.n), "c1");
    const lost = loss(one);
    add(line, "td", lost === -Infinity ? "–" : `${figure(one.f[sizes.indexOf(nearest(state.n))])} of ${figure(one.fa)}`, "number");
  }

  function cross(i) {
    const x = new Set(state.x);
    if (!x.delete(i)) x.add(i);
    change({ x, f: i });
  }

  // ---- pictures ----

  // Shares of a label in each part of a feature's values, and where its samples are.
  function profile(parent, one, label, counts) {
    const positive = counts[0].reduce((a, b) => a + b, 0);
    const known = counts[1].reduce((a, b) => a + b, 0);
    const base = known ? positive / known : 0;
    const box = add(parent, "div", undefined, "profile");
    const title = add(box, "p");
    button(title, labels[label].n, () => change({ l: label }));
    title.append(`: ${effect(one, counts, base)}`);
    const table = add(box, "table", undefined, "bars");
    add(table, "caption", `Values of ${one.n} and ${labels[label].n}`, "spoken");
    const heads = add(add(table, "thead"), "tr");
    for (const text of ["values", "have the label", "samples with it", "without it"]) add(heads, "th", text).scope = "col";
    const body = add(table, "tbody");
    one.b.forEach((name, bin) => {
      const line = add(body, "tr");
      add(line, "th", name).scope = "row";
      const among = counts[1][bin] ? 100 * counts[0][bin] / counts[1][bin] : null;
      const without = known - positive ? 100 * (counts[1][bin] - counts[0][bin]) / (known - positive) : 0;
      for (const [share, kind] of [[among, "c1"], [positive ? 100 * counts[0][bin] / positive : 0, "c3"], [without, "c8"]]) {
        barred(add(line, "td", undefined, "number"), share, kind);
      }
    });
  }

  // Whether a feature raises or lowers a label, by how much, and the shape if not straight.
  function effect(one, counts, base) {
    const shares = one.b.map((_, bin) => (one.b[bin] !== "missing" && counts[1][bin] >= 5 ? 100 * counts[0][bin] / counts[1][bin] : null));
    const kept = shares.map((share, bin) => [share, bin]).filter(([share]) => share !== null);
    const all = `${percent(100 * base)} of all samples have it`;
    if (kept.length < 2) return all;
    const [low, high] = [kept.reduce((a, b) => (b[0] < a[0] ? b : a)), kept.reduce((a, b) => (b[0] > a[0] ? b : a))];
    const first = kept[0], last = kept.at(-1);
    const change = last[0] - first[0];
    const said = `${percent(first[0])} at ${one.b[first[1]]}, ${percent(last[0])} at ${one.b[last[1]]}`;
    if (one.kind === "category") return `most at ${one.b[high[1]]} (${percent(high[0])}), least at ${one.b[low[1]]} (${percent(low[0])}); ${all}`;
    if (high[0] - low[0] > 1.5 * Math.abs(change) + 2) {
      const peak = Math.abs(high[0] - (first[0] + last[0]) / 2) >= Math.abs(low[0] - (first[0] + last[0]) / 2);
      const [share, bin] = peak ? high : low;
      return `${peak ? "most" : "least"} in between: ${percent(share)} at ${one.b[bin]} (${said})`;
    }
    if (Math.abs(change) < 0.5) return `about the same everywhere: ${said}`;
    return `larger values ${change > 0 ? "raise" : "lower"} it: ${said} (${change > 0 ? "+" : "−"}${Math.abs(change).toFixed(Math.abs(change) < 10 ? 1 : 0)} points)`;
  }

  // Lines against the number of features, each a list of [size, percent].
  function lines(parent, title, drawn) {
    const width = 320, height = 150, left = 34, right = 310, top = 12, bottom = 122;
    const most = Math.max(features.length, ...drawn.flatMap(([, points]) => points.map(([n]) => n)));
    const x = (n) => left + (n - 1) / Math.max(most - 1, 1) * (right - left);
    const y = (share) => bottom - share / 100 * (bottom - top);
    const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", class: "small-chart", "aria-label": title }, parent);
    for (const tick of [0, 50, 100]) {
      svg("line", { x1: left, x2: right, y1: y(tick), y2: y(tick), class: "grid" }, root);
      svg("text", { x: left - 5, y: y(tick) + 4, "text-anchor": "end" }, root, String(tick));
    }
    svg("line", { x1: x(state.n), x2: x(state.n), y1: top, y2: bottom, class: "chosen" }, root);
    svg("text", { x: left, y: height - 8 }, root, "1");
    svg("text", { x: right, y: height - 8, "text-anchor": "end" }, root, `${most} features`);
    drawn.forEach(([name, points, color, dashed]) => {
      svg("polyline", { points: points.map(([n, share]) => `${x(n)},${y(share)}`).join(" "), class: "line",
        style: `stroke:var(--${color});${dashed ? "stroke-dasharray:5 4" : ""}` }, root);
      const key = add(parent, "span", undefined, "key");
      add(key, "span", undefined, "swatch").style.background = `var(--${color})`;
      key.append(name);
    });
  }

  // ---- one feature, one label ----

  // Of a G-test with the label it is most relevant for.
  function noise(p) {
    if (p === undefined) return "";
    if (p > 0.05) return "No single label shows that it is more than noise (G-test, corrected for all pairs).";
    return `More than noise: p ${p < 1e-12 ? "< 1e-12" : `= ${Number(p.toPrecision(2))}`} (G-test, corrected for all pairs).`;
  }

  function featurePanel(i) {
    const panel = by("feature-panel");
    panel.replaceChildren();
    panel.hidden = i < 0;
    if (i < 0) return;
    const one = features[i];
    add(panel, "h3", one.n).tabIndex = -1;
    add(panel, "p", `Rank ${i + 1}${i < state.n ? "" : `, not among the first ${state.n}`}; column ${one.i}; score ${figure(one.s)}. ${noise(one.p)}`, "text");
    if (one.m) add(panel, "p", `${many(one.m, "missing cell")}${one.ml.length ? `; that a cell is missing is relevant for ${one.ml.map(([l, share]) => `${labels[l].n} (${percent(share)})`).join(", ")}` : ""}.`, "text");
    for (const [name, value] of Object.entries(one.x ?? {})) add(panel, "p", `${name}: ${figure(value)}`, "text");
    add(panel, "h4", "Labels it serves");
    links(add(panel, "p"), one.l, labels, "l", "None by itself.");
    add(panel, "h4", "Redundant with");
    links(add(panel, "p"), one.r, features, "f", "No other of the listed features.");
    substitute(panel, i);
    if (one.j) {
      add(panel, "h4", "Does it raise or lower the label?");
      for (const [label, ...counts] of one.j) profile(panel, one, label, counts);
    } else {
      add(panel, "p", `Distributions are kept for the first ${data.details} features.`, "text");
    }
  }

  function substitute(panel, i) {
    if (i >= data.k) return;
    const one = features[i];
    add(panel, "h4", "If it cannot be used");
    const found = data.substitutes[i];
    if (!found) {
      add(panel, "p", one.inc ? "It was included by hand; leave it out of include." : "Not computed: new fits without each chosen feature stop after a tenth of the time of the evaluation. Cross it out and run the lines below.", "text");
    } else {
      const kept = data.k === 1 ? "1 is kept" : `${data.k} are kept`;
      const names = found.add.map(([name]) => name).join(", ");
      add(panel, "p", `A new fit without it, when ${kept}: ${names ? `${names} ${found.add.length === 1 ? "comes" : "come"} in` : "nothing comes in"}${
        found.out.length ? `, and ${found.out.map((other) => features[other].n).join(", ")} ${found.out.length === 1 ? "goes" : "go"} too` : ""}.`);
      if (found.lost) add(panel, "p", found.lost.length
        ? `Coverage falls most for ${found.lost.map(([l, before, after]) => `${labels[l].n} (${percent(before)} to ${percent(after)})`).join(", ")}; on average by ${figure(found.mean)} points.`
        : "No label is covered less.", "text");
    }
    button(panel, state.x.has(i) ? "Use it again" : "I cannot use this feature", () => cross(i), undefined, "small-button");
  }

  function labelPanel(i) {
    const panel = by("label-panel");
    panel.replaceChildren();
    panel.hidden = i < 0;
    if (i < 0) return;
    const one = labels[i];
    add(panel, "h3", one.n).tabIndex = -1;
    const share = coverage(one, state.n);
    add(panel, "p", `${many(one.p, "sample")} with it${one.u ? `, ${one.u.toLocaleString("en")} not known` : ""}. The first ${state.n} features cover ${percent(share)} of what its best single feature says about it.`, "text");
    const steps = [];
    one.rec.forEach(([rank, covered], place) => {
      steps.push([rank, place ? one.rec[place - 1][1] : 0], [rank, covered]);
    });
    if (steps.length) steps.push([features.length, steps.at(-1)[1]]);
    const drawn = [["coverage", [[1, steps[0]?.[0] === 1 ? steps[0][1] : 0], ...steps], "c1", false]];
    if (one.f) {
      const points = one.f.map((value, at) => [sizes[at].n, value]).filter(([, value]) => value !== null);
      drawn.push(["F1 of this label, × 100", points.map(([n, value]) => [n, 100 * value]), "c2", false]);
      if (one.fa !== null) drawn.push(["F1 with all features", [[1, 100 * one.fa], [features.length, 100 * one.fa]], "c8", true]);
    }
    lines(panel, `Coverage of ${one.n} against the number of features`, drawn);
    add(panel, "h4", "Its most relevant features");
    const relevant = add(panel, "ol");
    for (const [rank, covered] of one.t) {
      const item = add(relevant, "li", undefined, rank < state.n ? "" : "beyond");
      button(item, features[rank].n, () => change({ f: rank }));
      item.append(` ${percent(covered)}, rank ${rank + 1}${rank < state.n ? "" : ", not kept"}`);
    }
    if (!one.t.length) add(relevant, "li", "None of the listed features says anything about it alone.");
  }

  // ---- what makes this state again, and what can be copied ----

  function kept() {
    const names = features.slice(0, state.n).map((one, i) => [one, i]).filter(([, i]) => !state.x.has(i));
    return names.map(([one]) => one);
  }

  const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\"'\"'")}'`);

  function command() {
    const out = [...state.x].sort((a, b) => a - b).map((i) => features[i].n);
    if (!data.code.cli) return "";
    if (out.some((name) => name.includes(",") || name !== name.trim())) {
      return "# A name with a comma cannot be excluded on the command line: use the Python lines.";
    }
    const words = [];
    let excluded = [];
    for (let at = 0; at < data.code.cli.length; at++) {
      const word = data.code.cli[at];
      if (word === "-k") { at++; continue; }
      if (word === "--exclude") { excluded = data.code.cli[++at].split(","); continue; }
      if (/^-k./.test(word)) continue;
      if (word.startsWith("--exclude=")) { excluded = word.slice(10).split(","); continue; }
      words.push(word);
    }
    words.push("-k", String(state.n));
    if (excluded.length + out.length) words.push(`--exclude=${[...excluded, ...out].join(",")}`);
    return words.map(quoted).join(" ");
  }

  function python() {
    const of = (one) => (data.code.names ? JSON.stringify(one.n) : String(one.i));
    const out = [...data.code.exclude.map((one) => JSON.stringify(one)), ...[...state.x].sort((a, b) => a - b).map((i) => of(features[i]))];
    const given = [`n_features_to_select=${state.n}`, ...data.code.parameters];
    if (out.length) given.push(`exclude=[${out.join(", ")}]`);
    return `from labelsieve import ${data.code.name}\n\nselector = ${data.code.name}(${given.join(", ")}).fit(X, Y)`;
  }

  // A spreadsheet would run a cell that begins like a formula.
  const cell = (text) => `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
  const forms = {
    command, lines: python, link: () => location.href,
    python: () => `[${kept().map((one) => JSON.stringify(one.n)).join(", ")}]`,
    json: () => JSON.stringify(kept().map((one) => ({ feature: one.n, column: one.i, score: one.s })), null, 1),
    csv: () => ["rank,column,feature,score", ...kept().map((one) => `${features.indexOf(one) + 1},${one.i},${cell(one.n)},${one.s}`)].join("\n"),
  };

  // ---- the whole page ----

  let drawn = data.k; // what the chart shows

  function render() {
    const n = state.n;
    const slider = by("size-range");
    slider.value = n;
    slider.setAttribute("aria-valuetext", many(n, "feature"));
    by("size-number").value = n;
    by("size-said").textContent = n === data.k ? "the chosen number" : `chosen were ${data.k}`;
    const at = nearest(n);
    const verdicts = by("verdicts");
    verdicts.replaceChildren();
    if (at) {
      add(verdicts, "dt", at.n === n ? `Measured with ${many(n, "feature")}` : `Nearest measured: ${many(at.n, "feature")}`);
      for (const text of at.words) add(verdicts, "dd", text);
    }
    const worst = labels.map((_, i) => i).sort(orders.ls.coverage).filter((i) => covered()[i] < 100).slice(0, 3);
    add(verdicts, "dt", "Least covered");
    add(verdicts, "dd", worst.map((i) => `${labels[i].n} (${percent(coverage(labels[i], n))})`).join(", ") || "Every label keeps its best single feature.");
    if (n !== drawn) document.dispatchEvent(new CustomEvent("size", { detail: n }));
    drawn = n;
    document.querySelectorAll("[data-size]").forEach((row) => row.toggleAttribute("aria-current", Number(row.dataset.size) === at?.n));

    by("feature-query").value = state.q;
    by("feature-sort").value = state.s;
    by("label-query").value = state.lq;
    by("label-sort").value = state.ls;
    const wanted = by("feature-filter").value;
    list("features", features.map((_, i) => i)
      .filter((i) => (wanted === "all" || (wanted === "out" ? state.x.has(i) : i < n)) && inside(features[i].n, state.q))
      .sort(orders.s[state.s]), featureRow);
    list("labels", labels.map((_, i) => i).filter((i) => inside(labels[i].n, state.lq)).sort(orders.ls[state.ls]), labelRow);
    featurePanel(state.f);
    labelPanel(state.l);
    const out = state.x.size;
    by("crossed").textContent = out
      ? `${many(out, "feature")} crossed out. ${out > 1 ? "Each replacement holds for one feature alone; for all together run the lines below." : ""}` : "";
    by("command-line").textContent = command();
    by("command-box").hidden = !data.code.cli;
    by("python-lines").textContent = python();
    by("python-box").hidden = !data.code.name;
  }

  by("size-range").addEventListener("input", (event) => change({ n: Number(event.target.value) }));
  by("size-number").addEventListener("change", (event) => {
    const wanted = Math.round(Number(event.target.value)) || data.k;
    change({ n: Math.max(data.least, Math.min(features.length, wanted)) });
  });
  by("size-reset").addEventListener("click", () => { windows.features = windows.labels = 0; change(fresh()); });
  const typed = { "feature-query": "q", "feature-sort": "s", "label-query": "lq", "label-sort": "ls" };
  for (const [id, key] of Object.entries(typed)) {
    by(id).addEventListener("input", (event) => {
      windows[id.startsWith("feature") ? "features" : "labels"] = 0;
      change({ [key]: event.target.value });
    });
  }
  by("feature-filter").addEventListener("input", () => { windows.features = 0; render(); });
  for (const which of ["features", "labels"]) {
    by(`${which}-pager`).querySelectorAll("button").forEach((one, place) => {
      one.addEventListener("click", () => { windows[which] += place ? ROWS : -ROWS; render(); });
    });
  }
  document.querySelectorAll("[data-copy]").forEach((one) => one.addEventListener("click", () => {
    const form = one.dataset.copy;
    copy(forms[form]()).then((done) => { by("copied").textContent = done ? `${one.textContent}: copied` : "The browser does not allow copying"; });
  }));
  document.querySelectorAll("[data-size]").forEach((row) => {
    const head = row.cells[0];
    const text = head.textContent.trim();
    head.replaceChildren();
    button(head, text, () => change({ n: Number(row.dataset.size) }), `Show ${text} features`);
  });
  window.addEventListener("hashchange", () => { read(); render(); });
  document.documentElement.classList.add("alive");
  document.querySelectorAll(".explore[hidden]").forEach((one) => { one.hidden = false; });
  read();
  render();
})();
