"""What a paper says: an experiment, printed values, statements without numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from labelsieve.experiments.design import DataPlan, Design
from labelsieve.experiments.methods import Method


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


# A printed table: for each data set one value per method.
Table = Mapping[str, Sequence[float]]

# The first attribute of genbase is the name of the protein, different in each row.
GENBASE = DataPlan("genbase", drop=("protein",))


def methods(*names: str) -> list[Method]:
    """Return methods with their default parameters."""
    return [Method(name) for name in names]


def printed(
    table: Table,
    names: Sequence[str],
    measure: str,
    *,
    contest: str,
    at: int | str,
    where: str = "",
) -> list[Published]:
    """Return the values of a table whose columns are methods."""
    return [
        Published(dataset, contest, name, measure, value, at, where)
        for dataset, line in table.items()
        for name, value in zip(names, line, strict=True)
    ]
