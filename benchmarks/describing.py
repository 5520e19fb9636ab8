"""How long it takes to describe data, in fits of FIMF to the same data."""

from __future__ import annotations

from benchmarks._timing import label_forms, seconds, sparse_data
from labelsieve import FIMF, describe


def main() -> None:
    print(f"{'data':<22}{'describe s':>12}{'FIMF s':>10}{'fits':>7}")
    for name in ("enron", "bibtex", "delicious"):
        data = sparse_data(name)
        if data is None:
            continue
        X, Y = data
        for form, labels in label_forms(Y).items():
            report(f"{name}, {form}", X, labels)
        report(f"{name}, dense X", X.toarray(), labels)


def report(title: str, X: object, Y: object) -> None:
    ours = seconds(lambda: describe(X, Y), repeat=3)
    fit = seconds(lambda: FIMF(50).fit(X, Y), repeat=3)
    print(f"{title:<22}{ours:>12.2f}{fit:>10.3f}{ours / fit:>7.1f}")


if __name__ == "__main__":
    main()
