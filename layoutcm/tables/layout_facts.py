"""The JSON of a layout (`inspect --json`); the terminal shows the same facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from layoutcm.alignment.checks import findings_of
from layoutcm.errors import InputError
from layoutcm.layouts.model import Layout
from layoutcm.layouts.page_documents import name_documents
from layoutcm.results.encoding import json_ready
from layoutcm.wording import pixels_as_number

VALUES_SHOWN = 50  # of an attribute of pages


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
    from layoutcm.pixels.counting import ignored_pixels  # compiled code, which is rarely needed here

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
