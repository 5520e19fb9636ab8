"""One cell of an experiment: a data set, a split, a selector and a classifier."""

from __future__ import annotations

import contextlib
import ctypes
import signal
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from labelsieve import metrics
from labelsieve._utils.typing import IntArray
from labelsieve.classifiers import PathPredictor
from labelsieve.experiments import data, methods
from labelsieve.experiments.data import DataSource, Loaded, Split, SplitProtocol, read
from labelsieve.experiments.methods import ALL, Method, rank_features
from labelsieve.experiments.store import Record, key_of
from labelsieve.reading import Features, strata

Result = TypeVar("Result")


def measure(
    function: Callable[[], Result], what: str
) -> tuple[Result, dict[str, float | None]]:
    """Call a function and return its result with what it cost, in seconds and bytes.

    Memory is what the process had resident at most, above what it had before; the
    operating system must offer a counter that can be reset, as Linux does.
    """
    before = _reset_peak()
    begin, begin_cpu = time.perf_counter(), time.process_time()
    result = function()
    cpu = time.process_time() - begin_cpu
    seconds = time.perf_counter() - begin
    after = _status_bytes("VmHWM")
    known = before is not None and after is not None
    return result, {
        f"{what}_seconds": float(f"{seconds:.4g}"),
        f"{what}_cpu_seconds": float(f"{cpu:.4g}"),
        f"{what}_peak_bytes": max(after - before, 0) if known else None,  # type: ignore[operator]
    }


@contextlib.contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """TimeoutError once the process has computed for so long; None sets no limit.

    What a library computes in one call is not interrupted, but ends the work when the
    call is over. Where the system has no such clock, as on Windows, and in threads
    that are not the first, there is no limit.
    """
    first = threading.current_thread() is threading.main_thread()
    if seconds is None or not first or not hasattr(signal, "SIGPROF"):
        yield
        return

    def stop(*_: object) -> None:
        raise TimeoutError(f"not done after {seconds:g} processor seconds")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _reset_peak() -> int | None:
    """Set the peak of resident memory to what is resident now, and return that."""
    # What was freed before must not hide what is allocated now.
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
    except OSError:
        return None
    return _status_bytes("VmRSS")


def _status_bytes(field: str) -> int | None:
    with contextlib.suppress(OSError), open("/proc/self/status") as lines:
        for line in lines:
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
    return None


# Which results cells hold: raised when those of a method change, so that results are
# computed once for all releases that agree.
RESULTS_VERSION = "0.1.0.dev0"
# Measures are kept with so many digits: more are noise, and fill the store.
DIGITS = 9
# Cells that keep only some measures are many: fewer digits, and so many features.
FEWER_DIGITS, MOST_KEPT = 6, 100
# Scores of this many bytes are held at a time; longer paths are cut into pieces.
MOST_SCORE_BYTES = 2**28


@dataclass(frozen=True)
class Sizes:
    """At which numbers of features a ranking is evaluated.

    Either counts, or fractions of the features that vary in the training rows.

    Examples
    --------
    >>> from labelsieve.experiments import Sizes
    >>> Sizes(counts=(1, 5, 50)).resolve(n_varying=30, n_features=40)
    ([1, 5], [1, 5])
    >>> Sizes(fractions=(0.1, 0.5)).resolve(n_varying=30, n_features=40)
    ([0.1, 0.5], [3, 15])
    """

    counts: tuple[int, ...] = ()
    fractions: tuple[float, ...] = ()

    def resolve(
        self, n_varying: int, n_features: int
    ) -> tuple[list[float] | list[int], list[int]]:
        """Return the points asked for, and the number of features at each."""
        if self.fractions:
            sizes = [max(1, int(part * n_varying)) for part in self.fractions]
            return list(self.fractions), sizes
        counts = [count for count in self.counts if count <= n_features]
        return counts, counts


@dataclass(frozen=True)
class Cell:
    """All that determines one line of results."""

    source: DataSource
    checksum: str
    protocol: SplitProtocol
    seed: int
    split: int
    view: str
    selector: Method
    classifier: Method
    sizes: Sizes
    # Processor seconds that the selection may take, and each judgement; None: any.
    budget: float | None = None
    measures: tuple[str, ...] | None = None  # that are kept; None: all
    # What tables call the comparison, and the selector with its classifier: they
    # determine nothing.
    contest: str = ""
    method: str = ""

    def identity(self) -> dict[str, Any]:
        """Return what determines the result, as plain values."""
        return {"classifier": self.classifier.identity(), **self.selection_identity()}

    def selection_identity(self) -> dict[str, Any]:
        """Return what the selection depends on: everything but the classifier."""
        special = {
            "budget": self.budget,
            "groups": self.source.groups,
            "measures": None if self.measures is None else list(self.measures),
        }
        return {
            **{name: value for name, value in special.items() if value is not None},
            "data": self.checksum,
            "dataset": self.source.name,
            "protocol": self.protocol.identity(),
            "seed": self.seed,
            "selector": self.selector.identity(),
            "sizes": asdict(self.sizes),
            "split": self.split,
            "version": RESULTS_VERSION,
            "view": self.view,
        }

    @property
    def key(self) -> str:
        """A digest of `identity`."""
        return key_of(self.identity())

    @property
    def selection_key(self) -> str:
        """A digest of `selection_identity`."""
        return key_of(self.selection_identity())


