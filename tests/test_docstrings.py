"""Docstrings describe all parameters, in their order and with their defaults."""

import inspect
import re

import numpy as np
import pytest
from sklearn.base import BaseEstimator

import labelsieve
from labelsieve import classifiers
from labelsieve._utils.estimators import Documented, complete_docstring

PACKAGES = (labelsieve, classifiers)
ESTIMATORS = sorted(
    {
        thing
        for package in PACKAGES
        for name in package.__all__
        if isinstance(thing := getattr(package, name), type)
        and issubclass(thing, BaseEstimator)
    },
    key=lambda kind: kind.__name__,
)


def section(kind, title):
    """What a section says of each name, by reading help() line by line."""
    lines = inspect.getdoc(kind).splitlines()
    found, entry = {}, []
    for line in lines[lines.index(title) + 2 :]:
        if re.match(r"\w[\w, ]* : ", line):
            names, _, what = line.partition(" : ")
            entry = [what]
            for name in names.split(", "):
                assert name not in found, f"{name} is described twice"
                found[name] = entry
        elif line.startswith("    "):
            entry.append(line.strip())
        elif line:
            break
    return found


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_parameters_are_described_in_their_order(kind):
    declared = inspect.signature(kind).parameters
    described = section(kind, "Parameters")
    assert list(described) == list(declared)
    for name, (what, *sentences) in described.items():
        assert sentences, name
        told = re.search(r"default=(.*)$", what)
        if told and "," not in told[1]:  # several parameters have several defaults
            default = declared[name].default
            assert told[1].strip('"') == str(default).strip("'"), name


@pytest.mark.parametrize(
    "kind",
    [kind for kind in ESTIMATORS if hasattr(kind, "fit")],
    ids=lambda kind: kind.__name__,
)
def test_fitted_attributes_are_described(kind):
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    Y = rng.integers(0, 2, (40, 2))
    X = pandas.DataFrame(
        np.hstack([Y + 0.3 * rng.normal(size=(40, 2)), rng.normal(size=(40, 3))])
    ).add_prefix("f")
    fitted = kind().fit(X, pandas.DataFrame(Y).add_prefix("label"))
    attributes = {name for name in vars(fitted) if re.fullmatch(r"[a-z]\w*_", name)}
    assert attributes <= set(section(kind, "Attributes"))


class Base(Documented):
    """A base.

    Parameters
    ----------
    first, second : int
        Of the base.
    third : int
        Of the base.
    never : int
        Nobody takes it.

    Attributes
    ----------
    result_ : int
        What came.
    """


class Child(Base):
    """A child.

    Parameters
    ----------
    own : int
        Of the child.
    third : float
        Otherwise.

    Examples
    --------
    >>> 1
    1
    """

    def __init__(self, third, own, first, second):
        pass


def test_what_a_class_leaves_out_its_bases_say():
    assert (
        Child.__doc__
        == inspect.cleandoc("""
        A child.

        Parameters
        ----------
        third : float
            Otherwise.
        own : int
            Of the child.
        first, second : int
            Of the base.

        Attributes
        ----------
        result_ : int
            What came.

        Examples
        --------
        >>> 1
        1
        """)
        + "\n"
    )


def test_completing_twice_changes_nothing():
    before = Child.__doc__
    complete_docstring(Child)
    assert Child.__doc__ == before


def test_without_a_docstring_there_is_none():
    class Silent(Base):
        pass

    assert Silent.__doc__ is None


class Fitted(Documented):
    """Has methods."""

    def fit(self, X, y, own=None):
        """Fit it.

        Parameters
        ----------
        X : array
            The features.
        y : array
            The labels.
        own : int
            Of this class.

        Returns
        -------
        self : object
            Fitted.
        """

    def predict(self, X, way=1):
        """Predict.

        Parameters
        ----------
        way : int
            How.
        """


class Again(Fitted):
    """Has others."""

    def predict(self, X, way=2):
        """Predict otherwise; its base does not say what it returns."""

    def fit(self, X, y, **others):
        """Fit it otherwise.

        Parameters
        ----------
        **others : object
            Nothing.
        """

    def way(self, far):
        """Go."""


def test_what_a_method_leaves_out_others_say():
    told = inspect.getdoc(Fitted.predict)
    assert told.index("X : array\n    The features.") < told.index("way : int")
    assert "Returns" not in told
    assert "The labels" not in told
    told = inspect.getdoc(Again.fit)
    places = [told.index(x) for x in ("X : array", "y : array", "**others", "Fitted.")]
    assert places == sorted(places)
    assert "own" not in told
    assert inspect.getdoc(Again.way) == "Go."
    assert "way : int\n    How." in inspect.getdoc(Again.predict)
