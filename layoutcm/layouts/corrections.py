"""Put corrected pages back into the ground truth they came from.

An annotation tool returns some of the pages, with rounded boxes and without what it cannot store: ids, documents,
attributes, ignore marks. So gt stays as it is, and only regions that are really new or gone are exchanged.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np

from layoutcm.errors import InputError, short_repr
from layoutcm.layouts.model import Indices, Layout, Regions, check_is_layout, concatenate_regions, find_page
from layoutcm.layouts.shapes import Outline, RunMask, Shape

# Of a coordinate, in pixels: CVAT writes two digits, Label Studio shares of the page.
ROUNDING = 0.011


def merge_corrections(gt: Layout, corrected: Layout) -> Layout:
    """`gt` with the regions of `corrected` on the pages of `corrected`; everything else of `gt` stays.

    Page ids, documents, page numbers, attributes and the ids of labels are those of gt. A region that was not changed
    (same label, same box or outline up to rounding) is that of gt, with its ignore mark. New labels get new ids.

    Parameters
    ----------
    gt : Layout
    corrected : Layout
        Some of its pages, as an annotation tool exports them. Pages are found by name and must have the same size.

    Returns
    -------
    Layout

    Examples
    --------
    >>> import layoutcm as lcm
    >>> row = {"page": "a.png", "label": "Text", "x0": 0, "y0": 0, "x1": 50, "y1": 30, "width": 100, "height": 80}
    >>> gt = lcm.read([row, {**row, "page": "b.png"}])
    >>> lcm.merge_corrections(gt, lcm.read([{**row, "label": "Table"}])).regions[["page", "label"]].values.tolist()
    [['b.png', 'Text'], ['a.png', 'Table']]
    """
    check_is_layout(gt, "gt")
    check_is_layout(corrected, "corrected")
    pages, labels = _pages_in_gt(gt, corrected), _labels_of_both(gt, corrected)
    recode = np.array([labels.index(label) if label in labels else -1 for label in corrected.labels], np.int32)
    old, new = gt.region_columns, corrected.region_columns
    new = replace(new, page=pages[new.page], label=recode[new.label])
    kept, added = _exchanged(old, new, pages)
    regions = concatenate_regions([old.take(kept), new.take(added)])
    return replace(gt, labels=labels, region_columns=regions, label_keys=_ids_of_labels(gt, len(labels)), sha256=None)


def _pages_in_gt(gt: Layout, corrected: Layout) -> Indices:
    """int32[pages of corrected]: the page of gt; an InputError for pages that gt does not have in this size."""
    found: dict[int, str] = {}
    for k, name in enumerate(corrected.page_columns.names):
        page = find_page(name, gt.page_columns)
        if page is None:
            problem = f"gt has no page {short_repr(name)}, or several that are alike"
            raise InputError(corrected.name, "", problem, "Give the ground truth that was corrected.")
        if page in found:
            problem = f"the pages {short_repr(found[page])} and {short_repr(name)} are one page of gt"
            raise InputError(corrected.name, "", problem, "Keep one of them.")
        own, other = corrected.page_columns.size(k), gt.page_columns.size(page)
        if not np.allclose(own, other, rtol=0, atol=0.5):
            sizes = " and ".join(f"{width:g} x {height:g}" for width, height in (own, other))
            problem = f"page {short_repr(name)} has other sizes in corrected and gt: {sizes}"
            raise InputError(corrected.name, "", problem, "Correct images of the size that gt has, or scale the boxes.")
        found[page] = name
    return np.array(list(found), np.int32)


def _labels_of_both(gt: Layout, corrected: Layout) -> list[str]:
    """The labels of gt, then the other labels that regions of `corrected` have."""
    used = corrected.labels_in_use
    return list(dict.fromkeys([*gt.labels, *(label for label in corrected.labels if label in used)]))


def _ids_of_labels(gt: Layout, labels: int) -> dict[int | float | str, int]:
    """The file's own ids of labels. New labels get the next free numbers; otherwise results lists would not fit."""
    numbers = [key for key in gt.label_keys if isinstance(key, int)]
    first = max(numbers, default=0) + 1
    more = range(len(gt.labels), labels) if numbers else ()
    return gt.label_keys | {first + k: label for k, label in enumerate(more)}


def _exchanged(old: Regions, new: Regions, pages: Indices) -> tuple[np.ndarray, np.ndarray]:
    """bool[old], bool[new]: the regions of gt that stay, and those that are added."""
    kept, added = ~np.isin(old.page, pages), np.ones(len(new), bool)
    candidates: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for i in np.flatnonzero(~kept).tolist():
        candidates[int(old.page[i]), int(old.label[i])].append(i)
    for k in range(len(new)):
        alike = candidates[int(new.page[k]), int(new.label[k])]
        same = next((i for i in alike if _is_unchanged(old, i, new, k)), None)
        if same is not None:
            alike.remove(same)
            kept[same], added[k] = True, False
    return kept, added


def _is_unchanged(old: Regions, i: int, new: Regions, k: int) -> bool:
    """Whether a region is as before. A missing mark is not a change, because most tools cannot store it."""
    if new.hides_pixels[k] and not old.hides_pixels[i]:
        return False
    near = np.abs(old.boxes[i] - new.boxes[k]).max() <= ROUNDING
    return bool(near and _same_shape(old.shapes.get(i), new.shapes.get(k)))


def _same_shape(old: Shape | None, new: Shape | None) -> bool:
    if isinstance(old, Outline) and isinstance(new, Outline):
        rings = list(zip(old.rings, new.rings))
        sizes = [len(ring) for ring in old.rings] == [len(ring) for ring in new.rings]
        return sizes and all(np.abs(a - b).max() <= ROUNDING for a, b in rings)
    if isinstance(old, RunMask) and isinstance(new, RunMask):
        return (old.height, old.width) == (new.height, new.width) and np.array_equal(old.runs, new.runs)
    return old is None and new is None
