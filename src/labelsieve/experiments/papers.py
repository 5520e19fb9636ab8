"""The papers' experiments as data: what was compared, how, and what was printed."""

from __future__ import annotations

from dataclasses import dataclass

from labelsieve.experiments.cells import Sizes
from labelsieve.experiments.design import (
    Contender,
    DataPlan,
    Design,
    with_controls,
)
from labelsieve.experiments.methods import ALL, RANDOM, Method
from labelsieve.experiments.protocols import HoldOut, KFold, SampledTraining


@dataclass(frozen=True)
class Published:
    """A value that a paper prints, and where.

    Attributes
    ----------
    dataset, contest, method, measure : what was measured, in our names
    value : the printed value, percentages divided by 100
    at : the number of features, "best" over all sizes, or "all" features
    where : the place in the paper
    remark : why the value cannot be compared; empty where it can
    """

    dataset: str
    contest: str
    method: str
    measure: str
    value: float
    at: int | str
    where: str
    remark: str = ""


@dataclass(frozen=True)
class Claim:
    """A statement of a paper that has no printed number: `better` beats `worse`.

    `similar` turns it round: the methods should not differ on these data sets.
    """

    text: str
    where: str
    better: str
    worse: tuple[str, ...]
    datasets: tuple[str, ...] = ()
    similar: bool = False


@dataclass(frozen=True)
class Paper:
    """A paper's experiment, its printed values and its claims."""

    reference: str
    design: Design
    published: tuple[Published, ...] = ()
    claims: tuple[Claim, ...] = ()


MLNB = Method("mlnb")
# The threshold of the paper is met by every feature, which leaves a linear SVM.
LITERAL = "emcfs, threshold as printed"
RANDOM_HALF = "linear SVM, random half"
GENBASE = DataPlan("genbase", drop=("protein",))


def _methods(*names: str) -> list[Method]:
    return [Method(name) for name in names]


def _pmu() -> Paper:
    methods = ("pmu", "ela+chi", "ppt+chi", "ppt+mi")
    design = Design(
        name="pmu",
        title="PMU against transformation methods, naive Bayes",
        datasets=(DataPlan("scene"), DataPlan("enron"), DataPlan("yeast")),
        protocol=HoldOut(n_splits=30, test_size=0.3),
        contenders=with_controls(_methods(*methods), [MLNB]),
        views=("uniform", "quantile"),
        sizes=Sizes(counts=tuple(range(1, 51))),
        criterion=20,
        measures=("hamming_loss", "ranking_loss", "coverage_error", "accuracy"),
        reference="pmu",
        notes=(
            "The paper's text names two bins of equal width (uniform); the authors' "
            "programs bin by equal frequency (quantile). Both are run.",
            "The paper does not say which naive Bayes was used; here it is categorical "
            "on the bins. The pruning threshold of PPT is not printed; here it is 6.",
            "Printed coverage fits the convention without -1: coverage_error.",
        ),
    )
    at_20 = {
        "scene": (
            "Section 4.2, text on Fig. 1",
            (0.1394, 0.3344, 0.3356, 0.3316),
            (0.1344, 0.2369, 0.2370, 0.2344),
        ),
        "enron": (
            "Section 4.2, text on Fig. 2",
            (0.0631, 0.0976, 0.0930, 0.0949),
            (0.1251, 0.1453, 0.1457, 0.1400),
        ),
        "yeast": (
            "Section 4.2, text on Fig. 3",
            (0.2273, 0.2494, 0.2390, 0.2397),
            (0.2047, 0.2171, 0.2148, 0.2168),
        ),
    }
    rows = [
        Published(dataset, "mlnb", method, measure, value, 20, where)
        for dataset, (where, hamming, ranking) in at_20.items()
        for measure, values in (("hamming_loss", hamming), ("ranking_loss", ranking))
        for method, value in zip(methods, values, strict=True)
    ]
    rows += [
        Published("scene", "mlnb", "pmu", measure, value, "best", "Section 4.2")
        for measure, value in (
            ("hamming_loss", 0.1394),
            ("ranking_loss", 0.1280),
            ("coverage_error", 1.7296),
            ("accuracy", 0.5348),
        )
    ]
    return Paper(
        "J. Lee, D.-W. Kim: Feature selection for multi-label classification using "
        "multivariate mutual information. Pattern Recognition Letters 34(3), 2013",
        design,
        tuple(rows),
    )


