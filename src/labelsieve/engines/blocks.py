"""The engine of samples in blocks somewhere else: what blocks count is added up."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from labelsieve._utils.machine import cached_property
from labelsieve._utils.typing import FloatArray, IntArray
from labelsieve.blocks import load, run, task, tree, value
from labelsieve.engines.columns import Columns, is_dense
from labelsieve.engines.sparse import SparseCounts, listed_table
from labelsieve.engines.tables import Counted, log_table

if TYPE_CHECKING:
    from labelsieve.engines.kernels import TargetLists

# What the engines of blocks are asked: methods whose answers can be added up.
QUESTIONS = (
    *("joint", "joint_cells", "gram", "grams", "within", "powers", "products"),
    *("given", "given_target", "listed", "listed_given", "listed_given_target"),
)


class BlockEngine:
    """Sums over blocks of what engines of some samples each answer, to any question.

    Whole numbers are added up before any logarithm is taken: the same as for samples
    in one place.

    Parameters
    ----------
    blocks : tasks that return an engine of some samples, or where it was spilled
    X, Y : what is known of the columns without the samples
    chosen : which of the targets of the blocks are counted, None for all
    """

    in_memory = False

    def __init__(
        self, blocks: list[Any], X: Columns, Y: Columns, chosen: IntArray | None = None
    ) -> None:
        self.blocks, self.X, self.Y, self.chosen = blocks, X, Y, chosen
        self.n_samples, self.n_jobs = X.n_samples, None
        self.is_dense = is_dense(X)

    def with_targets(self, blocks: IntArray) -> BlockEngine:
        """The same features with some of the targets."""
        chosen = blocks if self.chosen is None else self.chosen[blocks]
        Y = self.Y.about(blocks)
        vars(Y)["totals"] = self.Y.totals[self.Y.columns_of_all(blocks)]
        return BlockEngine(self.blocks, self.X, Y, chosen)

    @cached_property
    def T(self) -> FloatArray:
        """(n + 1,) k log(k / n)."""
        return log_table(self.n_samples)

    @cached_property
    def targets(self) -> TargetLists:
        """What is known of the targets; no sample is listed."""
        from labelsieve.engines.sparse import target_lists

        none = np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.uint32)
        return target_lists(self.Y, *none)

    def __getattr__(self, name: str) -> Any:
        if name not in QUESTIONS:
            raise AttributeError(f"{type(self).__name__} has no {name!r}")
        return partial(self._ask, name)

    def _ask(self, question: str, *arguments: Any) -> Any:
        """The sum of the answers of all blocks."""
        asked = value((self.chosen, question, arguments))
        answers = [task(_answer, block, asked) for block in self.blocks]
        (parts,) = run([tree(_add, answers)])
        if len(parts) == 1:
            return parts[0]
        if not sp.issparse(parts[0]):
            return Counted(*parts)
        from labelsieve.engines.count_kernels import JointLists

        joint = parts[0]
        begin = joint.indptr.astype(np.int64)
        columns, counts = joint.indices.astype(np.uint32), joint.data.astype(np.uint32)
        joint_lists = JointLists(begin[:-1], begin[1:], columns, counts)
        return SparseCounts(joint_lists, *parts[1:])


def _answer(block: Any, asked: tuple[Any, ...]) -> list[Any]:
    """What one block answers, in parts that can be added up."""
    chosen, question, arguments = asked
    engine = load(block)
    if chosen is not None:
        engine = engine.with_targets(chosen)
    answer = getattr(engine, question)(*arguments)
    if isinstance(answer, SparseCounts):
        shape = engine.Y.totals.size, engine.X.totals.size
        return [listed_table(answer.lists, shape), *answer[1:]]
    return list(answer) if isinstance(answer, Counted) else [answer]


def _add(answers: list[list[Any]]) -> list[Any]:
    """Add up the parts of answers, each over the blocks."""
    total, *others = answers
    for other in others:
        total = [mine + its for mine, its in zip(total, other, strict=True)]
    return total
