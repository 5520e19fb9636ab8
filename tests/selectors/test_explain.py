"""Explanations equal what the information functions say, and the scores they split."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import chi2 as chi2_of_scikit_learn

from labelsieve import D2F, FIMF, LRFS, MDMR, MLQPFS, PMU, SCLS, Discretizer, Sieve
from labelsieve.information import entropy, mutual_information
from labelsieve.registry import make_selector, selector_names
from tests.exploring import draws
from tests.naive import terms


@pytest.fixture
def data():
    random = np.random.default_rng(5)
    Y = (random.random((90, 4)) < 0.4).astype(int)
    noise = random.normal(size=(90, 6))
    X = np.column_stack([Y[:, 0] + 0.5 * noise[:, 0], Y[:, 1] + noise[:, 1], noise])
    return X, Y


@pytest.mark.parametrize("method", [PMU, FIMF, MLQPFS])
def test_information_of_each_pair(data, method):
    X, Y = data
    sieve = method(4).fit(X, Y)
    found = sieve.explain(X, Y)
    codes = Discretizer().fit_transform(X)[:, sieve.order_[:4]]
    np.testing.assert_array_equal(found.features, sieve.order_[:4])
    for i in range(4):
        for label in range(4):
            expected = mutual_information(codes[:, i], Y[:, label])
            assert found.information[i, label] == pytest.approx(expected, abs=1e-12)
        for j in range(4):
            expected = mutual_information(codes[:, i], codes[:, j])
            assert found.redundancy[i, j] == pytest.approx(expected, abs=1e-12)
        own = entropy(codes[:, i])
        share = found.redundancy[i, (i + 1) % 4] / own
        assert found.redundancy_shares[i, (i + 1) % 4] == pytest.approx(share)
    assert found.label_entropies == pytest.approx([entropy(y) for y in Y.T])
    assert (np.diag(found.redundancy_shares) == 0).all()


@pytest.mark.parametrize(
    "sieve",
    [
        PMU(5),
        PMU(5, label_pairs="ordered"),
        PMU(8),
        FIMF(5),
        FIMF(5, n_labels=3),
        FIMF(5, n_labels=1),
        PMU(5, n_bins=3),
        PMU(5, correction="chi2"),
        FIMF(5, correction="miller-madow"),
        D2F(5),
        MDMR(5),
        SCLS(5, correction="miller-madow"),
        LRFS(5),
    ],
)
def test_terms_add_up_to_the_score(data, sieve):
    found = sieve.fit(*data).explain(*data)
    total = sum(found.terms.values())
    np.testing.assert_allclose(total, found.scores, rtol=0, atol=1e-12)


CODED = ("pmu", "fimf", "d2f", "mdmr", "scls", "lrfs", "grro")
RATIOS = ("mlfs", "spec")


@pytest.mark.parametrize("name", [*CODED, *RATIOS, "mlrf", "relieff-ml"])
@given(seed=st.integers(0, 10_000))
@settings(max_examples=draws(8))
def test_each_term_is_that_of_the_formula(name, seed):
    random = np.random.default_rng(seed)
    Y = (random.random((40, 3)) < 0.4).astype(int)
    Y[0], Y[1] = 1, 0
    X = random.normal(size=(40, 5))
    X[:, 0] += Y[:, 0]
    selector = make_selector(name, n_features_to_select=4).fit(X, Y)
    found = selector.explain(X, Y)
    table = Discretizer().fit_transform(X) if name in CODED else X
    if name in RATIOS:  # features times powers of two that bring them near 1
        table = X / 2.0 ** np.frexp(abs(X).max(axis=0))[1]
    options = {"alpha": selector.alpha, "beta": selector.beta} if name == "grro" else {}
    if hasattr(selector, "n_neighbors"):
        options["k"] = selector.n_neighbors
    slowly = getattr(terms, name.replace("-", "_"))
    expected = slowly(table, Y, found.features.tolist(), **options)
    assert found.terms.keys() == expected.keys()
    for term, values in expected.items():
        np.testing.assert_allclose(found.terms[term], values, 1e-8, 1e-10, err_msg=term)


@given(seed=st.integers(0, 10_000))
@settings(max_examples=draws(10))
def test_terms_of_weights_that_are_best(seed):
    random = np.random.default_rng(seed)
    X, Y = random.integers(0, 2, (40, 5)), random.integers(0, 2, (40, 3))
    fitted = MLQPFS(5).fit(X, Y)
    found = fitted.explain(X, Y)
    picks = found.features.tolist()
    expected = terms.mlqpfs(X, Y, picks, fitted.scores_)
    (kept,) = np.nonzero(found.scores > 0)
    for term, values in expected.items():
        ours, theirs = found.terms[term][kept], np.array(values)[kept]
        np.testing.assert_allclose(ours, theirs, 1e-7, 1e-9, err_msg=term)


@given(seed=st.integers(0, 10_000))
@example(seed=1)  # the second pick gains more than the first
@settings(max_examples=draws(10))
def test_terms_of_sieve(seed):
    random = np.random.default_rng(seed)
    Y = random.integers(0, 2, (60, 3))
    X = np.where(random.random((60, 6)) < 0.8, Y[:, [0, 0, 1, 1, 2, 2]], 1 - Y[:, :1])
    found = Sieve(4).fit(X, Y).explain(X, Y)
    expected = terms.sieve(X, Y, found.features.tolist())
    told = found.scores > 0
    ours, theirs = found.terms["gain"], expected["gain"]
    np.testing.assert_allclose(ours[told], theirs[told], 1e-9)
    assert told[0]


# What the words of a rule mean.
RULES = {
    "sum of the terms": lambda t: sum(t.values()),
    "the term itself": lambda t: next(iter(t.values())),
    "(relevance + redundancy) / entropy": lambda t: (
        (t["relevance"] + t["redundancy"]) / t["entropy"]
    ),
    "(relevance + redundancy + constraint) / entropy": lambda t: (
        (t["relevance"] + t["redundancy"] + t["constraint"]) / t["entropy"]
    ),
    "(relevance + redundancy + label distance) / (1 + alpha)": lambda t, alpha: (
        (t["relevance"] + t["redundancy"] + t["label distance"]) / (1 + alpha)
    ),
    "distance to worst / (distance to worst + distance to ideal)": lambda t: (
        t["distance to worst"] / (t["distance to worst"] + t["distance to ideal"])
    ),
    "between labels / within labels": lambda t: (
        t["between labels"] / t["within labels"]
    ),
    "roughness / spread": lambda t: t["roughness"] / t["spread"],
    "closeness / spread": lambda t: t["closeness"] / t["spread"],
    "importance * residual variance": lambda t: (
        t["importance"] * t["residual variance"]
    ),
}
LABEL_RULES = {
    "sum of the weights of the labels": lambda parts: parts.sum(axis=1),
    "norm of the coefficients of the labels": lambda parts: np.hypot.reduce(
        parts, axis=1
    ),
    "mean over labels": lambda parts: parts.mean(axis=1),
    "sum over the targets": lambda parts: parts.sum(axis=1),
    "largest of all labels": lambda parts: parts.max(axis=1),
    "smallest of all labels": lambda parts: parts.min(axis=1),
}
SETTINGS = [
    *((name, {}) for name in selector_names()),
    ("pmu", {"label_pairs": "ordered", "correction": "chi2"}),
    ("fimf", {"n_labels": 2, "n_candidates": 6}),
    ("mdmr", {"n_bins": 3, "correction": "miller-madow"}),
    ("emcfs", {"ratio": 0.3}),
    ("relieff-ml", {"n_neighbors": 3}),
    ("grro", {"alpha": 2.0, "beta": 1.0}),
    ("gmba", {"weighted_distances": True, "random_state": 0}),
    ("sieve", {"n_bins": 3}),
    ("sieve", {"n_features_to_select": "auto"}),
    ("mlqpfs", {"correction": "miller-madow"}),
    ("mlqpfs", {"normalize": "simplex"}),
    ("mlqpfs", {"psd": "shift"}),
    ("gmba", {"solver": "batch"}),
    ("gmba", {"solver": "batch", "n_anchors": 20, "random_state": 0}),
    ("mlrf", {"aggregate": "mean"}),
    ("mlrf", {"n_anchors": 20, "random_state": 0}),
    ("mlfs", {"within": "sum_var"}),
    ("spec", {"phi": 2}),
    ("spec", {"phi": 3}),
    ("spec", {"isolated_degree": 0.01}),
    ("spec", {"n_anchors": 20, "random_state": 0}),
    ("rfs", {"loss": "squared"}),
    ("br+mi", {"aggregate": "max"}),
    ("br+chi2", {"aggregate": "min"}),
    ("model+logistic", {"redundancy": None}),
    ("ppt+mi", {"search": "forward"}),
    ("lp+chi2", {"score_func": chi2_of_scikit_learn}),
]


@pytest.mark.filterwarnings("ignore:.* rows have .* distinct label sets")
@pytest.mark.parametrize(("name", "settings"), SETTINGS)
@pytest.mark.parametrize("is_sparse", [False, True])
def test_rule_of_the_terms_gives_the_score(data, name, settings, is_sparse):
    X, Y = (np.abs(data[0]), data[1])
    X[X < 0.4] = 0.0
    wanted = {"n_features_to_select": 5, **settings}
    forms = (sp.csr_array(X), sp.csr_array(Y)) if is_sparse else (X, Y)
    sieve = make_selector(name, **wanted).fit(*forms)
    found = sieve.explain(*forms)
    assert found.terms
    assert (found.rule == "the term itself") == (len(found.terms) == 1)
    assert_makes_the_score(found, slice(None))
    alpha = {"alpha": sieve.alpha} if name == "grro" else {}
    in_words = RULES[found.rule](found.terms, **alpha)
    has_weight = found.scores > 0 if name == "mlqpfs" else slice(None)
    np.testing.assert_allclose(in_words[has_weight], found.scores[has_weight], 1e-9)


@pytest.mark.filterwarnings("ignore:.* rows have .* distinct label sets")
@pytest.mark.parametrize(("name", "settings"), SETTINGS)
def test_rule_of_the_terms_gives_the_score_of_categories(data, name, settings):
    X, Y = np.abs(data[0]), data[1]
    words = np.array(["low", "middle", "high", "top"])
    frame = pd.DataFrame(X).add_prefix("f")
    frame = frame.assign(f0=words[np.digitize(X[:, 0], [0.3, 0.7, 1.2])])
    frame = frame.assign(f2=np.where(X[:, 2] > 0.5, "yes", "no"))
    wanted = {"n_features_to_select": len(X[0]), **settings}
    sieve = make_selector(name, **wanted).fit(frame, Y)
    found = sieve.explain(frame, Y)
    picked = np.isfinite(found.scores)
    if name == "mlqpfs":
        picked &= found.scores > 0
    if sieve._n_exact is not None:
        picked[sieve._n_exact :] = False
    assert_makes_the_score(found, picked)


def assert_makes_the_score(found, some):
    """The stated rules, applied to the terms, give the scores of some features."""
    made_of = found.find_terms()
    close = {"rtol": 1e-9, "atol": 1e-12}
    np.testing.assert_allclose(made_of.score()[some], found.scores[some], **close)
    if found.label_rule in LABEL_RULES:
        varying = found.label_terms[:, found.label_terms.any(axis=0)]
        by_labels = LABEL_RULES[found.label_rule](varying)
        np.testing.assert_allclose(by_labels[some], found.scores[some], **close)


@pytest.mark.parametrize("within", ["scatter", "sum_var"])
def test_rounding_is_no_scatter_in_the_terms_either(within):
    """What rounding leaves of zero made terms whose ratio was not the score."""
    random = np.random.default_rng(3)
    Y = np.eye(3)[random.integers(0, 3, 90)]
    told = 0.1 + Y @ [0.3, 0.7, 1.1]  # no scatter within a label
    X = np.column_stack([told, random.normal(size=(90, 2)) + Y[:, :2]])
    sieve = make_selector("mlfs", n_features_to_select=3, within=within).fit(X, Y)
    found = sieve.explain(X, Y)
    assert np.isinf(found.scores[0])
    assert found.terms["within labels"][0] == 0.0
    assert_makes_the_score(found, slice(None))


def test_terms_that_are_not_a_sum_of_two():
    """Every label's part is told, also where it makes no simple sum."""
    random = np.random.default_rng(1)
    X, Y = random.normal(size=(60, 5)), random.integers(0, 2, (60, 3))
    ranks = make_selector("br+mi", n_features_to_select=5, aggregate="rank").fit(X, Y)
    found = ranks.explain(X, Y)
    # What differs by rounding only shares its rank.
    made = -rankdata(-np.round(found.label_terms, 12), axis=0).mean(axis=1)
    np.testing.assert_allclose(made, found.scores)
    density = make_selector("emcfs", n_features_to_select=3).fit(X, Y).explain(X, Y)
    told = density.label_terms.sum(axis=1)
    np.testing.assert_array_equal(told, density.terms["labels that select it"])
    assert (density.terms["density"] < 1).all()
    ideal = make_selector("mfs-mcdm", n_features_to_select=5).fit(X, Y).explain(X, Y)
    worst = ideal.label_terms - ideal.label_terms.min(axis=0)
    np.testing.assert_allclose(
        np.hypot.reduce(worst, axis=1), ideal.terms["distance to worst"]
    )