def run_cells(cells: Sequence[Cell]) -> Iterator[Record]:
    """Compute cells that share one selection; a record of each when it is done.

    A cell that fails gives a record with the reason. One thread computes, so that
    results do not depend on how many processes there are.
    """
    try:
        with _one_quiet_thread():
            selection = _select(cells[0])
    except Exception as error:
        yield from [_failed(cell, error) for cell in cells]
        return
    for cell in cells:
        with _one_quiet_thread():
            record = _evaluate(cell, selection)
        yield record


@contextlib.contextmanager
def _one_quiet_thread() -> Iterator[None]:
    with threadpool_limits(1), warnings.catch_warnings():
        # Labels without rows in a training part are expected here.
        warnings.simplefilter("ignore")
        yield


@dataclass(frozen=True)
class _Selection:
    data: Loaded
    split: Split
    order: IntArray
    points: Sequence[float]
    sizes: list[int]
    cost: dict[str, float | None]


def _select(cell: Cell) -> _Selection:
    """Rank the features, knowing nothing of the test rows."""
    found = read(cell.source)
    shared = strata(found.Y, found.kinds) if found.kinds else found.Y
    split = cell.protocol.split(shared, cell.seed, cell.split, found.groups)
    X, Y = found.X[split.train], found.Y[split.train]
    points: Sequence[float] = [X.shape[1]]
    sizes = [X.shape[1]]
    if cell.selector.name != ALL:
        n_varying = max(int(methods.varying(X).sum()), 1)
        points, sizes = cell.sizes.resolve(n_varying, X.shape[1])
    if cell.view not in data.CODES:
        X, _ = data.transform_rows(cell.view, X, X[:1])
    how = cell.view, [cell.seed, cell.split], found.kinds
    with time_limit(cell.budget):
        order, cost = measure(
            lambda: rank_features(cell.selector, X, Y, max(sizes), *how), "select"
        )
    return _Selection(found, split, order[: max(sizes)], points, sizes, cost)


def _evaluate(cell: Cell, selection: _Selection) -> Record:
    try:
        with time_limit(cell.budget):
            measures, cost = measure(lambda: _measures(cell, selection), "judge")
    except Exception as error:
        return _failed(cell, error)
    kept = None if cell.measures is None else MOST_KEPT
    shown = selection.order[: 0 if cell.selector.name == ALL else kept]
    return {
        "key": cell.key,
        "cell": cell.identity(),
        "points": list(selection.points),
        "sizes": selection.sizes,
        "order": shown.tolist(),
        "n_features": int(selection.data.X.shape[1]),
        "n_train": int(selection.split.train.size),
        "n_test": int(selection.split.test.size),
        "measures": measures,
        "cost": {**selection.cost, **cost},
    }


def _measures(cell: Cell, selection: _Selection) -> dict[str, list[float]]:
    """All measures of the test rows at every size."""
    view = methods.classifier_view(cell.classifier, cell.view)
    found, split = selection.data, selection.split
    parts = data.with_medians(found.X[split.train], found.X[split.test])
    parts = data.transform_rows(view, *parts)
    stack = sp.vstack if sp.issparse(parts[0]) else np.vstack
    features = Features(stack(parts))
    train, test = np.split(np.arange(features.values.shape[0]), [split.train.size])
    Y, seed = found.Y[np.r_[split.train, split.test]], [cell.seed, cell.split]
    classifier = methods.make_classifier(cell.classifier, view, seed)
    regressor = methods.make_regressor(cell.classifier, seed)
    predictor = PathPredictor(features, Y, classifier, False, found.kinds, regressor)
    likely = None if found.kinds else metrics.propensities(Y[train])
    of_labels = partial(metrics.evaluate, propensities=likely)
    measured: dict[str, list[float]] = {}
    digits = DIGITS if cell.measures is None else FEWER_DIGITS
    length = max(MOST_SCORE_BYTES // (16 * Y[test].size), 1)
    for start in range(0, len(selection.sizes), length):
        sizes = np.array(selection.sizes[start : start + length])
        path = predictor.path(train, test, selection.order, sizes)
        for place in range(sizes.size):
            asked = predictor, test, path, place, of_labels
            values = metrics.evaluate_targets(*asked)
            for name in cell.measures or values:
                measured.setdefault(name, []).append(round(values[name], digits))
    return measured


def _failed(cell: Cell, error: Exception) -> Record:
    cause: BaseException | None = error
    while cause is not None:
        # Modules that are being loaded replace Ctrl-C by an error of their own.
        if isinstance(cause, KeyboardInterrupt):
            raise KeyboardInterrupt from error
        cause = cause.__cause__ or cause.__context__
    place = traceback.extract_tb(error.__traceback__)[-1]
    return {
        "key": cell.key,
        "cell": cell.identity(),
        "error": f"{type(error).__name__}: {error}",
        "where": f"{place.name}, line {place.lineno}",
    }
