"""The papers' experiments as data: what was compared, how, and what was printed."""

from labelsieve.experiments.papers import emcfs, fimf, gmba, mlqpfs, pmu
from labelsieve.experiments.papers._paper import GENBASE, Claim, Paper, Published

PAPERS: dict[str, Paper] = {
    module.PAPER.design.name: module.PAPER
    for module in (pmu, mlqpfs, emcfs, gmba, fimf)
}

__all__ = ["GENBASE", "PAPERS", "Claim", "Paper", "Published"]
