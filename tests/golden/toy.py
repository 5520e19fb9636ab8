"""The values of toy.json from the naive versions."""

from __future__ import annotations

from math import ceil, log
from typing import Any

import numpy as np

from tests.golden.shared import codes, promising, ranking, without_features
from tests.naive import (
    density,
    further,
    margins,
    metrics,
    neighbors,
    relief,
    transformations,
)
from tests.naive import information as info


def toy(kept: dict[str, Any]) -> dict[str, Any]:
    """All values of the toy data."""
    X, Y = np.array(kept["X_continuous"]), np.array(kept["Y"])
    C = codes(X, "uniform")
    degenerate = np.array(kept["degenerate_labels"]["Y"])
    return {
        "X_discrete": C,
        **informations(C, Y),
        **pmu_readings(C, Y),
        **{f"fimf_q{q}": toy_fimf(C, Y, q) for q in range(5)},
        "mlqpfs": toy_mlqpfs(C, Y),
        "gmba": toy_gmba(X, Y, kept["gmba"]),
        "spec": toy_spec(X, Y, kept["spec"]["features"]),
        "mlfs": toy_mlfs(X, Y),
        "transformations": toy_transformations(C, Y),
        "emcfs": toy_emcfs(X, Y),
        "metrics": toy_metrics(kept["metrics"]),
        "degenerate_labels": toy_degenerate(C, degenerate),
        "further_selectors": toy_further(X, C, Y),
    }


def informations(C: Any, Y: Any) -> dict[str, Any]:
    """Entropies, and the information of two and of three columns."""
    labels = range(Y.shape[1])
    features = range(C.shape[1])
    entropies = [info.entropy(y) for y in Y.T]
    return {
        "entropy_features_nat": [info.entropy(f) for f in C.T],
        "entropy_labels_nat": entropies,
        "entropy_labels_bits": [value / log(2) for value in entropies],
        "mi_feature_label_nat": [
            [info.mutual_information(f, y) for y in Y.T] for f in C.T
        ],
        "interaction_f_l_l_nat": {
            str(f): {
                f"{a},{b}": info.interaction_information(C[:, f], Y[:, a], Y[:, b])
                for a in labels
                for b in labels
                if a < b
            }
            for f in features
        },
        "interaction_f_f_l_nat": {
            f"{f},{g}": [info.interaction_information(C[:, f], C[:, g], y) for y in Y.T]
            for f in features
            for g in features
            if f < g
        },
    }


def pmu_readings(C: Any, Y: Any) -> dict[str, Any]:
    """PMU with pairs of labels once, twice, and twice with each label's own pair."""
    relevance, pairs = np.array(info.relevance(C, Y)), np.array(info.label_pairs(C, Y))
    readings = {"unordered": pairs, "ordered": 2 * pairs, "all": 2 * pairs + relevance}
    found = {}
    for name, interaction in readings.items():

        def J(X: Any, Y: Any, f: int, chosen: Any, of_labels: Any = interaction) -> Any:
            return further.d2f(X, Y, f, chosen) - of_labels[f]

        order, values = further.greedy(J, C, Y, C.shape[1])
        found[f"pmu_{name}"] = {
            "order": order,
            "relevance": relevance,
            "label_interaction": interaction,
            "J_per_step": [
                {str(f): J(C, Y, f, order[:step]) for f in sorted(order[step:])}
                for step in range(len(order))
            ],
            "J_of_selected": values,
        }
    bits = np.array(found["pmu_unordered"]["J_of_selected"]) / log(2)
    order = found["pmu_unordered"]["order"]
    return {**found, "pmu_unordered_bits": {"order": order, "J_of_selected": bits}}


def toy_fimf(C: Any, Y: Any, q: int) -> dict[str, Any]:
    full, offset = info.fimf(C, Y, q), without_features(Y, q)
    return {
        "Q": promising(Y, q),
        "score_reduced": full - offset,
        "score_full_M2": full,
        "constant_offset_full_minus_reduced": [offset] * len(full),
        "ranking": ranking(full),
    }


def solved(Q: Any, c: Any, x: Any) -> dict[str, Any]:
    return {"objective": x @ Q @ x / 2 - c @ x, "x": x, "kkt_gradient": Q @ x - c}


