"""
In a Pipeline, tuned by GridSearchCV
====================================

A selector works in a ``Pipeline`` like any transformer of scikit-learn. Features are
selected anew in each fold, on training samples only, so there is no data leakage.
"""

from matplotlib import pyplot
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import Pipeline

from labelsieve import FIMF, MLkNN, Sieve, load_segments, scorer

data = load_segments()
X, X_test, Y, Y_test = train_test_split(data.X, data.Y, random_state=0)

# %%
# Which method, and how many pixels? The selector itself is a parameter.
model = Pipeline([("select", Sieve()), ("classify", MLkNN())])
model

# %%
SIZES = [4, 8, 16, 32]
search = GridSearchCV(
    model,
    {"select": [Sieve(), FIMF()], "select__n_features_to_select": SIZES},
    scoring=scorer("micro_f1"),
    cv=3,
)
search.fit(X, Y)
print(search.best_params_, round(search.best_score_, 3))

# %%
scores = search.cv_results_["mean_test_score"].reshape(2, len(SIZES))
figure, ax = pyplot.subplots(figsize=(5, 3), layout="constrained")
for name, line, mark in zip(("Sieve", "FIMF"), scores, "os", strict=True):
    ax.plot(SIZES, line, marker=mark, label=name)
ax.set_title("Two selectors in cross-validation")
ax.set_xlabel("pixels kept")
ax.set_ylabel("micro-F1")
ax.legend()

# %%
# The final score comes from samples that were not used at all:
print(round(search.score(X_test, Y_test), 3))
