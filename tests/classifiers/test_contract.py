"""scikit-learn's own checks decide what a classifier is."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from labelsieve import FIMF, LabelSpecificSelector
from labelsieve.classifiers import (
    EMCFS,
    LIFT,
    MLNB,
    BRkNN,
    BRLogistic,
    CCkNN,
    MLkNN,
    RankSVM,
)

CLASSIFIERS = [
    MLNB(),
    MLNB(kind="categorical"),
    MLNB(kind="gaussian"),
    MLkNN(),
    BRkNN(),
    BRLogistic(),
    CCkNN(random_state=0),
    EMCFS(),
    EMCFS(FIMF(0.5)),
    EMCFS(LabelSpecificSelector(FIMF(), n_shared=1, n_specific=1)),
    LIFT(random_state=0),
    RankSVM(),
    RankSVM(solver="linear"),
]


# Features of the checks are not scaled, and Rank-SVM says how far it came.
@pytest.mark.filterwarnings("ignore:Rank-SVM stopped after")
@parametrize_with_checks(CLASSIFIERS)
def test_sklearn_contract(estimator, check):
    check(estimator)
