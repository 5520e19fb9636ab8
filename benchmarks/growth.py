"""How the cost of each selector grows with rows, features and labels.

    python -m benchmarks.growth [folder]

Prints processor seconds on one thread, the log-log slope and the memory, and writes
growth.json, growth.md and a picture for each of the three into the folder.
"""

import json
import sys
import warnings
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks._runtime import RuntimeDisplay
from labelsieve.datasets import make_multilabel
from labelsieve.experiments.cells import measure
from labelsieve.registry import make_selector

SELECTORS = [
    "pmu",
    "fimf",
    "mlqpfs",
    "gmba",
    "emcfs",
    "spec",
    "mlfs",
    "mlrf",
    "relieff-ml",
    "lp+chi2",
    "lp+relieff",
    "ppt+mi",
    "ela+chi2",
    "br+chi2",
]
BASE = {"rows": 1000, "features": 250, "labels": 16}
FACTORS = (1, 2, 4, 8)
PICKS = 20
REPEAT = 2
# A selector that takes longer is not tried at the next size.
MOST_SECONDS = 10.0


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        growths = [grow(along) for along in BASE]
    page = "\n".join(describe(growth) for growth in growths)
    print(page)
    if folder is not None:
        write(folder, growths, page)


def grow(along: str) -> dict:
    """Measure all selectors while one of rows, features and labels doubles."""
    sizes = [BASE[along] * factor for factor in FACTORS]
    seconds = {name: [] for name in SELECTORS}
    memory = {name: [] for name in SELECTORS}
    for size in sizes:
        X, Y = data(**{**BASE, along: size})
        for name in SELECTORS:
            spent, peak = cost(name, X, Y, seconds[name])
            seconds[name].append(spent)
            memory[name].append(peak)
    slopes = RuntimeDisplay(sizes, seconds, along).slopes
    return {
        "along": along,
        "base": BASE,
        "sizes": sizes,
        "seconds": seconds,
        "memory_mib": memory,
        "slopes": {name: round(slope, 2) for name, slope in slopes.items()},
    }


def data(rows: int, features: int, labels: int):
    return make_multilabel(
        rows,
        labels,
        n_relevant=features // 4,
        n_redundant=features // 8,
        n_interacting=2 * (features // 16),
        n_noise=features - features // 4 - features // 8 - 2 * (features // 16),
        labels_per_row=3.0,
        random_state=0,
    )[:2]


def cost(name: str, X, Y, before: list[float]) -> tuple[float, float | None]:
    """The least processor time of several runs, and the memory of the last."""
    if before and not before[-1] < MOST_SECONDS:
        return float("nan"), None
    runs = []
    for repeat in range(REPEAT):
        selector = make_selector(name, n_features_to_select=PICKS)
        if "random_state" in selector.get_params():
            selector.set_params(random_state=0)
        _, spent = measure(lambda selector=selector: selector.fit(X, Y), "fit")
        runs.append(spent)
        if repeat and spent["fit_cpu_seconds"] > MOST_SECONDS / 4:
            break
    # The first run also loads kernels, which is no memory of the method.
    last = runs[-1]["fit_peak_bytes"]
    peak = None if last is None else round(last / 2**20, 1)
    return float(f"{min(run['fit_cpu_seconds'] for run in runs):.4g}"), peak


def describe(growth: dict) -> str:
    along, sizes = growth["along"], growth["sizes"]
    fixed = ", ".join(f"{n} {what}" for what, n in BASE.items() if what != along)
    lines = [
        f"## As {along} grow ({fixed})",
        "",
        f"| selector | {' | '.join(f'{size} {along}' for size in sizes)} | slope |",
        "|" + " --- |" * (len(sizes) + 2),
    ]
    for name, spent in growth["seconds"].items():
        shown = [
            "not tried" if np.isnan(s) else f"{1e3 * s:.1f} ms, {m} MiB"
            for s, m in zip(spent, growth["memory_mib"][name], strict=True)
        ]
        lines.append(f"| {name} | {' | '.join(shown)} | {growth['slopes'][name]} |")
    return "\n".join([*lines, ""])


def write(folder: Path, growths: list[dict], page: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    head = (
        "# How the cost of selection grows\n\nProcessor time of the best of "
        f"{REPEAT} runs on one thread, {PICKS} features selected, memory above what "
        "the process had before. The slope is that of a line through all sizes on "
        "logarithmic axes: 1 is linear, 2 quadratic.\n\n"
    )
    pictures = "\n".join(f"![{g['along']}](growth-{g['along']}.svg)" for g in growths)
    (folder / "growth.md").write_text(head + page + "\n" + pictures + "\n")
    (folder / "growth.json").write_text(json.dumps(growths, indent=1) + "\n")
    for growth in growths:
        draw(growth).savefig(
            folder / f"growth-{growth['along']}.svg", metadata={"Date": None}
        )


def draw(growth: dict):
    """Seconds against size; colours come round, so that the second time is dashed."""
    display = RuntimeDisplay(growth["sizes"], growth["seconds"], growth["along"])
    axes = display.plot().ax_
    for line in axes.lines[len(SELECTORS) // 2 :]:
        line.set_linestyle("--")
    axes.set_xticks(growth["sizes"])
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize=8)
    axes.figure.set_size_inches(8, 5)
    return axes.figure


if __name__ == "__main__":
    main()
