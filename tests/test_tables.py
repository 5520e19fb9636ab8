"""One description of a table, shown as text, Markdown, on a page and as values."""

from dataclasses import replace

import pytest

from labelsieve._utils.messages import Column, Table, TableCell, numbers
from labelsieve.report import render_page
from labelsieve.report.blocks import section
from labelsieve.report.blocks import table as block

COLUMNS = [Column("method", "name"), numbers("loss", "loss", ".2f")]
TABLE = Table(
    "Losses",
    COLUMNS,
    [{"name": "sieve", "loss": 0.126}, {"name": "a long name", "loss": 12.0}],
    ["Smaller is better."],
)
NAN = float("nan")


def html(table):
    made = section("s", "s", "s", [], [block(table)])
    page = {"title": "", "kicker": "", "summary": [], "sections": [made]}
    rendered = render_page(page)
    return rendered[rendered.index("<table") : rendered.index("</table>")]


def with_name(name):
    return replace(TABLE, rows=[{"name": name, "loss": 1.0}])


def test_text_has_numbers_at_the_right_and_words_at_the_left():
    assert TABLE.to_text() == (
        "Losses\n\nSmaller is better.\n\n"
        "method        loss\n"
        "sieve         0.13\n"
        "a long name  12.00"
    )


def test_markdown_has_a_heading_of_the_level_that_is_asked():
    drawn = (
        "| method | loss |\n| --- | --- |\n| sieve | 0.13 |\n| a long name | 12.00 |"
    )
    assert TABLE.to_markdown() == f"## Losses\n\nSmaller is better.\n\n{drawn}"
    assert TABLE.to_markdown(level=0) == f"Smaller is better.\n\n{drawn}"


def test_page_aligns_and_sorts_numbers():
    shown = block(TABLE)
    assert shown["caption"] == "Losses"
    assert shown["columns"] == [
        {"title": "method", "number": False},
        {"title": "loss", "number": True},
    ]
    (_, first), (_, second) = shown["rows"]
    assert (first["text"], first["sort"], first["classes"]) == ("0.13", 0.126, "number")
    assert second["sort"] == 12.0
    assert '<td data-sort="0.126" class="number">0.13</td>' in html(TABLE)


def test_values_are_not_formatted():
    assert TABLE.to_dicts() == [
        {"name": "sieve", "loss": 0.126},
        {"name": "a long name", "loss": 12.0},
    ]


def test_empty_table():
    empty = replace(TABLE, title="", notes=[], rows=[])
    assert empty.to_text() == "method  loss"
    assert empty.to_markdown(level=0) == "| method | loss |\n| --- | --- |"
    assert empty.to_dicts() == []
    assert not block(empty)["sortable"]
    assert "<td" not in html(empty)
    assert empty.without_constant("name").columns == COLUMNS[1:]


@pytest.mark.parametrize("row", [{"name": "x", "loss": None}, {"name": "x"}])
def test_nothing_is_shown_as_nothing(row):
    table = replace(TABLE, title="", notes=[], rows=[row])
    assert table.to_text() == "method  loss\nx"
    assert table.to_markdown(level=0).endswith("| x |  |")
    assert table.to_dicts() == [{"name": "x", "loss": None}]
    (cell,) = (row[1] for row in block(table)["rows"])
    assert (cell["text"], cell["sort"]) == ("", None)


@pytest.mark.parametrize("value", [NAN, float("inf"), -float("inf")])
def test_what_is_no_number_is_told_and_not_sorted(value):
    table = replace(TABLE, rows=[{"name": "x", "loss": value}])
    assert f"| x | {value:.2f} |" in table.to_markdown()
    assert block(table)["rows"][0][1]["sort"] is None
    assert "data-sort" not in html(table)


def test_minus_zero_is_zero():
    column = numbers("n", "n")
    assert [column.cell({"n": n}).text for n in (-0.0, 0, 1e-9)] == ["0", "0", "1e-09"]


def test_html_is_escaped():
    shown = html(with_name("<script>alert(1)</script> & \"'"))
    assert "<script>" not in shown
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &#34;&#39;" in shown


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a|b", r"a\|b"),
        ("<b>x</b>", r"\<b>x\</b>"),
        ("two\nlines\r\nand more", "two lines and more"),
        ("p < 0.001", "p < 0.001"),
        ("hamming_loss", "hamming_loss"),
    ],
)
def test_markdown_is_escaped(name, shown):
    assert f"\n| {shown} | 1.00 |" in with_name(name).to_markdown()
    heading = Table("", [Column(name, "x")], []).to_markdown(level=0)
    assert heading.startswith(f"| {shown} |\n")


def test_terminals_are_not_controlled():
    text = with_name("\x1b[31mred\x07").to_text()
    assert "\x1b" not in text
    assert "\N{REPLACEMENT CHARACTER}[31mred\N{REPLACEMENT CHARACTER}  1.00" in text


def test_the_best_is_bold_and_marks_are_for_pages():
    best = TableCell(0.1, "0.10", "best", "▲", "better <than> sieve")
    table = replace(TABLE, rows=[{"name": "x", "loss": best}])
    assert "| x | **0.10** |" in table.to_markdown()
    assert table.to_text().endswith("x       0.10")
    assert table.to_dicts() == [{"name": "x", "loss": 0.1}]
    assert 'class="number best">0.10<span class="mark"' in html(table)
    assert "better &lt;than&gt; sieve" in html(table)


def test_several_entries_in_one_column():
    interval = numbers("interval", ("low", "high"), "{:.1f} to {:.1f}".format)
    verdict = Column("verdict", "verdict", tones={"reproduced": "good"})
    row = {"low": 0.25, "high": 0.5, "verdict": "reproduced"}
    table = Table("", [interval, verdict], [row])
    first, second = table.cells()[0]
    assert (first.text, first.sort) == ("0.2 to 0.5", 0.25)
    assert (second.text, second.tone, second.sort) == ("reproduced", "good", None)
    assert table.to_dicts() == [row]


def test_columns_that_say_the_same_everywhere_can_go():
    table = replace(TABLE, rows=[{"name": "x", "loss": n} for n in (1.0, 2.0)])
    assert table.without_constant("name", "loss").columns == COLUMNS[1:]
    assert table.without_constant("loss").columns == COLUMNS
    assert table.without("loss").columns == COLUMNS[:1]
