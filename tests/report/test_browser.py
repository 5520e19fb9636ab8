"""The page in a real Chromium: it works, asks for nothing, and everyone can use it."""

import pytest
from tests.report.browser import read_axe
from tests.report.conftest import HOSTILE

KINDS = ("selection", "sure", "comparison", "many", "one")
VIEWS = [(1280, "light"), (1280, "dark"), (360, "light"), (360, "dark")]

# Text of different elements must not cover each other; a table may scroll.
OVERLAPS = """
(() => {
  const boxes = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, parent = node.parentElement;
    if (!node.textContent.trim() || !parent.checkVisibility()) continue;
    if (parent.closest('script, style, noscript, .spoken, .table, .skip, select, .top'))
      continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const r of range.getClientRects())
      if (r.width > 1 && r.height > 1)
        boxes.push([r.left + 1, r.top + 3, r.right - 1, r.bottom - 3, node.data]);
  }
  const found = [];
  for (let i = 0; i < boxes.length; i++)
    for (let j = i + 1; j < boxes.length; j++) {
      const [a, b] = [boxes[i], boxes[j]];
      if (a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3])
        found.push(a[4].slice(0, 30) + ' | ' + b[4].slice(0, 30));
    }
  return found;
})()
"""


# No word of a picture is cut by its edge.
CUT = """
[...document.querySelectorAll('svg[role=img]')].flatMap(svg => {
  const box = svg.getBoundingClientRect();
  return [...svg.querySelectorAll('text')].filter(text => {
    const r = text.getBoundingClientRect();
    return r.width > 0 && (r.left < box.left - 1 || r.right > box.right + 1
      || r.top < box.top - 1 || r.bottom > box.bottom + 1);
  }).map(text => text.textContent.trim());
})
"""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("width", "scheme"), VIEWS)
def test_clean_and_within_the_window(browser, pages, kind, width, scheme):
    browser.open(pages[kind], width, scheme)
    assert browser.problems == []
    assert browser.requests == [pages[kind].as_uri()]
    assert browser.run("window.hacked") is None
    assert browser.run("document.documentElement.scrollWidth") <= width
    assert browser.run(OVERLAPS) == []
    assert browser.run(CUT) == []


def test_no_setting_is_cut_on_a_phone(browser, pages):
    browser.open(pages["selection"], 360)
    broken = browser.run(
        """[...document.querySelectorAll('.grid-of-tables tbody th')].filter(cell => {
          const range = document.createRange();
          range.selectNodeContents(cell);
          return range.getClientRects().length > 1;
        }).map(cell => cell.textContent)"""
    )
    assert broken == []


# What a table that is wider than its frame says above its columns.
HINTS = """
[...document.querySelectorAll('.table')]
  .filter(frame => frame.checkVisibility()).map(frame =>
  [frame.scrollWidth > frame.clientWidth + 1,
   getComputedStyle(frame.querySelector('caption'), '::after').content])
"""


@pytest.mark.parametrize("width", [390, 1280])
def test_columns_off_the_screen_are_told(browser, pages, width):
    browser.open(pages["selection"], width)
    hints = browser.run(HINTS)
    assert hints
    assert any(is_wider for is_wider, _ in hints) == (width == 390)
    for is_wider, said in hints:
        assert ("sideways" in said) == is_wider


@pytest.mark.parametrize("kind", KINDS)
def test_schemes_differ(browser, pages, kind):
    colours = set()
    for scheme in ("light", "dark"):
        browser.open(pages[kind], scheme=scheme)
        colours.add(browser.run("getComputedStyle(document.body).backgroundColor"))
    assert len(colours) == 2


def test_hostile_names_show_as_text(browser, pages):
    browser.open(pages["selection"])
    names = browser.run(
        "[...document.querySelectorAll('table.sortable tbody th')]"
        ".map(cell => cell.textContent)"
    )
    assert {name.strip() for name in HOSTILE} <= {name.strip() for name in names}
    assert browser.run("document.images.length") == 0


