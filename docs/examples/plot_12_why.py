"""
Why these features, and what repeats them?
==========================================

A list of features is an assertion; this is how to question it. Every selector explains
its choice: what each feature tells about each label, what its score is made of, and
which of the others repeat it.
"""

from labelsieve import Sieve, make_multilabel
from labelsieve.plots import RankingDisplay, RedundancyDisplay

# %%
# Three features are noisy copies of others. We know which, the selector does not.
X, Y, truth = make_multilabel(
    800, 3, n_relevant=6, n_redundant=3, n_interacting=0, n_noise=20, random_state=2
)
names = [f"{kind}-{number}" for number, kind in enumerate(truth.kind)]

# %%
# Seven features, best first. A copy scores low once its original is chosen: what it
# tells is known by then.
sieve = Sieve(7).fit(X, Y)
explanation = sieve.explain(X, Y, feature_names=names, label_names=["x", "y", "z"])
print(explanation)

# %%
display = RankingDisplay.from_explanation(explanation).plot()
display.ax_.set_title("Scores, and what they are made of")

# %%
# Each row says how much of a feature the other chosen ones repeat, in percent:
display = RedundancyDisplay.from_explanation(explanation).plot()
display.ax_.set_title("What repeats what", pad=24)

# %%
# For a program everything is in plain dictionaries:
first = explanation.to_dict()[0]
print({key: first[key] for key in list(first)[:4]})