def toy_mlqpfs(C: Any, Y: Any) -> dict[str, Any]:
    Q, c = info.information_matrix(C), np.array(info.relevance(C, Y))
    first, c_first = Q[:4, :4], c[:4]
    on_simplex = solved(first, c_first, info.simplex_minimum(first, c_first))
    del on_simplex["kkt_gradient"]
    return {
        "Q_nat": Q,
        "c_nat": c,
        "solution_features_0_to_3": solved(
            first, c_first, info.nonnegative_minimum(first, c_first)
        ),
        "solution_all_six_min_norm": solved(Q, c, info.nonnegative_minimum(Q, c)),
        "min_eigenvalue_Q": np.linalg.eigvalsh(Q).min(),
        "solution_features_0_to_3_with_sum_1": on_simplex,
    }


GMBA = {
    "omega_k1_smin1": {"k": 1, "s_min": 1.0},
    "omega_k2_smin0.5": {"k": 2, "s_min": 0.5},
    "omega_k3_smin0.3": {"k": 3, "s_min": 0.3},
    "omega_k2_smin0.5_weighted_norm": {"k": 2, "s_min": 0.5, "weighted": True},
    "omega_k2_smin0.5_authors_code": {"k": 2, "s_min": 0.5, "authors": True},
}


def toy_gmba(X: Any, Y: Any, kept: dict[str, Any]) -> dict[str, Any]:
    X = X[:, X.std(axis=0) > 0]
    figure = np.array(kept["paper_fig1_example"]["Y"])
    return {
        "n_q": Y.sum(axis=0),
        "similarity_with_diagonal_as_formula": margins.similarity(Y),
        "adjacency": margins.adjacency(Y),
        "paper_fig1_example": {
            "n_q": figure.sum(axis=0),
            "similarity": margins.similarity(figure),
        },
        "X_zscored_features_0_1_2_3_5": margins.zscore(X),
        **{name: gmba_run(X, Y, **settings) for name, settings in GMBA.items()},
    }


def gmba_run(X: Any, Y: Any, k: int, s_min: float, **how: Any) -> dict[str, Any]:
    """The weights after all rows, and what the first row did that changed them."""
    after = [
        margins.gmba(X, Y, range(n_rows), k=k, s_min=s_min, **how)
        for n_rows in range(len(X) + 1)
    ]
    changed = [i for i in range(len(X)) if (after[i] != after[i + 1]).any()]
    i, omega = changed[0], after[-1]
    Z, s = margins.zscore(X), margins.similarity(Y)
    similar = s >= s_min - margins.TIE
    hits, to_hits = neighbors.nearest(Z, k=k, allowed=similar)
    miss, to_miss = neighbors.nearest(Z, k=1, allowed=~similar)
    authors = how.get("authors", False)
    coefficient = margins.gmba_coefficient(
        i, Z, s, k=k, s_min=s_min, trade_off=1.0, authors=authors
    )
    return {
        "omega": omega,
        "first_update": {
            "i": i,
            "hits": hits[i][hits[i] >= 0],
            "nearest_miss": miss[i, 0],
            "margin": abs(to_hits[i, 0] - to_miss[i, 0]),
            "gradient": 2 * coefficient,
            "omega": after[i + 1],
        },
        "n_updates": len(changed),
        "ranking_positions": ranking(omega),
    }


def toy_spec(X: Any, Y: Any, features: list[int]) -> dict[str, Any]:
    return {
        "degrees": margins.adjacency(Y).sum(axis=1),
        "phi1_isolated_degree_0.01_as_authors_code": margins.spec(
            X[:, features], Y, isolated_degree=0.01
        ),
        "phi1_isolated_excluded": margins.spec(X[:, features], Y),
    }


def toy_mlfs(X: Any, Y: Any) -> dict[str, Any]:
    varies = X.std(axis=0) > 0
    found = {}
    for key, within in (
        ("F_paper_scatter", "scatter"),
        ("F_authors_code_sum_of_variances", "sum_var"),
    ):
        found[key] = np.zeros(X.shape[1])
        found[key][varies] = margins.mlfs(X[:, varies], Y, within)
    return found


def toy_transformations(C: Any, Y: Any) -> dict[str, Any]:
    def scores(copies: Any, score: Any) -> list[float]:
        return [score(f.tolist(), copies) for f in C.T]

    chi2, information = transformations.chi2, transformations.mutual_information
    sets, parts = (
        transformations.label_powerset(Y),
        transformations.entropy_assignment(Y),
    )
    per_label = np.transpose([scores(transformations.binary(y), chi2) for y in Y.T])
    pruned = {tau: transformations.pruned(Y, tau) for tau in (1, 2)}
    return {
        "LP_classes": ["".join(map(str, kind)) for _, kind, _ in sets],
        "LP_chi2": scores(sets, chi2),
        "LP_mi_nat": scores(sets, information),
        **{
            f"PPT_keep_if_count_ge_{tau}": {
                "kept_rows": [row for row, _, _ in copies],
                "chi2": scores(copies, chi2),
                "mi_nat": scores(copies, information),
            }
            for tau, copies in pruned.items()
        },
        "ELA": {
            "rows_instance_label": [[row, label] for row, label, _ in parts],
            "weights": [weight for _, _, weight in parts],
            "chi2_weighted": scores(parts, chi2),
            "mi_weighted_nat": scores(parts, information),
        },
        "BR_chi2_per_label": per_label,
        "BR_chi2_mean": per_label.mean(axis=1),
        "BR_chi2_max": per_label.max(axis=1),
    }


