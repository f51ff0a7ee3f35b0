"""Pictures become part of the page, so that their colours follow its theme, light or dark."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform


class InlinePictures(SphinxPostTransform):
    """An image from ``pictures/`` is replaced by its SVG; the alternative text becomes its label."""

    default_priority = 5
    formats = ("html",)

    def run(self) -> None:
        """Replace the images of one page."""
        for image in list(self.document.findall(nodes.image)):
            path = Path(self.env.srcdir) / image["uri"]
            if path.suffix == ".svg" and path.parent.name == "pictures":
                svg = re.sub(r"<\?xml.*?\?>", "", path.read_text(encoding="utf-8")).strip()
                label = escape(image.get("alt", ""), quote=True)
                svg = svg.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)
                image.replace_self(nodes.raw("", f'<figure class="picture">{svg}</figure>', format="html"))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the transform."""
    app.add_post_transform(InlinePictures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