def test_terms_are_found_when_asked(data):
    sieve = FIMF(3).fit(*data)
    found = sieve.explain(*data)
    asked = []
    find = found.find_terms
    object.__setattr__(found, "find_terms", lambda: asked.append(1) or find())
    assert str(found)
    assert found.reasons()
    assert not asked
    assert found.to_dict()[0]["terms"]
    assert found.rule == "sum of the terms"
    assert asked == [1]


def test_terms_to_show(data):
    X, Y = data
    pmu = PMU(3).fit(X, Y).explain(X, Y)
    assert list(pmu.shown_terms) == list(pmu.terms)
    first = PMU(1).fit(X, Y).explain(X, Y)  # which has no earlier picks
    assert list(first.shown_terms) == ["relevance", "label interaction"]
    assert make_selector("lp+chi2").fit(X, Y).explain(X, Y).shown_terms == {}


def test_largest_label_terms_are_told(data):
    names = ["v", "w", "x", "y"]
    sieve = make_selector("rfs", n_features_to_select=2).fit(*data)
    found = sieve.explain(*data, label_names=names)
    told = found.to_dict(2)[0]["label_terms"]
    order = np.argsort(-np.abs(found.label_terms[0]))[:2]
    assert [one["label"] for one in told] == [names[label] for label in order]
    assert told[0]["value"] == found.label_terms[0, order[0]]
    assert "label_terms" not in FIMF(2).fit(*data).explain(*data).to_dict()[0]


