"""Draws formulas with matplotlib: no TeX to install, no script to download."""

import base64
import io
import re
from html import escape

import matplotlib

matplotlib.use("agg")

# What matplotlib does not know, by what it draws instead.
REPLACED = (
    (r"\\tfrac", r"\\frac"),
    (r"\\frac(\d)(\d)", r"\\frac{\1}{\2}"),
    (r"\\[lr]vert", "|"),
    (r"\\text", r"\\mathrm"),
    (r"\\[Bb]igl", r"\\left"),
    (r"\\[Bb]igr", r"\\right"),
)


def draw(text, size):
    """Return a formula as an image."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.mathtext import math_to_image

    source = re.sub(r"\s+", " ", text).strip()
    for old, new in REPLACED:
        source = re.sub(old, new, source)
    out = io.BytesIO()
    math_to_image(f"${source}$", out, prop=FontProperties(size=size), format="svg")
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
