"""FIMF: Lee and Kim, Pattern Recognition 2015; its claim is run time."""

from __future__ import annotations

from labelsieve.experiments.cells import Sizes
from labelsieve.experiments.design import DataPlan, Design, with_controls
from labelsieve.experiments.methods import RANDOM
from labelsieve.experiments.papers._paper import Claim, Paper, methods
from labelsieve.experiments.protocols import HoldOut

TRANSFORMATIONS = ("lp+chi", "ela+chi", "ppt+chi", "ppt+mi", "br+chi")
NAMES = ("fimf", "pmu", "mlqpfs", *TRANSFORMATIONS)
FEWER = HoldOut(n_splits=3)

CLAIMS = (
    Claim("FIMF predicts better than PMU", "not in the paper", "fimf", ("pmu",)),
    Claim(
        "FIMF predicts better than the transformation methods",
        "not in the paper",
        "fimf",
        TRANSFORMATIONS,
    ),
    Claim("FIMF predicts better than random features", "control", "fimf", (RANDOM,)),
)

PAPER = Paper(
    reference="J. Lee, D.-W. Kim: Fast multi-label feature selection based on "
    "information-theoretic feature ranking. Pattern Recognition 48(9), 2015",
    design=Design(
        name="fimf",
        title="FIMF: run time and quality as labels and features grow, naive Bayes",
        datasets=(
            DataPlan("emotions"),
            DataPlan("scene"),
            DataPlan("yeast"),
            DataPlan("medical"),
            DataPlan("enron"),
            DataPlan("mediamill-small"),
            DataPlan("bibtex"),
            DataPlan("corel16k001", protocol=FEWER),
            DataPlan("delicious", protocol=FEWER),
        ),
        protocol=HoldOut(n_splits=5, test_size=0.3),
        contenders=with_controls(methods(*NAMES), methods("mlnb")),
        views=("quantile",),
        sizes=Sizes(counts=(1, 2, 5, 10, 20, 30, 50)),
        criterion=50,
        measures=("hamming_loss", "ranking_loss", "accuracy", "macro_f1"),
        reference="fimf",
        notes=(
            "The paper's own tables were not available. Its claim is run time: FIMF "
            "selects faster than other methods on large multi-label data. The times "
            "stand in costs.md.",
            "All methods here share the same fast counting, so that the times compare "
            "the methods and not the programs.",
        ),
    ),
    claims=CLAIMS,
)
