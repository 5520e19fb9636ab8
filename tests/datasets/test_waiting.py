"""Who waits for a large file sees that it is being read, and how far."""

import io
import re
import sys

import pytest

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
    monkeypatch.setattr("labelsieve._plumbing.messages.PATIENCE", 0.05)


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
