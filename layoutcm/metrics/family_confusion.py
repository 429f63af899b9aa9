"""How serious confusions are: labels belong to families, and a confusion stays inside a family or leaves it.

For each sample (a pixel or a page) and family: labels on both sides count on the diagonal and are removed. The
remaining gt labels are paired with the remaining pred labels of the family; if one side has none left, the labels of
the other side are paired with OOF (out of family). Equal pairs of label sets are counted together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from layoutcm.alignment.taxonomy import LabelSpace
from layoutcm.errors import InputError, check_choice, short_repr
from layoutcm.layouts.model import BACKGROUND, GT, PRED, SIDES, Finding, Floats
from layoutcm.lazy import pd
from layoutcm.metrics import family_trees
from layoutcm.metrics.confusion import sample_weights
from layoutcm.metrics.family_trees import OOF, FamiliesLike, FamilyTree
from layoutcm.metrics.scores import ratio
from layoutcm.pixels.pair_counts import PairCounts

SAMPLES = ("pixel", "page")
COUNTS = ("pairs", "gold", "pred")
BY_SIDE = "by side"  # the name of `count` None
PARTS = ("identity", "in_family", "oof")
Bools = NDArray[np.bool_]
Sides = tuple[Sequence[str], Sequence[str]]


@dataclass(frozen=True, eq=False)
class FamilyMatrix:
    """The counts of one family: `values` is float64[gt labels + OOF, pred labels + OOF].

    If the two sides have different taxonomies, `labels` may have a name twice: once for gt and once for pred.
    """

    family: str
    labels: tuple[str, ...]
    sides: tuple[tuple[int, ...], tuple[int, ...]]  # positions in `labels`: the rows and the columns of `values`
    values: Floats

    @property
    def gt_labels(self) -> tuple[str, ...]:
        return tuple(self.labels[i] for i in self.sides[GT])

    @property
    def pred_labels(self) -> tuple[str, ...]:
        return tuple(self.labels[i] for i in self.sides[PRED])

    @property
    def with_oof(self) -> tuple[list[int], list[int]]:
        """The positions of the rows and of the columns; OOF comes after all labels."""
        gt, pred = ([*side, len(self.labels)] for side in self.sides)
        return gt, pred

    def table(self) -> pd.DataFrame:
        return pd.DataFrame(self.values, index=[*self.gt_labels, OOF], columns=[*self.pred_labels, OOF])

    def given(self, side: int) -> list[dict[str, Any]]:
        """One row per label of a side: its counts of identity, in_family and oof, and the most frequent confusion."""
        own, other = self.sides[side], self.with_oof[1 - side]
        names = (*self.labels, OOF)
        rows = []
        for position, mass in zip(own, self.values if side == GT else self.values.T):
            same = np.equal(other, position)
            others = np.where(same, 0.0, mass)
            most = int(others.argmax())  # the first maximum; OOF is last
            rows.append(
                {
                    "label": names[position],
                    "identity": float(mass[same].sum()),
                    "in_family": float(others[:-1].sum()),
                    "oof": float(mass[-1]),
                    "preferred": names[other[most]] if others[most] > 0 else None,
                }
            )
        return rows


@dataclass(frozen=True, eq=False)
class FamilyConfusion:
    """The families of a comparison: one matrix per family, and how often each label stays in its family.

    `count` None is the usual way: matrices count `pairs`, shares given gt count `gold`, and shares given pred `pred`,
    because only then they are shares of pixels. `given_matrices` has the matrices for the shares of gt and of pred.
    """

    all_matrices: tuple[FamilyMatrix, ...]
    given_matrices: tuple[tuple[FamilyMatrix, ...], tuple[FamilyMatrix, ...]]
    tree: FamilyTree
    sample: str
    count: str | None
    depth: int
    findings: tuple[Finding, ...] = ()
    recipe: str = ""

    def __repr__(self) -> str:
        count = self.count or BY_SIDE
        return f"<FamilyConfusion of {len(self.all_matrices)} families, {self.sample} samples, counted {count}>"

    @cached_property
    def matrices(self) -> dict[str, pd.DataFrame]:
        """{family: DataFrame}; index: gt labels and OOF, columns: pred labels and OOF."""
        return {matrix.family: matrix.table() for matrix in self.all_matrices}

    @property
    def common_labels(self) -> bool:
        """True if both sides have a common label other than Background, so a prediction can be correct."""
        common = (m.labels[i] for m in self.all_matrices for i in set(m.sides[GT]) & set(m.sides[PRED]))
        return any(label != BACKGROUND for label in common)

    def given_gt(self) -> pd.DataFrame:
        """One row per gt label: label, its shares identity, in_family and oof, total, most frequent confusion."""
        return self._given(GT)

    def given_pred(self) -> pd.DataFrame:
        """One row per pred label, with the columns of `given_gt`."""
        return self._given(PRED)

    def _given(self, side: int) -> pd.DataFrame:
        rows = [row for matrix in self.given_matrices[side] for row in matrix.given(side)]
        mass = {part: np.array([row[part] for row in rows], float) for part in PARTS}
        total = sum(mass.values(), np.zeros(len(rows)))
        columns: dict[str, Any] = {"label": [row["label"] for row in rows]}
        columns |= {part: ratio(mass[part], total) for part in PARTS}
        preferred = pd.Series([row["preferred"] for row in rows], dtype=object)
        return pd.DataFrame(columns | {"total": total, "preferred": preferred})

    def shares(self, side: int = GT, background: bool = False) -> dict[str, float]:
        """The shares identity, in_family and oof over all labels of a side, with or without Background."""
        rows = [
            row
            for matrix in self.given_matrices[side]
            for row in matrix.given(side)
            if background or row["label"] != BACKGROUND
        ]
        mass = [sum(row[part] for row in rows) for part in PARTS]
        return dict(zip(PARTS, ratio(mass, sum(mass)).tolist()))


@dataclass(frozen=True, eq=False)
class LabelSetPairs:
    """Distinct pairs of label sets: bool[samples, labels] of gt and of pred, and float64[samples] weights.

    `sides` is bool[labels] for gt and for pred: whether the side has the label.
    """

    labels: tuple[str, ...]
    gt: Bools
    pred: Bools
    weights: Floats
    sides: tuple[Bools, Bools]


def family_counts(gt: Bools, pred: Bools, weights: Floats, count: str) -> Floats:
    """float64[gt labels + OOF, pred labels + OOF] of one family; `gt` and `pred` are bool[samples, labels]."""
    hit, missed, extra = gt & pred, gt & ~pred, pred & ~gt
    n_missed, n_extra = missed.sum(axis=1), extra.sum(axis=1)
    parts = {"pairs": np.ones(len(weights)), "gold": n_extra, "pred": n_missed}[count]
    per_pair = weights / np.maximum(parts, 1)
    values = np.zeros((gt.shape[1] + 1, gt.shape[1] + 1))
    values[:-1, :-1] = np.diag(weights @ hit) + (missed * per_pair[:, None]).T @ extra.astype(float)
    values[:-1, -1] = np.where(n_extra == 0, weights, 0.0) @ missed
    values[-1, :-1] = np.where(n_missed == 0, weights, 0.0) @ extra
    return values


def family_matrices(samples: LabelSetPairs, tree: FamilyTree, count: str, depth: int) -> list[FamilyMatrix]:
    """One matrix per family with a label on either side: Background, the families of the tree, labels in no family.

    Labels are grouped by name, so a family has both labels of a name that two different taxonomies have in common.
    """
    rank = {label: k for k, label in enumerate((BACKGROUND, *tree.paths))}
    members: dict[tuple[str, ...], list[int]] = {}
    for i in sorted(range(len(samples.labels)), key=lambda i: rank.get(samples.labels[i], len(rank))):
        # A label in no family is its own family; if a family has the same name, it counts there.
        label = samples.labels[i]
        members.setdefault(tree.paths.get(label, ())[:depth] or (label,), []).append(i)
    names = family_trees.path_names(members)
    matrices = []
    # Column by column in memory, and only samples with a label of the family: there may be thousands of families.
    by_label = [np.asfortranarray(side) for side in (samples.gt, samples.pred)]
    for family, columns in members.items():
        in_gt, in_pred = (side[:, columns] for side in by_label)
        some = (in_gt | in_pred).any(axis=1)
        values = family_counts(in_gt[some], in_pred[some], samples.weights[some], count)
        gt, pred = (tuple(np.flatnonzero(side[columns]).tolist()) for side in samples.sides)
        labels = tuple(samples.labels[i] for i in columns)
        matrix = FamilyMatrix(names[family], labels, (gt, pred), values)
        matrices.append(replace(matrix, values=values[np.ix_(*matrix.with_oof)]))
    return matrices


def confusion_of_samples(
    samples: LabelSetPairs, tree: FamilyTree, sample: str, count: str | None, depth: int
) -> FamilyConfusion:
    """The families of samples, with the findings on the depth."""
    used = family_trees.depth_within(tree, depth)
    shown, *by_side = (tuple(family_matrices(samples, tree, how, used)) for how in ([count] if count else COUNTS))
    gt, pred = by_side or (shown, shown)
    findings = tuple(family_trees.depth_findings(tree, depth))
    return FamilyConfusion(shown, (gt, pred), tree, sample, count, used, findings)


def check_family_options(sample: str, count: str | None, depth: int) -> None:
    check_choice("sample", sample, SAMPLES)
    if count is not None:
        check_choice("count", count, COUNTS, otherwise=", or None for the usual way")
    family_trees.check_depth(depth, least=1)


def family_confusion(
    counts: PairCounts, shared: bool, given: FamiliesLike, sample: str, count: str | None, depth: int, recipe: str = ""
) -> FamilyConfusion:
    """The families of pair counts; `shared` is True if both sides use the same list of labels."""
    check_family_options(sample, count, depth)
    names = tuple(dict.fromkeys((*counts.labels[GT], *counts.labels[PRED])))
    tree = family_trees.family_tree(given, names)
    samples = _label_set_pairs(counts, shared, sample)
    found = confusion_of_samples(samples, tree, sample, count, depth)
    findings = (*found.findings, *family_trees.tree_findings(tree, names))
    return replace(found, findings=findings, recipe=recipe)


def _label_set_pairs(counts: PairCounts, shared: bool, sample: str) -> LabelSetPairs:
    """The label sets of pixels, or of pages (the labels that occur on them, without Background)."""
    pairs = (counts if sample == "pixel" else counts.by_page()).merged()
    background = [BACKGROUND] if sample == "pixel" else []
    gt, pred = (list(side) for side in counts.labels)
    if shared:
        labels = list(dict.fromkeys((*background, *gt, *pred)))
        own = (np.ones(len(labels), bool), np.ones(len(labels), bool))
    else:
        # Equal names of two different taxonomies are two labels.
        labels = [*background, *gt, *pred]
        of_pred = np.arange(len(labels)) >= len(labels) - len(pred)
        own = (~of_pred, of_pred | (np.arange(len(labels)) < len(background)))
    in_gt, in_pred = (_members(pairs, side, labels, own[side]) for side in (GT, PRED))
    return LabelSetPairs(tuple(labels), in_gt, in_pred, pairs.pixels, own)


def _members(pairs: PairCounts, side: int, labels: Sequence[str], own: Bools) -> Bools:
    """bool[rows, labels]: whether the side's set has the label; `own` is bool[labels], the labels of the side."""
    number = {name: i for i, name in enumerate((BACKGROUND, *pairs.labels[side]))}
    members = np.zeros((len(pairs), len(labels)), bool)
    for i in np.flatnonzero(own).tolist():
        members[:, i] = pairs.has(side, number.get(labels[i], -1))
    return members


