"""What ``make docs`` asks of the built pages: links lead somewhere, pictures speak."""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The links, anchors and pictures of one page."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.silent: list[str] = []
        self.feed(file.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag links to, how it is linked to, and what it lacks."""
        given = dict(attrs)
        self.anchors.update(filter(None, (given.get("id"), given.get("name"))))
        self.links += filter(None, (given.get("href"), given.get("src")))
        if tag == "img" and "alt" not in given:
            self.silent.append(str(given.get("src"))[:80])


def problems(site: Path) -> list[str]:
    """Return what is wrong with the pages of a folder."""
    pages = {file.resolve(): Page(file) for file in sorted(site.rglob("*.html"))}
    found = []
    for file, page in pages.items():
        name = file.relative_to(site.resolve())
        found += [f"{name}: picture that says nothing: {src}" for src in page.silent]
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (file.parent / unquote(parts.path)).resolve()
            target = file if not parts.path else target
            if not target.exists():
                found.append(f"{name}: {link} leads nowhere")
            elif parts.fragment and target in pages:
                anchor = unquote(parts.fragment)
                if anchor not in pages[target].anchors:
                    found.append(f"{name}: there is no anchor {link}")
    return found + unlisted(site)


def unlisted(site: Path) -> list[str]:
    """Return what llms.txt lists in vain, if there is one."""
    contents = site / "llms.txt"
    text = contents.read_text("utf-8") if contents.exists() else ""
    links = re.findall(r"\]\(([^)]+)\)", text)
    return [f"llms.txt: {x} leads nowhere" for x in links if not (site / x).exists()]


if __name__ == "__main__":
    sys.exit("\n".join(problems(Path(sys.argv[1]))) or None)
