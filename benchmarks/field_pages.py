"""What README and guides say of the field, made from the leaderboard.

``python -m benchmarks.field_pages`` writes between the marks of the pages what
`results/leaderboard/leaderboard.json`, the same file in `results/leaderboard/shares`,
the results of the papers' experiments and `results/label_specific/results.json` say; a
test looks whether it was run.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from benchmarks import label_specific
from labelsieve._utils.messages import Column, Table, numbers
from labelsieve.experiments.leaderboards import PROTOCOLS
from labelsieve.experiments.methods import CONTROLS
from labelsieve.experiments.regret import size_text
from labelsieve.registry import selector_names

ROOT = Path(__file__).parent.parent
BOARD = ROOT / "results" / "leaderboard" / "leaderboard.json"
SHARES = BOARD.parent / "shares" / "leaderboard.json"
# Experiments of papers that print figures, and how features are shown to selectors.
PAPERS = {"pmu": "quantile", "mlqpfs": "quantile", "emcfs": "minmax"}
PICTURE = "critical-difference.svg"
TIMES = ROOT / "results" / "cli" / "times.json"
MARKED = r"(<!-- {name} -->\n?).*?(<!-- end of {name} -->)"

# What the papers want of their methods, in our words.
CLAIMS = {
    "model+forest": "importances of a random forest, copies discounted",
    "model+logistic": "coefficients of logistic regression, copies discounted",
    "model+boosting": "importances of gradient boosting, copies discounted",
    "sieve": "ours: conditional relevance to each label, corrected for bias",
    "pmu": "better than ELA+CHI, PPT+CHI and PPT+MI with naive Bayes, on small data",
    "fimf": "as accurate as PMU at a fraction of the time, for many labels",
    "mlqpfs": "relevance and redundancy balanced in one global optimum",
    "gmba": "margins on a graph of label sets beat MLFS, MLRF and SPEC",
    "emcfs": "label-specific features make an ensemble better than ML-kNN and LIFT",
    "spec": "smoothness on a graph, supervised or not",
    "mlfs": "the F statistic for samples in several classes",
    "mlrf": "ReliefF over pairs of labels, for image annotation",
    "relieff-ml": "ReliefF with distances between label sets",
    "d2f": "interaction with selected features avoids redundancy",
    "mdmr": "maximal dependency, minimal conditional redundancy",
    "scls": "a criterion that scales to large label sets",
    "lrfs": "redundant labels count less",
    "grro": "relevance and redundancy of features and labels in closed form",
    "rfs": "robust L2,1-regularised regression: few features for all labels",
    "mfs-mcdm": "multi-criteria decision: labels are criteria, features alternatives",
    "mifs": "latent factors of the labels guide better than noisy labels",
    "mdfs": "manifold embedding of labels, predicted by few features",
    "trees": "impurity importance of random trees; what practitioners use",
    "br+f": "the F statistic per label; what most people try first",
}

# What the entries of others are.
ELSEWHERE = {
    "fastcan": "the package fastcan: greedy canonical correlation with all labels",
    "mrmr": "mRMR: mean F over labels by mean correlation",
    "boruta": "the package Boruta, label sets as classes",
    "l1_logistic": "L1 logistic regression per label, coefficients summed",
    "multi_task_lasso": "`MultiTaskLasso` of scikit-learn",
    "summed_mi": "mutual information summed over labels",
    "least_information": "CMIM, summed over labels",
    "chi2_summed": "`SelectKBest(chi2)` per label, sum",
    "chi2_largest": "`SelectKBest(chi2)` per label, maximum",
}
CLASSIFIERS = {
    "mlnb-codes": "naive Bayes on binned features",
    "mlknn": "ML-kNN (ten nearest neighbours)",
    "ridge": "ridge regression",
    "forest(n_estimators=20)": "a random forest (at most 100 labels)",
    "boosting": "gradient-boosted trees per label (at most 20 labels and 5,000 "
    "features, at 20 % of the features)",
}

# What the data sets are, and who described them or under which terms they are open.
CARDS = {
    "all-leukemia-expr": ("gene expression, clinical annotations", "Artistic 2.0"),
    "bibtex": ("tags of publications", "Katakis, Tsoumakas, Vlahavas 2008"),
    "birds": ("species in sound recordings", "Briggs et al. 2013"),
    "cervical-risk": ("risk factors, four test outcomes", "CC BY 4.0 at UCI"),
    "chd49": ("symptoms of coronary heart disease", "doi 10.1186/1472-6882-10-37"),
    "corel16k001": ("annotated images", "Barnard et al. 2003"),
    "delicious": ("tags of web pages", "Tsoumakas, Katakis, Vlahavas 2008"),
    "emotions": ("music", "Trohidis, Tsoumakas, Kalliris, Vlahavas 2008"),
    "enron": ("e-mail", "Klimt, Yang 2004"),
    "flags": ("flags of countries", "Goncalves, Plastino, Freitas 2013"),
    "foodtruck": ("a survey of customers", "Rivolli, Parker, de Carvalho 2017"),
    "genbase": ("proteins", "Diplaris, Tsoumakas, Mitkas, Vlahavas 2005"),
    "gnegative-go": ("where proteins are in cells", "Xu, Liu, Yin, Sun 2016"),
    "hiv-pi-resistance": ("mutations, resistance to 8 drugs", "Stanford HIVDB"),
    "masculinity-survey": ("a survey, check all that apply", "CC BY 4.0"),
    "mediamill-small": ("video, a published sample", "Snoek et al. 2006"),
    "medical": ("clinical text", "Pestian et al. 2007"),
    "mi-complications": ("complications after a heart attack", "CC BY 4.0 at UCI"),
    "nhanes-0912": ("a health survey, conditions and habits", "public domain"),
    "ohsumed": ("abstracts of medical articles", "Joachims 1998"),
    "reuters-k500": ("news", "Read 2010"),
    "scene": ("images", "Boutell, Luo, Shen, Brown 2004"),
    "slashdot": ("news of technology", "Read, Pfahringer, Holmes, Frank 2011"),
    "stackex-chess": ("tags of questions", "Charte, Rivera, del Jesus, Herrera 2015"),
    "swiss-trees": ("environment, presence of 30 species", "CC BY 4.0"),
    "tox21-rdkit2d": ("molecules, 12 toxicity assays", "MIT (deepchem)"),
    "virus-go": ("where proteins are in infected cells", "Xu, Liu, Yin, Sun 2016"),
    "yeast": ("functions of genes", "Elisseeff, Weston 2001"),
}


def load(path: Path = BOARD) -> dict[str, Any]:
    """A page of the leaderboard."""
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def shares() -> dict[str, Any] | None:
    """The page by shares, where it was made."""
    return load(SHARES) if SHARES.exists() else None


def methods_of(content: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of methods, the lowest regret first."""
    return [row for row in content["ranking"] if row["method"] not in CONTROLS]


