"""How the docs become a site: pages in Markdown, the reference from the docstrings, nothing loaded from elsewhere."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

import clew

project = "clew"
author = "The clew developers"
copyright = author  # noqa: A001, Sphinx's name for it
version = release = clew.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "commands",
    "docstrings",
    "pictures",
]
exclude_patterns = ["extensions"]
smartquotes_action = "D"  # dashes; a quoted word is something to type

# Markdown
myst_enable_extensions = ["attrs_block", "deflist"]
myst_heading_anchors = 3

# Docstrings: NumPy's style, types from the annotations.
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_preprocess_types = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_default_options = {"members": True}
add_module_names = False
python_maximum_signature_line_length = 88
toc_object_entries_show_parents = "hide"

# The site
html_theme = "pydata_sphinx_theme"
html_title = "clew"
html_static_path = ["static"]
html_css_files = ["clew.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_theme_options = {
    "logo": {"text": "clew"},
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "navigation_with_keys": False,
    "show_toc_level": 2,
    # Pages of wide tables have the room to themselves.
    "secondary_sidebar_items": {
        "**": ["page-toc"],
        "papers": [],
        "comparison": [],
        "performance": [],
        "performance-gpu": [],
    },
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": [], "tutorial": [], "concepts": []}
