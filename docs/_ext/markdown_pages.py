"""Writes every page as Markdown beside its HTML, and llms.txt, which lists them all."""

import importlib
import inspect
import re
from pathlib import Path

FRONT = re.compile(r"\A---\n(.*?)^---\n+", re.MULTILINE | re.DOTALL)
# What MyST knows and plain Markdown does not, by what stands for it.
PLAIN = (
    (FRONT, ""),
    (re.compile(r"^```{toctree}\n.*?^```\n+", re.M | re.S), ""),
    (re.compile(r"^```{image} (\S+)\n:alt: (.*?)\n.*?^```", re.M | re.S), r"![\2](\1)"),
    (re.compile(r"^```{code-block} ", re.M), "```"),
    (re.compile(r"^```{glossary}\n(.*?)^```\n", re.M | re.S), r"\1"),
    (re.compile(r"^:::.*\n", re.M), ""),
    (re.compile(r"^<!-- .*? -->\n", re.M), ""),
    (re.compile(r"<!-- .*? -->"), ""),
    (re.compile(r"{py:obj}`~?(?:\w+\.)*(\w+)`"), r"`\1`"),
    (re.compile(r"\]\(([\w/.-]+)\.rst"), r"](\1.md"),
)


def page(name, source):
    """Return a page as Markdown."""
    if name.startswith("generated/labelsieve."):
        return of_object(name.removeprefix("generated/"))
    if name.startswith("gallery/"):
        return of_example(source.parent.parent / "examples" / source.stem)
    text = source.read_text("utf-8")
    text = with_lists(text, "../" * name.count("/"))
    for pattern, plain in PLAIN:
        text = pattern.sub(plain, text)
    return text


def with_lists(text, up):
    """Put lists of links where a page has the tables of the reference."""
    lines, module, inside = [], "labelsieve", False
    for line in text.splitlines():
        if line == "```{eval-rst}" or (inside and line == "```"):
            inside = not inside
        elif not inside:
            lines.append(line)
        elif line.startswith(".. currentmodule:: "):
            module = line.split()[-1]
        elif re.fullmatch(r"   [A-Za-z]\w*", line):
            name = f"{module}.{line.strip()}"
            lines.append(f"- [{name}]({up}generated/{name}.md): {first_line(name)}")
    return "\n".join(lines) + "\n"


def found(name):
    """Return a public object by its dotted name."""
    module, _, last = name.rpartition(".")
    return getattr(importlib.import_module(module), last)


def first_line(name):
    """Return the summary of a public object."""
    return (inspect.getdoc(found(name)) or "").split("\n\n")[0].replace("\n", " ")


def of_object(name):
    """Return the signature and the docstring of a public object."""
    thing = found(name)
    try:
        call = f"{name}{inspect.signature(thing)}"
    except (TypeError, ValueError):
        call = name
    doc = inspect.getdoc(thing) or ""
    doc = re.sub(r"^(\w[\w ]*)\n-{3,}$", r"## \1\n", doc, flags=re.MULTILINE)
    return f"# {name}\n\n```python\n{call}\n```\n\n{doc}\n"


def of_example(script):
    """Return an example of the gallery: its text, and its code in blocks."""
    if script.stem == "index":
        scripts = sorted(script.parent.glob("plot_*.py"))
        lines = [f"- [{title_of(of_example(s))}]({s.stem}.md)" for s in scripts]
        return "# Examples\n\n" + "\n".join(lines) + "\n"
    _, head, code = script.with_suffix(".py").read_text("utf-8").split('"""', 2)
    title, _, text = head.strip().split("\n", 2)
    parts = [f"# {title}", text.strip().replace("``", "`")]
    for cell in re.split(r"^# %%\n", code, flags=re.MULTILINE):
        said = re.match(r"(?:#.*\n)*", cell)[0]
        parts.append(re.sub(r"^# ?", "", said, flags=re.M).replace("``", "`").strip())
        if rest := cell[len(said) :].strip():
            parts.append(f"```python\n{rest}\n```")
    return "\n\n".join(filter(None, parts)) + "\n"


def title_of(text):
    """Return the heading of a page in Markdown."""
    return re.search(r"^# (.*)$", text, re.MULTILINE)[1]


def description(text):
    """Return what a page says of itself, or its first sentence."""
    if front := FRONT.match(text):
        import yaml

        return yaml.safe_load(front[1])["myst"]["html_meta"]["description"].strip()
    body = text.split("\n", 1)[1]
    paragraph = re.search(r"^[A-Za-z*`$][^\n]*(?:\n[^\n]+)*", body, re.MULTILINE)
    said = " ".join(paragraph[0].split()) if paragraph else ""
    said = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", said)
    return re.split(r"(?<=[.:?]) ", said)[0].rstrip(":").replace("**", "")


def contents(app, pages):
    """Return llms.txt: what the library is, and all pages with one sentence each."""
    folders = {
        "Guides": lambda name: "/" not in name,
        "Coming from another tool": lambda name: name.startswith("coming-from/"),
        "Methods": lambda name: name.startswith("methods/"),
        "Examples": lambda name: name.startswith("gallery/"),
        "Reference": lambda name: name.startswith("generated/"),
    }
    lines = ["# labelsieve", "", f"> {said_of('index', app, pages)}"]
    for title, inside in folders.items():
        lines += ["", f"## {title}", ""]
        for name in sorted(filter(inside, pages)):
            said = said_of(name, app, pages)
            lines.append(f"- [{title_of(pages[name])}]({name}.md): {said}")
    return "\n".join(lines) + "\n"


def said_of(name, app, pages):
    """Return one sentence about a page."""
    if name.startswith("generated/labelsieve."):
        return first_line(name.removeprefix("generated/"))
    source = Path(app.env.doc2path(name))
    front = source.suffix == ".md" and FRONT.match(source.read_text("utf-8"))
    return description(front[0] if front else pages[name])


def write(app, exception):
    """Write all pages once the HTML is there."""
    if exception or app.builder.format != "html":
        return
    site = Path(app.outdir)
    names = app.env.found_docs
    pages = {name: page(name, Path(app.env.doc2path(name))) for name in names}
    for name, text in pages.items():
        (site / f"{name}.md").write_text(text, "utf-8")
    (site / "llms.txt").write_text(contents(app, pages), "utf-8")


def link(app, name, template, context, doctree):
    """Say in the head of a page where its Markdown is."""
    if doctree is not None:
        file = f"{name.rpartition('/')[2]}.md"
        context["metatags"] = context.get("metatags", "") + (
            f'<link rel="alternate" type="text/markdown" href="{file}">'
        )


def setup(app):
    """Connect to Sphinx."""
    app.connect("html-page-context", link)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
