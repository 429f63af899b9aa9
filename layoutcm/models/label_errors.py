"""Regions of the ground truth that are probably wrong, because predictions contradict them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.align import Alignment
from layoutcm.comparison import Comparison
from layoutcm.diagnosis.paired_regions import PairedRegions, paired_regions
from layoutcm.diagnosis.pairing_kernel import INVENTED, MISSED, NO_PARTNER, NO_PIXELS
from layoutcm.errors import Hint, InputError, NotCounted, short_repr
from layoutcm.layouts.model import GT, PRED, Layout
from layoutcm.lazy import pd
from layoutcm.messages.finding_text import option
from layoutcm.models.contradictions import (
    KINDS,
    NONE,
    Candidates,
    FreeRegions,
    GtRegions,
    Model,
    all_candidates,
    log_ratio_of_scores,
)
from layoutcm.wording import SUGGESTED, make_unique

BOX = ("x0", "y0", "x1", "y1")
IN_MEMORY = Hint(
    "Compare the whole layouts, or one part of each: layoutcm.compare.",
    "Open the layouts themselves, or one part of each.",
)
SAME_GT = "Compare all predictions with the same gt, and with the same mapping of it."


def label_errors(comparisons: Iterable[Comparison] | Comparison) -> pd.DataFrame:
    """The probable errors of a ground truth, the most probable first.

    Parameters
    ----------
    comparisons : Comparison or iterable of Comparison
        All must be with this gt; several predictions find more.

    Returns
    -------
    DataFrame
        page, region (row number in `gt.regions`, NA if it is missing), kind ("label", "missing", "spurious" or "box"),
        gt_label, suggested (a label, None to remove the region), evidence (0 to 1), box of the region (x0, …) and of
        the suggestion (suggested_x0, …), then for every prediction what it has there: NAME_label, NAME_evidence.

    Examples
    --------
    >>> import layoutcm as lcm
    >>> gt = lcm.read("sample_data/gt.json")
    >>> both = [lcm.compare(gt, lcm.read(f"sample_data/model-{name}.json", like=gt)) for name in "ac"]
    >>> lcm.label_errors(both)[["page", "kind", "suggested"]].head(2).values.tolist()
    [['paper-2_p1.png', 'missing', 'Title'], ['paper-3_p3.png', 'missing', 'Table']]
    """
    given = list(comparisons) if isinstance(comparisons, Iterable) else [comparisons]
    if any(isinstance(c, Comparison) and not c.levels.has_regions for c in given):
        raise NotCounted("", "", "probable errors of the ground truth are not looked for in parts", IN_MEMORY)
    _check_comparisons(given)
    alignments = [c.alignment for c in given]
    labels = list(dict.fromkeys(label for c in given for label in c.labels))
    pairs = [paired_regions(c.sources.all_regions.causes) for c in given]
    gt = _gt_regions(alignments, pairs, labels)
    models = [_model(c, gt, found, labels) for c, found in zip(given, pairs)]
    names = prediction_names([one.layouts[PRED] for one in alignments])
    return _table(all_candidates(gt, models, given[0].threads), alignments[0], labels, names)


def prediction_names(layouts: Sequence[Layout]) -> list[str]:
    """A name for each prediction, from its file; "gt" is taken, because there is a column `gt_label`."""
    return make_unique(["gt", *(PurePath(layout.name).stem or layout.name for layout in layouts)])[1:]


def _gt_regions(alignments: Sequence[Alignment], pairs: Sequence[PairedRegions], labels: list[str]) -> GtRegions:
    gt = alignments[0].layouts[GT]
    regions, pages = gt.region_columns, gt.page_columns
    frames = np.stack([pages.widths, pages.heights] * 2, axis=1)
    codes = np.array([labels.index(label) for label in gt.labels], np.int64)
    label = codes[regions.label] if len(regions) else np.empty(0, np.int64)
    page = regions.page.astype(np.int64)
    used_pages = np.all([_pages_of_both(one) for one in alignments], axis=0)
    judged = used_pages[page]
    for found in pairs:
        has_pixels = np.zeros(len(regions), bool)
        has_pixels[found.row[(found.side == GT) & (found.status != NO_PIXELS)]] = True
        judged = judged & has_pixels
    return GtRegions(page, label, np.clip(regions.boxes, 0, frames[page]), len(labels), judged, used_pages)


def _pages_of_both(alignment: Alignment) -> NDArray[np.bool_]:
    """bool[gt pages]: whether the prediction has the page; otherwise it says nothing about what is there."""
    has = np.zeros(len(alignment.layouts[GT].page_columns), bool)
    gt, pred = alignment.sources
    has[gt[(gt >= 0) & (pred >= 0)]] = True
    return has


def _model(c: Comparison, gt: GtRegions, found: PairedRegions, labels: list[str]) -> Model:
    """What a prediction has for every region of gt, and what it has where gt has nothing."""
    codes = np.array([labels.index(label) for label in c.labels])
    said, n = codes[found.place], len(gt.page)
    pred, in_gt = found.side == PRED, np.flatnonzero(found.side == GT)
    is_right = (found.partner != NO_PARTNER) & (said == said[found.partner])
    log_ratio = np.zeros(len(said))
    log_ratio[pred] = log_ratio_of_scores(found.scores[pred], is_right[pred])
    outcome, boxes, log_ratio_of = np.full(n, len(labels) + 1), np.full((n, 4), np.nan), np.zeros(n)
    outcome[found.row[in_gt[found.status[in_gt] == MISSED]]] = len(labels)
    paired = in_gt[found.partner[in_gt] != NO_PARTNER]
    rows, partners = found.row[paired], found.partner[paired]
    outcome[rows], boxes[rows], log_ratio_of[rows] = said[partners], found.boxes[partners], log_ratio[partners]
    page = c.alignment.sources[GT][found.page]
    free = np.flatnonzero(pred & (found.status == INVENTED) & (page >= 0))
    free = free[gt.used_pages[page[free]]]
    return Model(
        gt, outcome, boxes, log_ratio_of, FreeRegions(page[free], said[free], found.boxes[free], log_ratio[free])
    )


def _table(found: Candidates, alignment: Alignment, labels: list[str], names: list[str]) -> pd.DataFrame:
    gt = alignment.layouts[GT]
    regions, has = gt.region_columns, found.row != NONE
    row = pd.array(found.row, dtype="Int64")
    row[has] = alignment.mapped.rows[GT][found.row[has]]  # in the layout that was given, before the mapping
    row[~has] = pd.NA
    gt_label, boxes = np.full(has.size, None, object), np.full((has.size, 4), np.nan)
    gt_label[has] = np.array([*gt.labels, None], object)[regions.label[found.row[has]]]
    boxes[has] = regions.boxes[found.row[has]]
    named = np.array([*labels, None], object)  # NONE is the last
    columns: dict[str, object] = {
        "page": np.array(gt.page_columns.names, object)[found.page],
        "region": row,
        "kind": np.array(KINDS, object)[found.kind],
        "gt_label": gt_label,
        "suggested": named[found.suggested],
        "evidence": found.evidence,
    }
    columns |= {name: boxes[:, i] for i, name in enumerate(BOX)}
    columns |= {f"suggested_{name}": found.boxes[:, i] for i, name in enumerate(BOX)}
    for k, name in enumerate(names):
        columns |= {f"{name}_label": named[found.model_label[:, k]], f"{name}_evidence": found.model_evidence[:, k]}
    return pd.DataFrame(columns)


def usable_comparisons(comparisons: Sequence[Comparison]) -> tuple[list[int], dict[int, InputError]]:
    """The positions of comparisons that can be evidence together, and {position: why not} of the others.

    The first one that has the labels of gt decides which gt it is.
    """
    usable: list[int] = []
    problems: dict[int, InputError] = {}
    for k, c in enumerate(comparisons):
        try:
            _check_comparison(f"comparisons[{k}]", comparisons[usable[0]] if usable else c, c)
            usable.append(k)
        except InputError as error:
            problems[k] = error
    return usable, problems


def _check_comparisons(given: Sequence[Any]) -> None:
    """Raise an InputError unless these are comparisons with one gt, and with its labels."""
    if not given:
        raise InputError("", "comparisons", "there is no comparison", "Give a list of what layoutcm.compare returns.")
    for k, c in enumerate(given):
        _check_comparison(f"comparisons[{k}]", given[0], c)
    if not np.all([_pages_of_both(c.alignment) for c in given], axis=0).any():
        problem = "gt and the predictions have no page in common, so nothing can be judged"
        raise InputError("", "comparisons", problem, "Check the names of the pages, or give a page map.")


def _check_comparison(place: str, first: Comparison, c: Any) -> None:
    """Raise an InputError unless this is a comparison with the gt of the first one, and with its labels."""
    if not isinstance(c, Comparison):
        raise InputError("", place, f"{short_repr(c)} is not a comparison", "Give what layoutcm.compare returns.")
    if not c.space.shared:
        problem = "its labels are not those of gt, so it cannot contradict them"
        join = f"join similar names ({option('taxonomy', 'match-names')})"
        hint = Hint(f"Map them (mapping=, --mapping; {SUGGESTED}), or {join}.", "Map them on the page Data.")
        raise InputError(c.alignment.layouts[PRED].name, "labels", problem, hint)
    _check_same_gt(place, first.alignment, c.alignment)


def _check_same_gt(place: str, first: Alignment, other: Alignment) -> None:
    if first.layouts[GT] is other.layouts[GT]:
        return
    facts, others = _facts_of_gt(first), _facts_of_gt(other)
    for what, value in facts.items():
        if not np.array_equal(value, others[what]):
            raise InputError("", place, f"its gt has other {what} than that of the first comparison", SAME_GT)


def _facts_of_gt(alignment: Alignment) -> dict[str, NDArray[Any]]:
    """What must be the same in the gt of all comparisons."""
    gt = alignment.layouts[GT]
    pages, regions = gt.page_columns, gt.region_columns
    return {
        "pages": np.array(pages.names, object),
        "page sizes": np.stack([pages.widths, pages.heights]),
        "boxes": np.column_stack([regions.page, regions.boxes]),
        "labels": np.array([*gt.labels, ""], object)[regions.label],
        "regions": alignment.mapped.rows[GT],  # a mapping may leave some out
        "ignore regions": gt.hidden_regions.boxes,
    }
