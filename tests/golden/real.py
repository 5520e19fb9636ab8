"""The values of real.json from the naive versions."""

from __future__ import annotations

import hashlib
from math import ceil
from typing import Any

import numpy as np

from labelsieve.datasets import find_dataset, load
from tests.golden.shared import codes, promising, ranking, without_features
from tests.naive import information as info


def real(kept: dict[str, Any]) -> dict[str, Any]:
    """The values of the real data sets."""
    return {name: real_set(name, kept[name]) for name in kept if name != "_about"}


def real_set(name: str, kept: dict[str, Any]) -> dict[str, Any]:
    data = load(find_dataset(name))
    X, Y = np.ascontiguousarray(data.X, dtype=np.float64), np.asarray(data.Y)
    C = codes(X, "uniform").astype(np.uint8)
    sizes = [int(key.removeprefix("fimf_q")) for key in kept if key.startswith("fimf_")]
    return {
        "n": len(X),
        "d": X.shape[1],
        "t": Y.shape[1],
        "X_sha256_float64_C": hashlib.sha256(X.tobytes()).hexdigest(),
        "X_disc_sha256_uint8_C": hashlib.sha256(C.tobytes()).hexdigest(),
        "X_disc_ones_per_feature": C.sum(axis=0),
        "label_counts": Y.sum(axis=0),
        "label_entropy_nat": [info.entropy(y) for y in Y.T],
        "sum_mi_nat": info.relevance(C, Y),
        "sum_label_pair_interaction_nat": info.label_pairs(C, Y),
        "pmu": real_pmu(C, Y, times=1),
        "pmu_ordered_pairs_variant": real_pmu(C, Y, times=2),
        **{f"fimf_q{q}": real_fimf(C, Y, q) for q in sizes},
        "mlqpfs": real_mlqpfs(C, Y),
        "equal_frequency_2_bins": real_quantiles(X, Y, min(sizes)),
    }


def real_pmu(C: Any, Y: Any, times: int) -> dict[str, Any]:
    order, values, _ = info.pmu(C, Y, 20, times)
    return {"order": order, "J": values}


def real_fimf(C: Any, Y: Any, q: int) -> dict[str, Any]:
    full = info.fimf(C, Y, q)
    return {
        "Q": promising(Y, q),
        "score_reduced": full - without_features(Y, q),
        "score_full": full,
        "ranking": ranking(full),
    }


def real_mlqpfs(C: Any, Y: Any) -> dict[str, Any]:
    Q, c = info.information_matrix(C), np.array(info.relevance(C, Y))
    x = info.nonnegative_minimum(Q, c)
    gradient, eigenvalues = Q @ x - c, np.linalg.eigvalsh(Q)
    positive = [f for f in ranking(x) if x[f] > 0]
    zeros = [f for f in ranking(-gradient) if not x[f] > 0]
    return {
        "c": c,
        "Q_diag": np.diag(Q),
        "Q_first_row": Q[0],
        "Q_sum": Q.sum(),
        "Q_frobenius": np.linalg.norm(Q),
        "Q_min_eigenvalue": eigenvalues.min(),
        "Q_max_eigenvalue": eigenvalues.max(),
        "x": x,
        "n_positive": len(positive),
        "objective": x @ Q @ x / 2 - c @ x,
        "kkt_min_gradient": gradient.min(),
        "kkt_max_abs_gradient_on_support": np.abs(gradient[x > 0]).max(),
        "min_x_on_support": x[x > 0].min(),
        "ranking_positive_part": positive,
        "ranking_full_zeros_by_gradient": positive + zeros,
    }


def real_quantiles(X: Any, Y: Any, q: int) -> dict[str, Any]:
    C = codes(X, "quantile")
    pmu, full = real_pmu(C, Y, times=1), info.fimf(C, Y, q)
    return {
        "cut_points": np.sort(X, axis=0)[ceil(len(X) / 2) - 1],
        "ones_per_feature": C.sum(axis=0),
        "pmu_order": pmu["order"],
        "pmu_J": pmu["J"],
        f"fimf_q{q}_ranking": ranking(full),
        f"fimf_q{q}_score_reduced": full - without_features(Y, q),
        "sum_mi_nat": info.relevance(C, Y),
    }
