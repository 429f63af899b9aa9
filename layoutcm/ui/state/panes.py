"""What Errors shows: one prediction on the chosen pages, two predictions, or two sets of pages.

The two sides keep their order, whichever of them is the chosen one: predictions that of the files, pages that of their
names. The first is called A, the second B, unless the sides of the comparison are called so.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from layoutcm.comparison import Comparison
from layoutcm.drawing.web.matrix_data import Pair, paired_matrices, with_same_labels
from layoutcm.errors import InputError
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.intervals import Intervals
from layoutcm.models.differences import difference, difference_of_pages
from layoutcm.ui.files.input_files import comparison_of
from layoutcm.ui.screen_text import ScreenWords, words_for
from layoutcm.ui.server.visitors import kept
from layoutcm.ui.state import choices, selection, session
from layoutcm.ui.state.selection import DOCUMENT, Scope

MODELS, PAGES = "models", "pages"


@dataclass(frozen=True, eq=False)
class Panes:
    """One side, or two with their names; `chosen` is the one whose cells, pages and tables are shown."""

    names: tuple[str, ...]
    scopes: tuple[Scope, ...]
    chosen: int = 0
    kind: str = ""  # MODELS or PAGES if there are two
    problem: InputError | None = None  # why there is no second side
    made_from: tuple[Any, ...] = field(default_factory=lambda: page_choices())

    @property
    def is_outdated(self) -> bool:
        """Whether a click in a part of the page changed what the whole page shows."""
        return self.made_from != page_choices()

    @property
    def own(self) -> Scope:
        return self.scopes[self.chosen]

    @property
    def own_name(self) -> str:
        """The name of the chosen side; "" if nothing else is loaded."""
        return self.names[self.chosen] if self.kind or len(session.pred_names()) > 1 else ""

    @property
    def is_pair(self) -> bool:
        return len(self.scopes) == 2

    @property
    def key(self) -> str:
        return " ".join(one.key for one in self.scopes)

    @property
    def titles(self) -> list[str]:
        """The names of two sides with their letters."""
        return [pane.format(name=name) for pane, name in zip(self.words.panes, self.names)]

    @property
    def words(self) -> ScreenWords:
        return words_for(self.own.whole)


def page_choices() -> tuple[Any, ...]:
    """The choices that decide about the shown."""
    now = choices.current()
    page = now.page if now.level == "page" else ""
    return now.pred, now.other, now.versus, now.level, now.document, page, now.attribute, now.has_label, now.cause


def chosen_panes(compared: Comparison) -> Panes:
    """The sides that the visitor chose; `compared` is the comparison of the chosen prediction."""
    filters, position = selection.chosen_filters(compared), session.chosen_index()
    versus, name = choices.current().versus, session.pred_names()[position]
    if selection.is_value(compared, versus) and _has_a_side(filters, versus):
        return _two_sets_of_pages(compared, filters, versus)
    other = chosen_other()
    if other is None:
        return Panes((name,), (selection.scope_of(compared, position, filters),))
    try:
        against = comparison_of(session.comparison_request(other), session.compare_options(other))
    except InputError as error:
        return Panes((name,), (selection.scope_of(compared, position, filters),), problem=error)
    both = {position: compared, other: against}
    filters = selection.chosen_filters(compared, both)
    order = sorted(both)
    scopes = tuple(selection.scope_of(both[k], k, filters, {j: both[j] for j in order if j != k}) for k in order)
    return Panes(tuple(session.pred_names()[k] for k in order), scopes, order.index(position), MODELS)


def _has_a_side(filters: selection.Filters, versus: str) -> bool:
    """Whether the filters choose a value of the attribute that is compared, so that the pages differ."""
    name, _, value = versus.partition("=")
    if name == DOCUMENT:
        return filters.document not in ("", value)
    return filters.attribute.startswith(f"{name}=") and filters.attribute != versus


def _two_sets_of_pages(compared: Comparison, filters: selection.Filters, versus: str) -> Panes:
    name, _, value = versus.partition("=")
    own = filters.document if name == DOCUMENT else filters.attribute.removeprefix(f"{name}=")
    values = selection.attributes_of(compared)[name]
    both = sorted([(own, filters), (value, filters.towards(versus))], key=lambda one: values.index(one[0]))
    scopes = tuple(selection.scope_of(compared, session.chosen_index(), one) for _, one in both)
    return Panes(tuple(value for value, _ in both), scopes, [value for value, _ in both].index(own), PAGES)


def chosen_other() -> int | None:
    """The position of the other prediction; None if there is none to compare with."""
    other = choices.current().other
    return other if other in range(len(session.pred_names())) and other != session.chosen_index() else None


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
    if not shown.is_pair:
        return (shown.own.confusion(),)
    first, second = shown.scopes
    if shown.kind == MODELS:
        return _paired(shown.key, choices.current().method, first.compared, second.compared)
    return with_same_labels(first.confusion(), second.confusion())


@kept("Adding up …")
def _paired(key: str, method: str, _first: Comparison, _second: Comparison) -> Pair:
    return paired_matrices(_first, _second, method)


def model_difference(shown: Panes) -> Intervals:
    """B minus A of two predictions."""
    return _difference(shown.key, choices.current().method, *(one.compared for one in shown.scopes))


@kept("Comparing the two predictions …")
def _difference(key: str, method: str, _first: Comparison, _second: Comparison) -> Intervals:
    return difference(_first, _second, method=method)


def page_difference(shown: Panes) -> Any:
    """B minus A of two sets of pages, as a table."""
    return _page_difference(shown.key, choices.current().method, shown)


@kept("Comparing the two sets of pages …")
def _page_difference(key: str, method: str, _shown: Panes) -> Any:
    first, second = (one.compared.pages for one in _shown.scopes)
    return difference_of_pages(_shown.own.whole, first, second, method)
