"""What README and guides say of the field, made from the leaderboard.

``python -m benchmarks.field_pages`` writes between the marks of the pages what
`results/leaderboard/leaderboard.json`, `results/choose_well/leaderboard.json` and
`results/shared_and_own/results.json` say; a test looks whether it was run.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from benchmarks import shared_and_own
from labelsieve._plumbing.messages import Column, Table, numbers
from labelsieve.experiments.methods import CONTROLS
from labelsieve.registry import selector_names

ROOT = Path(__file__).parent.parent
BOARD = ROOT / "results" / "leaderboard" / "leaderboard.json"
RIVALS = ROOT / "results" / "choose_well" / "leaderboard.json"
PICTURE = "critical-difference.svg"
MARKED = r"(<!-- {name} -->\n).*?(<!-- end of {name} -->)"

# What the papers want of their methods, in our words.
CLAIMS = {
    "sieve": "ours: what is new about each label, beyond chance, at each pick",
    "pmu": "better than ELA+CHI, PPT+CHI and PPT+MI with naive Bayes, on small data",
    "fimf": "as good as PMU and others at a fraction of the time, with many labels",
    "mlqpfs": "relevance and redundancy weighed in one global optimum",
    "gmba": "margins of a graph of label sets beat MLFS, MLRF and SPEC",
    "emcfs": "features of each label make an ensemble better than ML-kNN and LIFT",
    "spec": "smoothness over any graph, with or without labels",
    "mlfs": "the F statistic made for rows in several classes",
    "mlrf": "ReliefF over pairs of labels, for image annotation",
    "relieff-ml": "ReliefF with distances of label sets",
    "d2f": "interaction with chosen features keeps redundancy out",
    "mdmr": "dependency on labels against conditional redundancy",
    "scls": "a criterion that scales when labels are many",
    "lrfs": "labels that others explain count less",
    "grro": "relevance and redundancy of features and labels in closed form",
    "rfs": "outlying rows count less, few features enter for all classes",
    "mfs-mcdm": "labels as criteria of a decision, features as alternatives",
    "mifs": "factors of the labels guide better than noisy labels themselves",
    "mdfs": "near rows and related labels share an embedding that few features predict",
    "trees": "interactions without a search; what practitioners use",
    "br+f": "what most people try first",
}

# What readers know the methods of other libraries by, and the judges.
TITLES = {
    "br+f(aggregate=max)": "`br+f`, largest F over labels",
    "trees": "`trees`, importances of extremely random trees",
    "summed_mi": "summed mutual information",
    "least_information": "least information given any chosen feature, summed",
    "chi2_summed": "`SelectKBest(chi2)` of each label, summed",
    "chi2_largest": "`SelectKBest(chi2)` of each label, the largest",
    "fastcan": "the package fastcan",
    "random": "random features",
    "mlnb-codes": "naive Bayes on codes",
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
    rows = {row["method"]: row for row in content["standing"]}
    ranked = [m for m in rows if m not in CONTROLS]
    first, second, third = (rows[name] for name in ranked[:3])
    reference = content["reference"]
    own = rows[reference]
    worse = [r["method"] for r in content["against"] if r["better"] > 0.95]
    alike = [r["method"] for r in content["against"] if r["alike"] > 0.95]
    beaten = [r["method"] for r in content["against"] if r["worse"] > 0.95]
    said = [
        f"On {len(content['datasets'])} data sets and {content['n_cases']} cases "
        f"`{first['method']}` loses least against the best selection of each case "
        f"({first['regret']['mean']:.3f} on average), then `{second['method']}` "
        f"({second['regret']['mean']:.3f}) and `{third['method']}` "
        f"({third['regret']['mean']:.3f}). Where all features count among the best of "
        f"a case, `{reference}` loses {own['regret_with_all']['mean']:.3f}.",
        f"`{reference}` is {_place(ranked.index(reference) + 1)} of {len(ranked)}, "
        f"better than random features in {own['wins_against_random']['mean']:.0%} "
        f"and than all features in {own['wins_against_all']['mean']:.0%} of the cases.",
        f"With a probability above 0.95 it is better by more than {content['rope']:g} "
        f"than {len(worse)} of {len(content['against'])} others, and alike within that "
        f"to {_listed(alike)}"
        + (f"; {_listed(beaten)} are better than it." if beaten else "."),
    ]
    return " ".join(said)


def rivals(content: dict[str, Any]) -> str:
    """What was compared to choose well, and how the methods stand."""
    judges = _joined([TITLES[judge] for judge in content["judges"]])
    sizes = _joined([str(size) for size in content["sizes"]])
    fewest, few, many = (
        {d["splits"] for d in content["datasets"] if low <= d["rows"] < high}
        for low, high in ((0, 500), (500, 1000), (1000, float("inf")))
    )
    left_out = [row["dataset"] for row in content["left_out"]]
    said = (
        f"{len(content['standing']) - len(CONTROLS)} methods chose features on the "
        f"same training rows of {len(content['datasets'])} data sets "
        f"({_times(fewest)} where rows are fewer than 500, {_times(few)} below 1,000, "
        f"otherwise {_times(many)}). "
        f"{judges[0].upper()}{judges[1:]} were judged on other rows at {sizes} "
        "features by label-ranking average precision"
        + (f" (no forest on {_joined(left_out)})." if left_out else ".")
        + " Regret is how much worse a method is than the best selection of its case, "
        "a data set, a classifier and a number of features; the second column has all "
        "features among the best. Intervals come from drawing data sets again."
    )
    shown = [row for row in content["standing"] if row["method"] != "all"]
    rows = [row | {"title": _title(row["method"])} for row in shown]
    columns = [
        Column("method", "title"),
        numbers("mean regret", "regret", _spread),
        numbers("mean regret, all features among the best", "regret_with_all", _spread),
        numbers("worst data set", "worst_dataset", _worst),
        numbers("worst case", "worst_case", lambda value: f"{value['regret']:.3f}"),
        numbers("average rank", "rank", lambda value: _spread(value, 1)),
    ]
    return f"{said}\n\n{Table('', columns, rows).to_markdown(level=0)}"


def _title(method: str) -> str:
    return TITLES.get(method, f"`{method}`")


def _times(splits: set[int]) -> str:
    words = {1: "divided once", 2: "divided twice", 3: "divided three times"}
    return " or ".join(words.get(n, f"divided {n} times") for n in sorted(splits))


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
        for row in content["standing"]
        if row["method"] not in CONTROLS
    ]
    for control in CONTROLS:
        found = next(r for r in content["standing"] if r["method"] == control)
        rows.append({**found, "name": f"{control} features", "claim": "a control"})
    columns = [
        Column("method", "name"),
        Column("what it claims", "claim"),
        numbers("mean regret", "regret", lambda v: f"{v['mean']:.3f}"),
        numbers(
            "95 % interval", "regret", lambda v: f"{v['low']:.3f} to {v['high']:.3f}"
        ),
        numbers(
            "mean regret, all features among the best",
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
        known = [r for r in content["standing"] if r["method"] not in CONTROLS]
        known.sort(key=lambda row: row["regret_by_kind"][kind])
        best = ", ".join(
            f"`{r['method']}` ({r['regret_by_kind'][kind]:.3f})" for r in known[:3]
        )
        rows.append({"kind": f"{kind} ({len(names)} data sets)", "best": best})
    columns = [Column("kind of data", "kind"), Column("least regret", "best")]
    return Table("", columns, rows).to_markdown(level=0)


def effort(content: dict[str, Any], costs: dict[str, Any]) -> str:
    """How much was run."""
    splits = {data["splits"] for data in content["datasets"]}
    few = f"{min(splits)} to {max(splits)}" if len(splits) > 1 else str(min(splits))
    run = {row["method"] for row in content["standing"]}
    others = [name for name in selector_names() if name not in run]
    return (
        f"{content['n_cells']} cells, splits of each data set: {few}; all cells took "
        f"{costs['seconds_of_all_cells'] / 60:.0f} minutes of one processor."
        + (f" Not run yet: {_listed(others)}." if others else "")
    )


def blocks() -> dict[str, dict[str, str]]:
    """For each page what stands between its marks."""
    content, well = load(), load(RIVALS)
    costs = load(BOARD.parent / "costs.json")
    said = sentences(content)
    return {
        "README.md": {"leaderboard": said},
        "docs/choosing.md": {"rivals": rivals(well), "leaderboard": said},
        "docs/state-of-the-field.md": {
            "leaderboard": said,
            "table": f"{field_table(content)}\n\n{effort(content, costs)}",
            "kinds": kinds_table(content),
        },
        "docs/methods/shared-and-own.md": {
            "measured": shared_and_own.page(load(shared_and_own.OUT / "results.json"))
        },
    }


def filled(text: str, found: dict[str, str]) -> str:
    """The text of a page with its blocks."""
    for name, block in found.items():
        pattern = re.compile(MARKED.format(name=name), re.DOTALL)
        if not pattern.search(text):
            raise ValueError(f"there is no mark <!-- {name} -->")
        text = pattern.sub(lambda m, b=block: f"{m[1]}{b}\n{m[2]}", text)
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
