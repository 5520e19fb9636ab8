"""Selectors by name, for the command line and for experiments."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from labelsieve._plumbing.names import unknown

if TYPE_CHECKING:
    from labelsieve.selectors import LabelSelector

# What is compared where nobody says which.
COMPARED = ("sieve", "fimf", "pmu")
# Whose papers' experiments can be run again.
REPRODUCED = ("pmu", "mlqpfs", "emcfs", "gmba", "fimf")


@dataclass(frozen=True)
class SelectorEntry:
    """What is known about a selector before it is made.

    Attributes
    ----------
    name : what users write
    class_name : the class
    module : the file or folder of `labelsieve.selectors` where it lives
    description : one line
    reference : where the method was published
    parameters : how this selector differs from the class's defaults
    transformation : name of the transformation's class, for the baselines
    """

    name: str
    class_name: str
    module: str
    description: str
    reference: str
    parameters: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    transformation: str | None = None


def selector_names() -> list[str]:
    """Return the names of all selectors, those of the papers first.

    Examples
    --------
    >>> from labelsieve.registry import selector_names
    >>> selector_names()[:4]
    ['pmu', 'fimf', 'mlqpfs', 'gmba']
    """
    return list(_ENTRIES)


def describe_selector(name: str) -> SelectorEntry:
    """Return what is known about a selector.

    Parameters
    ----------
    name : str
        One of `selector_names`, in upper or lower case.

    Examples
    --------
    >>> from labelsieve.registry import describe_selector
    >>> describe_selector("lp+rf").description
    'ReliefF on label sets as classes'
    """
    if not isinstance(name, str):
        raise TypeError(
            f"expected the name of a selector, such as 'sieve', got {name!r}."
        )
    entry = _ENTRIES.get(name.lower())
    if entry is None:
        raise ValueError(unknown("selector", name, _ENTRIES))
    return entry


def selector_homes() -> dict[str, str]:
    """Return for each class of a selector the module where it lives.

    Examples
    --------
    >>> from labelsieve.registry import selector_homes
    >>> selector_homes()["PMU"]
    'labelsieve.selectors.pmu'
    """
    return {
        entry.class_name: f"labelsieve.selectors.{entry.module}"
        for entry in _ENTRIES.values()
    }


def selector_classes() -> list[type[LabelSelector]]:
    """Return the classes of all selectors, each once, in the order of the names.

    Examples
    --------
    >>> from labelsieve.registry import selector_classes
    >>> [kind.__name__ for kind in selector_classes()[:3]]
    ['PMU', 'FIMF', 'MLQPFS']
    """
    selectors = importlib.import_module("labelsieve.selectors")
    return [getattr(selectors, name) for name in selector_homes()]


def make_selector(name: str, **parameters: Any) -> LabelSelector:
    """Make an unfitted selector by its name.

    Parameters
    ----------
    name : str
        One of `selector_names`, in upper or lower case.
    **parameters
        Parameters of its class, such as ``n_features_to_select=20``.

    Examples
    --------
    >>> from labelsieve.registry import make_selector
    >>> make_selector("ppt+mi", n_features_to_select=20)
    TransformationSelector(n_features_to_select=20,
                           score_func='mutual_information',
                           transformation=PrunedTransformation(tau=6))
    """
    entry = describe_selector(name)
    selectors = importlib.import_module("labelsieve.selectors")
    settings = {**entry.parameters, **parameters}
    if entry.transformation is not None:
        settings.setdefault(
            "transformation", getattr(selectors, entry.transformation)()
        )
    made: LabelSelector = getattr(selectors, entry.class_name)(**settings)
    return made


_KONG = (
    "D. Kong, C. Ding, H. Huang, H. Zhao: Multi-label ReliefF and F-statistic feature "
    "selections for image annotation. CVPR 2012"
)

# Name, home in `labelsieve.selectors`, what it does, where it was published.
_METHODS = (
    (
        "pmu",
        "pmu.PMU",
        "greedy choice by information about labels and pairs of labels",
        "J. Lee, D.-W. Kim: Feature selection for multi-label classification using "
        "multivariate mutual information. Pattern Recognition Letters 34(3), 2013",
    ),
    (
        "fimf",
        "fimf.FIMF",
        "fast ranking by information about labels and pairs of frequent labels",
        "J. Lee, D.-W. Kim: Fast multi-label feature selection based on "
        "information-theoretic feature ranking. Pattern Recognition 48(9), 2015",
    ),
    (
        "mlqpfs",
        "mlqpfs.MLQPFS",
        "weights that balance information about labels and redundancy",
        "H. Lim, J. Lee, D.-W. Kim: Multi-label learning using mathematical "
        "programming. IEICE Transactions on Information and Systems E98-D(1), 2015",
    ),
    (
        "gmba",
        "gmba.GMBA",
        "margins between rows with similar and with different labels",
        "P. Yan, Y. Li: Graph-margin based multi-label feature selection. "
        "ECML PKDD 2016",
    ),
    (
        "emcfs",
        "density.EMCFSDensity",
        "density of feature values on both sides of every label",
        "H. Liu, Z. Zheng, J. Zhao, R. Ye: An ensemble method for high-dimensional "
        "multilabel data. Mathematical Problems in Engineering, 2013",
    ),
    (
        "spec",
        "spec.SPEC",
        "smoothness over the graph of shared labels",
        "Z. Zhao, H. Liu: Spectral feature selection for supervised and unsupervised "
        "learning. ICML 2007",
    ),
    ("mlfs", "mlfs.MLFS", "F statistic with one class per label", _KONG),
    ("mlrf", "relief.MLRF", "ReliefF on every pair of labels", _KONG),
    (
        "relieff-ml",
        "relief.ReliefFML",
        "ReliefF with the Hamming distance of label sets",
        "O. Reyes, C. Morell, S. Ventura: Scalable extensions of the ReliefF algorithm "
        "for weighting and selecting features on the multi-label learning context. "
        "Neurocomputing 161, 2015",
    ),
    (
        "d2f",
        "d2f.D2F",
        "greedy choice by information about labels that picks do not give",
        "J. Lee, D.-W. Kim: Mutual information-based multi-label feature selection "
        "using interaction information. Expert Systems with Applications 42(4), 2015",
    ),
    (
        "mdmr",
        "mdmr.MDMR",
        "greedy choice by dependency on labels and redundancy with picks",
        "Y. Lin, Q. Hu, J. Liu, J. Duan: Multi-label feature selection based on "
        "max-dependency and min-redundancy. Neurocomputing 168, 2015",
    ),
    (
        "scls",
        "scls.SCLS",
        "greedy choice with a criterion that scales to many labels",
        "J. Lee, D.-W. Kim: SCLS: Multi-label feature selection based on scalable "
        "criterion for large label set. Pattern Recognition 66, 2017",
    ),
    (
        "lrfs",
        "lrfs.LRFS",
        "greedy choice by information about labels given other labels",
        "P. Zhang, G. Liu, W. Gao: Distinguishing two types of labels for multi-label "
        "feature selection. Pattern Recognition 95, 2019",
    ),
    (
        "grro",
        "grro.GRRO",
        "global balance of information about labels and redundancy",
        "J. Zhang et al.: Multi-label feature selection via global relevance and "
        "redundancy optimization. IJCAI 2020",
    ),
    (
        "rfs",
        "regression.RFS",
        "regression of all labels that uses few features",
        "F. Nie, H. Huang, X. Cai, C. Ding: Efficient and robust feature selection via "
        "joint l2,1-norms minimization. NIPS 2010",
    ),
    (
        "mfs-mcdm",
        "regression.MFSMCDM",
        "ridge regression weights between an ideal and a worst feature",
        "A. Hashemi, M. B. Dowlatshahi, H. Nezamabadi-pour: MFS-MCDM: Multi-label "
        "feature selection using multi-criteria decision making. Knowledge-Based "
        "Systems 206, 2020",
    ),
    (
        "mifs",
        "regression.MIFS",
        "regression of factors of the labels that uses few features",
        "L. Jian, J. Li, K. Shu, H. Liu: Multi-label informed feature selection. "
        "IJCAI 2016",
    ),
    (
        "mdfs",
        "regression.MDFS",
        "regression of labels smooth over near rows that uses few features",
        "J. Zhang, Z. Luo, C. Li, C. Zhou, S. Li: Manifold regularized discriminative "
        "feature selection for multi-label learning. Pattern Recognition 95, 2019",
    ),
    (
        "trees",
        "trees.TreeImportance",
        "importance in random trees that predict all labels",
        "P. Geurts, D. Ernst, L. Wehenkel: Extremely randomized trees. Machine "
        "Learning 63(1), 2006",
    ),
    (
        "br+f",
        "f_statistic.FStatistic",
        "F statistic of each label, averaged",
        "G. Tsoumakas, I. Katakis, I. Vlahavas: Mining multi-label data. Data Mining "
        "and Knowledge Discovery Handbook, 2010",
    ),
    (
        "sieve",
        "sieve.Sieve",
        "greedy choice by what is new about each label, beyond chance; recommended",
        "labelsieve, 2026",
    ),
)

_TRANSFORMATIONS = {
    "lp": ("LabelPowerset", "label sets as classes"),
    "ppt": ("PrunedTransformation", "frequent label sets as classes"),
    "ela": ("EntropyLabelAssignment", "labels as weighted classes"),
    "br": ("BinaryRelevance", "each label, averaged"),
}

_SCORES = {
    "chi": ("chi2", "chi-squared statistic"),
    "mi": ("mutual_information", "mutual information"),
    "rf": ("relieff", "ReliefF"),
}

_BASELINES = {
    "lp+chi": "K. Trohidis et al.: Multi-label classification of music into emotions. "
    "ISMIR 2008",
    "lp+mi": "N. Spolaor et al.: A comparison of multi-label feature selection methods "
    "using the problem transformation approach. ENTCS 292, 2013",
    "lp+rf": "N. Spolaor et al., ENTCS 292, 2013",
    "ppt+chi": "J. Read: A pruned problem transformation method for multi-label "
    "classification. NZCSRSC 2008",
    "ppt+mi": "G. Doquire, M. Verleysen: Feature selection for multi-label "
    "classification problems. IWANN 2011",
    "ppt+rf": "O. Reyes et al., Neurocomputing 161, 2015",
    "ela+chi": "W. Chen et al.: Document transformation for multi-label feature "
    "selection in text categorization. ICDM 2007",
    "ela+mi": "W. Chen et al., ICDM 2007",
    "br+chi": "G. Tsoumakas, I. Katakis, I. Vlahavas: Mining multi-label data. Data "
    "Mining and Knowledge Discovery Handbook, 2010",
    "br+mi": "N. Spolaor et al., ENTCS 292, 2013",
    "br+rf": "N. Spolaor et al., ENTCS 292, 2013",
}


def _baseline(name: str, reference: str) -> SelectorEntry:
    transformation, score = name.split("+")
    class_name, classes = _TRANSFORMATIONS[transformation]
    score_func, statistic = _SCORES[score]
    return SelectorEntry(
        name,
        "TransformationSelector",
        "transformations",
        f"{statistic} on {classes}",
        reference,
        MappingProxyType({"score_func": score_func}),
        class_name,
    )


def _method(name: str, home: str, description: str, reference: str) -> SelectorEntry:
    module, class_name = home.split(".")
    return SelectorEntry(name, class_name, module, description, reference)


_ENTRIES: dict[str, SelectorEntry] = {
    entry.name: entry
    for entry in (
        *(_method(*method) for method in _METHODS),
        *(_baseline(name, reference) for name, reference in _BASELINES.items()),
    )
}