def toy_emcfs(X: Any, Y: Any) -> dict[str, Any]:
    span = np.ptp(X, axis=0)
    scaled = (X - X.min(axis=0)) / np.where(span > 0, span, 1)
    with_label, without = density.densities(X, Y)
    n_with = Y.sum(axis=0)
    wanted = 0.1 * np.minimum(n_with, len(Y) - n_with)
    return {
        "X_minmax": scaled,
        "per_label": [
            {
                "label": label,
                "n_pos": n_with[label],
                "n_neg": len(Y) - n_with[label],
                "m_k_r0.1": wanted[label],
                "ceil_m_k": ceil(wanted[label]),
                "rho_pos": with_label[label],
                "rho_neg": without[label],
            }
            for label in range(Y.shape[1])
        ],
        "rho_all": [density.density(x) for x in scaled.T],
    }


def toy_metrics(kept: dict[str, Any]) -> dict[str, Any]:
    Y, S = np.array(kept["Y_true"]), np.array(kept["scores"])
    Z = (S >= 0.5).astype(int)
    rows = list(zip(Y.tolist(), S.tolist(), strict=True))
    losses = [metrics.ranking_loss(y, s) for y, s in rows]
    depths = [metrics.coverage(y, s) or 0 for y, s in rows]
    either = (Y | Z).sum(axis=1)
    shared = np.where(either > 0, (Y & Z).sum(axis=1) / np.maximum(either, 1), 1.0)
    return {
        "Y_pred_threshold_0.5": Z,
        "hamming_loss": np.mean(Y != Z),
        "subset_accuracy": np.mean((Y == Z).all(axis=1)),
        "multilabel_accuracy_jaccard_empty_is_1": shared.mean(),
        "ranking_loss_per_row": losses,
        "coverage_per_row_rank_minus_1": depths,
        "one_error_per_row": [metrics.one_error(y, s) for y, s in rows],
        "average_precision_per_row": [metrics.average_precision(y, s) for y, s in rows],
        "ranking_loss_rows_without_pairs_count_0": metrics.by_scores(
            "ranking_loss", Y, S, "keep"
        ),
        "ranking_loss_rows_without_pairs_skipped": metrics.by_scores(
            "ranking_loss", Y, S, "skip"
        ),
        "coverage": np.mean(depths),
    }


def toy_degenerate(C: Any, Y: Any) -> dict[str, Any]:
    order, values, _ = info.pmu(C, Y, C.shape[1])
    full = info.fimf(C, Y, 4)
    return {
        "pmu_order": order,
        "pmu_J_of_selected": values,
        "fimf_q4_full": full,
        "fimf_q4_reduced": full - without_features(Y, 4),
        "c": info.relevance(C, Y),
    }


def toy_further(X: Any, C: Any, Y: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for criterion in (further.d2f, further.mdmr, further.scls, further.lrfs):

        def J(X: Any, Y: Any, f: int, chosen: Any, formula: Any = criterion) -> Any:
            # SCLS divides by the entropy of the feature.
            return formula(X, Y, f, chosen) if np.ptp(X[:, f]) else 0.0

        order, values = further.greedy(J, C, Y, C.shape[1])
        found[criterion.__name__] = {"order": order, "J_of_selected": values}
    weights = further.grro_weights(C, Y, 100.0, 0.1)
    scores = weights.sum(axis=1)
    found["grro_alpha100_beta0.1"] = {
        "W": weights,
        "score_row_sum": scores,
        "ranking": ranking(scores),
    }
    apart = {
        (a, b): ((Y[:, a] > Y[:, b]).sum(), (Y[:, b] > Y[:, a]).sum())
        for a in range(Y.shape[1])
        for b in range(a + 1, Y.shape[1])
    }
    found["mlrf_recommended_pairwise_k3"] = {
        "weights": relief.mlrf(X, Y, 3),
        "pairs_used": [[*pair, *n] for pair, n in apart.items() if all(n)],
    }
    return found
