// The part of a selection's page that answers questions: another size, one feature, one
// label, a feature that cannot be used. The data are JSON in the page; the state is in the
// fragment of the address, so that a link shows what its sender saw.
(() => {
  const by = (id) => document.getElementById(id);
  if (!by("explore-data")) return;
  const data = JSON.parse(by("explore-data").textContent);
  const { features, labels, sizes, code } = data;
  const ROWS = 25; // of a window of a list
  const { add, figure } = sieve, collator = new Intl.Collator(undefined, { numeric: true });
  const percent = (share) => (share > 0 && share < 1 ? "<\u00a01\u00a0%" : share > 99 && share < 100 ? ">\u00a099\u00a0%" : `${Math.round(share)}\u00a0%`);
  const many = (count, what) => `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;
  const search = (all, text) => [...all.keys()].filter((i) => all[i].n.toLowerCase().includes(text.toLowerCase()));
  const byName = (all) => (a, b) => collator.compare(all[a].n, all[b].n);
  // The share of its best single feature that the first n features keep of a label.
  const coverage = (label, n) => label.rec.findLast(([rank]) => rank <= n)?.[1] ?? 0;
  let covered = [], near = 0, drawn = data.k; // by label; the nearest measured size; what the chart shows
  // What a label loses of its own F1 against all features at the measured size.
  const loss = ({ f, fa }) => (f && fa !== null && f[near] !== null ? fa - f[near] : -Infinity);
  // ---- the state: size, feature, label, crossed out, searches, orders and filter ----
  const fresh = () => ({ n: data.k, f: -1, l: -1, x: [], q: "", s: "rank", w: "kept", lq: "", ls: "coverage" });
  let state = fresh();
  const limits = { n: [data.least, features.length], f: [0, features.length - 1], l: [0, labels.length - 1] };
  const windows = { features: 0, labels: 0 }; // the first row that is shown
  const choices = {
    s: {
      rank: (a, b) => a - b,
      name: byName(features),
      score: (a, b) => features[b].s - features[a].s || a - b,
      redundancy: (a, b) => (features[b].r[0]?.[1] ?? 0) - (features[a].r[0]?.[1] ?? 0) || a - b,
      missing: (a, b) => features[b].m - features[a].m || a - b,
    },
    w: { kept: (i) => i < state.n, all: () => true, out: (i) => state.x.includes(i) },
    ls: {
      coverage: (a, b) => covered[a] - covered[b] || a - b,
      name: byName(labels),
      positives: (a, b) => labels[b].p - labels[a].p || a - b,
      loss: (a, b) => loss(labels[b]) - loss(labels[a]) || a - b,
    },
  };
  function write() {
    const plain = (values) => Object.entries(values).map(([key, value]) => [key, [value].flat().join(".")]);
    sieve.remember(new URLSearchParams(plain(state).filter(([, text], at) => text !== plain(fresh())[at][1])));
  }
  // Anybody can write an address: what is not allowed is as usual.
  function read() {
    state = fresh();
    for (const [key, text] of sieve.remembered()) {
      if (limits[key]) {
        if (/^\d+$/.test(text) && text >= limits[key][0] && text <= limits[key][1]) state[key] = Number(text);
      } else if (key === "x") {
        state.x = [...new Set(text.split(".").filter(Boolean).map(Number).filter((i) => features[i]))];
      } else if (Object.hasOwn(state, key) && Object.hasOwn(choices[key] ?? { [text]: 1 }, text)) state[key] = text;
    }
  }
  function change(part) {
    const key = document.activeElement?.dataset?.key;
    Object.assign(state, part);
    write();
    render();
    const moved = "f" in part && !("x" in part) ? by("feature-panel") : "l" in part ? by("label-panel") : null;
    // What is drawn again keeps the focus.
    const same = key && ([...document.querySelectorAll("[data-key]")].find((one) => one.dataset.key === key) ?? by("feature-query"));
    (moved?.querySelector("h3") ?? same)?.focus?.();
  }
  const cross = (i) => change({ x: state.x.includes(i) ? state.x.filter((one) => one !== i) : [...state.x, i], f: i });
  function button(parent, text, act, label, className = "link") {
    const made = add(parent, "button", undefined, className); // which may be broken within a long name
    sieve.breakable(made, text);
    made.dataset.key = `${parent.closest("tbody, [role=region]")?.id}/${parent.closest("tr")?.dataset.i}/${className === "link" ? text : ""}`;
    if (label) made.setAttribute("aria-label", label);
    made.addEventListener("click", act);
  }
  const featureLink = (parent, i) => button(parent, features[i].n, () => change({ f: i }));
  const labelLink = (parent, i) => button(parent, labels[i].n, () => change({ l: i }));
  const header = (line, link, i, className) => { const head = add(line, "th", undefined, className); head.scope = "row"; link(head, i); return head; };
  // Names that open their panel, each with its percent.
  function links(parent, pairs, link, none) {
    if (!pairs.length) parent.append(none);
    pairs.forEach(([i, share], place) => {
      const pair = add(parent, "span", undefined, "pair"); // a name and its percent stay together
      link(pair, i);
      pair.append(` ${percent(share)}${place < pairs.length - 1 ? ", " : ""}`);
    });
  }
  const headed = (panel, title) => { add(panel, "h4", title); return add(panel, "p"); };
  // A number with a bar beside it.
  function barred(cell, share, color, text = share === null ? "–" : percent(share)) {
    const bar = add(cell, "span", undefined, "bar");
    bar.setAttribute("aria-hidden", "true");
    Object.assign(add(bar, "span").style, { width: `${share ?? 0}%`, background: `var(--${color})` });
    add(cell, "span", text, "share");
  }
  function list(which, all, current, row) {
    const first = windows[which] = Math.max(0, Math.min(windows[which], Math.floor((all.length - 1) / ROWS) * ROWS));
    const shown = all.slice(first, first + ROWS);
    by(`${which}-rows`).replaceChildren();
    for (const i of shown) {
      const line = add(by(`${which}-rows`), "tr");
      line.dataset.i = i;
      if (i === current) line.setAttribute("aria-current", "true");
      row(line, i);
    }
    by(`${which}-count`).textContent = all.length ? `${first + 1} to ${first + shown.length} of ${all.length.toLocaleString("en")}` : "None found";
    const [back, on] = by(`${which}-pager`).querySelectorAll("button");
    [back.disabled, on.disabled, back.hidden, on.hidden] = [first === 0, first + ROWS >= all.length, all.length <= ROWS, all.length <= ROWS];
  }
  const largest = Math.max(...features.map((one) => one.s), 1e-300);
  function featureRow(line, i) {
    const one = features[i], said = state.x.includes(i) ? "Use again" : "Cannot use";
    line.className = i < state.n ? "" : "beyond";
    add(line, "td", String(i + 1), "number");
    const head = header(line, featureLink, i, state.x.includes(i) ? "out" : "");
    if (one.inc) add(head, "span", " (included)", "mark");
    barred(add(line, "td", undefined, "number"), Math.max(0, 100 * one.s / largest), "c1", figure(one.s));
    links(add(line, "td", undefined, "wordy"), one.l.slice(0, 3), labelLink, "–");
    links(add(line, "td", undefined, "spare"), one.r.slice(0, 1), featureLink, "–");
    button(add(line, "td"), said, () => cross(i), `${said}: ${one.n}`, "small-button");
  }
  function labelRow(line, i) {
    const one = labels[i];
    header(line, labelLink, i);
    add(line, "td", one.p.toLocaleString("en"), "number");
    barred(add(line, "td", undefined, "number"), covered[i], "c1");
    add(line, "td", loss(one) === -Infinity ? "–" : `${one.f[near].toFixed(2)} / ${one.fa.toFixed(2)}`, "number");
  }
  // Shares of a label in each part of a feature's values, and where its samples are.
  function profile(parent, one, [label, has, counts, effect]) {
    const sum = (values) => values.reduce((a, b) => a + b, 0) || 1;
    const box = add(parent, "div", undefined, "profile");
    labelLink(add(box, "p"), label);
    add(box, "p", effect);
    const table = add(box, "table", undefined, "bars");
    add(table, "caption", `Values of ${one.n} and ${labels[label].n}`, "spoken");
    const heads = add(add(table, "thead"), "tr");
    for (const text of ["values", ...(labels[label].k ? ["above its median", "of those above", "of the others"] : ["have the label", "of those with it", "of those without"])]) add(heads, "th", text).scope = "col";
    const body = add(table, "tbody"), without = counts.map((count, part) => count - has[part]);
    one.b.forEach((name, part) => {
      const line = add(body, "tr"), among = counts[part] ? 100 * has[part] / counts[part] : null;
      add(line, "th", name).scope = "row";
      const drawn = [[among, "c1"], [100 * has[part] / sum(has), "c3"], [100 * without[part] / sum(without), "c8"]];
      for (const [share, color] of drawn) barred(add(line, "td", undefined, "number"), share, color);
    });
  }
  function opened(id, one) { // a panel with its name; hidden where nothing is chosen
    by(id).replaceChildren();
    by(id).hidden = !one;
    if (one) add(by(id), "h3", one.n).tabIndex = -1;
    return by(id);
  }
  function featurePanel(i) {
    const one = features[i], panel = opened("feature-panel", one);
    if (!one) return;
    for (const text of [`Rank ${i + 1}${i < state.n ? "" : `, not among the first ${state.n}`}; column ${one.i}; score ${figure(one.s)}.`, ...one.about]) add(panel, "p", text, "text");
    links(headed(panel, data.noun === "label" ? "Labels it serves" : "Targets it serves"), one.l, labelLink, "None by itself.");
    links(headed(panel, "Redundant with"), one.r, featureLink, "No other of the listed features.");
    if (i < data.k) {
      add(panel, "h4", "If it cannot be used");
      for (const text of data.substitutes[i]?.said ?? [panel.dataset[one.inc ? "included" : "unknown"]]) add(panel, "p", text);
      button(panel, state.x.includes(i) ? "Use it again" : "I cannot use this feature", () => cross(i), undefined, "small-button");
    }
    if (one.j?.length) add(panel, "h4", `Does it raise or lower the ${data.noun}?`);
    for (const counts of one.j ?? []) profile(panel, one, counts);
  }
  function labelPanel(i) {
    const one = labels[i], panel = opened("label-panel", one);
    if (!one) return;
    add(panel, "p", `${one.k && `A ${one.k}, known in `}${many(one.p, "sample")}${one.k ? "" : " with it"}${one.u ? `, ${one.u.toLocaleString("en")} not known` : ""}. The first ${state.n} features cover ${percent(covered[i])} of what its best single feature says about it.`, "text");
    const steps = [1, ...one.rec.flatMap(([rank]) => [rank - 0.001, rank]).filter((rank) => rank > 1), features.length];
    const series = [{ method: "coverage", color: "var(--c1)", sizes: steps, mean: steps.map((n) => coverage(one, n)) }];
    const scaled = (value) => (value === null ? null : 100 * value);
    if (one.f) series.push({ method: "F1 of this label, × 100", color: "var(--c2)", sizes: sizes.map(({ n }) => n), mean: one.f.map(scaled) });
    if (one.f && one.fa !== null) series.push({ method: "F1 with all features", color: "var(--c8)", dashed: true, sizes: [1, features.length], mean: [one.fa, one.fa].map(scaled) });
    sieve.curves(add(panel, "div", undefined, "plot small-plot"))({ series, label: `Coverage of ${one.n} against the number of features`, chosen: state.n, height: 200, ys: [0, 100], left: 34 });
    for (const { method, color } of series) {
      const key = add(panel, "span", undefined, "key");
      add(key, "span", undefined, "swatch").style.background = color;
      key.append(method);
    }
    add(panel, "h4", "Its most relevant features");
    const relevant = add(panel, "ol");
    for (const [rank, share] of one.t) {
      const item = add(add(relevant, "li", undefined, rank < state.n ? "" : "beyond"), "span", undefined, "pair");
      featureLink(item, rank);
      item.append(` ${percent(share)}, rank ${rank + 1}${rank < state.n ? "" : ", not kept"}`);
    }
    if (!one.t.length) add(relevant, "li", "None of the listed features says anything about it alone.");
    links(headed(panel, "Covered least by"), one.w.filter(([rank]) => rank < state.n).slice(0, 3), featureLink, "–");
  }
  // ---- what makes this state again, and what can be copied ----
  // With one feature crossed out at the chosen size, what replaces it is known.
  const swap = () => (state.n === data.k && state.x.length === 1 && data.substitutes[state.x[0]]) || { add: [], out: [] };
  const kept = () => [...features.filter((_, i) => i < state.n && !state.x.includes(i) && !swap().out.includes(i)),
    ...swap().add.map(([n, i]) => features.find((one) => one.i === i) ?? { n, i, s: null })];
  const crossed = () => [...state.x].sort((a, b) => a - b).map((i) => features[i]);
  const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\"'\"'")}'`);
  // Names with commas between them: quoted as in CSV where they hold one.
  const listed = (names) => names.map((name) => (/[",]|^\s|\s$/.test(name) ? `"${name.replaceAll('"', '""')}"` : name)).join(",");
  const size = () => (code.auto && state.n === data.k ? "auto" : state.n);
  // Other sizes begin with what "auto" has chosen.
  const first = () => features.slice(0, code.auto && size() !== "auto" ? Math.min(state.n, data.k) : 0).filter((one) => !crossed().includes(one));
  function command() {
    const [out, begin] = [[...code.out, ...crossed().map((one) => one.n)], first().map((one) => one.n)];
    return [...code.cli, "-k", String(size()), ...(begin.length ? [`--include=${listed(begin)}`] : []), ...(out.length ? [`--exclude=${listed(out)}`] : [])].map(quoted).join(" ");
  }
  function python() {
    const [out, begin] = [crossed(), first()].map((some) => some.map((one) => JSON.stringify(code.names ? one.n : one.i)));
    out.unshift(...code.exclude.map((one) => JSON.stringify(one)));
    const given = [`n_features_to_select=${JSON.stringify(size())}`, ...code.parameters.filter((text) => !begin.length || !text.startsWith("include=")),
      ...(begin.length ? [`include=[${begin.join(", ")}]`] : []), ...(out.length ? [`exclude=[${out.join(", ")}]`] : [])];
    return `from labelsieve import ${code.name}\n\nselector = ${code.name}(${given.join(", ")}).fit(X, Y)`;
  }
  // A spreadsheet would run a cell that begins like a formula.
  const cell = (text) => `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
  const forms = {
    link: () => location.href,
    python: () => `[${kept().map((one) => JSON.stringify(one.n)).join(", ")}]`,
    json: () => JSON.stringify(kept().map((one) => ({ feature: one.n, column: one.i, score: one.s })), null, 1),
    csv: () => ["rank,column,feature,score", ...kept().map((one) => `${features.indexOf(one) + 1 || ""},${one.i},${cell(one.n)},${one.s ?? ""}`)].join("\n"),
  };
  // ---- the whole page ----
  const controls = [...document.querySelectorAll("[data-state]")];
  function render() {
    const { n } = state;
    covered = labels.map((one) => coverage(one, n));
    near = sizes.reduce((best, one, i) => (Math.abs(one.n - n) < Math.abs(sizes[best].n - n) ? i : best), 0);
    for (const one of controls) one.value = state[one.dataset.state];
    by("size-range").setAttribute("aria-valuetext", many(n, "feature"));
    by("size-said").textContent = n === data.k ? "the chosen number" : `${data.k} ${data.k === 1 ? "was" : "were"} chosen`;
    const at = sizes[near], verdicts = by("verdicts");
    verdicts.replaceChildren();
    if (at) add(verdicts, "dt", `${at.n === n ? "Measured with" : "Nearest measured size,"} ${many(at.n, "feature")}: ${at.said.replace("-F1", "\u2011F1")}`);
    for (const text of at?.words ?? []) add(verdicts, "dd", text);
    const worst = search(labels, "").filter((i) => covered[i] < 100).sort(choices.ls.coverage).slice(0, 3);
    add(verdicts, "dt", "Least covered");
    add(verdicts, "dd", worst.map((i) => `${labels[i].n} (${percent(covered[i])})`).join(", ") || `Every ${data.noun} keeps its best single feature.`);
    document.querySelectorAll("[data-size]").forEach((row) => row.toggleAttribute("aria-current", Number(row.dataset.size) === at?.n));
    for (const one of n === drawn ? [] : document.querySelectorAll("#pictures [id*='-rank-']")) one.style.opacity = Number(one.id.split("-")[2]) > n ? 0.2 : 1;
    if (n !== drawn) document.dispatchEvent(new CustomEvent("size", { detail: drawn = n }));
    list("features", search(features, state.q).filter(choices.w[state.w]).sort(choices.s[state.s]), state.f, featureRow);
    list("labels", search(labels, state.lq).sort(choices.ls[state.ls]), state.l, labelRow);
    featurePanel(state.f);
    labelPanel(state.l);
    const come = swap().add, added = come.length > 8 ? many(come.length, "other feature") : come.map(([name]) => `“${name}”`).join(", ");
    const instead = added ? `A copied list has ${added} instead.` : state.x.some((i) => i < n) ? "A copied list has no replacement: the lines under “Make this state again” find one." : "";
    by("crossed").textContent = state.x.length ? `${many(state.x.length, "feature")} crossed out. ${instead}` : "";
    for (const [id, text] of [["command", code.cli ? command() : ""], ["python", code.name ? python() : ""]]) {
      by(`${id}-box`).hidden = !text;
      sieve.words(by(`${id}-lines`), text);
    }
  }
  for (const one of controls) {
    one.addEventListener(one.type === "number" ? "change" : "input", () => {
      windows.features = windows.labels = 0;
      const key = one.dataset.state, wanted = Math.round(Number(one.value)) || data.k;
      change({ [key]: key === "n" ? Math.max(limits.n[0], Math.min(limits.n[1], wanted)) : one.value });
    });
  }
  by("size-reset").addEventListener("click", () => { windows.features = windows.labels = 0; change(fresh()); });
  document.querySelectorAll(".pager button").forEach((one, place) => one.addEventListener("click", () => {
    windows[place < 2 ? "features" : "labels"] += place % 2 ? ROWS : -ROWS;
    render();
  }));
  document.querySelectorAll("[data-copy]").forEach((one) => one.addEventListener("click", async () => {
    by("copied").textContent = await sieve.copy(forms[one.dataset.copy]()) ? `${one.textContent}: copied` : "The browser does not allow copying";
  }));
  document.querySelectorAll("[data-n]").forEach((one) => one.addEventListener("click", () => change({ n: Number(one.dataset.n) })));
  window.addEventListener("hashchange", () => { read(); render(); });
  read();
  render();
})();
