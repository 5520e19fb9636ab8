"""Draws for every method the 12 of 64 pixels it picks, and puts it on its page."""

import warnings
from pathlib import Path

PICTURE = """

## A picture

Which 12 of the 64 pixels of handwritten digits tell the segments that a display would
light? (The data of `labelsieve demo`.) This is what {names} picks; 1 is best.

{images}
"""

# Pages whose methods have other names.
METHODS_OF_PAGE = {
    "emcfs-density": ["emcfs"],
    "transformations": ["lp+chi", "ppt+mi", "ela+chi", "br+rf"],
}


def methods_of(page):
    """Return the names of the methods that a page is about."""
    from labelsieve.registry import selector_names

    own = [name for name in selector_names() if name.replace("+", "-") == page]
    return METHODS_OF_PAGE.get(page, own)


def draw_all(app):
    """Draw the pictures of all pages before any page is read."""
    folder = Path(app.srcdir)
    for page in sorted((folder / "methods").glob("*.md")):
        for method in methods_of(page.stem):
            draw(method, target_of(method, folder))


def target_of(method, folder):
    """Return where the picture of a method is written."""
    return folder / "_static" / "methods" / f"{method.replace('+', '-')}.png"


def draw(method, target):
    """Select 12 pixels with a method and draw them."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    from labelsieve.datasets import load_segments
    from labelsieve.plots import PixelDisplay
    from labelsieve.registry import make_selector

    data = load_segments()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sieve = make_selector(method, n_features_to_select=12).fit(data.X, data.Y)
    display = PixelDisplay(sieve.order_[:12].tolist(), (8, 8), data.X.mean(axis=0))
    target.parent.mkdir(parents=True, exist_ok=True)
    display.plot().figure_.savefig(target, dpi=110)
    pyplot.close("all")


def add_pictures(app, name, source):
    """Append the pictures of its methods to a page of methods/."""
    folder, _, page = name.rpartition("/")
    methods = methods_of(page) if folder == "methods" else []
    if methods:
        images = "\n".join(
            f"```{{image}} /_static/methods/{target_of(method, Path()).name}\n"
            f":alt: The 12 pixels that {method} picks\n:width: 260px\n```"
            for method in methods
        )
        source[0] += PICTURE.format(names=", ".join(methods), images=images)


def setup(app):
    """Connect to Sphinx."""
    app.connect("builder-inited", draw_all)
    app.connect("source-read", add_pictures)
    return {"parallel_read_safe": True}
