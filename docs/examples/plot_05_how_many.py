"""
How many features?
==================

Three questions hide in this one. *How many tell something at all?* ``Sieve("auto")``
answers by significance. *How many does a classifier need?* ``SizeCV`` answers by
cross-validation. *And what is lost?* ``measure_quality`` answers with a verdict.
"""

from labelsieve import MLkNN, Sieve, SizeCV, make_multilabel, measure_quality

# %%
# Six labels; 16 of 256 features tell something by themselves or repeat one that does,
# the others are noise.
X, Y, truth = make_multilabel(
    600, 6, n_relevant=12, n_redundant=4, n_interacting=0, n_noise=240, random_state=0
)
print(X.shape)

# %%
# Sieve picks only features that are significant for some label:
sieve = Sieve("auto").fit(X, Y)
kept = sieve.get_support(indices=True)
print(len(kept), "kept:", {str(kind) for kind in truth.kind[kept]})

# %%
# ``SizeCV`` judges every number of features along the ranking, on rows that were not
# used to rank. The smallest number that is not clearly worse than the best:
search = SizeCV(Sieve(), MLkNN(), rule="one_standard_error", random_state=0).fit(X, Y)
print(search.n_features_)

# %%
# More features are not better: noise misleads the neighbours.
display = search.curve().plot()
display.figure_.suptitle("Quality against the number of features")

# %%
# The verdict, from judges that saw none of the rows they are asked about:
quality = measure_quality(Sieve(search.n_features_), X, Y, budget=10)
quality

# %%
# The same as a picture: left of zero something is lost; within the grey band that does
# not matter.
display = quality.plot()
display.ax_.set_title("What the chosen features gain over all")
