"""Ways to turn many labels into problems with one class per row."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from labelsieve._plumbing.matrices import as_dense
from labelsieve._plumbing.messages import warn
from labelsieve._plumbing.typing import BoolArray, FloatArray, IntArray
from labelsieve.reading import Labels
from labelsieve.selectors._rows.label_graph import distinct_rows


@dataclass(frozen=True)
class Problem:
    """Classes of rows, possibly weighted.

    Attributes
    ----------
    members : (n, C) CSR, the weight with which each row belongs to each class: one
        over the number of its classes
    has_rest : whether rows without a class form one more class, or are left out
    known : (n,) which rows have a class that is known, None for all
    """

    members: sp.csr_matrix
    has_rest: bool = False
    known: BoolArray | None = None

    @property
    def row_weights(self) -> FloatArray:
        """Total weight of each row."""
        if self.known is not None:
            return self.known.astype(np.float64)
        if self.has_rest:
            return np.ones(self.members.shape[0])
        return (np.diff(self.members.indptr) > 0).astype(np.float64)

    def groups(self) -> list[tuple[int, sp.csr_matrix]]:
        """Members of rows with 1, 2, ... classes, as ones to be divided by that.

        Sums of ones are exact in any order, sums of fractions are not.
        """
        n_classes = np.diff(self.members.indptr)
        most = int(n_classes.max(initial=0))
        if most <= 1:
            return [(1, self.members)]
        found = []
        for divisor in np.unique(n_classes[n_classes > 0]).tolist():
            kept = np.repeat(n_classes == divisor, n_classes)
            start = np.append(0, np.cumsum(np.where(n_classes == divisor, divisor, 0)))
            cells = (np.ones(int(kept.sum())), self.members.indices[kept], start)
            found.append((divisor, sp.csr_matrix(cells, shape=self.members.shape)))
        return found

    def single_classes(self, score_func: str) -> tuple[IntArray, IntArray]:
        """The rows that take part, and the class 0, 1, ... of each."""
        n_classes = np.diff(self.members.indptr)
        if n_classes.max(initial=0) > 1:
            raise ValueError(
                f"score_func={score_func!r} needs one class per row, but "
                "EntropyLabelAssignment gives a row one weighted class per label. Use "
                'score_func="chi2" or "mutual_information", or another transformation.'
            )
        if not self.has_rest:
            return np.flatnonzero(n_classes), self.members.indices.astype(np.int64)
        classes = np.zeros(n_classes.size, dtype=np.int64)
        classes[n_classes > 0] = self.members.indices + 1
        return np.arange(classes.size), classes


@dataclass(frozen=True)
class Transformation:
    """Base of the transformations: frozen values that implement `problems`."""

    two_valued_labels: ClassVar[bool] = False

    def problems(self, labels: Labels) -> list[Problem]:
        """The problems with one class per row that stand for the labels."""
        raise NotImplementedError


@dataclass(frozen=True)
class LabelPowerset(Transformation):
    """Every distinct set of labels is a class, the empty set too.

    Examples
    --------
    >>> from labelsieve import LabelPowerset, TransformationSelector
    >>> TransformationSelector(transformation=LabelPowerset(), score_func="chi2")
    TransformationSelector(transformation=LabelPowerset())
    """

    def problems(self, labels: Labels) -> list[Problem]:
        """One problem whose classes are the distinct label sets."""
        _, codes = distinct_rows(labels.codes)
        n_classes = int(codes.max()) + 1
        self.warn_if_senseless(n_classes, codes.size, labels)
        return [Problem(_one_hot(codes, n_classes))]

    def warn_if_senseless(self, n_classes: int, n_rows: int, labels: Labels) -> None:
        """Tell if most classes have a single row."""
        if 2 * n_classes > n_rows and not labels.constant.all():
            _warn_many_classes(n_classes, n_rows)


@dataclass(frozen=True)
class PrunedTransformation(Transformation):
    """Every frequent set of labels is a class; rows with rare sets are left out.

    Parameters
    ----------
    tau : int, default=6
        How often a label set must occur to be kept.

    References
    ----------
    J. Read, "A pruned problem transformation method for multi-label classification",
    New Zealand Computer Science Research Student Conference, 2008.

    Examples
    --------
    >>> from labelsieve import PrunedTransformation
    >>> PrunedTransformation(tau=3)
    PrunedTransformation(tau=3)
    """

    tau: int = 6

    def __post_init__(self) -> None:
        if not isinstance(self.tau, Integral) or self.tau < 1:
            raise ValueError(
                f"tau must be a whole number of at least 1, got {self.tau!r}."
            )

    def problems(self, labels: Labels) -> list[Problem]:
        """One problem whose classes are the frequent label sets."""
        _, codes = distinct_rows(labels.codes)
        frequent = self.frequent(np.bincount(codes), labels)
        members = _one_hot(codes, frequent.size)[:, frequent]
        return [Problem(members)]

    def frequent(self, sizes: IntArray, labels: Labels) -> BoolArray:
        """Which label sets are kept, by the number of their rows."""
        frequent = sizes >= self.tau
        if frequent.sum() < 2 and not labels.constant.all():
            _warn_pruned(int(frequent.sum()), self.tau)
        return frequent


@dataclass(frozen=True)
class EntropyLabelAssignment(Transformation):
    """Every label is a class; a row with c labels is in c classes, 1/c in each.

    Rows without labels are left out.

    References
    ----------
    W. Chen, J. Yan, B. Zhang, Z. Chen and Q. Yang, "Document transformation for
    multi-label feature selection in text categorization", ICDM 2007.

    Examples
    --------
    >>> from labelsieve import EntropyLabelAssignment, TransformationSelector
    >>> ela = TransformationSelector(1, transformation=EntropyLabelAssignment())
    >>> X, Y = [[0, 1], [1, 1], [0, 0], [1, 0]], [[1, 0], [0, 1], [1, 0], [0, 1]]
    >>> ela.fit(X, Y).get_support()
    array([ True, False])
    """

    two_valued_labels: ClassVar[bool] = True

    def problems(self, labels: Labels) -> list[Problem]:
        """One problem with weights."""
        members = sp.csr_matrix(
            labels.indicator("EntropyLabelAssignment"), dtype=np.float64
        )
        n_labels = np.diff(members.indptr)
        members.data = np.repeat(1.0 / np.maximum(1, n_labels), n_labels)
        return [Problem(members)]


@dataclass(frozen=True)
class BinaryRelevance(Transformation):
    """Every label is a problem of its own; their scores are aggregated.

    Labels that are constant make no problem.

    Examples
    --------
    >>> from labelsieve import BinaryRelevance, TransformationSelector
    >>> TransformationSelector(transformation=BinaryRelevance(), aggregate="max")
    TransformationSelector(aggregate='max', transformation=BinaryRelevance())
    """

    def problems(self, labels: Labels) -> list[Problem]:
        """One problem for each label that is not constant."""
        found = []
        by_label = labels.codes.tocsc() if sp.issparse(labels.codes) else labels.codes
        for label in np.flatnonzero(~labels.constant):
            codes = as_dense(by_label[:, [label]]).ravel()
            n_values = int(labels.n_values[label])
            members = _one_hot(codes, n_values + 1)[:, :n_values]
            known = None
            if labels.n_unknown is not None and labels.n_unknown[label]:
                known = codes < n_values
            members = sp.csr_matrix(members[:, 1:])
            found.append(Problem(members, has_rest=True, known=known))
        return found


def _one_hot(codes: IntArray, n_classes: int) -> sp.csr_matrix:
    start = np.arange(codes.size + 1)
    cells = (np.ones(codes.size), codes, start)
    return sp.csr_matrix(cells, shape=(codes.size, n_classes))


def _warn_many_classes(n_classes: int, n_rows: int) -> None:
    warn(
        f"{n_rows} rows have {n_classes} distinct label sets: most classes of the "
        "label powerset have a single row, which makes scores meaningless. "
        "PrunedTransformation leaves rare label sets out."
    )


def _warn_pruned(n_classes: int, tau: int) -> None:
    warn(
        f"{n_classes} label sets occur at least tau={tau} times, and at least 2 are "
        "needed: all scores are 0, and features are ranked by their column index. A "
        "smaller tau keeps more label sets."
    )
