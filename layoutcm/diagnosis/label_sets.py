"""The label sets of common datasets and models, and which of their labels mean the same.

A row is a kind of region, a column the label that a set has for it, "" if the set does not label it. Two names mean the
same if the first rows in which they occur are the same, and include each other's regions if any row contains both.
"""

from __future__ import annotations

from functools import cache

from layoutcm.alignment.taxonomy import plain_spelling

SYNONYM, INCLUDED = 0.9, 0.8  # likeness of two names
LABEL_SETS = ("doclaynet", "publaynet", "docling", "docstructbench", "omnidocbench", "m6doc")
# `m6doc` is the coarse form of M6Doc: its many kinds of titles, lists and questions are one label each.
KINDS: dict[str, tuple[str, ...]] = {
    "title": ("Title", "title", "title", "title", "title", "title"),
    "heading": ("Section-header", "title", "section_header", "title", "title", "section title"),
    "text": ("Text", "text", "text", "plain text", "text_block", "paragraph"),
    "list": ("List-item", "list", "list_item", "plain text", "text_block", "list"),
    "reference": ("List-item", "list", "reference", "plain text", "reference", "reference"),
    "code": ("Text", "text", "code", "plain text", "code_txt", "code"),
    "contents": ("Table", "text", "document_index", "plain text", "text_block", "catalogue"),
    "formula": ("Formula", "text", "formula", "isolate_formula", "equation_isolated", "formula"),
    "formula number": ("Formula", "text", "formula", "formula_caption", "equation_caption", "formula"),
    "picture": ("Picture", "figure", "picture", "figure", "figure", "figure"),
    "chart": ("Picture", "figure", "chart", "figure", "figure", "figure"),
    "table": ("Table", "table", "table", "table", "table", "table"),
    "figure caption": ("Caption", "text", "caption", "figure_caption", "figure_caption", "caption"),
    "table caption": ("Caption", "text", "caption", "table_caption", "table_caption", "table caption"),
    "code caption": ("Caption", "text", "caption", "plain text", "code_txt_caption", "caption"),
    "figure note": ("Text", "text", "text", "plain text", "figure_footnote", "supplementary note"),
    "table note": ("Text", "text", "text", "table_footnote", "table_footnote", "table note"),
    "footnote": ("Footnote", "text", "footnote", "abandon", "page_footnote", "footnote"),
    "page header": ("Page-header", "", "page_header", "abandon", "header", "header"),
    "page footer": ("Page-footer", "", "page_footer", "abandon", "footer", "footer"),
    "page number": ("Page-footer", "", "page_footer", "abandon", "page_number", "page number"),
}
# Names of other tools.
FURTHER_NAMES: dict[str, tuple[str, ...]] = {
    "title": ("doc_title", "document_title"),
    "heading": ("heading", "paragraph_title", "subtitle", "headline"),
    "text": ("plain_text", "body", "narrative_text"),
    "list": ("ordered list", "unordered list", "list_group"),
    "reference": ("bibliography",),
    "code": ("algorithm", "code_block"),
    "contents": ("table_of_contents", "toc", "index"),
    "formula": ("equation", "display_formula", "interline_equation", "isolated_formula"),
    "formula number": ("formula_number",),
    "picture": ("image", "photo", "illustration"),
    "figure caption": ("figure_title", "image_caption", "picture_caption"),
    "table caption": ("table_title",),
    "page number": ("folio", "number"),
}


def labels_of(label_set: str) -> dict[str, set[str]]:
    """{label: kinds} of one of the built-in sets."""
    column, labels = LABEL_SETS.index(label_set), dict[str, set[str]]()
    for kind, names in KINDS.items():
        if names[column]:
            labels.setdefault(names[column], set()).add(kind)
    return labels


@cache
def _kinds_by_name() -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """{plain spelling: main kinds} and {plain spelling: all kinds}; the first kind of a label is its main one."""
    main: dict[str, set[str]] = {}
    every: dict[str, set[str]] = {}
    for label_set in LABEL_SETS:
        for label, kinds in labels_of(label_set).items():
            every.setdefault(plain_spelling(label), set()).update(kinds)
            main.setdefault(plain_spelling(label), set()).add(next(kind for kind in KINDS if kind in kinds))
    for kind, names in FURTHER_NAMES.items():
        for name in names:
            for known in (main, every):
                known.setdefault(plain_spelling(name), set()).add(kind)
    return main, every


def synonym_likeness(first: str, second: str) -> float:
    """`SYNONYM` if two names mean the same, `INCLUDED` if one also includes a kind of region of the other, else 0."""
    names = [plain_spelling(name) for name in (first, second)]
    for likeness, known in zip((SYNONYM, INCLUDED), _kinds_by_name()):
        if set.intersection(*(known.get(name, set()) for name in names)):
            return likeness
    return 0.0
