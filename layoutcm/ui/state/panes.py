"""What Errors shows: one prediction on the chosen pages, two predictions, or two sets of pages.

The two sides keep their order, whichever of them is the chosen one: predictions that of the files, pages that of their
names. The first is called A, the second B, unless the sides of the comparison are called so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from layoutcm.comparison import Comparison
from layoutcm.drawing.web.matrix_data import Pair, paired_matrices, with_same_labels
from layoutcm.errors import InputError
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.intervals import Intervals
from layoutcm.models.differences import difference, difference_of_pages
from layoutcm.ui.screen_text import ScreenWords, words_for
from layoutcm.ui.server.visitors import kept
from layoutcm.ui.state import choices, selection
from layoutcm.ui.state.chosen import Chosen
from layoutcm.ui.state.selection import DOCUMENT, Filters, Scope

MODELS, PAGES = "models", "pages"


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
    filters, compared, own = selection.chosen_filters(chosen), chosen.compared, chosen.position
    if selection.is_value(chosen, chosen.now.versus) and _has_a_side(filters, chosen.now.versus):
        return _two_sets_of_pages(chosen, filters, chosen.now.versus)
    other = chosen.now.other
    against = chosen.compare_or_error(other) if other in chosen.others else None
    if not isinstance(against, Comparison):
        return Panes((chosen.names[own],), (selection.scope_of(chosen, filters, compared, own),), problem=against)
    both = {own: compared, other: against}
    filters, order = selection.chosen_filters(chosen, both), sorted(both)
    scopes = (selection.scope_of(chosen, filters, both[k], k, {j: both[j] for j in order if j != k}) for k in order)
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
    values = selection.attributes_of(chosen)[name]
    both = sorted([(own, filters), (value, filters.towards(versus))], key=lambda one: values.index(one[0]))
    scopes = tuple(selection.scope_of(chosen, one, chosen.compared, chosen.position) for _, one in both)
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