def label_sets_families(
    gt_sets: Sequence[Iterable[str]],
    pred_sets: Sequence[Iterable[str]],
    families: FamiliesLike,
    count: str | None = None,
    weights: ArrayLike | None = None,
    depth: int = 1,
) -> FamilyConfusion:
    """The families of plain label sets, one pair per sample.

    Parameters
    ----------
    gt_sets, pred_sets : sequence of sets of str
        The labels of every sample; a set may be empty.
    families : dict, path or str
        A tree {family: [labels]}, a YAML or JSON file, or the name of a built-in tree.
    count : {"pairs", "gold", "pred"}, optional
        Each remaining pair counts 1, or those of one gt label together, or those of one pred label; by default "pairs"
        in matrices, "gold" for shares of gt and "pred" for shares of pred.
    weights : array, optional
        How much each sample counts; 1 unless given.
    depth : int
        Depth of the families in a nested tree.

    Returns
    -------
    FamilyConfusion

    Examples
    --------
    >>> import layoutcm as lcm
    >>> tree = {"A": ["A.1", "A.2", "A.3"], "B": ["B.1"]}
    >>> f = lcm.label_sets_families([{"A.1", "A.3"}], [{"A.1", "A.2", "B.1"}], tree)
    >>> f.given_gt()[["label", "identity", "in_family", "oof"]].dropna().values.tolist()
    [['A.1', 1.0, 0.0, 0.0], ['A.3', 0.0, 1.0, 0.0]]
    """
    check_family_options("page", count, depth)
    sets = [
        [_checked_set(labels, side, i) for i, labels in enumerate(given)]
        for side, given in (("gt_sets", gt_sets), ("pred_sets", pred_sets))
    ]
    mass: dict[tuple[frozenset[str], frozenset[str]], float] = {}
    for gt, pred, weight in zip(*sets, sample_weights(len(sets[GT]), len(sets[PRED]), weights).tolist()):
        mass[gt, pred] = mass.get((gt, pred), 0.0) + weight
    seen = sorted({label for pair in mass for labels in pair for label in labels})
    tree = family_trees.family_tree(families, seen)
    labels = tuple(dict.fromkeys((*tree.paths, *seen)))
    gt_members, pred_members = (
        np.array([[label in pair[side] for label in labels] for pair in mass], bool).reshape(len(mass), len(labels))
        for side in (GT, PRED)
    )
    everything = np.ones(len(labels), bool)
    weighted = np.array(list(mass.values()), float)
    samples = LabelSetPairs(labels, gt_members, pred_members, weighted, (everything, everything))
    return confusion_of_samples(samples, tree, "set", count, depth)


