"""A mapping from the labels of a prediction to those of the ground truth, suggested by the pixels that they share.

The partner of a pred label is the gt label that covers most of its pixels; this may be Background. Where two partners
are almost equal, their names decide.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.align import AlignmentOptions, align
from layoutcm.alignment.checks import findings_by_side
from layoutcm.alignment.min_scores import MinScore, check_named_labels, checked_min_score
from layoutcm.alignment.taxonomy import SIMILARITY, plain_spelling
from layoutcm.errors import InputError
from layoutcm.layouts.model import BACKGROUND, GT, PRED, Finding, Floats, Layout
from layoutcm.layouts.page_maps import PageMapLike, load_page_map
from layoutcm.lazy import pd
from layoutcm.metrics.scores import ratio
from layoutcm.pixels.counting import Progress, check_counting_options, count_pairs
from layoutcm.pixels.pair_counts import PairCounts
from layoutcm.wording import percent

ADVISES_A_MAPPING = "equal-label-names"  # a finding that only recommends a mapping
CLOSE = 0.1  # names decide between partners whose shares differ by less
LEAST_SHARE = 0.25  # minimum share for a mapping
CELLS_AT_A_TIME = 2_000_000  # rows x labels that are unpacked: 16 MB
COLUMNS = ("pred_label", "gt_label", "share", "runner_up", "runner_up_share", "likeness", "mapped", "note")
NO_PIXELS, MOSTLY_BACKGROUND = "no pixels on common pages", "not mapped: mostly Background"
NO_PARTNER, TAKEN = "not mapped: no good partner", "not mapped: {} is taken by {}"
SAME_NAME = "gt also has a label {}, on {} of its pixels"
BY_NAME, INSIDE = "by its name, instead of {}", "lies inside {}, which covers the same pixels"

Names = tuple[tuple[str, ...], tuple[str, ...]]  # of gt with Background, of pred
Choice = tuple[list[int], list[str]]  # the gt label of every pred label, -1 if it is not mapped, and a note


@dataclass(frozen=True, eq=False)
class SuggestedMapping:
    """What `suggest_mapping` returns.

    `table` has one row per pred label: its best partner in gt, the share of its pixels that have this partner, the
    runner-up with its share, the likeness of the two names from 0 to 1, whether it is part of the mapping, and a note.
    `unmatched` has the gt labels to which no pred label is mapped, with the pred label that has most of their pixels.
    """

    table: pd.DataFrame
    unmatched: pd.DataFrame
    pages: int  # on which both sides were counted
    findings: tuple[Finding, ...] = ()  # what is unusual in the inputs and may distort the shares

    def __repr__(self) -> str:
        return f"<SuggestedMapping of {self.table['mapped'].sum()} of {len(self.table)} labels>"

    @property
    def mapping(self) -> dict[str, dict[str, str]]:
        """{"pred": {pred label: gt label}}, as `compare(mapping=…)` takes it."""
        rows = self.table[self.table["mapped"]]
        return {"pred": dict(zip(rows["pred_label"], rows["gt_label"]))}


def suggest_mapping(
    gt: Layout,
    pred: Layout,
    one_to_one: bool = False,
    *,
    prior: bool = True,
    min_score: MinScore = None,
    pages: PageMapLike = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> SuggestedMapping:
    """Suggest the gt label for every pred label, from the pixels of the pages that both sides have.

    Parameters
    ----------
    gt, pred : Layout
    one_to_one : bool
        Each gt label is assigned to at most one pred label.
    prior : bool
        If False, built-in synonyms are not used.
    min_score : float or dict, optional
        Pred regions with a lower score are left out, as in `compare`.
    pages : dict or path, optional
        A page map, as in `compare`.
    threads : int, optional
    progress : callable, optional

    Returns
    -------
    SuggestedMapping

    Examples
    --------
    >>> import layoutcm as lcm
    >>> gt, pred = lcm.read("sample_data/gt.json"), lcm.read("sample_data/model-b.csv")
    >>> lcm.suggest_mapping(gt, pred).mapping["pred"]["figure"]
    'Picture'
    """
    check_counting_options("outer", threads)
    min_score = checked_min_score(min_score)
    alignment = align(gt, pred, AlignmentOptions("ignore", "different", page_map=load_page_map(pages)))
    check_named_labels(min_score, pred.labels)
    if not len(alignment.pages):
        problem = "the two layouts have no page in common"
        raise InputError("", "gt, pred", problem, "Give a page map, or check the names.")
    counts = count_pairs(alignment, "outer", min_score, threads, progress)
    findings = findings_by_side(alignment, min_score, counts.total, counts.ignored_total).values()
    every = (one for side in findings for one in side if one.code != ADVISES_A_MAPPING)
    warnings = tuple(one for one in every if one.severity != "info")
    return replace(mapping_of(counts, len(alignment.pages), one_to_one, prior), findings=warnings)


def mapping_of(counts: PairCounts, pages: int, one_to_one: bool = False, prior: bool = True) -> SuggestedMapping:
    """The suggested mapping from pair counts, without findings."""
    overlaps = Overlaps.of_counts(counts)
    names = ((BACKGROUND, *counts.labels[GT]), counts.labels[PRED])
    likeness = name_likeness(names, overlaps.both > 0, prior)
    choice, notes = _one_to_one(overlaps, likeness, names) if one_to_one else _many_to_one(overlaps, likeness, names)
    table = _table(overlaps, likeness, names, choice, notes)
    return SuggestedMapping(table, _unmatched(overlaps, names, table), pages)


@dataclass(frozen=True, eq=False)
class Overlaps:
    """Pixels that labels of both sides share; gt label 0 is Background."""

    both: Floats  # [pred labels, gt labels]
    gt: Floats  # [gt labels]
    pred: Floats  # [pred labels]

    @classmethod
    def of_counts(cls, counts: PairCounts) -> Overlaps:
        """Sum in blocks, because label sets are unpacked to one number per label."""
        sizes = [len(labels) + 1 for labels in counts.labels]
        both, gt, pred = np.zeros((sizes[PRED], sizes[GT])), np.zeros(sizes[GT]), np.zeros(sizes[PRED])
        step = max(CELLS_AT_A_TIME // sum(sizes), 1)
        for first in range(0, len(counts), step):
            rows = slice(first, first + step)
            words, pixels = counts.words[rows], counts.pixels[rows]
            halves = (words[:, : counts.gt_words], words[:, counts.gt_words :])
            bytes_of = lambda half: np.ascontiguousarray(half).view(np.uint8)
            of_gt, of_pred = (
                np.unpackbits(bytes_of(half), axis=1, bitorder="little", count=size).astype(float)
                for half, size in zip(halves, sizes)
            )
            weighted = of_pred * pixels[:, None]
            both += weighted.T @ of_gt
            gt += pixels @ of_gt
            pred += weighted.sum(axis=0)
        return cls(both[1:], gt, pred[1:])

    @cached_property
    def shares(self) -> Floats:
        """float64[pred labels, gt labels]: of the pixels of a pred label, the share with a gt label."""
        return ratio(self.both, self.pred[:, None])

    @cached_property
    def covered(self) -> Floats:
        """float64[pred labels, gt labels]: of the pixels of a gt label, the share with a pred label."""
        return ratio(self.both, self.gt)


def name_likeness(names: Names, wanted: NDArray[np.bool_], prior: bool) -> Floats:
    """float64[pred labels, gt labels]: how alike the names are; slow, so computed only where `wanted`.

    It is 1 if only case, blanks, hyphens or plural differ, and at least 0.8 for known synonyms.
    """
    found = np.zeros(wanted.shape)
    for j, i in zip(*np.nonzero(wanted)):
        pred, gt = names[PRED][j], names[GT][i]
        ratio_of_letters = difflib.SequenceMatcher(None, plain_spelling(pred), plain_spelling(gt), False).ratio()
        found[j, i] = max(ratio_of_letters, synonym_likeness(pred, gt) if prior else 0)
    return found


def _many_to_one(overlaps: Overlaps, likeness: Floats, names: Names) -> Choice:
    choice, notes = [], []
    for shares, covered, alike in zip(overlaps.shares, overlaps.covered, likeness):
        partner, note = _partner(shares, covered, alike, names[GT])
        same = int(alike.argmax())
        if partner == 0:
            partner, note = -1, MOSTLY_BACKGROUND
        elif partner > 0 and shares[partner] < LEAST_SHARE:
            partner, note = -1, NO_PARTNER
        elif partner > 0 and not note and alike[same] == 1 > alike[partner]:  # another gt label has its name
            note = SAME_NAME.format(names[GT][same], percent(shares[same]))
        choice.append(partner)
        notes.append(note)
    return choice, notes


def _partner(shares: Floats, covered: Floats, alike: Floats, names: tuple[str, ...]) -> tuple[int, str]:
    """The partner of one pred label, and a note if it is not the one with the largest share."""
    if np.isnan(shares).any():
        return -1, NO_PIXELS
    best = int(shares.argmax())
    close = shares > shares[best] - CLOSE
    named = np.where(close & (alike >= SIMILARITY), alike, -1)
    if named.max() >= 0:
        partner = int(np.lexsort((-shares, -named))[0])
        return partner, BY_NAME.format(names[best]) if partner != best else ""
    # Shares that add up to more than 1 must overlap: the label of a region inside another one.
    inside = close & (shares + shares[best] > 1)
    partner = int(np.where(inside, covered, -1).argmax()) if inside.any() else best
    return partner, INSIDE.format(names[best]) if partner != best else ""


def _one_to_one(overlaps: Overlaps, likeness: Floats, names: Names) -> Choice:
    """The assignment with the largest sum of 2 x common pixels / (pixels of pred + gt), plus 0.1 for similar names."""
    shares = overlaps.shares
    best, notes = _many_to_one(overlaps, likeness, names)
    alike = likeness >= SIMILARITY
    enough = (shares >= LEAST_SHARE) & (shares > shares[:, :1] - np.where(alike, CLOSE, 0))
    common = np.nan_to_num(ratio(2 * overlaps.both, overlaps.pred[:, None] + overlaps.gt))
    values = np.where(enough, common + CLOSE * alike, 0)
    assigned = best_assignment(values[:, 1:])
    choice = [int(column) + 1 if column >= 0 else -1 for column in assigned]
    for j, (partner, wanted) in enumerate(zip(choice, best)):
        if partner < 0 <= wanted:
            taker = names[PRED][choice.index(wanted)] if wanted in choice else ""
            notes[j] = TAKEN.format(names[GT][wanted], taker) if taker else NO_PARTNER
        elif partner != wanted:
            notes[j] = ""
    return choice, notes


def _table(overlaps: Overlaps, likeness: Floats, names: Names, choice: list[int], notes: list[str]) -> pd.DataFrame:
    rows = []
    for j, (shares, chosen) in enumerate(zip(overlaps.shares, choice)):
        known = not np.isnan(shares).any()
        partner = chosen if chosen >= 0 else int(shares.argmax()) if known else -1
        others = np.where(np.arange(shares.size) == partner, -1, shares)
        second = int(others.argmax()) if known and others.max() > 0 else -1
        best = [(names[GT][i], shares[i]) if i >= 0 else ("", np.nan) for i in (partner, second)]
        alike = likeness[j, partner] if partner >= 0 else np.nan
        rows.append((names[PRED][j], *best[0], *best[1], alike, chosen >= 0, notes[j]))
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype({"mapped": bool})


def _unmatched(overlaps: Overlaps, names: Names, table: pd.DataFrame) -> pd.DataFrame:
    """The gt labels in use to which no pred label is mapped: gt_label, pred_label, share of its pixels."""
    used = set(table["gt_label"][table["mapped"]])
    rows = []
    for i, label in enumerate(names[GT]):
        if i and overlaps.gt[i] > 0 and label not in used:
            covered = overlaps.covered[:, i]
            best = int(covered.argmax()) if covered.size and covered.max() > 0 else -1
            rows.append((label, names[PRED][best] if best >= 0 else "", covered[best] if best >= 0 else 0.0))
    return pd.DataFrame(rows, columns=["gt_label", "pred_label", "share"])


def best_assignment(values: Floats) -> NDArray[np.int64]:
    """int64[rows]: the column of each row, or -1, with the largest possible sum of float64[rows, columns].

    Values of 0 or less are never assigned.
    """
    rows, columns = values.shape
    # One zero-cost dummy column per row lets a row stay unassigned.
    costs = np.concatenate([-np.maximum(values, 0), np.zeros((rows, rows))], axis=1)
    column_of = np.full(rows, -1)
    row_of = np.full(rows + columns, -1)
    row_price, column_price = np.zeros(rows), np.zeros(rows + columns)
    for row in range(rows):
        _augment(costs, row, (row_of, column_of), (row_price, column_price))
    assigned = column_of < columns
    assigned[assigned] = values[assigned, column_of[assigned]] > 0
    return np.where(assigned, column_of, -1)


def _augment(
    costs: Floats, start: int, taken: tuple[NDArray[np.int64], NDArray[np.int64]], prices: tuple[Floats, Floats]
) -> None:
    """Give `start` a column at the least cost, reassigning other rows if needed; changes `taken` and `prices`."""
    (row_of, column_of), (row_price, column_price) = taken, prices
    distance = np.full(costs.shape[1], np.inf)
    before = np.full(costs.shape[1], -1)  # the row from which a column is reached
    done = np.zeros(costs.shape[1], bool)
    row, reached, sink = start, 0.0, -1
    while sink < 0:
        step = reached + costs[row] - row_price[row] - column_price
        nearer = ~done & (step < distance)
        distance[nearer], before[nearer] = step[nearer], row
        column = int(np.where(done, np.inf, distance).argmin())
        reached, done[column] = float(distance[column]), True
        if row_of[column] < 0:
            sink = column
        else:
            row = int(row_of[column])
    row_price[start] += reached
    passed = done & (row_of >= 0)
    row_price[row_of[passed]] += reached - distance[passed]
    column_price[done] -= reached - distance[done]
    while sink >= 0:
        row = int(before[sink])
        row_of[sink] = row
        sink, column_of[row] = int(column_of[row]), sink
        if row == start:
            return


# The label sets of common datasets and models. A row is a kind of region, a column the label that a set has for it, ""
# if the set does not label it. Two names mean the same if the first rows in which they occur are the same. They include
# each other's regions if any row contains both.
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
