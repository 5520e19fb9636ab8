"""scikit-learn's selector of columns, which looks sparse tables through first."""

from __future__ import annotations

from typing import Any

from sklearn.feature_selection import SelectorMixin

from labelsieve._plumbing.doc_link import Documented
from labelsieve._plumbing.sparse import check_sparse
from labelsieve.reading.missing import fill_masked


class ColumnSelector(Documented, SelectorMixin):
    """Base of all that keeps some columns: `_get_support_mask` says which."""

    def transform(self, X: Any) -> Any:
        """Return the selected features of X.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
            The features, as in `fit`.

        Returns
        -------
        X : of the same kind, of shape (n_samples, n_selected_features)
            The selected features.
        """
        check_sparse(X, "X")
        return super().transform(fill_masked(X))

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