def test_terms_of_weights(data):
    X, Y = data
    X = np.column_stack([X, X[:, 0]])  # a copy shares the weight
    found = MLQPFS(9).fit(X, Y).explain(X, Y)
    terms = found.terms
    weights = (terms["relevance"] + terms["redundancy"]) / terms["entropy"]
    has_weight = found.scores > 0
    np.testing.assert_allclose(
        weights[has_weight], found.scores[has_weight], rtol=0, atol=1e-9
    )
    assert (weights[~has_weight] <= 1e-9).all()


def test_constraint_is_the_same_for_all(data):
    """Weights that must sum to 1 shift all gradients by one number."""
    found = MLQPFS(8, normalize="simplex").fit(*data).explain(*data)
    shift = found.terms["constraint"][found.scores > 0]
    np.testing.assert_allclose(shift, shift[0], rtol=0, atol=1e-9)


@pytest.mark.parametrize("method", [PMU, FIMF, MLQPFS])
def test_sparse_equals_dense(data, method):
    X, Y = (np.abs(data[0]) > 1.2).astype(float), data[1]
    dense = method(5).fit(X, Y).explain(X, Y)
    sparse = method(5).fit(sp.csr_array(X), sp.csr_array(Y))
    other = sparse.explain(sp.csr_array(X), sp.csr_array(Y))
    assert dense.to_dict() == other.to_dict()


