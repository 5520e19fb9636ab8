"""Verdicts straight from their definition."""

import math

from scipy import stats


def verdicts(pairs, shared, tolerance):
    """The verdict of each classifier from (chosen, other) values of splits.

    The corrected resampled t-test of Nadeau and Bengio, Holm over the classifiers;
    `shared` is what the variance of the mean has beyond one over the number of splits.
    """
    tests = []
    for chosen, other in pairs:
        gains = [ours - theirs for ours, theirs in zip(chosen, other, strict=True)]
        n = len(gains)
        mean = sum(gains) / n
        variance = sum((gain - mean) ** 2 for gain in gains) / (n - 1)
        error = math.sqrt((1 / n + shared) * variance)
        p = 2 * stats.t.sf(abs(mean / error), n - 1)
        low = mean - stats.t.ppf(0.975, n - 1) * error
        tests.append((p, mean, low, tolerance * sum(other) / n))
    found = [None] * len(tests)
    ordered = sorted(range(len(tests)), key=lambda classifier: tests[classifier][0])
    rejected = True
    for rank, classifier in enumerate(ordered):
        p, mean, low, limit = tests[classifier]
        rejected = rejected and p * (len(tests) - rank) < 0.05
        if rejected:
            found[classifier] = "better" if mean > 0 else "worse"
        else:
            found[classifier] = "equivalent" if -low < limit else "inconclusive"
    return found
