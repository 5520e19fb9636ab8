"""
Larger than memory, with Dask
=============================

Data that do not fit into memory come in blocks. Pass a Dask collection instead of an
array; the answer is the same.
"""

import dask.array as da
import numpy as np
from matplotlib import pyplot

from labelsieve import Sieve, make_multilabel

# %%
# Twenty thousand samples stand for twenty million: what matters is that they come in
# blocks. ``labelsieve.datasets.open_lazy`` opens folders of Parquet or LibSVM files.
X, Y, _ = make_multilabel(20_000, 8, n_noise=60, random_state=0)
blocks = da.from_array(X, chunks=(2_500, -1))
labels = da.from_array(Y, chunks=(2_500, -1))
print(blocks)

# %%
# Values are binned and counted block by block; only counts travel.
lazy = Sieve(10).fit(blocks, labels)
print(lazy.order_[:10])

# %%
# In memory it is the same:
eager = Sieve(10).fit(X, Y)
print(np.array_equal(lazy.scores_, eager.scores_))

# %%
# ``transform`` stays lazy: nothing is computed until you ask for it.
print(lazy.transform(blocks))

# %%
figure, ax = pyplot.subplots(figsize=(5, 3), layout="constrained")
ax.plot(eager.scores_, "o", mfc="none", ms=9, label="in memory")
ax.plot(lazy.scores_, ".", label="in eight blocks")
ax.set_title("Scores of all features, computed twice")
ax.set_xlabel("feature")
ax.set_ylabel("score")
ax.legend()
