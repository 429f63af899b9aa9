"""The order of the labels in a matrix. Background always comes first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.family_trees import FamilyTree
from layoutcm.tables.matrix_views import Selection

WORST_ROWS = 10
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


def families_or_similar(tree: FamilyTree, confusion: Confusion) -> dict[str, str]:
    """{label: its group}: its family; if many labels have none, these are grouped by similarity."""
    families = {label: path[0] for label, path in tree.paths.items()}
    shown = [i for i in confusion.visible[0] if i or not confusion.has_background]
    alone = [i for i in shown if confusion.labels[i] not in families]
    lines = len(alone) + len({families[confusion.labels[i]] for i in shown if confusion.labels[i] in families})
    if not confusion.diagonal or lines < MOST_UNGROUPED:
        return families
    return families | similar_groups(confusion, alone, max(MOST_UNGROUPED - 1 - (lines - len(alone)), 4))


def similar_groups(confusion: Confusion, positions: Sequence[int], most: int) -> dict[str, str]:
    """{label: group}: at most `most` groups of labels that are often confused; single labels are left out.

    Again and again, the two groups whose labels are confused most are joined. Labels that are never confused with each
    other are joined only at the end, into one group.
    """
    size = np.maximum(confusion.gt_pixels + confusion.pred_pixels, 1)
    both = (confusion.values + confusion.values.T)[np.ix_(positions, positions)]
    groups = [[i] for i in positions]
    alike = both / np.minimum.outer(size[list(positions)], size[list(positions)])
    np.fill_diagonal(alike, -1)
    while len(groups) > most and alike.max(initial=0) > 0:
        a, b = sorted(divmod(int(alike.argmax()), len(groups)))
        counts = np.array([len(groups[a]), len(groups[b])])
        alike[a] = (counts @ alike[[a, b]]) / counts.sum()  # the mean over all pairs of labels
        alike[:, a] = alike[a]
        alike[a, a] = -1
        alike = np.delete(np.delete(alike, b, 0), b, 1)
        groups[a] += groups.pop(b)
    if len(groups) > most:
        groups.sort(key=lambda group: -sum(size[i] for i in group))
        groups[most - 1 :] = [[i for group in groups[most - 1 :] for i in group]]
    names: dict[str, str] = {}
    for group in groups:
        first = confusion.labels[max(group, key=lambda i: size[i])]
        names |= {confusion.labels[i]: f"{first} and similar" for i in group if len(group) > 1}
    return names


def worst_labels(confusion: Confusion, most: int = WORST_ROWS) -> tuple[list[str], list[str]]:
    """The labels with the lowest F1, the worst first, without Background; and the labels they are mostly read as."""
    scores = confusion.class_values()["f1"]
    first = int(confusion.has_background)
    rows = [i for i in confusion.visible[0] if i >= first and not np.isnan(scores[i])]
    rows = sorted(rows, key=lambda i: scores[i])[:most]
    shares = np.nansum(confusion.recall[rows], axis=0)
    others = [i for i in np.argsort(-shares, kind="stable").tolist() if shares[i] > 0 and i >= first and i not in rows]
    return [confusion.labels[i] for i in rows], [confusion.labels[i] for i in others[:most]]


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
