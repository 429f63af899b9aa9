"""What MkDocs does beside its own work: files of the repository outside of docs/ become pages of the site, too.

Links in Markdown are written as they work in the repository, so every page can be read there as well. On the site
they lead to the page that the file has become.
"""

import posixpath
import re
from pathlib import Path

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

ROOT = Path(__file__).parents[1]
# {path in the repository: path on the site}
PAGES = {
    "SECURITY.md": "security.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "sample_data/README.md": "sample-data.md",
    "examples/README.md": "examples/index.md",
    "examples/validation_loop.py": "examples/validation-loop.md",
    "examples/lightning_callback.py": "examples/lightning-callback.md",
    "examples/supervision_detections.py": "examples/supervision-detections.md",
    "examples/log_figures.py": "examples/log-figures.md",
    "examples/notebook.ipynb": "examples/notebook.ipynb",
    "CITATION.cff": "CITATION.cff",
}
SOURCES = {site: source for source, site in PAGES.items()}
# What a browser loads by itself, in contrast to a link.
_LOADED = re.compile(
    r"""<(?:script|img|iframe|source|link)\b[^>]*?\b(?:src|href|srcset)=["']?(https?:)?//|url\(["']?https?:"""
)
# A picture for light and one for dark pages, as hosting services show them.
_PICTURE = re.compile(
    r'<picture>\s*<source media="[^"]*dark[^"]*" srcset="([^"]+)">\s*<img src="([^"]+)" alt="([^"]*)">\s*</picture>'
)
# The target of [text](target) and ![text](target), without its anchor.
_TARGET = re.compile(r"(?<=\]\()(?!\w+:)([^)\s#]+)(?=[)#])")


def on_files(files, config):
    for source, site in PAGES.items():
        text = (ROOT / source).read_text("utf-8")
        content = f"# {source}\n\n```python\n{text}```\n" if source.endswith(".py") else text
        files.append(File.generated(config, site, content=content))
    return files


def on_page_markdown(markdown, page, config, files):
    # The same as Material switches them, also if the reader has chosen the other colours.
    markdown = _PICTURE.sub(r"![\3](\2#only-light)\n![\3](\1#only-dark)", markdown)
    here = page.file.src_uri
    source = SOURCES.get(here, f"docs/{here}")
    return _TARGET.sub(lambda match: _on_site(match[1], source, here), markdown)


def _on_site(target, source, here):
    """`target`, which is relative to the file `source` of the repository, relative to the page `here` of the site."""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
    if path in PAGES:
        site = PAGES[path]
    elif path.startswith("docs/"):
        site = path.removeprefix("docs/")
    else:
        return target  # `mkdocs build --strict` refuses it
    return posixpath.relpath(site, posixpath.dirname(here) or ".")


def on_post_build(config):
    """No page loads anything from another machine."""
    for path in Path(config.site_dir).rglob("*"):
        if path.suffix in (".html", ".css") and (found := _LOADED.search(path.read_text("utf-8"))):
            raise PluginError(f"{path.relative_to(config.site_dir)} loads from another machine: {found[0]}")
