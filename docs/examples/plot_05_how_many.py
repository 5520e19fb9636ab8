"""
How many features to select?
============================

These are three questions. *How many are relevant at all?* ``Sieve("auto")`` answers by
significance. *How many does a classifier need?* ``SizeCV`` answers by cross-validation.
*What is lost?* ``evaluate_selection`` answers with a verdict.
"""

from labelsieve import MLkNN, Sieve, SizeCV, evaluate_selection, make_multilabel

# %%
# Six labels; of 256 features 12 are relevant, 4 are redundant with one of these, and
# the others are noise.
X, Y, truth = make_multilabel(
    600, 6, n_relevant=12, n_redundant=4, n_interacting=0, n_noise=240, random_state=0
)
print(X.shape)

# %%
# ``"auto"`` selects only features that are significant for some label:
sieve = Sieve("auto").fit(X, Y)
kept = sieve.get_support(indices=True)
print(len(kept), "kept:", {str(kind) for kind in truth.kind[kept]})

# %%
# ``SizeCV`` evaluates every number of features along the ranking, on held-out samples.
# The smallest number within one standard error of the best:
search = SizeCV(Sieve(), MLkNN(), rule="one_standard_error", random_state=0).fit(X, Y)
print(search.n_features_)

# %%
# More features are not better: noise misleads the nearest neighbours.
display = search.curve().plot()
display.figure_.suptitle("Quality against the number of features")

# %%
# The verdict, from classifiers evaluated on held-out samples:
quality = evaluate_selection(Sieve(search.n_features_), X, Y, budget=10)
quality

# %%
# The same as a figure. Left of zero something is lost; within the grey band the loss is
# smaller than the margin.
display = quality.plot()
display.ax_.set_title("Difference from all features")
