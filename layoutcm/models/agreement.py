"""`agreement`: how far two or more layouts of the same pages agree, if none of them is the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.align import scale_to_frame
from layoutcm.alignment.min_scores import MinScore, check_named_labels, checked_min_score, without_low_scores
from layoutcm.alignment.page_matching import match_pages
from layoutcm.alignment.taxonomy import join_labels
from layoutcm.comparison import compare
from layoutcm.errors import InputError, check_choice, short_repr
from layoutcm.layouts.model import Layout, Pages, Regions, recode_labels
from layoutcm.layouts.shapes import Outline, Shape
from layoutcm.metrics.agreement import AGREEMENT, agreement_of

AGREEMENT_TAXONOMIES = ("auto", "same")
NAME_HINT = "Check the page names of all files."


def agreement(
    layouts: Sequence[Layout],
    *,
    rounding: str = "outer",
    min_score: MinScore = None,
    taxonomy: str = "auto",
    threads: int | None = None,
) -> dict[str, float]:
    """Observed agreement, Cohen's kappa and Krippendorff's alpha of two or more layouts, on the pages that all have.

    Pages have the sizes of the first layout, and its ignore regions are left out.

    Parameters
    ----------
    layouts : sequence of Layout
    rounding, min_score, taxonomy, threads
        As in `compare`; `min_score` holds for all layouts, and taxonomy "same" makes one list of all labels.

    Returns
    -------
    dict
        {"observed", "kappa", "alpha"}: the first two are means over all pairs of layouts. All are nan if the labels
        differ.

    Examples
    --------
    >>> import layoutcm as lcm
    >>> both = [lcm.read("sample_data/gt.json"), lcm.read("sample_data/annotator-2.json")]
    >>> round(lcm.agreement(both)["kappa"], 3)
    0.948
    """
    given, min_score = _check_layouts(layouts), checked_min_score(min_score)
    check_named_labels(min_score, list(dict.fromkeys(label for layout in given for label in layout.labels)))
    check_choice("taxonomy", taxonomy, AGREEMENT_TAXONOMIES)
    if not all(join_labels(*pair, taxonomy, mapped=False)[0].shared for pair in combinations(given, 2)):
        return dict.fromkeys(AGREEMENT, float("nan"))
    common = _on_common_pages([without_low_scores(layout, min_score) for layout in given])
    compared = [compare(*pair, rounding=rounding, taxonomy="same", threads=threads) for pair in combinations(common, 2)]
    return agreement_of([one.all_counts for one in compared], compared[0].space)


def _check_layouts(layouts: Sequence[Layout]) -> list[Layout]:
    if not isinstance(layouts, list | tuple) or len(layouts) < 2:
        problem = f"{short_repr(layouts)} is not a list of two or more layouts"
        raise InputError("", "layouts", problem, "Write agreement([layout, layout]).")
    for k, layout in enumerate(layouts):
        if not isinstance(layout, Layout):
            problem = f"{short_repr(layout)} is not a layout"
            raise InputError("", f"layouts[{k}]", problem, "Read the file first: layoutcm.read(path).")
    return list(layouts)


def _on_common_pages(layouts: Sequence[Layout]) -> list[Layout]:
    """The layouts with the same pages and the same list of labels; all hide what the first one hides."""
    first = layouts[0]
    partners = [match_pages(first.page_columns, other.page_columns, {})[0].partner for other in layouts]
    kept = np.flatnonzero((np.array(partners) >= 0).all(axis=0))
    if not kept.size:
        raise InputError("", "layouts", "there is no page that all layouts have", NAME_HINT)
    pages = first.page_columns.take(kept)
    labels = list(dict.fromkeys(label for layout in layouts for label in layout.labels))
    hidden = _on_pages(first.hidden_regions, first.page_columns, pages, partners[0][kept])
    areas = replace(hidden, label=np.zeros_like(hidden.label), coco=None) if len(hidden) else None
    found = []
    for layout, partner in zip(layouts, partners):
        regions = layout.region_columns
        if layout is first:
            regions = regions.take(~regions.hides_pixels)
        regions = _on_pages(regions, layout.page_columns, pages, partner[kept])
        recode = np.array([labels.index(label) for label in layout.labels], np.int32)
        regions = replace(recode_labels(regions, recode), coco=None, ignore=None)
        found.append(Layout(layout.name, layout.format, labels, pages, regions, ignore_areas=areas))
    return found


def _on_pages(regions: Regions, own: Pages, pages: Pages, source: NDArray[np.int64]) -> Regions:
    """The regions on other pages, scaled to their sizes; `source` is int64[pages], the own page of each."""
    target = np.full(len(own), -1, np.int32)
    target[source] = np.arange(len(pages), dtype=np.int32)
    regions = regions.take(target[regions.page] >= 0)
    page = target[regions.page]
    old = np.stack([own.widths, own.heights], axis=1)[regions.page]
    new = np.stack([pages.widths, pages.heights], axis=1)[page]
    shapes = {i: _scaled_shape(shape, old[i : i + 1], new[i : i + 1]) for i, shape in regions.shapes.items()}
    return replace(regions, page=page, boxes=scale_to_frame(regions.boxes, old, new), shapes=shapes)


def _scaled_shape(shape: Shape, old: NDArray[np.float64], new: NDArray[np.float64]) -> Shape:
    """An outline on the new page; a mask covers its page, whatever the size of the page."""
    if not isinstance(shape, Outline):
        return shape
    scale = lambda ring: scale_to_frame(ring, np.repeat(old, len(ring), axis=0), np.repeat(new, len(ring), axis=0))
    return Outline(tuple(scale(ring) for ring in shape.rings))