def _mlqpfs() -> Paper:
    methods = ("mlqpfs", "lp+rf", "ela+chi", "ppt+chi")
    design = Design(
        name="mlqpfs",
        title="MLQPFS against transformation methods, naive Bayes",
        datasets=(DataPlan("scene"), DataPlan("yeast"), DataPlan("birds"), GENBASE),
        protocol=HoldOut(n_splits=30, test_size=0.3),
        contenders=with_controls(_methods(*methods), [MLNB]),
        views=("uniform", "quantile"),
        sizes=Sizes(counts=tuple(range(1, 101))),
        criterion="best",
        measures=("hamming_loss", "ranking_loss", "coverage_error", "subset_accuracy"),
        reference="mlqpfs",
        notes=(
            "The paper prints neither its protocol nor its bins; 30 hold-outs of 30 % "
            "and two bins are those of the same group's earlier paper.",
            "Table 2 fits the best value over sizes, chosen for each measure: this is "
            "optimistic, in the paper and here.",
            "Printed coverage fits the convention without -1: coverage_error.",
            "The protein names of genbase are left out.",
        ),
    )
    datasets = ("scene", "yeast", "birds", "genbase")
    table = {
        "hamming_loss": (
            (0.171, 0.179, 0.174, 0.174),
            (0.223, 0.226, 0.223, 0.223),
            (0.051, 0.052, 0.053, 0.052),
            (0.003, 0.006, 0.023, 0.005),
        ),
        "ranking_loss": (
            (0.118, 0.159, 0.175, 0.163),
            (0.193, 0.194, 0.194, 0.200),
            (0.080, 0.092, 0.080, 0.080),
            (0.007, 0.006, 0.044, 0.006),
        ),
        "coverage_error": (
            (1.676, 1.893, 1.924, 1.873),
            (7.616, 7.701, 7.666, 7.720),
            (2.813, 3.159, 2.813, 2.813),
            (1.558, 1.579, 2.609, 1.557),
        ),
        "subset_accuracy": (
            (0.196, 0.251, 0.100, 0.121),
            (0.136, 0.128, 0.129, 0.127),
            (0.488, 0.472, 0.449, 0.486),
            (0.929, 0.895, 0.533, 0.883),
        ),
    }
    rows = tuple(
        Published(dataset, "mlnb", method, measure, value, "best", "Table 2")
        for measure, lines in table.items()
        for dataset, line in zip(datasets, lines, strict=True)
        for method, value in zip(methods, line, strict=True)
    )
    return Paper(
        "H. Lim, J. Lee, D.-W. Kim: Multi-label learning using mathematical "
        "programming. IEICE Transactions on Information and Systems E98-D(1), 2015",
        design,
        rows,
    )


def _emcfs() -> Paper:
    methods = ("emcfs", "mlknn", "lift", "ranksvm")
    contest = "all features"
    contenders = [
        Contender(Method(ALL), Method(name), contest, name) for name in methods
    ]
    contenders += [
        Contender(Method(ALL), Method("brsvm"), contest, LITERAL),
        Contender(Method(RANDOM), Method("brsvm"), contest, RANDOM_HALF),
    ]
    design = Design(
        name="emcfs",
        title="EMCFS against ML-kNN, LIFT and Rank-SVM",
        datasets=(
            DataPlan("emotions"),
            DataPlan("medical"),
            DataPlan(
                "corel16k001",
                protocol=HoldOut(n_splits=1, test_size=0.3),
                contenders=("emcfs", "mlknn", LITERAL, RANDOM_HALF),
            ),
            DataPlan(
                "delicious",
                protocol=HoldOut(n_splits=1, test_size=0.3),
                contenders=("emcfs", "mlknn"),
            ),
        ),
        protocol=KFold(n_splits=5),
        contenders=tuple(contenders),
        views=("minmax",),
        sizes=Sizes(fractions=(0.5,)),
        criterion="best",
        measures=(
            "average_precision",
            "hamming_loss",
            "one_error",
            "coverage",
            "coverage_error",
        ),
        reference="emcfs",
        notes=(
            "The paper does not say how rows were divided: 5-fold cross-validation "
            "here, and one hold-out of 30 % for the two large data sets. Only some "
            "methods are run there: LIFT (clusters for each of 153 or 983 labels) and "
            "Rank-SVM (a kernel of all pairs of rows) would take hours.",
            "Features are scaled to [0, 1]; the paper does not say how. Kernel width "
            "and offset of Rank-SVM are not printed either.",
            "The printed threshold on the density is met by every feature, so that "
            "EMCFS is a linear SVM per label on all features; emcfs here keeps as many "
            "features as the text on the parameter r implies. Both are compared with "
            "the printed values.",
            "Coverage is compared with the convention printed in the literature that "
            "the paper cites (with -1).",
        ),
    )
    datasets = ("emotions", "medical", "corel16k001", "delicious")
    tables = (
        (
            "average_precision",
            "Table 2",
            (
                (0.805, 0.763, 0.789, 0.776),
                (0.899, 0.782, 0.869, 0.872),
                (0.323, 0.276, 0.315, 0.297),
                (0.295, 0.257, 0.282, 0.224),
            ),
        ),
        (
            "hamming_loss",
            "Table 3",
            (
                (0.189, 0.214, 0.206, 0.218),
                (0.009, 0.016, 0.012, 0.014),
                (0.017, 0.928, 0.017, 0.019),
                (0.019, 0.998, 0.021, 0.025),
            ),
        ),
        (
            "one_error",
            "Table 4",
            (
                (0.253, 0.285, 0.264, 0.293),
                (0.140, 0.267, 0.180, 0.194),
                (0.671, 0.852, 0.674, 0.783),
                (0.401, 0.482, 0.433, 0.665),
            ),
        ),
        (
            "coverage",
            "Table 5",
            (
                (2.148, 2.561, 2.302, 2.335),
                (1.256, 2.504, 1.403, 1.852),
                (140.428, 151.853, 139.592, 136.527),
                (662.746, 674.613, 667.513, 671.652),
            ),
        ),
    )
    rows = tuple(
        Published(
            dataset, contest, method, measure, value, "all", where, _impossible(value)
        )
        for measure, where, lines in tables
        for dataset, line in zip(datasets, lines, strict=True)
        for method, value in zip((*methods, LITERAL), (*line, line[0]), strict=True)
    )
    return Paper(
        "H. Liu, Z. Zheng, J. Zhao, R. Ye: An ensemble method for high-dimensional "
        "multilabel data. Mathematical Problems in Engineering, 2013",
        design,
        rows,
    )


