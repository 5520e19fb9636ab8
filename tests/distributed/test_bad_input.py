"""What is refused of Dask collections, and how."""

import subprocess
import sys

import dask.array as da
import numpy as np
import pytest
import scipy.sparse as sp

from labelsieve import (
    FIMF,
    GMBA,
    GRRO,
    MFSMCDM,
    MLFS,
    MLRF,
    PMU,
    RFS,
    SPEC,
    EMCFSDensity,
    ReliefFML,
)
from labelsieve.datasets import sample_rows
from labelsieve.selectors.transformations import TransformationSelector
from tests.distributed.data import equal_blocks, in_blocks, table

X, Y = table()


def lazy(*tables):
    return [in_blocks(t, equal_blocks(3)) for t in tables]


def test_nan_in_one_block():
    bad = X.copy()
    bad[300, 2] = np.nan
    with pytest.raises(ValueError, match=r"NaN: 1 missing .* 2, .*missing='error'"):
        FIMF(missing="error").fit(*lazy(bad, Y))


def test_other_lengths():
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[400, 99"):
        FIMF().fit(lazy(X)[0], da.from_array(Y[:99]))


def test_other_lengths_of_unknown_blocks():
    X_lazy, Y_lazy = lazy(X, Y)
    all_rows = da.from_array(np.arange(400) >= 0, chunks=X_lazy.chunks[0])
    few_rows = da.from_array(np.arange(400) > 9, chunks=X_lazy.chunks[0])
    with pytest.raises(ValueError, match=r"numbers of samples: \[400, 390"):
        FIMF().fit(X_lazy[all_rows], Y_lazy[few_rows])


def test_blocks_of_labels_need_not_be_those_of_features():
    X_lazy = lazy(X)[0]
    all_rows = da.from_array(np.arange(400) >= 0, chunks=X_lazy.chunks[0])
    found = FIMF().fit(X_lazy[all_rows], da.from_array(Y, chunks=(90, 5)))
    np.testing.assert_array_equal(found.order_, FIMF().fit(X, Y).order_)


def test_features_in_memory():
    with pytest.raises(TypeError, match=r"y\.compute\(\)"):
        FIMF().fit(X, lazy(Y)[0])


def test_no_labels():
    with pytest.raises(ValueError, match="requires y"):
        FIMF().fit(lazy(X)[0], None)
    with pytest.raises(ValueError, match="0 labels"):
        FIMF().fit(*lazy(X, Y[:, :0]))


def test_one_row():
    with pytest.raises(ValueError, match="minimum of 2"):
        FIMF().fit(da.from_array(X[:1]), da.from_array(Y[:1]))


def test_one_dimension():
    with pytest.raises(ValueError, match="Reshape your data"):
        FIMF().fit(da.from_array(X[:, 0]), lazy(Y)[0])


def test_fractional_labels():
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        FIMF().fit(*lazy(X, Y * 0.3))


NEED_ALL_ROWS = [
    *(GRRO(), RFS(), MFSMCDM(), ReliefFML(), MLFS(), MLRF(), SPEC(), EMCFSDensity()),
    *(GMBA(), GMBA(n_anchors=9)),  # anchors are compared with all rows
    TransformationSelector(score_func="relieff"),
]


@pytest.mark.filterwarnings("ignore:.* distinct label sets")
@pytest.mark.parametrize("selector", NEED_ALL_ROWS, ids=repr)
def test_methods_that_need_all_rows(selector):
    name = type(selector).__name__
    way_out = rf"{name} .*takes no Dask.*labelsieve\.datasets\.sample_rows\(.*or use "
    with pytest.raises(TypeError, match=way_out):
        selector.fit(*lazy(X, Y))
    rows = sample_rows(*lazy(X, Y), 200, random_state=0)
    assert selector.fit(*rows).order_.size == X.shape[1]


def test_width_at_transform():
    selector = PMU(2).fit(X, Y)
    with pytest.raises(ValueError, match="X has 3 features, but PMU is expecting 16"):
        selector.transform(lazy(X[:, :3])[0])


def test_warnings_as_in_memory():
    constant = np.zeros_like(X)
    with pytest.warns(UserWarning, match="all 16 features have the same value"):
        found = PMU(2).fit(*lazy(constant, Y))
    assert found.order_.tolist() == list(range(16))
    with pytest.warns(UserWarning, match="No label is left"):
        PMU(2).fit(*lazy(X, np.zeros_like(Y)))
    with pytest.warns(UserWarning, match="more than the 16 features"):
        FIMF(99).fit(*lazy(X, Y))


def test_dask_is_not_imported_without_dask_data():
    program = (
        "import sys, numpy as np\n"
        "from labelsieve import PMU\n"
        "PMU(1).fit(np.eye(4), np.eye(4, dtype=int)).transform(np.eye(4))\n"
        "assert not {'dask', 'distributed'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_sparse_labels_with_other_values():
    labels = sp.csr_matrix(np.column_stack([Y, np.arange(400) % 3]))
    X_lazy = lazy(X)[0]
    expected = PMU(3).fit(X, labels.toarray()).scores_
    np.testing.assert_array_equal(PMU(3).fit(X_lazy, labels).scores_, expected)
