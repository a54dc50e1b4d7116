"""How Sphinx makes the site of the documentation; Scripts/docs-site runs it."""

import html
import os
import re
import shutil

import mermaidx
from docutils import nodes
from docutils.parsers.rst import Directive

HERE = os.path.dirname(os.path.realpath(__file__))
with open(f"{HERE}/../../Sources/Base/WireBase/Release.swift") as file:
    release = re.search(r'version = "(.*)"', file.read())[1]

project = "corewire"
version = release
extensions = ["myst_parser"]
root_doc = "index"
source_suffix = {".md": "markdown"}
exclude_patterns = ["raw"]

myst_heading_anchors = 6
myst_fence_as_directive = ["mermaid"]
# Headings may skip a level. Code that is shown may be a part of a program, or of a newer language than Pygments knows.
suppress_warnings = ["myst.header", "misc.highlighting_failure"]

# Quotation marks stay as a person types them.
smartquotes = False

html_theme = "furo"
html_title = f"corewire {release}"
html_static_path = [f"{HERE}/static"]
html_favicon = f"{HERE}/static/icon.svg"
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_permalinks_icon = "#"
html_use_index = False

# A page loads nothing from other hosts: the browser refuses it.
POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'"
)


class Mermaid(Directive):
    """A diagram, drawn by the browser with the script that the site brings along."""

    has_content = True

    def run(self):
        text = html.escape("\n".join(self.content))
        node = nodes.raw("", f'<pre class="mermaid">{text}</pre>', format="html")
        node["mermaid"] = True
        return [node]


def complete_page(app, pagename, templatename, context, doctree):
    policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
    context["metatags"] = policy + context.get("metatags", "")
    if doctree and any(node.get("mermaid") for node in doctree.findall(nodes.raw)):
        app.add_js_file("mermaid.js", defer="defer")
        app.add_js_file("diagrams.js", defer="defer")


def copy_script(app, error):
    """Puts the script of diagrams beside the others; it comes with a package of Python."""
    if not error:
        source = os.path.join(os.path.dirname(mermaidx.__file__), "assets", "mermaid.js")
        shutil.copyfile(source, os.path.join(app.outdir, "_static", "mermaid.js"))


def setup(app):
    raw = os.path.join(app.srcdir, "raw")
    if os.path.isdir(raw):
        app.config.html_extra_path = [raw]
    app.add_directive("mermaid", Mermaid)
    app.connect("html-page-context", complete_page)
    app.connect("build-finished", copy_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
