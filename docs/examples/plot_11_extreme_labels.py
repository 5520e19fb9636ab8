"""
Thousands of labels (extreme multi-label)
=========================================

There are many free-text tags, and most of them are rare. Features and labels stay
sparse; pairs that never co-occur cost nothing.
"""

import time

import numpy as np
import scipy.sparse as sp
from matplotlib import pyplot

from labelsieve import Sieve

# %%
# Ten thousand texts, 2,000 tags, 5,000 words. Each of the first 2,000 words belongs to
# one tag and occurs in most of its texts; the others occur anywhere.
random = np.random.default_rng(0)
n, n_tags, n_words = 10_000, 2_000, 5_000
popularity = 1 / np.arange(1, n_tags + 1) ** 0.5
tags = random.choice(n_tags, (n, 3), p=popularity / popularity.sum())
present = np.where(random.random(tags.shape) < 0.6, tags, -1)
words = np.hstack([present, random.integers(n_tags, n_words, (n, 15))])


def table(columns, width):
    """Return a sparse matrix with a one in each of the columns of a sample."""
    rows = np.repeat(np.arange(len(columns)), columns.shape[1])
    used = columns.ravel() >= 0
    cells = np.ones(used.sum()), (rows[used], columns.ravel()[used])
    return (sp.csr_array(cells, shape=(len(columns), width)) > 0).astype(np.uint8)


X, Y = table(words, n_words), table(tags, n_tags)
print(f"{X.nnz / X.shape[0]:.1f} of {n_words} words per text, ", end="")
print(f"{Y.nnz / n:.1f} of {n_tags} tags")

# %%
start = time.perf_counter()
sieve = Sieve(200).fit(X, Y)
print(f"200 words in {time.perf_counter() - start:.0f} seconds")
kept = sieve.order_[:200]
print(f"{np.mean(kept < n_tags):.0%} of them belong to a tag")

# %%
# Words of frequent tags come first; rare tags contribute little to the sum over labels.
frequency = np.asarray(Y.sum(axis=0)).ravel()
figure, ax = pyplot.subplots(figsize=(5, 3), layout="constrained")
ax.loglog(np.arange(1, 201), frequency[np.minimum(kept, n_tags - 1)], ".")
ax.set_title("Frequent tags come first")
ax.set_xlabel("rank of the word")
ax.set_ylabel("texts with its tag")