def sentences(content: dict[str, Any], how: str = "With 10 to 100 features") -> str:
    """What a leaderboard says, in a few sentences."""
    ranked = methods_of(content)
    first, second, third = ranked[:3]
    reference = content["reference"]
    own = next(row for row in ranked if row["method"] == reference)
    others = [r for r in content["against"] if r["method"] not in CONTROLS]
    worse = [r["method"] for r in others if r["better"] > 0.95]
    beaten = [r["method"] for r in others if r["worse"] > 0.95]
    said = [
        f"{how}, on {len(content['datasets'])} data sets and {content['n_cases']} "
        f"cases, `{first['method']}` has the lowest mean regret "
        f"({first['regret']['mean']:.3f}), followed by `{second['method']}` "
        f"({second['regret']['mean']:.3f}) and `{third['method']}` "
        f"({third['regret']['mean']:.3f}). If using all features counts as a "
        f"competitor, the regret of `{reference}` is "
        f"{own['regret_with_all']['mean']:.3f}.",
        f"`{reference}` beats random features in "
        f"{own['wins_against_random']['mean']:.0%} and all features in "
        f"{own['wins_against_all']['mean']:.0%} of the cases. With a probability above "
        f"0.95 it is better by more than {content['rope']:g} than {len(worse)} of the "
        f"{len(others)} other methods that were run"
        + (f"; {_listed(beaten)} are better." if beaten else "."),
    ]
    return " ".join(said)


def both_sentences(content: dict[str, Any]) -> str:
    """What the leaderboards by counts and by shares say."""
    found = shares()
    if found is None:
        return sentences(content)
    return (
        f"{sentences(content)}\n\n{sentences(found, 'With 5 to 50 % of the features')}"
    )


