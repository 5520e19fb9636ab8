"""Who waits for a large file sees that it is being read, and how far."""

import io
import re
import sys
import time
import warnings

import pytest

from labelsieve import FIMF, Sieve
from labelsieve._utils.messages import be_silent
from labelsieve.cli import main
from labelsieve.datasets import load

# So many that reading them takes some times longer than the tests are patient.
ROWS = 60_000


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A table of tags and words: that takes seconds."""
    path = tmp_path_factory.mktemp("large") / "la\x1brge.csv"
    row = "1.5,red,quiet;happy\n2.5,green,\n"
    path.write_text("size,color,tags\n" + row * (ROWS // 2))
    return path


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """Tests do not wait for the second that people do."""
    monkeypatch.setattr("labelsieve._utils.messages.PATIENCE", 0.05)
    be_silent(False)  # as a process that has just begun


def test_a_large_file_shows_how_far_it_is_read(large, monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    assert load(large, labels=["tags"], separator=";").X.shape == (ROWS, 2)
    shown = terminal.getvalue()
    shares = [
        int(share) for share in re.findall(r"reading la\ufffdrge.csv: (\d+)%", shown)
    ]
    assert shares
    assert shares == sorted(shares)
    assert 0 < shares[0] <= 100
    assert shown.endswith("\r\x1b[K")  # the line is gone
    assert "\n" not in shown


def test_nobody_is_shown_what_nobody_waits_for(large, tmp_path, monkeypatch):
    small = tmp_path / "small.csv"
    small.write_text("size,tag_a\n1,0\n2,1\n")
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    load(small, labels="tag_")
    assert terminal.getvalue() == ""
    monkeypatch.setattr(sys, "stderr", elsewhere := io.StringIO())
    load(large, labels=["tags"], separator=";")
    assert elsewhere.getvalue() == ""


def test_quiet_is_quiet(large, monkeypatch, capsysbinary):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    words = ["--labels", "tags", "--separator", ";", "--quiet"]
    assert main(["describe", str(large), *words]) == 0
    assert terminal.getvalue() == ""


def until_shown(terminal, words):
    """Wait for what a person would see, however slow the machine is."""
    end = time.monotonic() + 30
    while words not in terminal.getvalue() and time.monotonic() < end:
        time.sleep(0.01)


@pytest.mark.parametrize("verbose", [True, False])
def test_a_slow_fit_shows_that_it_goes_on(verbose, monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    read = Sieve._read_both

    def slow(selector, *data, **options):
        if verbose:
            until_shown(terminal, "Sieve: 0 s")
        return read(selector, *data, **options)

    monkeypatch.setattr(Sieve, "_read_both", slow)
    Sieve(1, verbose=verbose).fit([[0, 1], [1, 1], [0, 0], [1, 0]], [0, 1, 0, 1])
    shown = terminal.getvalue()
    assert ("\r\x1b[KSieve: 0 s" in shown) == verbose
    assert ("\r\x1b[KSieve: 1 of 1" in shown) == verbose
    assert shown.endswith("\n") == verbose  # the last line of progress stays


def test_the_command_shows_what_it_does(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    for name, words in (
        ("fit", "selecting features with fimf: 0 s"),
        ("explain", "explaining the selection: 0 s"),
    ):
        before = getattr(FIMF, name)

        def slow(selector, *data, before=before, words=words, **options):
            until_shown(terminal, words)
            warnings.warn(f"after {words}", stacklevel=1)
            return before(selector, *data, **options)

        monkeypatch.setattr(FIMF, name, slow)
    assert main(["select", "builtin:segments", "-k", "3", "--method", "fimf"]) == 0
    shown = terminal.getvalue()
    for words in ("selecting features with fimf: 0 s", "explaining the selection: 0 s"):
        assert f"\r\x1b[K{words}" in shown
        # A warning takes the place of the line, not the rest of it.
        assert re.search(rf"\r\x1b\[Klabelsieve: [^\r]*after {words}\n", shown)
    assert shown.endswith(("\r\x1b[K", "\n"))
