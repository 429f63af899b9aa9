"""The order of the labels in a matrix. Background always comes first."""

from __future__ import annotations

from collections.abc import Sequence

from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.family_trees import FamilyTree
from layoutcm.tables.matrix_views import Selection

MOST_UNGROUPED = 20  # labels, Background included; a larger matrix opens grouped by family
ORDERS = ("as given", "by size", "by name", "by similarity", "by family")


def order_labels(confusion: Confusion, selection: Selection, order: str, by_family: Sequence[str] = ()) -> Selection:
    """The selection in drawing order; `by_family` has the label names in the order of their families."""
    rows = _sorted(confusion, selection.rows, order, by_family)
    if confusion.diagonal:
        return Selection(rows, rows)
    return Selection(rows, _sorted(confusion, selection.columns, order, by_family))


def groups_of_labels(tree: FamilyTree | None, selection: Selection) -> dict[str, str]:
    """{label: its family} for a matrix of these labels; empty if they are few enough to be shown one by one."""
    if tree is None or max(map(len, selection)) <= MOST_UNGROUPED:
        return {}
    return {label: path[0] for label, path in tree.paths.items()}


def _sorted(confusion: Confusion, positions: list[int], order: str, by_family: Sequence[str]) -> list[int]:
    first, rest = positions[:1], positions[1:]
    size = confusion.gt_pixels + confusion.pred_pixels
    if order == "by size":
        rest = sorted(rest, key=lambda i: -size[i])
    elif order == "by name":
        rest = sorted(rest, key=lambda i: confusion.labels[i].casefold())
    elif order == "by family":
        place = {label: k for k, label in enumerate(by_family)}
        rest = sorted(rest, key=lambda i: place.get(confusion.labels[i], len(place)))
    elif order == "by similarity" and rest:
        rest = _similarity_order(confusion, rest, max(rest, key=lambda i: size[i]))
    return first + rest


def _similarity_order(confusion: Confusion, positions: list[int], start: int) -> list[int]:
    """Starting with `start`, each label is followed by the remaining label most often confused with it."""
    values = confusion.values + confusion.values.T
    ordered, remaining = [start], [i for i in positions if i != start]
    while remaining:
        nearest = max(remaining, key=lambda i: values[ordered[-1], i])
        ordered.append(nearest)
        remaining.remove(nearest)
    return ordered
