/* Whole questions find something: Sphinx shows only pages that have every word of a
   query. Here headings and pages are ranked by the words they share with it, rare words
   first, behind what Sphinx finds. */
document.addEventListener("DOMContentLoaded", () => {
  if (typeof Search === "undefined") return;
  const exact = Search._performSearch;
  const SMALL = new Set(("a an and any are as at be but by can do does for from get give " +
    "has have how i if in into is it its like me my need no not of on one or please " +
    "possible should so some than that the their them then there these this to " +
    "use used using want was way we what when where which while why will with work would " +
    "y you your").split(" "));

  const words = (text) => {
    const stemmer = new Stemmer();
    const split = splitQuery(text.toLowerCase().replace(/multi[- ]?(label|output|target|class)/g, "multi $1"))
      .filter((word) => !SMALL.has(word) && !/^\d+$/.test(word));
    return new Set(split.map((word) => stemmer.stemWord(word)));
  };

  const ranked = (query) => {
    const index = Search._index;
    const pages = index.docnames.length;
    const asked = [...words(query)];
    const files = (table, word) =>
      Object.hasOwn(table, word) ? [table[word]].flat() : [];
    const inText = new Map(), inTitle = new Map(), weight = new Map();
    for (const word of asked) {
      inText.set(word, new Set([...files(index.terms, word), ...files(index.titleterms, word)]));
      inTitle.set(word, new Set(files(index.titleterms, word)));
      weight.set(word, Math.log(1 + pages / (1 + inText.get(word).size)));
    }
    const total = asked.reduce((sum, word) => sum + weight.get(word), 0);
    const found = [];
    for (const [title, places] of Object.entries(index.alltitles)) {
      const own = words(title);
      for (const [file, id] of places) {
        const top = words(index.titles[file]);
        let score = 0;
        for (const word of asked) {
          const share = own.has(word) ? 3 : top.has(word) ? 2
            : inTitle.get(word).has(file) ? 0.7 : inText.get(word).has(file) ? 0.5 : 0;
          score += share * weight.get(word);
        }
        // A heading of few words that are all asked for is about them.
        const hit = [...own].filter((word) => weight.has(word)).length;
        score *= 0.6 + 0.4 * (own.size ? hit / own.size : 0);
        const apart = index.docnames[file].startsWith("generated/") ? 0.6 : 1;
        if (hit) found.push([score * apart / (total || 1), file, title, id]);
      }
    }
    found.sort((a, b) => b[0] - a[0]);
    return found.slice(0, 10);
  };

  Search._performSearch = (query, ...rest) => {
    const results = exact(query, ...rest);
    const known = new Set(results.map((result) => result[0] + result[2]));
    const more = splitQuery(query).length > 2 ? ranked(query) : [];
    const added = more.map(([score, file, title, id]) => [
      Search._index.docnames[file],
      Search._index.titles[file] === title ? title : `${Search._index.titles[file]} > ${title}`,
      id === null ? "" : "#" + id, null, score, Search._index.filenames[file],
      SearchResultKind.title,
    ]);
    // Results stand in reverse order. Questions of many words: the ranking first.
    const first = splitQuery(query).length > 3;
    const fresh = added.filter((result) => first || !known.has(result[0] + result[2]));
    const taken = new Set(fresh.map((result) => result[0] + result[2]));
    const kept = results.filter((result) => !taken.has(result[0] + result[2]));
    return first ? [...kept, ...fresh.reverse()] : [...fresh.reverse(), ...kept];
  };
});
