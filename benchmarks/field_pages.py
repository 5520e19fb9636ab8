"""What README and guides say of the field, made from the leaderboard.

``python -m benchmarks.field_pages`` writes between the marks of the pages what
`results/leaderboard/leaderboard.json`, `results/choose_well/leaderboard.json` and
`results/label_specific/results.json` say; a test looks whether it was run.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from benchmarks import label_specific
from labelsieve._utils.messages import Column, Table, numbers
from labelsieve.experiments.methods import CONTROLS
from labelsieve.registry import selector_names

ROOT = Path(__file__).parent.parent
BOARD = ROOT / "results" / "leaderboard" / "leaderboard.json"
RIVALS = ROOT / "results" / "choose_well" / "leaderboard.json"
PICTURE = "critical-difference.svg"
TIMES = ROOT / "results" / "cli" / "times.json"
MARKED = r"(<!-- {name} -->\n?).*?(<!-- end of {name} -->)"

# What the papers want of their methods, in our words.
CLAIMS = {
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

# How the pages name methods of other libraries, and classifiers.
TITLES = {
    "br+f(aggregate=max)": "`br+f`, maximum over labels",
    "trees": "`trees`, impurity importance of extra-trees",
    "summed_mi": "summed mutual information",
    "least_information": "CMIM, summed over labels",
    "chi2_summed": "`SelectKBest(chi2)` per label, sum",
    "chi2_largest": "`SelectKBest(chi2)` per label, maximum",
    "fastcan": "the package fastcan",
    "random": "random features",
    "mlnb-codes": "naive Bayes on binned features",
    "mlknn": "ten nearest neighbours",
    "ridge": "ridge regression",
    "forest(n_estimators=20)": "a random forest",
}


def load(path: Path = BOARD) -> dict[str, Any]:
    """A page of the leaderboard."""
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def sentences(content: dict[str, Any]) -> str:
    """What the leaderboard says, in a few sentences."""
    rows = {row["method"]: row for row in content["ranking"]}
    ranked = [m for m in rows if m not in CONTROLS]
    first, second, third = (rows[name] for name in ranked[:3])
    reference = content["reference"]
    own = rows[reference]
    worse = [r["method"] for r in content["against"] if r["better"] > 0.95]
    alike = [r["method"] for r in content["against"] if r["alike"] > 0.95]
    beaten = [r["method"] for r in content["against"] if r["worse"] > 0.95]
    said = [
        f"On {len(content['datasets'])} data sets and {content['n_cases']} cases "
        f"`{first['method']}` has the lowest mean regret "
        f"({first['regret']['mean']:.3f}), followed by `{second['method']}` "
        f"({second['regret']['mean']:.3f}) and `{third['method']}` "
        f"({third['regret']['mean']:.3f}). If using all features counts as a "
        f"competitor, the regret of `{reference}` is "
        f"{own['regret_with_all']['mean']:.3f}.",
        f"`{reference}` ranks {_place(ranked.index(reference) + 1)} of {len(ranked)}. "
        f"It beats random features in {own['wins_against_random']['mean']:.0%} "
        f"and all features in {own['wins_against_all']['mean']:.0%} of the cases.",
        f"With a probability above 0.95 it is better by more than {content['rope']:g} "
        f"than {len(worse)} of the {len(content['against'])} others; it is practically "
        f"equivalent to {_listed(alike)}"
        + (f", and {_listed(beaten)} are better." if beaten else "."),
    ]
    return " ".join(said)


def headline(content: dict[str, Any]) -> str:
    """The first line of the leaderboard, for the README."""
    ranked = [row for row in content["ranking"] if row["method"] not in CONTROLS]
    first, second = ranked[:2]
    return (
        f"{first['method'].capitalize()} has the lowest mean regret of {len(ranked)} "
        f"methods on {len(content['datasets'])} data sets: "
        f"{first['regret']['mean']:.3f}; the next, `{second['method']}`, has "
        f"{second['regret']['mean']:.3f}"
    )


def speed(times: dict[str, dict[str, float]]) -> str:
    """How long the command takes on the largest data set that was timed."""
    seconds = times["delicious"]["sieve"]
    return (
        "16,105 samples with 500 features and 983 labels take "
        f"{seconds:.1f} seconds on one core"
    )


def rivals(content: dict[str, Any]) -> str:
    """What was compared to choose well, and how the methods stand."""
    classifiers = _joined([TITLES[classifier] for classifier in content["classifiers"]])
    sizes = _joined([str(size) for size in content["sizes"]])
    fewest, few, many = (
        {d["splits"] for d in content["datasets"] if low <= d["rows"] < high}
        for low, high in ((0, 500), (500, 1000), (1000, float("inf")))
    )
    left_out = [row["dataset"] for row in content["left_out"]]
    said = (
        f"{len(content['ranking']) - len(CONTROLS)} methods selected features on the "
        f"same training samples of {len(content['datasets'])} data sets "
        f"({_times(fewest)} below 500 samples, {_times(few)} below 1,000, "
        f"otherwise {_times(many)}). {classifiers[0].upper()}{classifiers[1:]} were "
        f"evaluated on held-out samples with {sizes} features by label-ranking average "
        "precision"
        + (f" (no forest on {_joined(left_out)})." if left_out else ".")
        + " Regret is the difference to the best selection of the same case: a data "
        "set, a classifier and a number of features. In the second column using all "
        "features counts as a competitor. Intervals are bootstrap intervals over data "
        "sets."
    )
    shown = [row for row in content["ranking"] if row["method"] != "all"]
    rows = [row | {"title": _title(row["method"])} for row in shown]
    columns = [
        Column("method", "title"),
        numbers("mean regret", "regret", _spread),
        numbers("mean regret, all features as competitor", "regret_with_all", _spread),
        numbers("worst data set", "worst_dataset", _worst),
        numbers("worst case", "worst_case", lambda value: f"{value['regret']:.3f}"),
        numbers("average rank", "rank", lambda value: _spread(value, 1)),
    ]
    return f"{said}\n\n{Table('', columns, rows).to_markdown(level=0)}"


def _title(method: str) -> str:
    return TITLES.get(method, f"`{method}`")


def _times(splits: set[int]) -> str:
    return " or ".join(f"{n} splits" for n in sorted(splits))


def _joined(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)


def _spread(value: dict[str, float], digits: int = 4) -> str:
    mean, low, high = (f"{value[k]:.{digits}f}" for k in ("mean", "low", "high"))
    return f"{mean} ({low} to {high})"


def _worst(value: dict[str, Any]) -> str:
    return f"{value['regret']:.3f}, {value['where']}"


def _place(number: int) -> str:
    return {1: "first", 2: "second", 3: "third"}.get(number, f"number {number}")


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "none"


def field_table(content: dict[str, Any]) -> str:
    """Every method: what it claims, and what was measured."""
    rows = [
        {
            **row,
            "name": f"`{row['method']}`" if row["method"] not in CONTROLS else "",
            "claim": CLAIMS.get(row["method"], "a baseline of the papers"),
        }
        for row in content["ranking"]
        if row["method"] not in CONTROLS
    ]
    for control in CONTROLS:
        found = next(r for r in content["ranking"] if r["method"] == control)
        rows.append({**found, "name": f"{control} features", "claim": "a control"})
    columns = [
        Column("method", "name"),
        Column("what it claims", "claim"),
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
    return Table("", columns, rows).to_markdown(level=0)


def kinds_table(content: dict[str, Any]) -> str:
    """The three methods that lose least on each kind of data."""
    rows = []
    for kind, names in content["kinds"].items():
        if not names:
            continue
        known = [r for r in content["ranking"] if r["method"] not in CONTROLS]
        known.sort(key=lambda row: row["regret_by_kind"][kind])
        best = ", ".join(
            f"`{r['method']}` ({r['regret_by_kind'][kind]:.3f})" for r in known[:3]
        )
        rows.append({"kind": f"{kind} ({len(names)} data sets)", "best": best})
    columns = [Column("kind of data", "kind"), Column("lowest mean regret", "best")]
    return Table("", columns, rows).to_markdown(level=0)


def effort(content: dict[str, Any], costs: dict[str, Any]) -> str:
    """How much was run."""
    splits = {data["splits"] for data in content["datasets"]}
    few = f"{min(splits)} to {max(splits)}" if len(splits) > 1 else str(min(splits))
    run = {row["method"] for row in content["ranking"]}
    others = [name for name in selector_names() if name not in run]
    return (
        f"{content['n_cells']} cells, {few} splits of each data set; all cells took "
        f"{costs['seconds_of_all_cells'] / 60:.0f} minutes of CPU time."
        + (f" Not run yet: {_listed(others)}." if others else "")
    )


def blocks() -> dict[str, dict[str, str]]:
    """For each page what stands between its marks."""
    content, well = load(), load(RIVALS)
    costs = load(BOARD.parent / "costs.json")
    said = sentences(content)
    return {
        "README.md": {"leaderboard": headline(content), "speed": speed(load(TIMES))},
        "docs/choosing.md": {"rivals": rivals(well), "leaderboard": said},
        "docs/state-of-the-field.md": {
            "leaderboard": said,
            "table": f"{field_table(content)}\n\n{effort(content, costs)}",
            "kinds": kinds_table(content),
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
    drawn = (RIVALS.parent / PICTURE).read_bytes()
    (ROOT / "docs" / "_static" / PICTURE).write_bytes(drawn)


def _baselines() -> set[str]:
    return {name for name in selector_names() if "+" in name}


if __name__ == "__main__":
    main()
