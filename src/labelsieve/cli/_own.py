"""Features of single labels, beyond those that were selected for all: ``--own``."""

from __future__ import annotations

import argparse
from typing import Any

from labelsieve.cli._options import whole_number


def add_own_option(parser: argparse.ArgumentParser) -> None:
    """Add the option."""
    parser.add_argument(
        "--own",
        type=whole_number,
        metavar="N",
        help="also choose for each label at most N features beyond those of all",
    )


def fit_own(selector: Any, X: Any, Y: Any, arguments: argparse.Namespace) -> Any:
    """Return the features of each label beyond the selected ones, None if not asked."""
    if arguments.own is None:
        return None
    from sklearn.base import clone

    from labelsieve.selectors import SharedAndOwn

    kept = int(selector.support_.sum())
    own = SharedAndOwn(clone(selector), n_shared=kept, n_own=arguments.own)
    return own.fit(X, Y)


def own_as_text(own: Any, dataset: Any) -> str:
    """Return the own features of each label as a table for people."""
    from labelsieve.selectors import own_table

    return own_table(own, dataset.feature_names, dataset.label_names).to_text()


def own_as_dict(own: Any, dataset: Any) -> dict[str, Any]:
    """Return the own features of each label, for machines; nothing if not asked."""
    if own is None:
        return {}
    return {
        "own": {
            label: [dataset.feature_names[f] for f in features if f >= 0]
            for label, features in zip(dataset.label_names, own.own_table_, strict=True)
        }
    }