@pytest.mark.parametrize("name", selector_names())
def test_every_selector_explains(data, name):
    X, Y = data
    sieve = make_selector(name, n_features_to_select=3).fit(X, Y)
    found = sieve.explain(X, Y)
    assert found.information.shape == (3, 4)
    assert [one["index"] for one in found.to_dict()] == sieve.order_[:3].tolist()
    lines = str(found).splitlines()
    assert max(map(len, lines)) <= 88
    assert [line[0] for line in lines if line[0] != " "] == [*"123"]


def test_cut_selection_is_explained_as_cut(data):
    sieve = PMU(5).fit(*data)
    whole, cut = sieve.explain(*data), sieve.at(2).explain(*data)
    np.testing.assert_array_equal(cut.features, whole.features[:2])
    np.testing.assert_array_equal(cut.information, whole.information[:2])
    for name, values in cut.terms.items():
        np.testing.assert_allclose(values, whole.terms[name][:2], atol=1e-12)


def test_names(data):
    X, Y = data
    sieve = FIMF(2).fit(X, Y)
    names, labels = list("abcdefgh"), ["v", "w", "x", "y"]
    found = sieve.explain(X, Y, feature_names=names, label_names=labels)
    assert found.feature_names == [names[i] for i in sieve.order_[:2]]
    assert set(found.to_dict()[0]["labels"][0]) == {"label", "information", "share"}
    assert sieve.explain(X, Y).feature_names[0] == f"x{sieve.order_[0]}"
    with pytest.raises(ValueError, match="got 2 feature names for 8 features"):
        sieve.explain(X, Y, feature_names=["a", "b"])
    with pytest.raises(ValueError, match="got 1 label names for 4 labels"):
        sieve.explain(X, Y, label_names=["a"])


