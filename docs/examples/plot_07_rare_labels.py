"""
Rare labels
===========

A sum over labels hardly notices a label that one sample in thirty has. How to see that
it is poorly covered, and what to do about it.
"""

import numpy as np
from matplotlib import pyplot

from labelsieve import Sieve

# %%
# Four frequent labels with three relevant features each, and a rare one with two.
random = np.random.default_rng(0)
n = 1_500
Y = (random.random((n, 5)) < [0.4, 0.4, 0.3, 0.3, 0.03]).astype(int)
owner = [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4]
noise = np.where(np.array(owner) == 4, 0.5, 1.0)
X = Y[:, owner] + noise * random.normal(size=(n, 14))
X = np.hstack([X, random.random((n, 40))])  # and forty that are noise
names = ["a", "b", "c", "d", "rare"]

# %%
# Eight features for all labels: none of them is relevant for the rare one.
sieve = Sieve(8).fit(X, Y)
shared = sieve.order_[:8]
print([names[owner[feature]] for feature in shared])

# %%
# The relevance of the best selected feature for each label shows the gap. Always look
# at it.
relevance = sieve.explain(X, Y, label_names=names).label_shares.max(axis=0)
print(dict(zip(names, relevance.round(2).tolist(), strict=True)))

# %%
# One cure: balanced label weights, as ``class_weight="balanced"`` in scikit-learn. The
# rare label comes first, and the others get less.
balanced = Sieve(8, label_weight="balanced").fit(X, Y)
print([names[owner[feature]] for feature in balanced.order_[:8]])

# %%
# Another: keep the shared features, and add what the rare label needs beyond them.
# ``include`` starts the search from given features. ``LabelSpecificSelector`` does this
# for every label.
more = Sieve(10, include=shared.tolist()).fit(X, Y[:, 4])
both = more.explain(X, Y, label_names=names).label_shares.max(axis=0)
figure, ax = pyplot.subplots(figsize=(5, 3), layout="constrained")
places = np.arange(5)
ax.bar(places - 0.2, relevance, 0.4, label="eight shared")
ax.bar(places + 0.2, both, 0.4, label="and two for the rare label")
ax.set_xticks(places, names)
ax.set_title("Relevance of the best feature for each label")
ax.set_ylabel("share of the label's entropy")
ax.legend()
