"""The methods, one entry each: every other list of them is made from here.

Nothing is imported here, because `import labelsieve` reads it for the public names.
"""

# Compared by default.
COMPARED = ("sieve", "fimf", "pmu")
# And where some targets are numbers.
COMPARED_BY_NUMBERS = ("sieve", "rfs", "br+f")
# Those with the lowest regret on the leaderboard, best first.
LOWEST_REGRET = ("sieve", "rfs", "scls", "mdfs", "model+forest", "grro")
# Whose papers' experiments can be run again.
REPRODUCED = ("pmu", "mlqpfs", "emcfs", "gmba", "fimf")

# Name, module in `labelsieve.selectors`, summary; below it the reference.
_METHODS = """
pmu pmu.PMU greedy: relevance minus redundancy and label interaction
    J. Lee, D.-W. Kim: Feature selection for multi-label classification using
    multivariate mutual information. Pattern Recognition Letters 34(3), 2013
fimf fimf.FIMF fast ranking by mutual information with labels and label pairs
    J. Lee, D.-W. Kim: Fast multi-label feature selection based on
    information-theoretic feature ranking. Pattern Recognition 48(9), 2015
mlqpfs mlqpfs.MLQPFS relevance and redundancy balanced by a quadratic program
    H. Lim, J. Lee, D.-W. Kim: Multi-label learning using mathematical programming.
    IEICE Transactions on Information and Systems E98-D(1), 2015
gmba gmba.GMBA large-margin feature weights on the graph of shared labels
    P. Yan, Y. Li: Graph-margin based multi-label feature selection. ECML PKDD 2016
emcfs density.EMCFSDensity density of feature values among positives and negatives
    H. Liu, Z. Zheng, J. Zhao, R. Ye: An ensemble method for high-dimensional
    multilabel data. Mathematical Problems in Engineering, 2013
spec spec.SPEC spectral selection: smoothness on the graph of shared labels
    Z. Zhao, H. Liu: Spectral feature selection for supervised and unsupervised
    learning. ICML 2007
mlfs f_statistic.MLFS F statistic with labels as classes
    D. Kong, C. Ding, H. Huang, H. Zhao: Multi-label ReliefF and F-statistic feature
    selections for image annotation. CVPR 2012
mlrf relief.MLRF ReliefF on pairs of labels
    D. Kong, C. Ding, H. Huang, H. Zhao: Multi-label ReliefF and F-statistic feature
    selections for image annotation. CVPR 2012
relieff-ml relief.ReliefFML RReliefF with the Hamming distance of label sets
    O. Reyes, C. Morell, S. Ventura: Scalable extensions of the ReliefF algorithm
    for weighting and selecting features on the multi-label learning context.
    Neurocomputing 161, 2015
d2f d2f.D2F greedy: relevance minus interaction with selected features
    J. Lee, D.-W. Kim: Mutual information-based multi-label feature selection using
    interaction information. Expert Systems with Applications 42(4), 2015
mdmr mdmr.MDMR greedy: mRMR for many labels
    Y. Lin, Q. Hu, J. Liu, J. Duan: Multi-label feature selection based on
    max-dependency and min-redundancy. Neurocomputing 168, 2015
scls scls.SCLS greedy: relevance scaled by redundancy, for many labels
    J. Lee, D.-W. Kim: SCLS: Multi-label feature selection based on scalable
    criterion for large label set. Pattern Recognition 66, 2017
lrfs lrfs.LRFS greedy: mRMR with relevance conditional on other labels
    P. Zhang, G. Liu, W. Gao: Distinguishing two types of labels for multi-label
    feature selection. Pattern Recognition 95, 2019
grro grro.GRRO relevance and redundancy balanced by a linear system
    J. Zhang et al.: Multi-label feature selection via global relevance and
    redundancy optimization. IJCAI 2020
rfs regression.RFS robust sparse regression of all labels (L2,1 norm)
    F. Nie, H. Huang, X. Cai, C. Ding: Efficient and robust feature selection via
    joint l2,1-norms minimization. NIPS 2010
mfs-mcdm regression.MFSMCDM ridge coefficients ranked by TOPSIS, labels as criteria
    A. Hashemi, M. B. Dowlatshahi, H. Nezamabadi-pour: MFS-MCDM: Multi-label feature
    selection using multi-criteria decision making. Knowledge-Based Systems 206,
    2020
mifs regression.MIFS sparse regression of latent label factors (L2,1 norm)
    L. Jian, J. Li, K. Shu, H. Liu: Multi-label informed feature selection. IJCAI
    2016
mdfs regression.MDFS sparse regression with manifold regularisation (L2,1 norm)
    J. Zhang, Z. Luo, C. Li, C. Zhou, S. Li: Manifold regularized discriminative
    feature selection for multi-label learning. Pattern Recognition 95, 2019
trees trees.TreeImportance feature importance of a multi-output tree ensemble
    P. Geurts, D. Ernst, L. Wehenkel: Extremely randomized trees. Machine Learning
    63(1), 2006
br+f f_statistic.FStatistic F statistic of each label, averaged (binary relevance)
    G. Tsoumakas, I. Katakis, I. Vlahavas: Mining multi-label data. Data Mining and
    Knowledge Discovery Handbook, 2010
sieve sieve.Sieve greedy: conditional relevance (CMIM) for every label; recommended
    labelsieve, 2026
"""
METHODS = [
    (*head.split(" ", 2), " ".join(reference))
    for entry in _METHODS.strip().replace("\n    ", "\t").splitlines()
    for head, *reference in [entry.split("\t")]
]

