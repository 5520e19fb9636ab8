"""
Rare labels
===========

A sum over labels hardly sees a label that one row in thirty has. How to notice that it
is served badly, and what to do about it.
"""

import numpy as np
from matplotlib import pyplot

from labelsieve import Sieve

# %%
# Four frequent labels with three features each, and a rare one with two of its own.
random = np.random.default_rng(0)
n = 1_500
Y = (random.random((n, 5)) < [0.4, 0.4, 0.3, 0.3, 0.03]).astype(int)
owner = [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4]
noise = np.where(np.array(owner) == 4, 0.5, 1.0)
X = Y[:, owner] + noise * random.normal(size=(n, 14))
X = np.hstack([X, random.random((n, 40))])  # and forty that tell nothing
names = ["a", "b", "c", "d", "rare"]

# %%
# Eight features for all labels: none of them is for the rare one.
sieve = Sieve(8).fit(X, Y)
shared = sieve.order_[:8]
print([names[owner[feature]] for feature in shared])

# %%
# The table of what each label is told shows the gap. Always look at it.
told = sieve.explain(X, Y, label_names=names).label_shares.max(axis=0)
print(dict(zip(names, told.round(2).tolist(), strict=True)))

# %%
# One cure: let all labels weigh the same, however many rows have them. The rare one is
# served first then, and the others get less.
equal = Sieve(8, label_weight="equal").fit(X, Y)
print([names[owner[feature]] for feature in equal.order_[:8]])

# %%
# Another: keep what serves all, and ask what the rare label needs beyond that.
# ``include`` starts the search from features that are decided.
more = Sieve(10, include=shared.tolist()).fit(X, Y[:, 4])
both = more.explain(X, Y, label_names=names).label_shares.max(axis=0)
figure, ax = pyplot.subplots(figsize=(5, 3), layout="constrained")
places = np.arange(5)
ax.bar(places - 0.2, told, 0.4, label="eight for all")
ax.bar(places + 0.2, both, 0.4, label="and two for the rare label")
ax.set_xticks(places, names)
ax.set_title("What the best feature tells about each label")
ax.set_ylabel("share of its entropy")
ax.legend()
