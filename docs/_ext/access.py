"""Small repairs of the theme's HTML, for keyboards and screen readers."""


def repair(app, page, template, context, doctree):
    """Blocks that scroll can be reached by keyboard; captions have a level."""
    if "body" in context:
        body = context["body"].replace("<pre>", '<pre tabindex="0">')
        table = '<div class="table-wrapper'
        context["body"] = body.replace(table, table.replace(" ", ' tabindex="0" ', 1))
    tree = "furo_navigation_tree"
    if tree in context:
        context[tree] = context[tree].replace(
            'role="heading"', 'role="heading" aria-level="2"'
        )


def setup(app):
    """Connect to Sphinx, after the theme."""
    app.connect("html-page-context", repair, priority=900)
    return {"parallel_read_safe": True}
