"""GMBA: Yan and Li, ECML PKDD 2016, which shows curves and prints no numbers."""

from __future__ import annotations

from labelsieve.experiments.cells import Sizes
from labelsieve.experiments.design import DataPlan, Design, with_controls
from labelsieve.experiments.methods import ALL, RANDOM, Method
from labelsieve.experiments.papers._paper import GENBASE, Claim, Paper, methods
from labelsieve.experiments.protocols import KFold, SampledTraining

SAMPLED = SampledTraining(n_splits=10, n_train=1800, test_size=0.1)
OTHERS = ("spec", "mlfs", "mlrf")
WHERE = "Sections 4.4 and 5"
ALIKE = ("emotions", "scene")
REST = ("bibtex", "enron", "genbase", "mediamill", "medical", "yeast")

CLAIMS = (
    Claim("GMBA is better than SPEC in most cases", WHERE, "gmba", ("spec",)),
    Claim("GMBA is better than the others in most cases", WHERE, "gmba", OTHERS, REST),
    Claim(
        "SPEC suits more data sets than MLFS and MLRF",
        WHERE,
        "spec",
        ("mlfs", "mlrf"),
        REST,
    ),
    Claim(
        "all are similar on emotions and scene",
        WHERE,
        "gmba",
        OTHERS,
        ALIKE,
        similar=True,
    ),
    Claim("GMBA is better than random features", "control", "gmba", (RANDOM,)),
    Claim("GMBA is better than all features", "control", "gmba", (ALL,)),
)

PAPER = Paper(
    reference="P. Yan, Y. Li: Graph-margin based multi-label feature selection. "
    "ECML PKDD 2016",
    design=Design(
        name="gmba",
        title="GMBA against SPEC, MLFS and MLRF, 3 nearest neighbours",
        datasets=(
            DataPlan("bibtex", protocol=SAMPLED),
            DataPlan("emotions"),
            DataPlan("enron"),
            GENBASE,
            DataPlan("mediamill", protocol=SAMPLED),
            DataPlan("medical"),
            DataPlan("scene"),
            DataPlan("yeast"),
        ),
        protocol=KFold(n_splits=10),
        contenders=with_controls(
            [*methods("gmba", *OTHERS), Method("gmba", {"step": "constant"})],
            methods("brknn", "ccknn"),
        ),
        views=("standard",),
        sizes=Sizes(fractions=tuple(part / 10 for part in range(1, 10))),
        criterion="area",
        measures=("hamming_loss", "micro_f1", "macro_f1"),
        reference="gmba",
        notes=(
            "The paper shows curves only: its statements are checked on the mean "
            "height of the curves over 10 to 90 % of the features.",
            "Steps of constant length are the paper's text; steps that shrink are "
            "the default here.",
            "The protein names of genbase are left out. Fractions are of the features "
            "that vary in the training rows.",
        ),
    ),
    claims=CLAIMS,
)
