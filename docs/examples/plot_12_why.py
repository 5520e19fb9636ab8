"""
Why these features? Relevance and redundancy
============================================

A list of features is a claim; this is how to question it. Every selector explains its
selection: the relevance of each feature to each label, the terms of its score, and its
redundancy with the other features.
"""

from labelsieve import Sieve, make_multilabel
from labelsieve.plots import RankingDisplay, RedundancyDisplay

# %%
# Three features are noisy copies of others. We know which; the selector does not.
X, Y, truth = make_multilabel(
    800, 3, n_relevant=6, n_redundant=3, n_interacting=0, n_noise=20, random_state=2
)
names = [f"{kind}-{number}" for number, kind in enumerate(truth.kind)]

# %%
# Seven features, best first. A copy scores low once its original is selected: it adds
# nothing new.
sieve = Sieve(7).fit(X, Y)
explanation = sieve.explain(X, Y, feature_names=names, label_names=["x", "y", "z"])
print(explanation)

# %%
display = RankingDisplay.from_explanation(explanation).plot()
display.ax_.set_title("Scores and their terms")

# %%
# Redundancy: each row says how much of a feature the other selected ones share, in
# percent of its entropy.
display = RedundancyDisplay.from_explanation(explanation).plot()
display.ax_.set_title("Redundancy of the selected features", pad=24)

# %%
# For programs, everything is available as plain dictionaries:
first = explanation.to_dict()[0]
print({key: first[key] for key in list(first)[:4]})
