"""The pages that are shown: the choices of level, attribute, label and cause become a set of pages.

A `Scope` is the comparison on these pages. Everything on Errors and Measures is computed from it, so all numbers are
those of the chosen pages. `Panes` are what Errors shows: one prediction, two predictions, or two sets of pages. Two
sides keep their order, whichever is the chosen one: predictions that of the files, pages that of their names. The first
is called A, the second B, unless the sides of the comparison are called so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from layoutcm.comparison import Comparison
from layoutcm.diagnosis.page_groups import known_attributes, page_groups
from layoutcm.drawing.matrix_layers import with_same_labels
from layoutcm.drawing.web.matrix_data import Pair, paired_matrices
from layoutcm.errors import InputError
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.intervals import Intervals
from layoutcm.metrics.levels import pages_of
from layoutcm.metrics.pages_behind import rows_with_label
from layoutcm.models.differences import comparison_of_pages, difference, difference_of_pages
from layoutcm.ui.screen_text import ScreenWords, words_for
from layoutcm.ui.server.visitors import kept
from layoutcm.ui.state import choices
from layoutcm.ui.state.chosen import Chosen

MODELS, PAGES = "models", "pages"  # two predictions, or two sets of pages
WHOLE_SET = "the whole set"
DOCUMENT = "document"  # may be used as an attribute; a file cannot have an attribute of this name
MOST_DERIVED = 5000  # pages; on more, attributes that are derived from regions would take long
MOST_VALUES = 2000  # of an attribute; a longer list would slow the browser down
ON_BOTH = "the pages that both predictions have"
NOTHING: Mapping[int, Comparison] = {}
Mask = NDArray[np.bool_]


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
        """The filters in words, such as "document a.pdf, pages with Table"; "" if all pages are chosen."""
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


@dataclass(frozen=True, eq=False, repr=False)
class Scope:
    """The comparison of one prediction on the chosen pages; `whole` is that on all pages.

    Its repr is its key, so a scope can be an argument of a function whose values are kept.
    """

    position: int  # of the prediction
    compared: Comparison
    whole: Comparison
    filters: Filters
    key: str  # of the files, the options and the filters
    method: str

    def __repr__(self) -> str:
        return f"{self.key} {self.method}"

    @property
    def text(self) -> str:
        """The pages in words, such as "page p1" or "the whole set"."""
        return self.filters.text or (WHOLE_SET if self.is_whole else ON_BOTH)

    @property
    def is_whole(self) -> bool:
        return self.compared is self.whole

    @property
    def level(self) -> dict[str, Any]:
        """The chosen page or document, as methods of `Comparison` take it."""
        return {"page": self.filters.page or None, "document": self.filters.document or None}

    def confusion(self) -> Confusion:
        return _confusion(self)


@kept("Adding up …")
def _confusion(scope: Scope) -> Confusion:
    return scope.compared.confusion(method=scope.method)


def chosen_filters(chosen: Chosen, also: Mapping[int, Comparison] = NOTHING) -> Filters:
    """The filters of the choices; those that fit neither the comparison nor one of `also` are left out."""
    now, compared = chosen.now, chosen.compared
    level = chosen.level(compared)
    return Filters(
        level.get("document", ""),
        level.get("page", ""),
        now.attribute if is_value(chosen, now.attribute) else "",
        now.has_label if any(now.has_label in one.labels[1:] for one in (compared, *also.values())) else "",
        now.cause if has_causes(compared) else "",
    )


def has_causes(compared: Comparison) -> bool:
    """Whether wrong pixels have causes: with a truth, and with the same labels on both sides."""
    return compared.space.shared and "causes" in compared.vocabulary.parts


def scope_of(
    chosen: Chosen, filters: Filters, whole: Comparison, position: int, also: Mapping[int, Comparison] = NOTHING
) -> Scope:
    """The scope of one prediction. A page is chosen if it is so for this prediction or for one of `also`.

    Two predictions that are compared have to be counted on the same pages, those that both have.
    """
    key = " ".join([*map(chosen.key, (position, *also)), repr(filters)])
    is_whole = filters == Filters() and all(one.pages == whole.pages for one in also.values())
    compared = whole if is_whole else _compared(key, filters, whole, also)
    return Scope(position, compared, whole, filters, key, chosen.now.method)


def whole_scope(chosen: Chosen) -> Scope:
    """The chosen prediction on all pages."""
    return scope_of(chosen, Filters(), chosen.compared, chosen.position)


def level_scope(chosen: Chosen) -> Scope:
    """The chosen prediction, and the chosen document or page as a filter.

    Its comparison is the whole one, whose methods take a page or a document; only in a result of parts, which does not
    hold the regions of all pages, it is the comparison of the document or page.
    """
    scope = whole_scope(chosen)
    filters = Filters(**chosen.level(scope.whole))
    if not scope.whole.levels.has_regions:
        return scope_of(chosen, filters, scope.whole, chosen.position)
    return replace(scope, filters=filters, key=f"{scope.key} {filters}")


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


def attributes_of(chosen: Chosen) -> dict[str, tuple[str, ...]]:
    """{attribute: its values} that divide the pages, those of the files first, then documents."""
    return _attributes(chosen.key(), chosen.compared)


@kept()
def _attributes(key: str, _compared: Comparison) -> dict[str, tuple[str, ...]]:
    given = list(_compared.levels.pages.attributes)
    names = known_attributes(_compared.levels) if _compared.levels.page_count <= MOST_DERIVED else given
    groups = {name: page_groups(name, _compared.alignment, _compared.levels).names for name in names}
    every = {**{name: groups[name] for name in given}, DOCUMENT: tuple(_compared.documents), **groups}
    # A choice is the text "name=value", so a name cannot contain the sign.
    return {name: values for name, values in every.items() if 1 < len(values) <= MOST_VALUES and "=" not in name}


def is_value(chosen: Chosen, text: str) -> bool:
    """Whether the text is a value of an attribute of the pages, such as "doc_category=letter"."""
    return any(text == f"{name}={value}" for name, values in attributes_of(chosen).items() for value in values)


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


@dataclass(frozen=True, eq=False, repr=False)
class Panes:
    """One side, or two with their names; `chosen` is the one whose cells, pages and tables are shown.

    Like that of a scope, its repr is a key of values that are kept.
    """

    names: tuple[str, ...]
    scopes: tuple[Scope, ...]
    chosen: int = 0
    kind: str = ""  # MODELS or PAGES if there are two
    problem: InputError | None = None  # why there is no second side

    def __repr__(self) -> str:
        return repr(self.scopes)

    @property
    def own(self) -> Scope:
        return self.scopes[self.chosen]

    @property
    def own_name(self) -> str:
        """The name of the chosen side."""
        return self.names[self.chosen]

    @property
    def is_pair(self) -> bool:
        return len(self.scopes) == 2

    @property
    def titles(self) -> list[str]:
        """The names of two sides with their letters."""
        return [pane.format(name=name) for pane, name in zip(self.words.panes, self.names)]

    @property
    def words(self) -> ScreenWords:
        return words_for(self.own.whole)


def chosen_panes(chosen: Chosen) -> Panes:
    """The sides that the visitor chose."""
    filters, compared, own = chosen_filters(chosen), chosen.compared, chosen.position
    if is_value(chosen, chosen.now.versus) and _has_a_side(filters, chosen.now.versus):
        return _two_sets_of_pages(chosen, filters, chosen.now.versus)
    other = chosen.now.other
    against = chosen.compare_or_error(other) if other in chosen.others else None
    if not isinstance(against, Comparison):
        return Panes((chosen.names[own],), (scope_of(chosen, filters, compared, own),), problem=against)
    both = {own: compared, other: against}
    filters, order = chosen_filters(chosen, both), sorted(both)
    scopes = (scope_of(chosen, filters, both[k], k, {j: both[j] for j in order if j != k}) for k in order)
    return Panes(tuple(chosen.names[k] for k in order), tuple(scopes), order.index(own), MODELS)


def _has_a_side(filters: Filters, versus: str) -> bool:
    """Whether the filters choose a value of the attribute that is compared, so the pages differ."""
    name, _, value = versus.partition("=")
    if name == DOCUMENT:
        return filters.document not in ("", value)
    return filters.attribute.startswith(f"{name}=") and filters.attribute != versus


def _two_sets_of_pages(chosen: Chosen, filters: Filters, versus: str) -> Panes:
    name, _, value = versus.partition("=")
    own = filters.document if name == DOCUMENT else filters.attribute.removeprefix(f"{name}=")
    values = attributes_of(chosen)[name]
    both = sorted([(own, filters), (value, filters.towards(versus))], key=lambda one: values.index(one[0]))
    scopes = tuple(scope_of(chosen, one, chosen.compared, chosen.position) for _, one in both)
    names = tuple(value for value, _ in both)
    return Panes(names, scopes, names.index(own), PAGES)


def choose_pane(shown: Panes, number: int) -> None:
    """Make a side the chosen one; the two keep their places."""
    if number == shown.chosen or not shown.is_pair:
        return
    if shown.kind == MODELS:
        choices.put(pred=shown.scopes[number].position, other=shown.own.position)
        return
    name, now, before = choices.current().versus.partition("=")[0], shown.names[number], shown.names[shown.chosen]
    place = {"level": DOCUMENT, "document": now} if name == DOCUMENT else {"attribute": f"{name}={now}"}
    choices.put(**place, versus=f"{name}={before}")


def matrices(shown: Panes) -> tuple[Confusion, ...]:
    """The matrix of each side; two have the same labels and, if they are predictions, the same pages."""
    if shown.kind == MODELS:
        return _paired(shown)
    own = [one.confusion() for one in shown.scopes]
    return with_same_labels(*own) if shown.is_pair else tuple(own)


@kept("Adding up …")
def _paired(shown: Panes) -> Pair:
    first, second = shown.scopes
    return paired_matrices(first.compared, second.compared, first.method)


@kept("Comparing the two predictions …")
def model_difference(shown: Panes) -> Intervals:
    """B minus A of two predictions."""
    first, second = shown.scopes
    return difference(first.compared, second.compared, method=first.method)


@kept("Comparing the two sets of pages …")
def page_difference(shown: Panes) -> Any:
    """B minus A of two sets of pages, as a table."""
    first, second = (one.compared.pages for one in shown.scopes)
    return difference_of_pages(shown.own.whole, first, second, shown.own.method)