def _impossible(value: float) -> str:
    """Two printed Hamming losses are far above that of predicting no label at all."""
    return (
        "cannot be right: predicting nothing gives 0.02"
        if value
        in (
            0.928,
            0.998,
        )
        else ""
    )


def _gmba() -> Paper:
    sampled = SampledTraining(n_splits=10, n_train=1800, test_size=0.1)
    selectors = [
        *_methods("gmba", "spec", "mlfs", "mlrf"),
        Method("gmba", {"step": "constant"}),
    ]
    design = Design(
        name="gmba",
        title="GMBA against SPEC, MLFS and MLRF, 3 nearest neighbours",
        datasets=(
            DataPlan("bibtex", protocol=sampled),
            DataPlan("emotions"),
            DataPlan("enron"),
            GENBASE,
            DataPlan("mediamill", protocol=sampled),
            DataPlan("medical"),
            DataPlan("scene"),
            DataPlan("yeast"),
        ),
        protocol=KFold(n_splits=10),
        contenders=with_controls(selectors, _methods("brknn", "ccknn")),
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
    )
    rest = ("bibtex", "enron", "genbase", "mediamill", "medical", "yeast")
    where = "Sections 4.4 and 5"
    others = ("spec", "mlfs", "mlrf")
    claims = (
        Claim("GMBA is better than SPEC in most cases", where, "gmba", ("spec",)),
        Claim(
            "GMBA is better than the others in most cases", where, "gmba", others, rest
        ),
        Claim(
            "SPEC suits more data sets than MLFS and MLRF",
            where,
            "spec",
            ("mlfs", "mlrf"),
            rest,
        ),
        Claim(
            "all are similar on emotions and scene",
            where,
            "gmba",
            others,
            ("emotions", "scene"),
            similar=True,
        ),
        Claim("GMBA is better than random features", "control", "gmba", (RANDOM,)),
        Claim("GMBA is better than all features", "control", "gmba", (ALL,)),
    )
    return Paper(
        "P. Yan, Y. Li: Graph-margin based multi-label feature selection. "
        "ECML PKDD 2016",
        design,
        claims=claims,
    )


def _fimf() -> Paper:
    fast = ("fimf", "pmu", "mlqpfs", "lp+chi", "ela+chi", "ppt+chi", "ppt+mi", "br+chi")
    design = Design(
        name="fimf",
        title="FIMF: run time and quality as labels and features grow, naive Bayes",
        datasets=(
            *(DataPlan(name) for name in ("emotions", "scene", "yeast", "medical")),
            *(DataPlan(name) for name in ("enron", "mediamill-small", "bibtex")),
            DataPlan("corel16k001", protocol=HoldOut(n_splits=3)),
            DataPlan("delicious", protocol=HoldOut(n_splits=3)),
        ),
        protocol=HoldOut(n_splits=5, test_size=0.3),
        contenders=with_controls(_methods(*fast), [MLNB]),
        views=("quantile",),
        sizes=Sizes(counts=(1, 2, 5, 10, 20, 30, 50)),
        criterion=50,
        measures=("hamming_loss", "ranking_loss", "accuracy", "macro_f1"),
        reference="fimf",
        notes=(
            "The paper's own tables were not available. Its claim is checked: FIMF "
            "selects faster than other methods on large multi-label data.",
            "All methods here share the same fast counting, so that the times compare "
            "the methods and not the programs.",
        ),
    )
    claims = (
        Claim("FIMF is better than PMU", "not in the paper", "fimf", ("pmu",)),
        Claim(
            "FIMF is better than the transformation methods",
            "not in the paper",
            "fimf",
            ("lp+chi", "ela+chi", "ppt+chi", "ppt+mi", "br+chi"),
        ),
        Claim("FIMF is better than random features", "control", "fimf", (RANDOM,)),
    )
    return Paper(
        "J. Lee, D.-W. Kim: Fast multi-label feature selection based on "
        "information-theoretic feature ranking. Pattern Recognition 48(9), 2015",
        design,
        claims=claims,
    )


PAPERS: dict[str, Paper] = {
    paper.design.name: paper
    for paper in (_pmu(), _mlqpfs(), _emcfs(), _gmba(), _fimf())
}