def test_toggling_lines(browser, pages):
    browser.open(pages["comparison"])
    lines = (
        "[...document.querySelectorAll('.plot g[data-method]')]"
        ".map(g => g.dataset.method)"
    )
    before = browser.run(lines)
    assert {"fimf", "br+mi", "mlfs", "random", "all"} == set(before)
    box = "document.querySelector('.legend input[value=\"mlfs\"]')"
    browser.run(f"{box}.click()")
    assert browser.run(lines) == [name for name in before if name != "mlfs"]
    browser.run(f"{box}.click()")
    assert browser.run(lines) == before


def test_choosing_data_and_measure(browser, pages):
    browser.open(pages["comparison"])
    before = browser.run("document.querySelector('.plot').innerHTML")
    browser.run(
        """{
        const select = document.querySelector('select[name=measure]');
        select.value = 'macro_f1';
        select.dispatchEvent(new Event('change', { bubbles: true }));
        }"""
    )
    after = browser.run("document.querySelector('.plot').innerHTML")
    assert before != after
    assert "macro-F1" in after


def test_values_under_the_pointer(browser, pages):
    browser.open(pages["selection"])
    browser.run(
        "document.querySelector('.plot')"
        ".scrollIntoView({block: 'center', behavior: 'instant'})"
    )
    x, y = browser.run(
        "(() => { const r = document.querySelector('.plot').getBoundingClientRect();"
        "return [r.left + r.width / 2, r.top + r.height / 2]; })()"
    )
    browser.move_to(x, y)
    said = browser.run("document.querySelector('.readout').textContent")
    assert " · chosen features 0." in said
    assert browser.run("document.querySelectorAll('.plot circle').length") == 3


def test_values_by_keyboard(browser, pages):
    browser.open(pages["selection"])
    browser.run("document.querySelector('.plot').focus()")
    readout = "document.querySelector('.readout').textContent"
    browser.press("ArrowRight")
    assert browser.run(readout).startswith("1 feature ")
    browser.press("End")
    assert not browser.run(readout).startswith("1 feature ")
    browser.press("Home")
    assert browser.run(readout).startswith("1 feature ")


def test_chosen_size_is_marked(browser, pages, sure_content):
    browser.open(pages["sure"])
    (chart,) = (s for s in sure_content["sections"] if s["id"] == "size")
    chosen = chart["blocks"][0]["data"]["chosen"]
    marked = browser.run("document.querySelector('#size .plot').textContent")
    assert f"{chosen} kept" in marked
    assert browser.run("document.querySelectorAll('#size .chosen').length") == 1


def test_sorting(browser, pages):
    browser.open(pages["selection"])
    column = (
        "[...document.querySelector('table.sortable').tBodies[0].rows]"
        ".map(row => Number(row.cells[2].dataset.sort))"
    )
    head = "document.querySelectorAll('table.sortable thead th')[2]"
    browser.run(f"{head}.querySelector('button').click()")
    found = browser.run(column)
    assert found == sorted(found)
    assert browser.run(f"{head}.getAttribute('aria-sort')") == "ascending"
    browser.run(f"{head}.querySelector('button').click()")
    assert browser.run(column) == sorted(found, reverse=True)
    assert browser.run("document.querySelectorAll('[aria-sort]').length") == 1


def test_command_can_be_copied(browser, pages):
    browser.open(pages["selection"])
    browser.run("document.querySelector('.copy').click()")
    assert "select '<music>.arff'" in browser.run(
        "document.querySelector('.command code').textContent"
    )
    assert browser.run("document.querySelector('.copy').hidden") is False


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("width", "scheme"), VIEWS[:3])
def test_accessibility(browser, pages, kind, width, scheme):
    script = read_axe()
    browser.open(pages[kind], width, scheme)
    assert browser.run(script) == []
