"""`compare`: two layouts become a `Comparison`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from layoutcm.alignment.align import AlignmentOptions, align, gt_without_low_scores
from layoutcm.alignment.min_scores import MinScore, check_named_labels, checked_min_score
from layoutcm.alignment.recipe import make_recipe
from layoutcm.alignment.taxonomy import LabelMapping, load_mapping
from layoutcm.comparison import Comparison, comparison_in_memory
from layoutcm.layouts.model import Layout
from layoutcm.layouts.page_maps import PageMapLike, load_page_map

if TYPE_CHECKING:
    from layoutcm.pixels.counting import Progress


def compare(
    gt: Layout,
    pred: Layout,
    *,
    rounding: str = "outer",
    min_score: MinScore = None,
    missing_pages: str = "penalise",
    taxonomy: str = "auto",
    documents: str | Mapping[str, str] | None = None,
    mapping: LabelMapping | str | os.PathLike[str] | None = None,
    pages: PageMapLike = None,
    truth: bool = True,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Compare two layouts pixel by pixel. The pixels are counted from box edges, without a loop over them.

    Parameters
    ----------
    gt, pred : Layout
        Ground truth and prediction, or two predictions.
    rounding : {"outer", "nearest", "exact"}
        All pixels that a box touches; edges rounded half up; exact areas.
    min_score : float or dict, optional
        Pred regions with a lower score are left out. {label: score} has names after mapping, and None for all other
        labels.
    missing_pages : {"penalise", "ignore"}
        A page that only one side has is compared with an empty page, or left out.
    taxonomy : {"auto", "same", "different", "match-names"}
        Whether both sides share one list of labels; "match-names" joins names that differ only in spelling.
    documents : str or dict, optional
        A pattern that finds the document in the name of a page, or {page: document}.
    mapping : dict or path, optional
        Renames labels: {"gt": {old: new}, "pred": {old: new}}, or a YAML or JSON file. What it has under "preds" and
        the name of the prediction (that of its file, without folder and suffix) is for this prediction only.
    pages : dict or path, optional
        A page map, {gt page: pred page}, where names differ.
    truth : bool
        False: neither side is the truth. They are called A and B, `min_score` holds for both, and reports show how far
        they agree.
    threads : int, optional
        All processors unless given.
    progress : callable, optional
        Called with the number of pages done and the number of all pages.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> import layoutcm as lcm
    >>> gt = lcm.read("sample_data/gt.json")
    >>> pred = lcm.read("sample_data/model-a.json", like=gt)
    >>> c = lcm.compare(gt, pred)
    >>> c.taxonomy, len(c.pages)
    ('same', 60)
    >>> round(c.confusion().average("macro")["f1"], 3)
    0.81
    """
    from layoutcm.pixels.counting import check_counting_options, count_pairs

    check_counting_options(rounding, threads)
    min_score = checked_min_score(min_score)
    options = AlignmentOptions(missing_pages, taxonomy, load_mapping(mapping), documents, load_page_map(pages))
    alignment = align(gt, pred, options)
    check_named_labels(min_score, list(dict.fromkeys(label for side in alignment.layouts for label in side.labels)))
    if not truth and min_score is not None:
        alignment = align(gt_without_low_scores(gt, alignment, min_score), pred, options)
    counts = count_pairs(alignment, rounding, min_score, threads, progress)
    settings = make_recipe(gt, pred, alignment, options, rounding, min_score)
    return comparison_in_memory(
        alignment, counts, rounding, min_score, settings if truth else settings.without_truth(), threads, truth
    )