def headline(content: dict[str, Any]) -> str:
    """The first line of the leaderboard, for the README."""
    ranked = methods_of(content)
    first, second = ranked[:2]
    return (
        f"{first['method'].capitalize()} has the lowest mean regret of {len(ranked)} "
        f"methods on {len(content['datasets'])} data sets: "
        f"{first['regret']['mean']:.3f}; the next, "
        f"{ELSEWHERE.get(second['method'], second['method'])}, has "
        f"{second['regret']['mean']:.3f}"
    )


def speed(times: dict[str, dict[str, float]]) -> str:
    """How long the command takes on the largest data set that was timed."""
    seconds = times["delicious"]["sieve"]
    return (
        "16,105 samples with 500 features and 983 labels take "
        f"{seconds:.1f} seconds on one core"
    )


def _joined(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "none"


def table_rows(content: dict[str, Any]) -> list[dict[str, Any]]:
    """Every method once: its row by counts, and what it reaches by shares."""
    found = shares() or {"ranking": [], "printed_at": []}
    by_share = {row["method"]: row["regret"]["mean"] for row in found["ranking"]}
    at_20 = {row["method"]: row["rank"] for row in found["printed_at"]}
    rows = {row["method"]: row for row in content["ranking"]}
    names = [*rows, *(name for name in by_share if name not in rows)]
    return [
        {
            **rows.get(name, {}),
            "method": name,
            "share": by_share.get(name),
            "at_20": at_20.get(name),
        }
        for name in names
        if name not in CONTROLS
    ]


def field_table(content: dict[str, Any]) -> str:
    """Every method: what it claims, and what was measured."""
    claims = {**CLAIMS, **ELSEWHERE}
    rows = [
        {
            **row,
            "name": f"`{row['method']}`",
            "claim": claims.get(row["method"], "a baseline of the papers"),
        }
        for row in table_rows(content)
    ]
    found = shares() or {"ranking": []}
    for control in CONTROLS:
        of = next(r for r in content["ranking"] if r["method"] == control)
        share = [r for r in found["ranking"] if r["method"] == control]
        by_share = share[0]["regret"]["mean"] if share else None
        name = f"{control} features"
        rows.append({**of, "name": name, "claim": "a control", "share": by_share})
    columns = [
        Column("method", "name"),
        Column("what it claims, or is", "claim"),
        numbers("mean regret", "regret", lambda v: f"{v['mean']:.3f}"),
        numbers(
            "95 % interval", "regret", lambda v: f"{v['low']:.3f} to {v['high']:.3f}"
        ),
        numbers(
            "mean regret, all features as competitor",
            "regret_with_all",
            lambda v: f"{v['mean']:.3f}",
        ),
        numbers("average rank", "rank", lambda v: f"{v['mean']:.1f}"),
        numbers("beats random", "wins_against_random", lambda v: f"{v['mean']:.0%}"),
        numbers("beats all", "wins_against_all", lambda v: f"{v['mean']:.0%}"),
        numbers("too long", "without_value", ""),
    ]
    if found["ranking"]:
        columns += [
            numbers("mean regret by shares", "share", ".3f"),
            numbers("average rank, ML-kNN at 20 %", "at_20", ".1f"),
        ]
    return Table("", columns, rows).to_markdown(level=0)


def kinds_table(content: dict[str, Any]) -> str:
    """The three methods that lose least on each kind of data."""
    rows: dict[str, dict[str, str]] = {}
    for how, page, _ in _pages(content):
        for kind, names in page["kinds"].items():
            known = methods_of(page) if names else []
            known.sort(key=lambda row, kind=kind: row["regret_by_kind"][kind])
            best = [
                f"`{r['method']}` {r['regret_by_kind'][kind]:.3f}" for r in known[:3]
            ]
            if best:
                said = f"{', '.join(best)} ({len(names)} data sets)"
                rows.setdefault(kind, {"kind": kind})[how] = said
    columns = [Column("kind of data", "kind")]
    columns += [
        Column(f"lowest mean regret, {h.lower()}", h) for h, *_ in _pages(content)
    ]
    return Table("", columns, list(rows.values())).to_markdown(level=0)


def models(content: dict[str, Any]) -> str:
    """Where selection by a model is better than the reference, and what it costs."""
    reference, by_data = content["reference"], content["regret_by_dataset"]
    rows = {row["method"]: row for row in table_rows(content) if "regret" in row}
    names = [name for name in rows if name.startswith("model+")]
    seconds = load(BOARD.parent / "costs.json")["seconds"]
    verdicts = {row["method"]: row for row in content["against"]}
    shown, said = [], []
    for name in [reference, *names]:
        ahead = [d for d, line in by_data.items() if line[name] < line[reference]]
        n_ahead = None if name == reference else len(ahead)
        found = {"name": f"`{name}`", "seconds": seconds[name], "ahead": n_ahead}
        shown.append({**rows[name], **found, **verdicts.get(name, {"worse": None})})
        kinds = [
            kind
            for kind, regret in rows[name]["regret_by_kind"].items()
            if content["kinds"][kind]
            and regret < rows[reference]["regret_by_kind"][kind]
        ]
        if ahead:
            of = f"by kind of data on {_joined(kinds)}" if kinds else "on no kind"
            said.append(f"`{name}` on {_joined(ahead)}; {of}.")
    columns = [
        Column("method", "name"),
        numbers("mean regret", "regret", lambda v: f"{v['mean']:.3f}"),
        numbers("mean regret by shares", "share", ".3f"),
        numbers(f"data sets with less than `{reference}`", "ahead", ""),
        numbers(f"probability of being better than `{reference}`", "worse", ".2f"),
        numbers("CPU seconds of a selection, median", "seconds", ".2g"),
        numbers("cases too long", "without_value", ""),
    ]
    table = Table("", columns, shown).to_markdown(level=0)
    absent = [n for n in selector_names() if n.startswith("model+") and n not in names]
    parts = [
        table,
        f"On {len(by_data)} data sets, by counts. Better is better by more than "
        f"{content['rope']:g} (Bayesian signed-rank test over data sets). Less mean "
        f"regret than `{reference}`: {' '.join(said) or 'none.'}",
        f"Not computed yet: {_listed(absent)}." if absent else "",
    ]
    return "\n\n".join(filter(None, parts))


def effort(content: dict[str, Any]) -> str:
    """How much was run, and what was not."""
    rows = table_rows(content)
    entries = [row["method"] for row in rows if row["method"] in ELSEWHERE]
    said = [
        f"The table has {len(rows)} methods: {len(rows) - len(entries)} of the library "
        f"and {len(entries)} entries of others. "
        + " ".join(
            f"{how}: {page['n_cells']} cells on {len(page['datasets'])} data sets, "
            f"{_splits(page)}, {costs['seconds_of_all_cells'] / 60:.0f} minutes of CPU "
            "time."
            for how, page, costs in _pages(content)
        )
    ]
    minutes = sum(c["seconds_of_all_cells"] for *_, c in _pages(content)) / 60
    said.append(
        f"Both together: {minutes:.0f} minutes of CPU time; what was broken off "
        "because it took too long is not in it."
    )
    for how, page, _ in _pages(content):
        run = {row["method"] for row in page["ranking"]}
        others = [name for name in [*selector_names(), *ELSEWHERE] if name not in run]
        gone = page["absent"]["datasets"]
        said += [f"{how} not computed yet: {_listed(others)}."] if others else []
        said += [f"{how} not computed on: {_joined(gone)}."] if gone else []
    return " ".join(said)


def _pages(content: dict[str, Any]) -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    pages = [("By counts", content, load(BOARD.parent / "costs.json"))]
    if (found := shares()) is not None:
        pages.append(("By shares", found, load(SHARES.parent / "costs.json")))
    return pages


def _splits(content: dict[str, Any]) -> str:
    splits = {data["splits"] for data in content["datasets"]}
    few = f"{min(splits)} to {max(splits)}" if len(splits) > 1 else str(min(splits))
    return f"{few} splits of each"


def protocols(content: dict[str, Any]) -> str:
    """What was measured, by which classifiers."""
    rows = [
        {
            "how": how,
            "sizes": _joined(list(map(size_text, page["sizes"]))),
            "by": _joined([CLASSIFIERS[name] for name in page["classifiers"]]),
            "data": str(len(page["datasets"])),
            "splits": _splits(page),
            "budget": f"{page['budget']:g}",
        }
        for how, page, _ in _pages(content)
    ]
    columns = [
        Column("protocol", "how"),
        Column("features", "sizes"),
        Column("classifiers", "by"),
        numbers("data sets", "data", ""),
        Column("splits", "splits"),
        numbers("budget, CPU seconds", "budget", ""),
    ]
    planned = {c.label for rules in PROTOCOLS.values() for c in rules.at_one_size}
    run = {name for _, page, _ in _pages(content) for name in page["classifiers"]}
    missing = [CLASSIFIERS[name] for name in sorted(planned - run)]
    said = f"\n\nBy shares not computed yet: {_joined(missing)}." if missing else ""
    return Table("", columns, rows).to_markdown(level=0) + said


def cards(content: dict[str, Any]) -> str:
    """A card for each data set."""
    found = {
        card["name"]: card
        for _, page, _ in _pages(content)
        for card in page["datasets"]
    }
    kinds: dict[str, list[str]] = {}
    for _, page, _ in _pages(content):
        for kind, names in page["kinds"].items():
            for name in names:
                if kind not in kinds.setdefault(name, []):
                    kinds[name].append(kind)
    said = []
    for name, card in sorted(found.items()):
        what, source = CARDS[name]
        holes = [
            f"{card[key]:.1%} of the {cells} are {key}"
            for key, cells in (("missing", "cells"), ("unknown", "labels"))
            if card[key]
        ]
        said.append(
            f"`{name}`\n: {what[0].upper()}{what[1:]} ({source}). {card['rows']:,} "
            f"samples, {card['features']:,} features, {card['labels']} labels, "
            f"{card['cardinality']:.2f} per sample; the rarest has {card['rarest']}. "
            + "".join(f"{hole}. " for hole in holes)
            + f"Kinds: {', '.join(kinds[name])}. Data `{card['checksum'][:12]}`, rows "
            f"of the first split `{card['rows_of_splits'][0]}`."
        )
    return "\n\n".join(said)


def published() -> str:
    """Figures that papers print beside ours, under the protocol of the paper."""
    parts = []
    for paper, view in PAPERS.items():
        content = load(ROOT / "results" / paper / "results.json")
        rows = [row for row in content["table"] if row["view"] in (view, "none")]
        methods = list(dict.fromkeys(row["method"] for row in rows))
        lines: dict[Any, dict[str, str]] = {}
        for row in rows:
            place = row["dataset"], row["measure"], row["at"], row["where"]
            both = f"{row['published']:.4g} / {row['ours']:.4g}"
            if row["remark"]:
                both += " (not compared)"
            lines.setdefault(place, {})[row["method"]] = both
        columns = [
            *(Column(name, name) for name in ("data set", "measure", "features")),
            *(Column(name, name) for name in methods),
            Column("printed in", "printed in"),
        ]
        shown = [
            {
                "data set": dataset,
                "measure": measure.replace("_", " "),
                "features": str(at),
                "printed in": where,
                **found,
            }
            for (dataset, measure, at, where), found in lines.items()
        ]
        reference = content["experiment"]["reference"]
        parts.append(f"{reference}. Printed / ours:")
        parts.append(Table("", columns, shown).to_markdown(level=0))
    return "\n\n".join(parts)


def blocks() -> dict[str, dict[str, str]]:
    """For each page what stands between its marks."""
    content = load()
    said = both_sentences(content)
    return {
        "README.md": {"leaderboard": headline(content), "speed": speed(load(TIMES))},
        "docs/choosing.md": {"leaderboard": said},
        "docs/i-have-a-model.md": {"models": models(content)},
        "docs/benchmark.md": {"protocols": protocols(content), "cards": cards(content)},
        "docs/state-of-the-field.md": {
            "leaderboard": said,
            "table": f"{field_table(content)}\n\n{effort(content)}",
            "kinds": kinds_table(content),
            "published": published(),
        },
        "docs/methods/label-specific.md": {
            "measured": label_specific.page(load(label_specific.OUT / "results.json"))
        },
    }


def filled(text: str, found: dict[str, str]) -> str:
    """The text of a page with its blocks."""
    for name, block in found.items():
        pattern = re.compile(MARKED.format(name=name), re.DOTALL)
        if not pattern.search(text):
            raise ValueError(f"there is no mark <!-- {name} -->")
        text = pattern.sub(
            lambda m, b=block: m[1] + b + m[1][-1:] * (m[1][-1] == "\n") + m[2], text
        )
    return text


def main() -> None:
    """Write all pages."""
    missing = sorted(set(selector_names()) - {*CLAIMS} - _baselines())
    if missing:
        print("no claim is written down for", ", ".join(missing))
    for page, found in blocks().items():
        path = ROOT / page
        path.write_text(filled(path.read_text("utf-8"), found), "utf-8")
    drawn = (BOARD.parent / PICTURE).read_bytes()
    (ROOT / "docs" / "_static" / PICTURE).write_bytes(drawn)


def _baselines() -> set[str]:
    return {name for name in selector_names() if "+" in name}


if __name__ == "__main__":
    main()
