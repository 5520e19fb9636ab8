"""Draws formulas with matplotlib: no TeX to install, no script to download."""

import base64
import io
import re
from html import escape

import matplotlib

matplotlib.use("agg")

REPLACED = (
    (r"\tfrac", r"\frac"),
    (r"\lvert", "|"),
    (r"\rvert", "|"),
    (r"\text", r"\mathrm"),
)


def draw(text, size):
    """Return a formula as an image, or as code where matplotlib cannot draw it."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.mathtext import math_to_image

    source = re.sub(r"\s+", " ", text).strip()
    for old, new in REPLACED:
        source = source.replace(old, new)
    out = io.BytesIO()
    try:
        math_to_image(f"${source}$", out, prop=FontProperties(size=size), format="svg")
    except ValueError:
        return f"<code>{escape(text)}</code>"
    data = base64.b64encode(out.getvalue()).decode()
    return (
        f'<img class="formula" alt="{escape(text, quote=True)}" '
        f'src="data:image/svg+xml;base64,{data}">'
    )


def setup(app):
    """Connect to Sphinx."""
    from docutils import nodes

    def inline(self, node):
        self.body.append(draw(node.astext(), 11))
        raise nodes.SkipNode

    def block(self, node):
        self.body.append(f'<div class="formula">{draw(node.astext(), 13)}</div>\n')
        raise nodes.SkipNode

    app.add_html_math_renderer("matplotlib", (inline, None), (block, None))
    return {"parallel_read_safe": True}
