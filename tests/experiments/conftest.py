import pytest

from labelsieve.datasets import Dataset, make_multilabel, save
from labelsieve.experiments import HoldOut, Method, Sizes
from labelsieve.experiments.runner import DataPlan, Design, make_plan, with_controls


@pytest.fixture(scope="session")
def data_folder(tmp_path_factory):
    """Two small data sets in files, as a user has them."""
    folder = tmp_path_factory.mktemp("data")
    for name, seed in (("first", 0), ("second", 1)):
        X, Y, _ = make_multilabel(80, 3, n_noise=6, random_state=seed)
        features = [f"f{i}" for i in range(X.shape[1])]
        labels = [f"label{i}" for i in range(Y.shape[1])]
        save(Dataset(X, Y, features, labels, name), folder / f"{name}.csv")
    return folder


@pytest.fixture
def design(data_folder):
    return small_design(data_folder)


@pytest.fixture
def plan(design):
    return make_plan(design)


def small_design(folder, n_splits=4):
    return Design(
        name="small",
        title="A small experiment",
        datasets=tuple(
            DataPlan(str(folder / f"{name}.csv")) for name in ("first", "second")
        ),
        protocol=HoldOut(n_splits=n_splits),
        contenders=with_controls(
            [Method("fimf"), Method("br+chi2")], [Method("mlnb"), Method("brknn")]
        ),
        views=("quantile",),
        sizes=Sizes(counts=(1, 2, 5, 10)),
        criterion="best",
        measures=("hamming_loss", "ranking_loss", "macro_f1"),
        reference="fimf",
    )