def test_names_of_tables(data):
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame(data[0], columns=list("abcdefgh"))
    Y = pd.DataFrame(data[1], columns=["v", "w", "x", "y"])
    found = FIMF(2).fit(X, Y).explain(X, Y)
    assert set(found.feature_names) <= set("abcdefgh")
    assert found.label_names == ["v", "w", "x", "y"]


@pytest.mark.filterwarnings("ignore:all .* features", "ignore:.* labels have")
def test_nothing_varies():
    X, Y = np.ones((5, 3)), np.ones((5, 2))
    found = PMU(2).fit(X, Y).explain(X, Y)
    assert not found.information.any()
    assert not found.label_shares.any()
    assert "not relevant for any label" in str(found)


@pytest.mark.filterwarnings("ignore:.* labels have", "ignore:.* distinct label sets")
@pytest.mark.parametrize("name", selector_names())
def test_terms_of_constant_columns(data, name):
    X, Y = data[0].copy(), data[1].copy()
    X[:, 2], Y[:, 3] = 7.0, 1
    found = make_selector(name, n_features_to_select=8).fit(X, Y).explain(X, Y)
    assert found.features[-1] == 2
    assert all(term[-1] == 0 for term in found.terms.values())
    if found.label_terms is not None:
        assert not found.label_terms[-1].any()
    assert_makes_the_score(found, slice(0, 7))


@pytest.mark.filterwarnings("ignore:all .* features", "ignore:.* labels have")
@pytest.mark.parametrize("name", selector_names())
def test_terms_where_nothing_varies(name):
    X, Y = np.ones((12, 3)), np.ones((12, 2))
    found = make_selector(name, n_features_to_select=2).fit(X, Y).explain(X, Y)
    assert len(found.terms) == 1
    assert len(found.to_dict()) == 2


@pytest.mark.filterwarnings("ignore:.* labels have")
def test_constant_columns_among_others(data):
    X, Y = data[0].copy(), data[1].copy()
    X[:, 2], Y[:, 3] = 7.0, 1
    found = PMU(8).fit(X, Y).explain(X, Y)
    assert found.features[-1] == 2
    assert not found.information[-1].any()
    assert not found.information[:, 3].any()
    np.testing.assert_allclose(sum(found.terms.values()), found.scores, atol=1e-12)


def test_unfitted(data):
    with pytest.raises(NotFittedError):
        PMU().explain(*data)


def test_wrong_width(data):
    sieve = FIMF(2).fit(*data)
    with pytest.raises(ValueError, match="7 features"):
        sieve.explain(data[0][:, 1:], data[1])


@pytest.mark.filterwarnings("ignore:1 of 5 labels have the same value")
@pytest.mark.parametrize("name", ["sieve", "fimf", "mlrf"])
@pytest.mark.parametrize("is_sparse", [False, True])
def test_what_is_kept_of_each_label(data, name, is_sparse, monkeypatch):
    # In several blocks of features.
    monkeypatch.setattr("labelsieve.selectors._explain.PAIRS_AT_ONCE", 12)
    X, Y = data
    Y = np.column_stack([Y, np.ones(len(Y), dtype=int)])
    codes = Discretizer().fit_transform(X)
    table = sp.csr_array(X) if is_sparse else X
    selector = make_selector(name, n_features_to_select=2).fit(table, Y)
    told = [[mutual_information(f, y) for f in codes.T] for y in Y.T[:4]]
    chosen = selector.get_support(indices=True)
    expected = [max(np.array(of_label)[chosen]) / max(of_label) for of_label in told]
    found = selector.explain(table, Y)
    np.testing.assert_allclose(found.label_coverage, [*expected, 1.0], atol=1e-12)
    worst = int(np.argmin(expected))
    least = found.least_covered(2)
    assert least[0] == {"label": str(worst), "coverage": pytest.approx(expected[worst])}
    assert [one["coverage"] for one in least] == sorted(
        one["coverage"] for one in least
    )


def test_all_features_keep_all(data):
    X, Y = data
    found = FIMF(1.0).fit(X, Y).explain(X, Y)
    assert (found.label_coverage == 1.0).all()
    assert found.least_covered() == []
