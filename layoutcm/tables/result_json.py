"""The JSON of a comparison (`compare --json`, result.json) and of a layout (`inspect --json`).

Families, intervals, slices and the difference from another prediction are added if they were requested. The keys are
described in docs/schema; `SCHEMA` is the version of that description.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import repeat
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec
import numpy as np

from layoutcm import __version__
from layoutcm.alignment.checks import findings_of
from layoutcm.alignment.page_matching import WAYS
from layoutcm.comparison import Comparison
from layoutcm.errors import InputError
from layoutcm.layouts.model import GT, PRED, SIDES, Layout
from layoutcm.layouts.page_documents import name_documents
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.family_confusion import FamilyConfusion
from layoutcm.metrics.family_trees import OOF
from layoutcm.metrics.scores import AVERAGES
from layoutcm.pixels.counting import map_chunks
from layoutcm.tables.agreement_tables import agreement_result
from layoutcm.tables.extras import NO_EXTRAS, Extras
from layoutcm.tables.headline import headline_records
from layoutcm.tables.named_figures import Figures, named_figures
from layoutcm.tables.result_levels import (
    column_records,
    document_records,
    left_out_finding,
    mass_matrices,
    matrix_json,
    page_records,
    set_sums,
    too_many_documents,
    view_matrices,
    write_documents,
)
from layoutcm.tables.result_objects import centroids_result, objects_result, soft_result
from layoutcm.tables.why import why_result
from layoutcm.wording import pixels_as_number

VALUES_SHOWN = 50  # of an attribute of pages
FEWEST_PARALLEL = 2_000  # pages from which parts of the result are computed at the same time
SCHEMA = "1.0"  # a new first number means that keys were removed or have another meaning


def json_ready(value: Any) -> Any:
    """Convert to plain Python values; nan and infinity, which JSON does not have, become None."""
    if isinstance(value, dict):
        return {key: json_ready(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return json_ready(value.tolist())
    if isinstance(value, list | tuple):
        return [json_ready(item) for item in value]
    if isinstance(value, np.generic):
        return json_ready(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value


def json_text(value: Any) -> bytes:
    """The JSON text of a value, as it is written to a file; nan becomes null."""
    return b"".join(_broken_text(value, 3 if isinstance(value, list) else 2, b"\n")) + b"\n"


def _broken_text(value: Any, levels: int, line: bytes) -> Iterator[bytes]:
    """JSON with one item per line down to so many levels: a record or a row of a matrix is on one line.

    `line` is a line break with the indentation of the value. Yields pieces, because to join parts first copies them.
    """
    is_list = isinstance(value, list)
    items = value if is_list else value.values() if isinstance(value, dict) else ()
    if not levels or not any(isinstance(item, dict | list) for item in items):
        yield _plain_text(value)
        return
    inner = line + b" "
    before = b"[" if is_list else b"{"
    for key, item in zip(repeat(None) if is_list else value, items):
        yield before + inner if is_list else before + inner + _plain_text(key) + b": "
        yield from _broken_text(item, levels - 1, inner)
        before = b","
    yield line + (b"]" if is_list else b"}")


def _plain_text(value: Any) -> bytes:
    """JSON on one line."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:  # a file name can contain lone surrogates, which UTF-8 cannot encode
        text = json.dumps(json_ready(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode("utf-8", "replace")


def comparison_result(
    comparison: Comparison, method: str = "matrix", per_page: bool = False, documents_path: Path | None = None
) -> dict[str, Any]:
    """The result of one comparison, without extras.

    A result with very many documents has no `by_document`; they are written to `documents_path`, if one is given.
    """
    left_out = too_many_documents(comparison)
    if left_out and documents_path:
        write_documents(comparison, method, documents_path)
    parts = _parallel_parts(comparison, method, left_out)
    answer = set_result(comparison, method, _set_facts(comparison) | parts)
    if not comparison.has_truth:
        answer["agreement"] = agreement_result(comparison)
    if left_out:
        file = documents_path.name if documents_path else ""
        answer["findings"].append(left_out_finding(comparison, file).as_dict())
    answer = json_ready(answer)
    # Converted as whole arrays, because there can be very many of them.
    answer["by_document"] = parts["by_document"]
    if per_page:
        answer["by_page"] = page_records(comparison, method)
    return answer


def set_parts(comparison: Comparison, method: str) -> dict[str, Any]:
    """The parts of `set_result` for a comparison in memory, without documents."""
    return _set_facts(comparison) | _parallel_parts(comparison, method, left_out=True)


def comparison_figures(comparison: Comparison, method: str = "matrix") -> Figures:
    """All figures of a comparison under flat names; None is n/a."""
    return named_figures(json_ready(set_result(comparison, method, set_parts(comparison, method))))


def _parallel_parts(comparison: Comparison, method: str, left_out: bool) -> dict[str, Any]:
    """The parts that take long; on several processors, because most of them is done without Python's lock."""
    _ = comparison.sources.objects.sides  # needed by two of them
    works: dict[str, Callable[[], Any]] = {
        "objects": lambda: objects_result(comparison),
        "by_document": lambda: None if left_out else document_records(comparison, method),
        "centroids": lambda: centroids_result(comparison),
        "soft": lambda: soft_result(comparison) if comparison.space.shared else None,
        "findings": lambda: comparison.findings,
        "means": lambda: {
            level: comparison.levels.means_over(level, AVERAGES, background=False, method=method)
            for level in ("pages", "documents")
        },
    }
    # Of few pages they take little time, and one after the other they need less memory.
    threads = comparison.threads if len(comparison.pages) >= FEWEST_PARALLEL else 1
    found = map_chunks(lambda i: list(works.values())[i](), range(len(works)), threads)
    return dict(zip(works, found))


def set_result(comparison: Comparison, method: str, parts: Mapping[str, Any]) -> dict[str, Any]:
    """The result of the whole set, with the given parts; `inputs`, `pages` and the like are among them."""
    confusion = comparison.confusion(method=method)
    diagonal, collapsed = confusion.diagonal, confusion.collapse()
    answer = {
        "schema": SCHEMA,
        "version": __version__,
        "recipe": comparison.recipe_for(method),
        "recipe_fields": comparison.settings.with_version(method=method),
        "inputs": parts["inputs"],
        "headline": None,
        "method": method,
        "taxonomy": comparison.taxonomy,
        "labels": confusion.labels,
        "gt_labels": comparison.alignment.layouts[0].labels,
        "pred_labels": comparison.alignment.layouts[1].labels,
        "pages": parts["pages"],
        "documents": parts["documents"],
        "pixels": pixels_as_number(comparison.pixels),
        "ignored_pixels": pixels_as_number(comparison.ignored_pixels),
        **view_matrices(confusion),
        **mass_matrices(confusion),
        "classes": column_records(confusion.class_table()) if diagonal else None,
        "averages": _averages(confusion, background=False) if diagonal else None,
        "averages_with_background": _averages(confusion, background=True) if diagonal else None,
        **set_sums(confusion),
        "collapsed": {"labels": list(collapsed.labels), **view_matrices(collapsed)},
        "findings": [finding.as_dict() for finding in parts["findings"]],
        "page_matching": parts["page_matching"],
        "objects": parts["objects"],
        "centroids": parts["centroids"],
        "by_document": None,
    }
    for level, averages in parts["means"].items():
        answer[f"averages_over_{level}"] = averages if diagonal else None
    answer["soft"] = parts["soft"]
    answer["headline"] = headline_records(answer)
    return answer


def _set_facts(comparison: Comparison) -> dict[str, Any]:
    """What a comparison of parts takes from its plan instead."""
    return {
        "inputs": {side: _input_facts(layout) for side, layout in zip(SIDES, comparison.alignment.layouts)},
        "pages": len(comparison.pages),
        "documents": len(comparison.documents),
        "page_matching": _page_matching(comparison),
    }


def _input_facts(layout: Layout) -> dict[str, Any]:
    """What was compared, without the folder that it was in."""
    return {
        "name": PurePosixPath(layout.name.replace("\\", "/")).name,
        "format": layout.format,
        "sha256": layout.sha256,
        **({"annotator": layout.annotator} if layout.annotator else {}),
        "pages": len(layout.page_columns),
        "regions": len(layout.region_columns),
    }


def _page_matching(comparison: Comparison) -> dict[str, Any]:
    """The number of pages matched by each rule, and the names of unmatched pages."""
    matches, sides = comparison.alignment.matches, [side.page_columns for side in comparison.alignment.layouts]
    counts = zip(WAYS, np.bincount(matches.how).tolist())
    unmatched = matches.unmatched(len(sides[PRED]))
    return {
        "matched": {way: count for way, count in counts if way and count},
        **{f"only_in_{name}": [side.names[i] for i in pages] for name, side, pages in zip(SIDES, sides, unmatched)},
    }


def _averages(confusion: Confusion, background: bool) -> dict[str, dict[str, float]]:
    return {kind: confusion.average(kind, background) for kind in AVERAGES}


def layout_result(layout: Layout) -> dict[str, Any]:
    """The JSON that `inspect --json` writes for one file."""
    pages, regions = layout.page_columns, layout.region_columns
    used = np.bincount(regions.label, minlength=len(layout.labels))
    answer = {
        "file": layout.name,
        "format": layout.format,
        "pages": len(pages),
        "documents": len(set(name_documents(pages, None)[0].documents)),
        "regions": len(regions),
        "labels": dict(zip(layout.labels, used.tolist())),
        **annotation_facts(layout),
        "page0": {
            "page": pages.names[0],
            "width": pixels_as_number(pages.widths[0]),
            "height": pixels_as_number(pages.heights[0]),
        }
        if len(pages)
        else None,
        "region0": _first_region(layout) if len(regions) else None,
        "findings": [finding.as_dict() for finding in findings_of(layout)],
    }
    return json_ready(answer)


def annotation_facts(layout: Layout) -> dict[str, Any]:
    """Annotators, attributes of pages, and what is not judged: the part of `layout_result` that few files have."""
    hidden = len(layout.hidden_regions)
    return {
        "annotator": layout.annotator or None,
        "annotators": list(layout.annotators),
        "attributes": {name: _values_of(texts) for name, texts in layout.page_columns.attributes.items()},
        "ignored_regions": hidden,
        "ignored_pixels": _ignored_pixels(layout) if hidden else 0,
    }


def _ignored_pixels(layout: Layout) -> int | float | None:
    """The pixels that are not judged; None if its outlines would take too long to fill."""
    from layoutcm.pixels.ignored_pixels import ignored_pixels  # compiled code, which is rarely needed here

    try:
        return pixels_as_number(ignored_pixels(layout))
    except InputError:
        return None


def _values_of(texts: Sequence[str]) -> dict[str, Any]:
    """The number of values of an attribute, and how many pages have each of the most frequent."""
    counts = Counter(text for text in texts if text)
    return {"values": len(counts), "pages": dict(counts.most_common(VALUES_SHOWN))}


def _first_region(layout: Layout) -> dict[str, Any]:
    regions = layout.region_columns
    return {
        "page": layout.page_columns.names[regions.page[0]],
        "label": layout.labels[regions.label[0]],
        "box": regions.boxes[0],
        "score": regions.scores[0],
    }


def full_result(
    comparison: Comparison,
    method: str = "matrix",
    per_page: bool = False,
    extras: Extras = NO_EXTRAS,
    documents_path: Path | None = None,
) -> dict[str, Any]:
    """The JSON that `compare --json` writes for one prediction; `documents_path` as in `comparison_result`."""
    answer = comparison_result(comparison, method, per_page, documents_path)
    if extras.families:
        answer["families"] = families_result(comparison, extras.families, method)
    if extras.why:
        answer |= json_ready(why_result(extras.why))
    others = {"intervals": extras.intervals, "difference_from_first": extras.difference, "slices": extras.slices}
    answer |= {name: json_ready(one.as_dict()) for name, one in others.items() if one}
    return answer | ({"leaderboard": json_ready(extras.standing)} if extras.standing else {})


def families_result(comparison: Comparison, families: FamilyConfusion, method: str = "matrix") -> dict[str, Any]:
    """The part of the JSON about families: their matrices, both tables, and the full matrix at each depth."""
    depths = []
    for depth in range(1, families.tree.depth + 1):
        confusion = comparison.confusion(method=method, families=families.tree, depth=depth)
        depths.append({"depth": depth, "labels": confusion.labels, **view_matrices(confusion)})
    answer = {
        "recipe": families.recipe,
        "tree": families.tree.as_written(),
        "sample": families.sample,
        "count": families.count,
        "depth": families.depth,
        "matrices": {
            matrix.family: {
                "gt_labels": [*matrix.gt_labels, OOF],
                "pred_labels": [*matrix.pred_labels, OOF],
                "values": matrix_json(matrix.values),
            }
            for matrix in families.all_matrices
        },
        "given_gt": families.given_gt().to_dict("records"),
        "given_pred": families.given_pred().to_dict("records"),
        "shares": {"gt": families.shares(GT), "pred": families.shares(PRED)},
        "at_depth": depths,
        "findings": [finding.as_dict() for finding in families.findings],
    }
    return json_ready(answer)
