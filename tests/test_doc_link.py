"""The HTML of an estimator links to its page, where the release knows its address."""

import pytest
from sklearn.base import BaseEstimator
from sklearn.utils import estimator_html_repr

import labelsieve
from labelsieve._utils import estimators

ESTIMATORS = [
    name
    for name in labelsieve.__all__
    if isinstance(getattr(labelsieve, name), type)
    and issubclass(getattr(labelsieve, name), BaseEstimator)
]


@pytest.fixture
def told(monkeypatch):
    fields = ["Source, a://b", "Documentation, a://pages"]
    answer = type("Metadata", (), {"get_all": lambda self, name: fields})()
    monkeypatch.setattr(estimators, "metadata", lambda name: answer)
    estimators.documentation.cache_clear()
    yield
    estimators.documentation.cache_clear()


@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimators_link_to_their_pages(told, name):
    estimator = getattr(labelsieve, name)()
    page = f"a://pages/generated/labelsieve.{name}.html"
    assert estimator._get_doc_link() == page
    assert page in estimator_html_repr(estimator)


def test_classes_of_others_have_no_page_here(told):
    class Mine(labelsieve.Sieve):
        pass

    assert Mine()._get_doc_link() == ""


@pytest.mark.parametrize("fields", [None, ["Source, a://b"]])
def test_no_address_no_link(monkeypatch, fields):
    answer = type("Metadata", (), {"get_all": lambda self, name: fields})()
    monkeypatch.setattr(estimators, "metadata", lambda name: answer)
    estimators.documentation.cache_clear()
    assert labelsieve.Sieve()._get_doc_link() == ""
    assert "a://" not in estimator_html_repr(labelsieve.Sieve())
    estimators.documentation.cache_clear()
