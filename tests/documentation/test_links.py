"""Links of all Markdown files lead somewhere, and a reader of the start page finds what is asked for most."""

import re
from functools import cache

import pytest

from support.paths import ROOT

FILES = [
    *ROOT.glob("*.md"),
    *ROOT.glob("docs/**/*.md"),
    ROOT / "sample_data" / "README.md",
    ROOT / "examples" / "README.md",
]
_FENCE = re.compile(r"^[ ]*```.*?^[ ]*```", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"^[ ]*```.*?^[ ]*```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"""(?:\]\(|src="|srcset=")(?!\w+:)([^)\s"#]*)(?:#([^)\s"]*))?""")
MOST_CLICKS = 3
# (what is looked for, the page that answers it, words that are there)
QUESTIONS = [
    ("how to load YOLO against COCO", "tutorials/own-files.md", "## YOLO against COCO"),
    ("why a score is 0", "score-is-zero.md", "# My score is 0"),
    ("what macro F1 is here", "method.md", "**macro F1** is the mean of the F1 values of the classes"),
    ("how to make CI fail", "gate.md", "exit code 3"),
    ("how to cite", "cite.md", "@software{layoutcm,"),
]


@cache
def links(path):
    """(file, anchor or None) of every link to a file of the repository."""
    text = _CODE.sub("", path.read_text("utf-8"))
    return [((path.parent / target).resolve() if target else path, anchor) for target, anchor in _LINK.findall(text)]


def anchors(path):
    """What a heading is called in an address, as GitHub and MkDocs do it for the headings of these files."""
    titles = re.findall(r"^#+ (.+)$", _FENCE.sub("", path.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", title).strip().lower()) for title in titles}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(path):
    for target, anchor in links(path):
        assert target.exists(), target
        assert not anchor or anchor in anchors(target), f"{target.name}#{anchor}"


def pages_within(clicks):
    """{page: clicks} from the start page."""
    found, last = {ROOT / "docs" / "index.md": 0}, [ROOT / "docs" / "index.md"]
    for click in range(1, clicks + 1):
        new = {target for page in last for target, _ in links(page) if target.suffix == ".md"} - set(found)
        found |= dict.fromkeys(new, click)
        last = list(new)
    return found


@pytest.mark.parametrize(("question", "page", "words"), QUESTIONS)
def test_a_reader_finds_it_in_three_clicks(question, page, words):
    target = ROOT / "docs" / page
    assert pages_within(MOST_CLICKS)[target] == 1  # the start page names all of them
    assert words in target.read_text("utf-8")


def test_every_page_is_within_three_clicks_of_the_start_page():
    assert {path for path in FILES if path.is_relative_to(ROOT / "docs")} <= set(pages_within(MOST_CLICKS))
