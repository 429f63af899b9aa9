"""What a writer is given: the layout, and a list of findings on what its format cannot hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from layoutcm.layouts.model import Finding, Layout, Positions
from layoutcm.layouts.page_names import natural_sort_key
from layoutcm.layouts.validation import is_background
from layoutcm.layouts.writing.names import distinct

Content = bytes | dict[str, bytes]  # one file, or {path: bytes} of a folder
NAMES_SHOWN = 12
AREA_ERROR = 1e-6  # of the area: what another order of operations changes is no loss


@dataclass
class Request:
    """A layout that is to be written.

    `predictions` is for Label Studio, None = if there are scores. `notes` are {region: {name: text}} for a person who
    corrects the regions in Label Studio or CVAT.
    """

    layout: Layout
    format: str
    predictions: bool | None = None
    notes: Mapping[int, Mapping[str, str]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def leave_out(self, what: str, count: int, names: Sequence[str] = ()) -> None:
        """Note that the format has no place for something, if the layout has it."""
        if count:
            values = {"format": self.format, "what": what, "names": list(names[:NAMES_SHOWN])}
            self.findings.append(Finding("not-written", int(count), values))

    def change(self, code: str, count: int, **values: object) -> None:
        if count:
            self.findings.append(Finding(code, int(count), {"format": self.format, **values}))

    def leave_out_facts(self, *kinds: str) -> None:
        """Note which of these facts of the layout are left out; `_FACTS` has the kinds."""
        for kind in kinds:
            found = _FACTS[kind](self.layout)
            self.leave_out(
                kind, found if isinstance(found, int) else len(found), () if isinstance(found, int) else found
            )

    def leave_out_scores(self) -> None:
        """Note the scores that are not from 0 to 1."""
        scores = self.layout.region_columns.scores
        self.leave_out("scores outside 0..1", int(((scores < 0) | (scores > 1)).sum()))

    def labels(self, clean: Callable[[str], str]) -> list[str]:
        """The labels as the format can hold them, distinct; a finding reports those that differ."""
        # Regions of Background are dropped when they are read.
        cleaned = (f"{new}_" if is_background(new) else new for new in map(clean, self.layout.labels))
        return self._renamed("renamed-labels", self.layout.labels, distinct(cleaned))

    def page_names(self, clean: Callable[[str], str]) -> list[str]:
        """The page names as the format can hold them, distinct; a finding reports those that differ."""
        names = self.layout.page_columns.names
        return self._renamed("renamed-pages", names, distinct(map(clean, names)))

    def note_page_names(self, read_back: Sequence[str]) -> None:
        self._renamed("renamed-pages", self.layout.page_columns.names, list(read_back))

    def note_page_order(self, files: Sequence[str]) -> None:
        """Note if pages are in another order when their files are sorted by name, as the reader does."""
        order = sorted(range(len(files)), key=lambda i: natural_sort_key(files[i]))
        self.change("page-order", sum(i != k for k, i in enumerate(order)))

    def _renamed(self, code: str, before: Sequence[str], after: list[str]) -> list[str]:
        changed = [(old, new) for old, new in zip(before, after) if old != new]
        if changed:
            self.change(code, len(changed), first=changed[0][0], now=changed[0][1])
        return after


def _odd_areas(layout: Layout) -> int:
    """How many areas of a COCO file are not those of the boxes."""
    facts, boxes = layout.region_columns.coco, layout.region_columns.boxes
    if facts is None:
        return 0
    plain = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    return int((np.abs(facts.areas - plain) > AREA_ERROR * np.maximum(plain, 1)).sum())


def _ignore_areas(layout: Layout) -> int:
    return len(layout.ignore_areas) if layout.ignore_areas else 0


def _attributes(layout: Layout) -> list[str]:
    return [name for name, values in layout.page_columns.attributes.items() if any(values)]


def region_order(layout: Layout) -> Positions:
    """int64[regions]: the regions page by page."""
    return np.argsort(layout.region_columns.page, kind="stable")


_FACTS: dict[str, Callable[[Layout], int | list[str]]] = {
    "scores": lambda layout: int(np.isfinite(layout.region_columns.scores).sum()),
    "ignore flags": lambda layout: int(layout.region_columns.ignored.sum()) + _ignore_areas(layout),
    "ignore areas": _ignore_areas,
    "boxes with inverted corners": lambda layout: len(layout.dropped) if layout.dropped else 0,
    "crowd flags": lambda layout: int(layout.region_columns.coco.crowd.sum()) if layout.region_columns.coco else 0,
    "areas": _odd_areas,
    "documents": lambda layout: len(set(filter(None, layout.page_columns.documents))),
    "page numbers": lambda layout: int((layout.page_columns.numbers >= 0).sum()),
    "page sizes": lambda layout: len(layout.page_columns),
    "attributes": _attributes,
    "annotators": lambda layout: list(layout.annotators) or [layout.annotator] * bool(layout.annotator),
    "unused labels": lambda layout: [label for label in layout.labels if label not in layout.labels_in_use],
}
