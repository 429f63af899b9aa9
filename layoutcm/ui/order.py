"""In which order labels are drawn. Background always comes first."""

from __future__ import annotations

from collections.abc import Mapping

from layoutcm.confusion import Confusion

ORDERS = ("as given", "by size", "by name", "by similarity")
BY_FAMILY = "by family"  # where families are known


def ordered(
    confusion: Confusion, order: str, empty: bool, families: Mapping[str, str] | None = None
) -> tuple[list[int], list[int]]:
    """Rows and columns of the matrix as positions, in drawing order; with or without labels that nobody uses.

    `families` is {label: family}. Families come in the mapping's order, labels that have none after them; members
    of a family keep the order of the files.
    """
    rows, columns = confusion.drawn
    if empty:
        rows = list(confusion.rows or range(len(confusion.labels)))
        columns = list(confusion.columns or range(len(confusion.labels)))
    if not confusion.diagonal:
        return _sorted(confusion, rows, order, families), _sorted(confusion, columns, order, families)
    together = _sorted(confusion, rows, order, families)
    return together, together


def _sorted(confusion: Confusion, positions: list[int], order: str, families: Mapping[str, str] | None) -> list[int]:
    first, rest = positions[:1], positions[1:]
    size = confusion.gt_pixels + confusion.pred_pixels
    if order == "by size":
        rest = sorted(rest, key=lambda i: -size[i])
    elif order == "by name":
        rest = sorted(rest, key=lambda i: confusion.labels[i].casefold())
    elif order == "by similarity" and rest:
        rest = _chain(confusion, rest, max(rest, key=lambda i: size[i]))
    elif order == BY_FAMILY and families:
        place = {family: k for k, family in enumerate(dict.fromkeys(families.values()))}
        rest = sorted(rest, key=lambda i: place.get(families.get(confusion.labels[i], ""), len(place)))
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
