"""How the documentation is built: offline, its examples run, its pictures drawn."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

import labelsieve  # noqa: E402  (the path of the extensions comes first)
from labelsieve.registry import selector_homes  # noqa: E402

# The reference of all selectors, which nobody lists by hand.
(HERE / "generated").mkdir(exist_ok=True)
(HERE / "generated" / "selectors.md").write_text(
    "# Selector classes\n\n```{eval-rst}\n.. currentmodule:: labelsieve\n\n"
    ".. autosummary::\n   :toctree: .\n   :nosignatures:\n\n"
    + "".join(f"   {name}\n" for name in [*selector_homes(), "LabelSpecificSelector"])
    + "```\n",
    encoding="utf-8",
)

project = "labelsieve"
author = "The labelsieve developers"
copyright = author
release = version = labelsieve.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_gallery.gen_gallery",
    "access",
    "docstrings",
    "examples",
    "formulas",
    "markdown_pages",
    "method_pictures",
]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
autosummary_generate = True
autosummary_ignore_module_all = False
autodoc_typehints = "none"
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False
exclude_patterns = ["_build", "examples"]
# Examples that did not change are not run again; one that fails ends the build.
sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "capture_repr": ("_repr_html_",),
    "download_all_examples": False,
    "min_reported_time": 3600,
    "remove_config_comments": True,
    "show_signature": False,
    "write_computation_times": False,
}
templates_path = ["_templates"]

html_theme = "furo"
html_title = "labelsieve"
html_static_path = ["_static"]
html_css_files = ["labelsieve.css"]
html_js_files = ["questions.js"]
html_math_renderer = "matplotlib"
html_show_sphinx = False
html_copy_source = False
