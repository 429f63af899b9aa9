"""What the pages show: level, labels, cell, page and page images; and the pages that Errors is about.

The choices of level, attribute, label and cause become a set of pages. A `Scope` is the comparison on these pages.
Everything on Errors is computed from it, so all numbers are of the chosen pages. What is kept between runs has its
`key`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from layoutcm.comparison import Comparison
from layoutcm.diagnosis.page_groups import known_attributes, page_groups
from layoutcm.drawing.page_images import PageImages
from layoutcm.errors import InputError
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.levels import pages_of, rows_with_label
from layoutcm.models.differences import comparison_of_pages
from layoutcm.tables.matrix_views import Selection, select
from layoutcm.ui.files import page_pictures
from layoutcm.ui.server.visitors import kept
from layoutcm.ui.state import choices, session

WHOLE_SET = "the whole set"
DOCUMENT = "document"  # may be used as an attribute; a file cannot have an attribute of this name
MOST_DERIVED = 5000  # pages; on more, attributes that are derived from regions would take long
MOST_VALUES = 2000  # of an attribute; a longer list would slow the browser down
ON_BOTH = "the pages that both predictions have"
NOTHING: Mapping[int, Comparison] = {}
Mask = NDArray[np.bool_]


def scope_text(compared: Comparison) -> str:
    """The chosen level in words, such as "page p1" or "the whole set"."""
    if choices.current().level == "document" and choices.current().document in compared.documents:
        return f"document {choices.current().document}"
    if choices.current().level == "page" and choices.current().page in compared.alignment.pages.index:
        return f"page {choices.current().page}"
    return WHOLE_SET


def chosen_labels(confusion: Confusion, unused: bool = False) -> Selection:
    """The labels of a matrix that are shown: those in use, or all with `unused`; if some are chosen, only those."""
    return select(confusion, choices.current().labels, unused)


def chosen_cell(compared: Comparison) -> tuple[int, int] | None:
    """Row and column of the chosen cell; None if no cell is chosen or its labels are unknown."""
    gt, pred = choices.current().gt_label, choices.current().pred_label
    if not gt or not pred:
        return None
    try:
        return compared.cell(gt, pred)
    except InputError:
        return None


def chosen_label(compared: Comparison) -> str:
    """The label that was chosen in the matrix; "" if there is none, or if a cell is chosen."""
    name = choices.current().class_name
    return name if chosen_cell(compared) is None and compared.space.shared and name in compared.labels else ""


def current_page_images() -> PageImages:
    """Uploaded page images if there are any, else those of the folder that belongs to the files."""
    uploaded = session.page_images()
    if uploaded is not None:
        return uploaded
    files = session.loaded_files()
    return _folder_images(files.images if files else "")


@kept("Looking through the page images …")
def _folder_images(folder: str) -> PageImages:
    return page_pictures.images_of_folder(folder)


@dataclass(frozen=True)
class Filters:
    """Which pages are chosen; an empty text chooses all."""

    document: str = ""
    page: str = ""
    attribute: str = ""
    has_label: str = ""
    cause: str = ""

    @property
    def text(self) -> str:
        """In words, such as "document a.pdf, pages with Table"; "" if all pages are chosen."""
        name, _, value = self.attribute.partition("=")
        parts = [
            self.document and f"document {self.document}",
            self.page and f"page {self.page}",
            self.attribute and f"pages with {name} {value}",
            self.has_label and f"pages with {self.has_label}",
            self.cause and f"pages with the cause {self.cause}",
        ]
        return ", ".join(filter(None, parts))

    def towards(self, versus: str) -> Filters:
        """The same filters for another document, or for another value of an attribute."""
        name, _, value = versus.partition("=")
        return replace(self, document=value, page="") if name == DOCUMENT else replace(self, attribute=versus)


@dataclass(frozen=True, eq=False)
class Scope:
    """The comparison of one prediction on the chosen pages; `whole` is that on all pages."""

    position: int  # of the prediction
    compared: Comparison
    whole: Comparison
    filters: Filters
    key: str  # of everything that is kept

    @property
    def text(self) -> str:
        return self.filters.text or (WHOLE_SET if self.is_whole else ON_BOTH)

    @property
    def is_whole(self) -> bool:
        return self.compared is self.whole

    def confusion(self) -> Confusion:
        return _confusion(self.key, choices.current().method, self.compared)


@kept("Adding up …")
def _confusion(key: str, method: str, _compared: Comparison) -> Confusion:
    return _compared.confusion(method=method)


def chosen_filters(compared: Comparison, also: Mapping[int, Comparison] = NOTHING) -> Filters:
    """The filters of the choices; those that fit neither this comparison nor one of `also` are left out."""
    now, level = choices.current(), session.chosen_level(compared)
    return Filters(
        level.get("document", ""),
        level.get("page", ""),
        now.attribute if is_value(compared, now.attribute) else "",
        now.has_label if any(now.has_label in one.labels[1:] for one in (compared, *also.values())) else "",
        now.cause if has_causes(compared) else "",
    )


def has_causes(compared: Comparison) -> bool:
    """Whether wrong pixels have causes: with a truth, and with the same labels on both sides."""
    return compared.space.shared and "causes" in compared.vocabulary.parts


def scope_of(whole: Comparison, position: int, filters: Filters, also: Mapping[int, Comparison] = NOTHING) -> Scope:
    """The scope of one prediction. A page is chosen if it is so for this prediction or for one of `also`.

    Two predictions that are compared have to be counted on the same pages, those that both have.
    """
    key = " ".join([*map(session.comparison_key, (position, *also)), repr(filters)])
    if filters == Filters() and all(one.pages == whole.pages for one in also.values()):
        return Scope(position, whole, whole, filters, key)
    return Scope(position, _compared(key, filters, whole, also), whole, filters, key)


def with_regions(whole: Comparison) -> Comparison:
    """The comparison of the chosen document or page, if the regions of all pages cannot be had (a result of parts)."""
    level = session.chosen_level(whole)
    if whole.levels.has_regions or not level:
        return whole
    return scope_of(whole, session.chosen_index(), Filters(**level)).compared


@kept("Choosing pages …")
def _compared(key: str, filters: Filters, _whole: Comparison, _also: Mapping[int, Comparison]) -> Comparison:
    chosen = chosen_pages(_whole, filters)
    for other in _also.values():
        own = chosen_pages(other, filters)
        same = other.pages == _whole.pages
        chosen |= own if same else _are_in(_whole, other.levels.names_of(np.flatnonzero(own)))
    for other in _also.values():
        if other.pages != _whole.pages:
            chosen &= _are_in(_whole, other.pages)
    names = _whole.levels.names_of(np.flatnonzero(chosen))
    return comparison_of_pages(_whole, names, filters.text or ON_BOTH)


def _are_in(compared: Comparison, names: Sequence[str]) -> Mask:
    """bool[pages]: whether a page has one of these names."""
    known = set(names)
    return np.array([page in known for page in compared.pages], bool)


def chosen_pages(compared: Comparison, filters: Filters) -> Mask:
    """bool[pages]"""
    levels = compared.levels
    chosen = np.ones(levels.page_count, bool)
    if filters.document:
        known = filters.document in levels.documents
        chosen &= _marked(pages_of(levels, filters.document) if known else [], levels.page_count)
    if filters.page:
        number = levels.pages.index.get(filters.page)
        chosen &= _marked([] if number is None else [number], levels.page_count)
    if filters.attribute:
        chosen &= _with_value(compared, filters.attribute)
    if filters.has_label:
        chosen &= _with_label(compared, filters.has_label)
    if filters.cause:
        chosen &= compared.sources.causes.of_all_pages().pages_with(levels.page_count, filters.cause)
    return chosen


def _marked(numbers: Sequence[int] | NDArray[np.integer], pages: int) -> Mask:
    """bool[pages]: whether a page is one of these."""
    found = np.zeros(pages, bool)
    found[np.asarray(numbers, np.int64)] = True
    return found


def attributes_of(compared: Comparison) -> dict[str, tuple[str, ...]]:
    """{attribute: its values} that divide the pages, those of the files first, then documents."""
    return _attributes(session.comparison_key(), compared)


@kept()
def _attributes(key: str, _compared: Comparison) -> dict[str, tuple[str, ...]]:
    given = list(_compared.levels.pages.attributes)
    names = known_attributes(_compared.levels) if _compared.levels.page_count <= MOST_DERIVED else given
    groups = {name: page_groups(name, _compared.alignment, _compared.levels).names for name in names}
    every = {**{name: groups[name] for name in given}, DOCUMENT: tuple(_compared.documents), **groups}
    # A choice is the text "name=value", so a name cannot contain the sign.
    return {name: values for name, values in every.items() if 1 < len(values) <= MOST_VALUES and "=" not in name}


def is_value(compared: Comparison, text: str) -> bool:
    """Whether the text is a value of an attribute of these pages, such as "doc_category=letter"."""
    return any(text == f"{name}={value}" for name, values in attributes_of(compared).items() for value in values)


def _with_value(compared: Comparison, text: str) -> Mask:
    for name in known_attributes(compared.levels):
        if text.startswith(f"{name}="):
            groups = page_groups(name, compared.alignment, compared.levels)
            value = text.removeprefix(f"{name}=")
            if value in groups.names:
                return np.asarray(groups.group == groups.names.index(value))
    return np.zeros(compared.levels.page_count, bool)


def _with_label(compared: Comparison, label: str) -> Mask:
    levels, alignment = compared.levels, compared.alignment
    if label not in compared.labels:
        return np.zeros(levels.page_count, bool)
    have = rows_with_label(alignment, label)
    pages = [first + own.counts.page[have(own.counts)] for first, own in levels.in_parts()]
    return _marked(np.concatenate(pages), levels.page_count)
