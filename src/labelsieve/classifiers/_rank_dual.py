"""Rank-SVM with a kernel: the dual, one training row after the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from labelsieve._plumbing.messages import warn
from labelsieve.classifiers._base import Flags, Floats

CHECK_EVERY = 5  # sweeps: measuring the gap costs about as much as one


@dataclass(frozen=True)
class DualSolution:
    """Weights of the training rows, biases of the labels, and how good they are."""

    weights: Floats  # [rows, labels]
    bias: Floats  # [labels]
    primal: float  # objective of these weights and biases
    gap: float  # how much smaller the best objective may be, relative to `primal`
    n_iter: int


def solve_dual(
    kernel: Floats, Y: Flags, C: float, max_iter: int, tol: float
) -> DualSolution:
    """Maximise the dual of Rank-SVM over the multipliers of all pairs.

    The multiplier of a pair moves weight from the label that the row lacks to the one
    that it has, and lies in [0, C / number of pairs of the row]. Without a penalty on
    the biases, what every label gets in all must be zero: the method of multipliers
    sees to that, and its multipliers are the biases. Weights that sum to zero do not
    see the mean of the kernel, so it is taken off, which makes the problem easy.
    """
    from labelsieve.classifiers._rank_kernels import ascend

    state = _State(kernel, Y, C)
    random = np.random.default_rng(0)  # only orders the rows
    step = 0
    for step in range(1, max_iter + 1):
        ascend(
            state.kernel,
            state.penalty,
            Y,
            state.limits,
            state.starts,
            random.permutation(len(Y)),
            state.multipliers,
            state.weights,
            state.outputs,
        )
        state.move_bias()
        if step % CHECK_EVERY == 0 and state.gap() <= tol:
            break
    if state.gap() > tol:
        _warn_unfinished(max_iter, state.gap(), tol)
    bias = state.bias - (kernel @ state.weights).mean(axis=0)
    return DualSolution(state.weights, bias, state.primal(), state.gap(), step)


class _State:
    """Multipliers and all that follows from them."""

    def __init__(self, kernel: Floats, Y: Flags, C: float) -> None:
        means = kernel.mean(axis=0)
        self.kernel = kernel - means - means[:, None] + means.mean()
        # Weaker than the kernel: what a stronger one holds fast settles slowly.
        self.penalty = max(0.1 * float(np.trace(self.kernel)) / len(Y), 1e-12)
        self._Y = Y
        with_label = Y.sum(axis=1, dtype=np.int64)
        n_pairs = with_label * (Y.shape[1] - with_label)
        self.limits: Floats = C / np.maximum(n_pairs, 1)
        self.starts = np.cumsum(n_pairs) - n_pairs
        self.multipliers = np.zeros(int(n_pairs.sum()))
        self.weights = np.zeros(Y.shape)
        self.bias = np.zeros(Y.shape[1])
        self.outputs = np.zeros(Y.shape)  # kernel @ weights + bias + penalty * sums

    def move_bias(self) -> None:
        change = self.penalty * self.weights.sum(axis=0)
        self.bias += change
        self.outputs += change

    def primal(self) -> float:
        return 0.5 * self._squared_norm() + self._loss()

    def gap(self) -> float:
        """Primal minus dual objective and what the sums are off zero, relative."""
        dual = self.multipliers.sum() - 0.5 * self._squared_norm()
        sums = np.abs(self.weights.sum(axis=0))
        unsettled = float(np.sum(sums * (1.0 + np.abs(self.bias))))
        primal = self.primal()
        return float((abs(primal - dual) + unsettled) / max(primal, 1e-300))

    def _plain_outputs(self) -> Floats:
        return self.outputs - self.penalty * self.weights.sum(axis=0)

    def _squared_norm(self) -> float:
        return float(np.sum(self.weights * (self._plain_outputs() - self.bias)))

    def _loss(self) -> float:
        from labelsieve.classifiers._rank_kernels import smooth_ranking_loss

        unused = np.empty(self._Y.shape)
        _, loss, _ = smooth_ranking_loss(
            self._plain_outputs(), self._Y, self.limits, 1e-12, unused
        )
        return float(loss)


def _warn_unfinished(max_iter: int, gap: float, tol: float) -> None:
    warn(
        f"Rank-SVM stopped after max_iter={max_iter} sweeps with its objective within "
        f"{gap:.2g} of the best, relatively; tol={tol:g} was asked for. Raise max_iter "
        "or tol, or scale the features.",
        ConvergenceWarning,
    )
