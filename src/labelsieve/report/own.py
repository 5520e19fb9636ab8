"""The part of a page about features that single labels have of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from labelsieve.plots import InformationDisplay
from labelsieve.report import blocks
from labelsieve.selectors import SharedAndOwn, own_table

MOST_FEATURES, MOST_LABELS = 25, 16


def own_section(
    own: SharedAndOwn,
    X: Any,
    Y: Any,
    feature_names: Sequence[str],
    label_names: Sequence[str],
) -> dict[str, Any]:
    """Return the section: the matrix of labels and their own features, and a table.

    Parameters
    ----------
    own : SharedAndOwn
        Fitted.
    X, Y : as in `fit`
        The data.
    feature_names, label_names : sequence of str
        What to call them.
    """
    text = (
        f"All labels share {own.shared_.size} features. Each label was asked what it "
        "needs beyond them: features that tell something significant about it which "
        "those, and its own before, do not. A label that needs nothing has none."
    )
    drawn = _matrix(own, X, Y, feature_names, label_names)
    caption = "Percent of a label that each of its own features tells by itself."
    shown = [] if drawn is None else [blocks.picture("own", drawn, "Own", caption)]
    return blocks.section(
        "own",
        "Own features",
        "What does each label need beyond?",
        [text],
        [
            *([blocks.pictures(*shown)] if shown else []),
            blocks.table(own_table(own, feature_names, label_names)),
        ],
    )


def _matrix(
    own: SharedAndOwn, X: Any, Y: Any, features: Sequence[str], labels: Sequence[str]
) -> InformationDisplay | None:
    """Own features in lines and labels in columns; None where no label has any."""
    explanation = own.explain(X, Y, feature_names=features, label_names=labels)
    beyond = slice(own.shared_.size, own.shared_.size + MOST_FEATURES)
    chosen = explanation.features[beyond]
    if not chosen.size:
        return None
    owned = own.label_support_[:, chosen].T
    some = np.sort(np.argsort(-owned.sum(axis=0), kind="stable")[:MOST_LABELS])
    shares = np.where(owned, explanation.label_shares[beyond], 0.0)
    names = [features[feature] for feature in chosen]
    return InformationDisplay(shares[:, some], names, [labels[i] for i in some])
