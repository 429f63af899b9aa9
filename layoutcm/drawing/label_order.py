"""In which order labels are drawn. Background always comes first."""

from __future__ import annotations

from collections.abc import Sequence

from layoutcm.metrics.confusion import Confusion

ORDERS = ("as given", "by size", "by name", "by similarity", "by family")


def order_labels(
    confusion: Confusion, order: str, empty: bool, by_family: Sequence[str] = ()
) -> tuple[list[int], list[int]]:
    """Rows and columns of the matrix as positions, in drawing order; with or without labels that nobody uses.

    `by_family` is the label names in the order of their families.
    """
    rows, columns = confusion.visible
    if empty:
        rows = list(confusion.rows or range(len(confusion.labels)))
        columns = list(confusion.columns or range(len(confusion.labels)))
    if not confusion.diagonal:
        return _sorted(confusion, rows, order, by_family), _sorted(confusion, columns, order, by_family)
    together = _sorted(confusion, rows, order, by_family)
    return together, together


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
        rest = _chain(confusion, rest, max(rest, key=lambda i: size[i]))
    return first + rest


def _chain(confusion: Confusion, rest: list[int], start: int) -> list[int]:
    """From the largest label on, always the one most confused with the one before."""
    values = confusion.values + confusion.values.T
    chain, left = [start], [i for i in rest if i != start]
    while left:
        near = max(left, key=lambda i: values[chain[-1], i])
        chain.append(near)
        left.remove(near)
    return chain