# Models that select features, and where they were published.
MODELS = {
    "logistic": "D. R. Cox: The regression analysis of binary sequences. Journal of "
    "the Royal Statistical Society B 20(2), 1958",
    "forest": "L. Breiman: Random forests. Machine Learning 45(1), 2001",
    "boosting": "J. H. Friedman: Greedy function approximation: a gradient boosting "
    "machine. Annals of Statistics 29(5), 2001",
}

TRANSFORMATIONS = {
    "lp": ("LabelPowerset", "label sets as classes"),
    "ppt": ("PrunedTransformation", "frequent label sets as classes"),
    "ela": ("EntropyLabelAssignment", "labels as weighted classes"),
    "br": ("BinaryRelevance", "each label, averaged"),
}

SCORES = {
    "chi2": ("chi2", "chi-squared statistic"),
    "mi": ("mutual_information", "mutual information"),
    "relieff": ("relieff", "ReliefF"),
}

BASELINES = {
    "lp+chi2": "K. Trohidis et al.: Multi-label classification of music into emotions. "
    "ISMIR 2008",
    "lp+mi": "N. Spolaor et al.: A comparison of multi-label feature selection methods "
    "using the problem transformation approach. ENTCS 292, 2013",
    "lp+relieff": "N. Spolaor et al., ENTCS 292, 2013",
    "ppt+chi2": "J. Read: A pruned problem transformation method for multi-label "
    "classification. NZCSRSC 2008",
    "ppt+mi": "G. Doquire, M. Verleysen: Feature selection for multi-label "
    "classification problems. IWANN 2011",
    "ppt+relieff": "O. Reyes et al., Neurocomputing 161, 2015",
    "ela+chi2": "W. Chen et al.: Document transformation for multi-label feature "
    "selection in text categorization. ICDM 2007",
    "ela+mi": "W. Chen et al., ICDM 2007",
    "br+chi2": "G. Tsoumakas, I. Katakis, I. Vlahavas: Mining multi-label data. Data "
    "Mining and Knowledge Discovery Handbook, 2010",
    "br+mi": "N. Spolaor et al., ENTCS 292, 2013",
    "br+relieff": "N. Spolaor et al., ENTCS 292, 2013",
}


def selector_homes() -> dict[str, str]:
    """Return for each class of a selector the module where it lives."""
    homes = {name: module for module, name in (m[1].split(".") for m in METHODS)}
    homes |= {"SelectByModel": "by_model", "TransformationSelector": "transformations"}
    return {name: f"labelsieve.selectors.{module}" for name, module in homes.items()}
