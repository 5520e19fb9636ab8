"""Draws for every method the 12 of 64 pixels it selects, on the page of the method."""

import warnings
from pathlib import Path

PICTURE = """

## A picture

The 12 of 64 pixels of handwritten digits that {names} select{s} for seven labels, the
segments of a display that shows the digit (`load_segments()`). How to read it: blue
pixels are selected and carry their rank (1 is best), the others are the darker the more
ink they hold on average, and blue pixels side by side are a sign of redundancy.

{images}
"""

# Pages whose methods have other names.
METHODS_OF_PAGE = {
    "by-model": ["model+forest"],
    "emcfs-density": ["emcfs"],
    "transformations": ["lp+chi2", "ppt+mi", "ela+chi2", "br+relieff"],
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
            f":alt: Mean digit, with the 12 pixels that {method} selects in blue\n"
            ":width: 260px\n```"
            for method in methods
        )
        names, s = ", ".join(methods), "s" if len(methods) == 1 else ""
        source[0] += PICTURE.format(names=names, s=s, images=images)


def setup(app):
    """Connect to Sphinx."""
    app.connect("builder-inited", draw_all)
    app.connect("source-read", add_pictures)
    return {"parallel_read_safe": True}
