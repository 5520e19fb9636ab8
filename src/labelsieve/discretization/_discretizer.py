"""The discretiser as a transformer of its own."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

from numpy.typing import ArrayLike
from sklearn.base import (
    BaseEstimator,
    OneToOneFeatureMixin,
    TransformerMixin,
    _fit_context,
)
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from labelsieve._utils.estimators import Documented, fits_in_one_step
from labelsieve._utils.typing import FloatArray, Matrix
from labelsieve.discretization._codes import code_values, renamed
from labelsieve.discretization._cuts import find_cuts
from labelsieve.reading import read_features

# More are more than a table has use for, and room is made for each.
MOST_BINS = 65_536
BINNING_CONSTRAINTS: dict[str, list[Any]] = {
    "n_bins": [Interval(Integral, 2, MOST_BINS, closed="both")],
    "binning": [StrOptions({"quantile", "uniform", "none"})],
    "missing": [StrOptions({"code", "error"})],
}


class Discretizer(Documented, OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Turn each feature into a few codes: 0, 1, ...

    Columns with at most `n_bins` distinct values keep them as codes, in ascending
    order; so do the text and category columns of a DataFrame, however many.

    Parameters
    ----------
    n_bins : int, default=2
        The number of codes.
    binning : {"quantile", "uniform", "none"}, default="quantile"
        ``"quantile"`` puts about as many rows into each code: with two bins, code 1
        is what lies above the ceil(n/2)-th smallest value (or equals it, if nothing
        lies above). ``"uniform"`` cuts at equal widths between the smallest and the
        largest value; a value on a cut belongs to the upper code. ``"none"`` makes
        each distinct value a code.
    missing : {"code", "error"}, default="code"
        A missing cell (NaN, None, NA, null, masked) is a code of its own, the last of
        its feature; cut points come from the cells that are there. ``"error"``
        refuses missing cells.

    Attributes
    ----------
    cuts_ : list of ndarray
        For each feature its cut points: the code of x is how many of them are < x.
    n_codes_ : ndarray of shape (n_features,)
        For each feature the number of codes.
    categories_ : dict
        For each text or category column, by its index, the categories.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X has names that are all strings.

    Notes
    -----
    Values outside the range seen in `fit` belong to the outer codes. A category that
    `fit` has not seen is a missing cell. Where `fit` has seen no missing cell, or
    nothing else, those of `transform` have the code after all others. Sparse input
    gives a sparse result and is never made dense: in each column the code of zero
    and code 0 exchange their names, so that absent cells stay absent. (For columns
    without negative values that are mostly zero nothing is exchanged.)

    Examples
    --------
    >>> from labelsieve import Discretizer
    >>> X = [[0.1, 5], [0.2, 7], [0.9, 5], [7.0, 7]]
    >>> Discretizer().fit_transform(X)
    array([[0, 0],
           [0, 1],
           [1, 0],
           [1, 1]], dtype=uint8)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = BINNING_CONSTRAINTS

    def __init__(
        self, n_bins: int = 2, binning: str = "quantile", missing: str = "code"
    ) -> None:
        self.n_bins = n_bins
        self.binning = binning
        self.missing = missing

    @fits_in_one_step
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: object = None) -> Discretizer:
        """Find the cut points of every feature.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
            The features.
        y : None
            Ignored: cut points do not depend on labels.

        Returns
        -------
        self : object
            The fitted discretiser.
        """
        takes_missing = self.missing == "code"
        features = read_features(self, X, min_rows=1, takes_missing=takes_missing)
        self._cuts = find_cuts(features, self.n_bins, self.binning)
        self.categories_ = features.categories
        self.n_codes_ = self._cuts.n_codes
        return self

    @property
    def cuts_(self) -> list[FloatArray]:
        """The cut points of each feature."""
        check_is_fitted(self)
        return [self._cuts.of(column) for column in range(self.n_features_in_)]

    def transform(self, X: ArrayLike) -> Matrix:
        """Return the codes of X.

        Returns
        -------
        codes : ndarray or CSR matrix of unsigned integers
            The code of every cell.
        """
        check_is_fitted(self)
        features = read_features(
            self,
            X,
            reset=False,
            min_rows=1,
            categories=self.categories_,
            takes_missing=self.missing == "code",
        )
        cuts = self._cuts
        if features.n_missing is not None:
            cuts = cuts.with_missing((features.n_missing > 0) & ~cuts.code_missing)
        codes, zero_code = code_values(features.values, cuts)
        if zero_code is None:
            return codes
        codes.data = renamed(codes.data, zero_code[codes.indices])
        if not codes.data.all():
            codes = codes.copy()  # the places of the cells are still those of X
            codes.eliminate_zeros()
        return codes

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_cuts")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing == "code"
        tags.transformer_tags.preserves_dtype = []
        return tags