def _checked_set(labels: Iterable[str], side: str, sample: int) -> frozenset[str]:
    place = f"{side}[{sample}]"
    if isinstance(labels, str) or not isinstance(labels, Iterable):
        raise InputError("", place, f"{short_repr(labels)} is not a set of labels", "Give a set of names.")
    members = list(labels)
    wrong = [label for label in members if not isinstance(label, str)]
    if wrong:
        raise InputError("", place, f"{short_repr(wrong[0])} is not a label's name", "Give a set of names.")
    return frozenset(members)


def label_space_at_depth(
    space: LabelSpace, sides: Sides, tree: FamilyTree, depth: int, expanded: Sequence[str]
) -> LabelSpace:
    """The rows and columns of the matrix when labels are shown as their families.

    Labels of a family have the same row and column: a pixel with two labels of a family counts once for that family.
    If a family has labels of both sides, two different label lists become comparable. Equal names of two different
    lists are two labels, unless they are shown as their family; the name then says whose label it is.
    """
    shown_as = family_trees.display_paths(
        tree, dict.fromkeys((*sides[GT], *sides[PRED])), family_trees.check_depth(depth, least=0), expanded
    )
    in_families = [
        {shown_as[label] for label in side if len(shown_as[label]) <= len(tree.paths.get(label, ()))} for side in sides
    ]
    shared = space.shared or bool(in_families[GT] & in_families[PRED])
    families = {path[:k] for path in ((), *tree.paths.values()) for k in range(len(path) + 1)}
    gt, pred = (
        [(shown_as[label], "" if space.shared or shown_as[label] in families else name) for label in labels]
        for labels, name in zip(sides, SIDES)
    )
    rows, columns = list(dict.fromkeys(gt)), list(dict.fromkeys(pred))
    entries, offset = [*rows, *columns], len(rows)
    if shared:
        rows = columns = entries = list(dict.fromkeys(entries))
        offset = 0
    gt_positions = np.array([0, *(1 + rows.index(entry) for entry in gt)], np.int64)
    pred_positions = np.array([0, *(1 + offset + columns.index(entry) for entry in pred)], np.int64)
    names, times = family_trees.path_names(shown_as.values()), Counter(path for path, _ in entries)
    labels = [f"{names[path]} ({side})" if shared and times[path] > 1 else names[path] for path, side in entries]
    return LabelSpace((BACKGROUND, *labels), gt_positions, pred_positions, shared)


def names_in_order(labels: Sequence[str], tree: FamilyTree, depth: int, expanded: Sequence[str] = ()) -> list[str]:
    """The names that the labels are shown as at a depth, in the order of the tree."""
    ordered = [label for label in tree.paths if label in labels]
    # In the order of `labels`, as in `label_space_at_depth`, so both functions give the same names.
    names = family_trees.path_names(family_trees.display_paths(tree, labels, depth, expanded).values())
    shown_as = family_trees.display_paths(tree, dict.fromkeys((*ordered, *labels)), depth, expanded)
    return list(dict.fromkeys(names[path] for path in shown_as.values()))
