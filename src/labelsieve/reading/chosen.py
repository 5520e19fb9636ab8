"""scikit-learn's selector of columns, which looks sparse tables through first."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import (
    _check_feature_names_in,
    check_is_fitted,
    validate_data,
)

from labelsieve._utils.estimators import Documented
from labelsieve._utils.matrices import check_sparse
from labelsieve._utils.messages import frame_of
from labelsieve._utils.typing import BoolArray
from labelsieve.reading.frames import is_frame, without_index
from labelsieve.reading.missing import fill_masked


class ColumnSelector(Documented, SelectorMixin):
    """Base of all that keeps some columns, those of `support_`."""

    support_: BoolArray
    # What is known of each feature, and the attribute that holds it.
    _feature_figure = ("score", "scores_")

    def _get_support_mask(self) -> BoolArray:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.two_d_labels = False
        tags.input_tags.sparse = True
        return tags

    def to_frame(self) -> Any:
        """Return all features as a table, best first.

        Returns
        -------
        frame : DataFrame
            Of pandas, or of polars where only polars is loaded: rank, name and index
            of each feature, its score, and whether it is selected.
        """
        fitted: Any = self
        order = fitted.order_
        title, attribute = self._feature_figure
        return frame_of(
            {
                "rank": np.arange(1, order.size + 1),
                "feature": _check_feature_names_in(self, generate_names=True)[order],
                "index": order,
                title: getattr(fitted, attribute)[order],
                "selected": self.get_support()[order],
            }
        )

    def transform(self, X: Any) -> Any:
        """Return the selected features of X; methods leave Dask collections lazy.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
            The features, as in `fit`.

        Returns
        -------
        X : of the same kind, of shape (n_samples, n_selected_features)
            The selected features.
        """
        X = without_index(X)
        if (found := self._chosen_of_table(X)) is not None:
            return found
        check_sparse(X, "X")
        return super().transform(fill_masked(X))

    def _chosen_of_table(self, X: Any) -> Any:
        """The selected columns as the library has them that `set_output` asks for.

        None where scikit-learn keeps the types of columns, or needs none.
        """
        wanted = _get_output_config("transform", estimator=self)["dense"]
        if wanted == "default" or not is_frame(X) or hasattr(X, "iloc"):
            return None
        import narwhals.stable.v2 as nw

        places = self.get_support(indices=True).tolist()
        validate_data(self, X, reset=False, skip_check_array=True)
        frame = nw.from_native(X, eager_only=True)[:, places]
        try:
            return frame.to_polars() if wanted == "polars" else frame.to_pandas()
        except ModuleNotFoundError:  # pandas from polars needs pyarrow
            return None

    def inverse_transform(self, X: Any) -> Any:
        """Return a table of all features, with zeros where they were not selected.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_selected_features)
            The selected features.

        Returns
        -------
        X : array or sparse matrix of shape (n_samples, n_features)
            All features.
        """
        check_sparse(X, "X")
        return super().inverse_transform(X)
