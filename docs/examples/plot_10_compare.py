"""
Compare methods on your data
============================

Which method is best for *your* data? Let several select on training samples, evaluate
every number of features on test samples, and compare them with random and all features.
"""

import tempfile
from pathlib import Path

from matplotlib import pyplot

from labelsieve.datasets import load_segments
from labelsieve.experiments import HoldOut, Sizes, compare
from labelsieve.report import comparison_page, write_page

# %%
# Finished results are kept in a folder: after an interruption the same call continues.
folder = Path(tempfile.mkdtemp())
X, Y = load_segments()
results = compare(
    *(X, Y, ["sieve", "fimf", "br+chi2"]),
    protocol=HoldOut(n_splits=4),
    sizes=Sizes(counts=(2, 4, 8, 12, 16, 24)),
    out=folder / "results",
)

# %%
# Which method is ahead, and is the difference significant?
print(results.to_text())

# %%
# Naive Bayes was evaluated with every number of features, on 30 % of the samples in
# each of 4 splits:
figure, ax = pyplot.subplots(figsize=(5.5, 3.2), layout="constrained")
for curve, mark in zip(results.content["curves"], "os^vD", strict=False):
    if curve["method"] != "all":
        means = curve["measures"]["micro_f1"]["mean"]
        ax.plot(curve["points"], means, marker=mark, label=curve["method"])
ax.set_title("Micro-F1 on test samples against the number of pixels")
ax.set_xlabel("pixels kept")
ax.set_ylabel("micro-F1")
ax.legend()

# %%
# The first method is tested against the others. With four splits a difference must be
# large to be significant: read the corrected p-value, which accounts for shared
# samples.
for test in results.content["tests"]:
    if test["measure"] == "micro_f1":
        print(f"sieve - {test['method']}: {test['difference']:+.3f}", end=", ")
        print(f"p = {test['p_corrected']:.3f}, wins/ties/losses {test['win_tie_loss']}")

# %%
# The report (``labelsieve compare ... --report``) has all measures, tests and costs.
content = comparison_page(results.content, results.costs, command="labelsieve compare")
page = write_page(content, folder / "page.html")
print(f"{page.stat().st_size / 1000:.0f} kB")
