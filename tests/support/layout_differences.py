"""What differs between a layout and the one that was read from its file, counted without the code of the writers.

The keys are those of the findings: a code, or what has no place in the format.
"""

from collections import Counter

import numpy as np

from layoutcm.layouts.shapes import Outline, is_box, run_pixels

CLIPPING = ("yolo", "page-xml")  # formats that have no coordinates outside of the page
ENOUGH = 1e-6  # pixels that count as a difference


def differences(one, other, order):
    """A Counter; `order[i]` is the page of `other` that was written as page i of `one`."""
    found = Counter()
    _compare_pages(one, other, order, found)
    _compare_labels(one, other, found)
    names = {page: i for i, page in enumerate(order)}
    before = [[i for i, page in enumerate(one.region_columns.page) if page == k] for k in range(len(order))]
    after = [[] for _ in order]
    for i, page in enumerate(other.region_columns.page):
        after[names[int(page)]].append(i)
    for page, (old, new) in enumerate(zip(before, after)):
        _compare_regions(one, other, page, (old, new), found)
    found["annotators"] = len(one.annotators) if one.annotators != other.annotators else 0
    return +found


def _compare_pages(one, other, order, found):
    pages, others = one.page_columns, other.page_columns
    assert len(pages) == len(others) and sorted(order) == list(range(len(pages)))
    found["page-order"] = sum(i != k for k, i in enumerate(np.argsort(order)))
    for i, k in enumerate(order):
        found["renamed-pages"] += pages.names[i] != others.names[k]
        for size, other_size in zip(pages.size(i), others.size(k)):
            found["rounded-coordinates"] += size != other_size
        for key, column, lost in (("documents", "documents", ""), ("page numbers", "numbers", -1)):
            was, now = getattr(pages, column)[i], getattr(others, column)[k]
            assert now in (was, lost)
            found[key] += was != now
    if found["documents"]:  # all of them, because a format either has a place for them or not
        found["documents"] = len(set(filter(None, pages.documents)))
    for name, texts in pages.attributes.items():
        now = others.attributes.get(name, ("",) * len(order))
        assert not any(now) or [now[k] for k in order] == list(texts)
        found["attributes"] += any(texts) and not any(now)


def _compare_labels(one, other, found):
    used = [label for label in one.labels if label in one.labels_in_use]
    if len(other.labels) == len(one.labels):
        if set(other.labels) == set(one.labels):
            return
        found["renamed-labels"] = sum(old != new for old, new in zip(one.labels, other.labels))
    else:
        assert set(other.labels) == set(used)
        found["unused labels"] = len(one.labels) - len(used)


def _label_of(one, other, label):
    """The position in `other` of a label of `one`."""
    name = one.labels[label]
    return other.labels.index(name) if name in other.labels else label


def _compare_regions(one, other, page, rows, found):
    regions, others = one.region_columns, other.region_columns
    old, new = rows
    todo = list(new)
    for i in old:
        shape = regions.shapes.get(i)
        several = isinstance(shape, Outline) and len(shape.rings) > 1
        whole = others.shapes.get(todo[0]) if todo else None
        is_split = several and not (isinstance(whole, Outline) and len(whole.rings) == len(shape.rings))
        parts = [todo.pop(0) for _ in range(len(shape.rings) if is_split else 1)]
        found["split-outlines"] += is_split
        assert all(others.label[k] == _label_of(one, other, regions.label[i]) for k in parts)
        _compare_flags(regions, others, i, parts, found)
        rings = [(k, Outline((ring,))) for k, ring in zip(parts, shape.rings)] if is_split else [(parts[0], shape)]
        changes = [_compare_shape(one, other, (i, k), part, page) for k, part in rings]
        for kind in ("shape-as-box", "clipped-regions", "rounded-coordinates"):
            found[kind] += any(kind in change for change in changes)
    assert not todo


def _compare_flags(regions, others, i, parts, found):
    score, scores = regions.scores[i], [others.scores[k] for k in parts]
    is_lost = np.isfinite(score) and all(map(np.isnan, scores))
    assert is_lost or all(np.array_equal(score, one, equal_nan=True) for one in scores)
    found["scores"] += is_lost
    found["ignore flags"] += regions.ignored[i] and not others.ignored[parts].all()
    if regions.coco is not None:
        x0, y0, x1, y1 = regions.boxes[i]
        now = others.coco
        found["crowd flags"] += regions.coco.crowd[i] and (now is None or not now.crowd[parts].all())
        odd = not np.isclose(regions.coco.areas[i], (x1 - x0) * (y1 - y0), rtol=1e-6, atol=1e-6)
        found["areas"] += odd and (now is None or now.areas[parts[0]] != regions.coco.areas[i])


def _compare_shape(one, other, rows, shape, page):
    """What has changed: a set of codes."""
    i, k = rows
    now, box = other.region_columns.shapes.get(k), other.region_columns.boxes[k].reshape(2, 2)
    size = one.page_columns.size(page)
    if isinstance(shape, Outline):
        assert now is not None or _is_box_inside(shape, size) or _becomes_a_box(shape, size), "an outline is lost"
        pairs = list(zip(shape.rings, now.rings)) if now is not None else [(_corners(shape), box)]
    elif shape is not None and now is not None:
        assert (shape.width, shape.height) == (now.width, now.height)
        assert np.array_equal(run_pixels(shape), run_pixels(now))
        return set()
    else:
        pairs = [(one.region_columns.boxes[i].reshape(2, 2), box)]
    changes = {"shape-as-box"} if shape is not None and not isinstance(shape, Outline) else set()
    if isinstance(shape, Outline) and now is None and not _is_box_inside(shape, size):
        changes.add("rounded-coordinates")  # of points that are not corners of the box
    for before, after in pairs:
        inside = np.clip(before, 0, size)
        if (inside != before).any() and other.format in CLIPPING:
            changes.add("clipped-regions")
            before = inside
        if np.abs(after - before).max() > ENOUGH:
            changes.add("rounded-coordinates")
    return changes


def _is_box_inside(shape, size):
    """Whether an outline is a box after it was clipped."""
    return any(is_box(Outline((np.clip(ring, 0, size),))) for ring in shape.rings)


def _becomes_a_box(shape, size):
    """Whether an outline is a box after its points were clipped and rounded."""
    return any(is_box(Outline((np.rint(np.clip(ring, 0, size)),))) for ring in shape.rings)


def _corners(shape):
    points = np.concatenate(shape.rings)
    return np.array([points.min(axis=0), points.max(axis=0)])
