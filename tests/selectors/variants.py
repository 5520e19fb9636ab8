"""Settings of registered methods that tests try beside their own."""

from __future__ import annotations

from typing import Any

from labelsieve.selectors import PrunedTransformation

# Other settings to test, and to make checksums of. A method needs no entry.
VARIANTS: dict[str, list[dict[str, Any]]] = {
    "pmu": [{"n_bins": 4, "binning": "uniform", "label_pairs": "ordered"}],
    "fimf": [{"n_labels": 2, "n_candidates": 3, "n_bins": 3}],
    "mlqpfs": [{"normalize": "simplex", "psd": "shift", "binning": "uniform"}],
    "gmba": [
        {"solver": "batch"},
        {"solver": "batch", "n_anchors": 20},
        {"weighted_distances": True, "n_iterations": 20},
    ],
    "spec": [{"phi": 2, "isolated_degree": 0.01}, {"phi": 3}, {"n_anchors": 20}],
    "mlfs": [{"within": "sum_var"}],
    "mlrf": [{"n_anchors": 20}],
    "emcfs": [{"mode": "threshold"}, {"mode": "count"}],
    "rfs": [{"loss": "squared"}],
    "br+f": [{"aggregate": "max"}],
    "sieve": [{"n_features_to_select": "auto", "n_bins": 3}],
}
# Settings to test that no checksums are made of.
WITHOUT_CHECKSUM: dict[str, list[dict[str, Any]]] = {
    "mlqpfs": [{"normalize": "simplex", "psd": "shift", "binning": "none"}],
    "model+logistic": [{"step": 0.5}],
    "gmba": [{"variant": "authors", "n_neighbors": 1, "step": "constant"}],
    "ppt+mi": [{"transformation": PrunedTransformation(2), "search": "forward"}],
}
