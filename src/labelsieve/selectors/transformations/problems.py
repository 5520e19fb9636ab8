"""Problem transformations: from many labels to single-label problems."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from labelsieve._utils.matrices import as_dense
from labelsieve._utils.messages import warn
from labelsieve._utils.typing import IntArray
from labelsieve.reading import Labels
from labelsieve.selectors._rows import distinct_rows


@dataclass(frozen=True)
class Transformation:
    """Base of the transformations: frozen values that implement `problems`."""

    def problems(self, labels: Labels) -> Iterator[sp.csr_matrix]:
        """For each problem the weight with which each row belongs to each class.

        One over the number of its classes; a row without a class takes no part.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class LabelPowerset(Transformation):
    """Label powerset (LP): every distinct label set is a class, the empty one too.

    Examples
    --------
    >>> from labelsieve import LabelPowerset, TransformationSelector
    >>> TransformationSelector(transformation=LabelPowerset(), score_func="chi2")
    TransformationSelector(transformation=LabelPowerset())
    """

    def problems(self, labels: Labels) -> Iterator[sp.csr_matrix]:
        """One problem whose classes are the distinct label sets."""
        _, codes = distinct_rows(labels.codes)
        n_classes = int(codes.max()) + 1
        if 2 * n_classes > codes.size and not labels.constant.all():
            warn(
                f"{codes.size} rows have {n_classes} distinct label sets: most classes "
                "of the label powerset have a single row, which makes scores "
                "meaningless. PrunedTransformation leaves rare label sets out."
            )
        yield _one_hot(codes, n_classes)


@dataclass(frozen=True)
class PrunedTransformation(Transformation):
    """Pruned problem transformation (PPT): every frequent label set is a class.

    Samples with rare label sets are left out.

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

    def problems(self, labels: Labels) -> Iterator[sp.csr_matrix]:
        """One problem whose classes are the frequent label sets."""
        _, codes = distinct_rows(labels.codes)
        frequent = np.bincount(codes, labels.weight) >= self.tau
        if frequent.sum() < 2 and not labels.constant.all():
            warn(
                f"{frequent.sum()} label sets occur at least tau={self.tau} times, and "
                "at least 2 are needed: all scores are 0, and features are ranked by "
                "their column index. A smaller tau keeps more label sets."
            )
        yield _one_hot(codes, frequent.size)[:, frequent]


@dataclass(frozen=True)
class EntropyLabelAssignment(Transformation):
    """Entropy-based label assignment (ELA): every label is a class.

    A sample with c labels is in c classes with weight 1/c. Samples without labels are
    left out.

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

    def problems(self, labels: Labels) -> Iterator[sp.csr_matrix]:
        """One problem with weights."""
        members = sp.csr_matrix(
            labels.indicator("EntropyLabelAssignment"), dtype=np.float64
        )
        n_labels = np.diff(members.indptr)
        members.data = np.repeat(1.0 / np.maximum(1, n_labels), n_labels)
        yield members


@dataclass(frozen=True)
class BinaryRelevance(Transformation):
    """Binary relevance (BR): every label is a problem of its own.

    The scores of all labels are aggregated; constant labels are left out.

    Examples
    --------
    >>> from labelsieve import BinaryRelevance, TransformationSelector
    >>> TransformationSelector(transformation=BinaryRelevance(), aggregate="max")
    TransformationSelector(aggregate='max', transformation=BinaryRelevance())
    """

    def problems(self, labels: Labels) -> Iterator[sp.csr_matrix]:
        """One problem for each label that is not constant."""
        by_label = labels.codes.tocsc() if sp.issparse(labels.codes) else labels.codes
        for label in np.flatnonzero(~labels.constant):
            codes = as_dense(by_label[:, [label]]).ravel()
            yield _one_hot(codes, int(labels.n_values[label]))


def single_classes(
    members: sp.csr_matrix, score_func: str
) -> tuple[IntArray, IntArray]:
    """The rows that take part in a problem, and the class 0, 1, ... of each."""
    n_classes = np.diff(members.indptr)
    if n_classes.max(initial=0) > 1:
        raise ValueError(
            f"score_func={score_func!r} needs one class per row, but "
            "EntropyLabelAssignment gives a row one weighted class per label. Use "
            'score_func="chi2" or "mutual_information", or another transformation.'
        )
    return np.flatnonzero(n_classes), members.indices.astype(np.int64)


def _one_hot(codes: IntArray, n_classes: int) -> sp.csr_matrix:
    start = np.arange(codes.size + 1)
    cells = (np.ones(codes.size), codes, start)
    return sp.csr_matrix(cells, shape=(codes.size, n_classes))
