"""Whether rare labels are served: 100 words for logistic regression.

Micro-F1 and macro-F1 of one logistic regression per label, on words chosen by Sieve
with each weight of labels and by SelectKBest(chi2), summed over labels; mean of three
splits, of ten where rows are fewer than 1,000. C is how little the model is held back.

    python -m benchmarks.rare_labels [data set ...]
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score

from benchmarks.entries import chi2_summed
from labelsieve import Sieve
from labelsieve.datasets import find_dataset, load

DATASETS = ("medical", "enron", "slashdot", "stackex-chess", "reuters-k500")
N_WORDS, N_SPLITS = 100, 3
FEW_ROWS, SPLITS_OF_FEW = 1000, 10
STRENGTHS = (1.0, 10.0)


def choosers() -> dict[str, Any]:
    """Functions of X and Y that return words."""
    weights = ("balanced", "information", "variance")
    of_sieve = {
        f"Sieve, {weight}": lambda X, Y, w=weight: (
            Sieve(N_WORDS, label_weight=w).fit(X, Y).get_support(indices=True)
        )
        for weight in weights
    }
    return of_sieve | {"chi2": lambda X, Y: chi2_summed(X, Y, N_WORDS)}


def measure(name: str) -> dict[str, Any]:
    """(strengths, 2) micro-F1 and macro-F1 of each chooser."""
    X, Y = load(find_dataset(name))
    words = sp.csr_array(X)
    labels = np.asarray(Y.todense() if sp.issparse(Y) else Y).astype(np.int64)
    found: dict[str, list[Any]] = {}
    for seed in range(SPLITS_OF_FEW if len(labels) < FEW_ROWS else N_SPLITS):
        rows = np.random.default_rng(seed).permutation(len(labels))
        train, test = np.split(rows, [int(0.7 * rows.size)])
        varied = labels[train].any(axis=0) & ~labels[train].all(axis=0)
        Y_train, Y_test = labels[train][:, varied], labels[test][:, varied]
        for title, choose in choosers().items():
            chosen = choose(words[train], Y_train)
            data = words[train][:, chosen], Y_train, words[test][:, chosen]
            found.setdefault(title, []).append(
                [
                    [
                        f1_score(Y_test, said, average=average, zero_division=0.0)
                        for average in ("micro", "macro")
                    ]
                    for said in (predict(*data, C) for C in STRENGTHS)
                ]
            )
    return {title: np.mean(values, axis=0) for title, values in found.items()}


def predict(X: Any, Y: Any, X_test: Any, C: float) -> Any:
    """What one logistic regression per label says."""
    model = LogisticRegression(C=C, max_iter=300, solver="liblinear")
    return np.column_stack([model.fit(X, label).predict(X_test) for label in Y.T])


def main() -> None:
    """Print a table in Markdown."""
    warnings.simplefilter("ignore")
    titles = [*choosers()]
    print(f"| data | C | {' | '.join(f'{t}: micro, macro' for t in titles)} |")
    print("|---|---|" + "---|" * len(titles))
    for name in sys.argv[1:] or DATASETS:
        found = measure(name)
        for place, C in enumerate(STRENGTHS):
            values = (of_method[place] for of_method in found.values())
            cells = (f"{micro:.3f}, {macro:.3f}" for micro, macro in values)
            print(f"| {name} | {C:g} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
