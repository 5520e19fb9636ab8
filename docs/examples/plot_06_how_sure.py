"""
How stable is the selection?
============================

Would other samples have led to the same features? And could a feature score as well by
chance? Two answers: stability selection on random halves of the samples, and
permutation p-values from shuffled labels.
"""

import numpy as np
from matplotlib import pyplot

from labelsieve import Sieve, StabilitySelection, make_multilabel, permutation_p_values

X, Y, truth = make_multilabel(
    250, 4, n_relevant=6, n_redundant=2, n_interacting=0, n_noise=40, random_state=1
)

# %%
# Fifty random halves. Relevant features are selected from nearly all of them; a copy
# and its original substitute for one another.
stable = StabilitySelection(Sieve(8), n_subsamples=50, random_state=0).fit(X, Y)
print(f"{stable.stability_.value:.2f} (1: always the same; 0: random)")

order = np.argsort(-stable.frequencies_, kind="stable")[:14]
colors = np.where(truth.kind[order] == "noise", "#999999", "#1c6e8c")
figure, ax = pyplot.subplots(figsize=(5, 3.4), layout="constrained")
ax.barh([f"f{feature}" for feature in order], stable.frequencies_[order], color=colors)
ax.invert_yaxis()
ax.set_title("How often a feature is selected (noise is grey)")
ax.set_xlabel("share of 50 halves")

# %%
# Shuffled labels show how well a feature scores by chance. ``p`` is for one feature
# that you had in mind before you looked, ``p_family`` (family-wise) for the best of
# all.
found = permutation_p_values(Sieve(8), X, Y, n_permutations=99, random_state=0)
for feature in found.selected:
    kind, p, family = truth.kind[feature], found.p[feature], found.p_family[feature]
    print(f"{feature:3d}  {kind:10s} p = {p:.2f}  family p = {family:.2f}")
