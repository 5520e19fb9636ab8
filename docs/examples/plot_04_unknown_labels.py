"""
Missing labels: partially labelled data
=======================================

An annotator skipped a label, an assay was not run: the cell of ``Y`` is NaN. That is
not "absent". Count-based selectors use each label on the samples where it is known.
"""

import numpy as np
from matplotlib import pyplot

from labelsieve import Sieve, make_multilabel

# %%
# Five labels, 53 features, and a column for the site where a sample was taken. The
# first four labels are known everywhere. The fifth needs an assay that only one of the
# two sites has.
X, Y, truth = make_multilabel(
    1_200, 5, n_relevant=10, n_redundant=3, n_interacting=0, n_noise=40, random_state=3
)
random = np.random.default_rng(0)
site = random.random(len(Y)) < 0.4
X = np.column_stack([X, site])
known = Y.astype(float)
known[~site, 4] = np.nan
print(f"{np.isnan(known).mean(axis=0).round(2)} of the labels are unknown")

# %%
# Three ways: all labels known (which nobody has), unknown left unknown, and unknown
# taken for absent, which many do without noticing. The site is irrelevant for every
# label; it only says where the fifth is known.
ways = {
    "all known": Y,
    "unknown is unknown": known,
    "unknown taken for absent": np.nan_to_num(known).astype(int),
}
ranks = {name: int(Sieve(12).fit(X, y).ranking_[-1]) for name, y in ways.items()}
print(ranks)

# %%
# If unknown is taken for absent, the site looks like one of the best features.
figure, ax = pyplot.subplots(figsize=(5.5, 2.2), layout="constrained")
ax.barh(list(ranks), list(ranks.values()))
ax.invert_yaxis()
ax.set_title("Rank of an irrelevant feature")
ax.set_xlabel(f"rank among {X.shape[1]} features, 1 is best")
