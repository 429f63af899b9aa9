"""What a writer is given: the layout, its regions as pieces, and a list of findings on what its format cannot hold.

Names of pages and labels are not trusted: they become names that XML can hold, and paths that stay inside a folder.

Pieces are what most formats can hold: a box, one polygon, or a mask. A region of several polygons becomes one piece for
each of them, because it is their union: the same pixels are covered.
"""

from __future__ import annotations

import hashlib
import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from layoutcm.layouts import limits
from layoutcm.layouts.model import NEAR_WHOLE, Finding, Floats, Layout
from layoutcm.layouts.page_names import natural_sort_key, stem
from layoutcm.layouts.shapes import Outline, RunMask
from layoutcm.layouts.validation import is_background

# XML 1.0 has no way to write these, not even as numbers. Lone surrogates are not text, and no layout has them.
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
REPLACEMENT = "\ufffd"
NOT_IN_FILE_NAMES = frozenset('<>:"|?*/\\')  # Windows refuses them
DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|\Z)", re.IGNORECASE)  # and files of these names
PART_BYTES = 150  # of a file or folder name; file systems allow 255, and a number and a suffix may be added
PATH_BYTES = 600  # of all parts; most systems allow 4096 with the folder that holds them
# Folders of these names could be mistaken for a file or for the folder of all labels.
_LIKE_FILES = re.compile(r".*\.(txt|xml)|labels", re.IGNORECASE | re.DOTALL)


def xml_name(name: str) -> str:
    """The name without blanks at its ends and without characters that XML does not allow."""
    return _NOT_XML.sub(REPLACEMENT, name).strip() or "_"


def xml_attribute(text: str) -> str:
    """The text in quotes, as an attribute of XML has it."""
    # Not at the top: it loads urllib and ssl, which every command would wait for.
    from xml.sax.saxutils import quoteattr

    return quoteattr(text)


def distinct(names: Iterable[str], key: Callable[[str], str] = str) -> list[str]:
    """The names, with a number added to each that is equal to an earlier one; `key` says what counts as equal."""
    given = list(names)
    taken = set(map(key, given))
    seen: set[str] = set()
    last: dict[str, int] = {}
    result = []
    for name in given:
        own = key(name)
        if own in seen:
            number = last.get(own, 1) + 1
            while key(f"{name}-{number}") in taken:
                number += 1
            last[own] = number
            name = f"{name}-{number}"
            taken.add(key(name))
        seen.add(own)
        result.append(name)
    return result


def safe_paths(pages: Sequence[str], reserved: Sequence[str] = ()) -> list[str]:
    """A relative path for the file of each page, without a suffix; distinct also where case does not matter.

    Folders of a page name are kept. `reserved` are file names that mean something else.
    """
    paths = (_safe_path(page, reserved) for page in pages)
    return distinct(paths, lambda path: unicodedata.normalize("NFC", path).casefold())


def _safe_path(page: str, reserved: Sequence[str]) -> str:
    folders = re.split(r"[/\\]", page.rstrip("/\\"))[:-1]
    kept = [_safe_part(part) for part in folders if part.strip(" .")]
    kept = [f"{part}_" if _LIKE_FILES.fullmatch(part) else part for part in kept]
    file = _safe_part(stem(page))
    file = f"{file}_" if file.casefold() in reserved else file
    path = "/".join([*kept, file])
    return path if len(path.encode()) <= PATH_BYTES else f"{file}-{_digest(page)}"


def _safe_part(part: str) -> str:
    """A file or folder name of every system; readers skip hidden ones, so it does not start with a dot."""
    name = "".join(c if c.isprintable() and c not in NOT_IN_FILE_NAMES else "_" for c in part).strip(" ").rstrip(" .")
    if name.startswith((".", "__MACOSX")) or DEVICES.match(name):
        name = f"_{name}"
    if len(name.encode()) > PART_BYTES:
        cut = name.encode()[: PART_BYTES - 10].decode("utf-8", "ignore").rstrip(" .")
        name = f"{cut}-{_digest(part)}"
    return name or "page"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


Content = bytes | dict[str, bytes]  # one file, or {path: bytes} of a folder

NAMES_SHOWN = 12

AREA_ERROR = 1e-6  # of the area: what another order of operations changes is not a loss


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
            count, names = (found, []) if isinstance(found, int) else (len(found), found)
            self.leave_out(kind, count, names)

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

SURELY_READ_POINTS = limits.MAX_OUTLINE_TEXT // 50  # a point in text has at most 50 characters
REPORTED = 1e-6  # pixels: smaller differences come from computing with fractions, and no score notices them


class Piece(NamedTuple):
    """A region, or one polygon of it; `score` is nan if there is none."""

    label: int
    box: tuple[float, float, float, float]
    score: float
    ring: Floats | None = None  # float64[points, xy]
    mask: RunMask | None = None
    row: int = -1  # number of the region


class Fit(NamedTuple):
    """What a format asks of coordinates."""

    inside: bool = False  # on the page
    whole: bool = False  # whole pixels: boxes are rounded outwards, points to the nearest
    fractions: bool = False  # of the page's sides; readers round those very close to a whole pixel
    whole_sizes: bool = False  # pages have whole sizes, which are rounded up
    text: bool = False  # points are in one text, which must not be too long for the reader
    masks: bool = False  # there are masks


def pieces_of_pages(request: Request, fit: Fit) -> list[list[Piece]]:
    """The pieces of each page, in order; findings report what changes."""
    layout = request.layout
    regions = layout.region_columns
    boxes, rings = _fitted(request, fit)
    labels, scores, page = regions.label.tolist(), regions.scores.tolist(), regions.page.tolist()
    columns = boxes.tolist()
    pieces: list[list[Piece]] = [[] for _ in range(len(layout.page_columns))]
    boxed = split = 0
    for i in np.argsort(regions.page, kind="stable").tolist():  # page by page
        shape = regions.shapes.get(i)
        own = pieces[page[i]]
        plain = Piece(labels[i], tuple(columns[i]), scores[i], row=i)
        if isinstance(shape, Outline) and all(_is_readable(ring, fit) for ring in rings[i]):
            own += (plain._replace(ring=ring) for ring in rings[i])
            split += len(rings[i]) > 1
        elif isinstance(shape, RunMask) and fit.masks and _fills_page(shape, layout.page_columns.size(page[i])):
            own.append(plain._replace(mask=shape))
        else:
            own.append(plain)
            boxed += shape is not None
    request.change("shape-as-box", boxed)
    request.change("split-outlines", split)
    return pieces


def _is_readable(ring: Floats, fit: Fit) -> bool:
    is_short = not fit.text or len(ring) <= SURELY_READ_POINTS
    return is_short or len(points_text(ring, " ")) <= limits.MAX_OUTLINE_TEXT


def _fills_page(mask: RunMask, size: tuple[float, float]) -> bool:
    """Whether a mask has the size of its page, and any pixel."""
    return (mask.width, mask.height) == size and bool(mask.runs[1::2].any())


def _fitted(request: Request, fit: Fit) -> tuple[Floats, dict[int, list[Floats]]]:
    """float64[regions, x0 y0 x1 y1] and {region: polygons} as the format can hold them."""
    pages, regions = request.layout.page_columns, request.layout.region_columns
    sizes = np.stack([pages.widths, pages.heights], axis=1)[regions.page]
    boxes = regions.boxes
    rings = {i: list(shape.rings) for i, shape in regions.shapes.items() if isinstance(shape, Outline)}
    if fit.inside:
        inside = np.clip(boxes, 0, np.tile(sizes, 2))
        request.change("clipped-regions", int((inside != boxes).any(axis=1).sum()))
        boxes = inside
        rings = {i: [np.clip(ring, 0, sizes[i]) for ring in own] for i, own in rings.items()}
    changed = np.zeros(len(regions))
    if fit.whole:
        whole = np.hstack([np.floor(boxes[:, :2]), np.ceil(boxes[:, 2:])])
        rounded = {i: [np.rint(ring) for ring in own] for i, own in rings.items()}
        changed = _differences(boxes, whole, rings, rounded)
        boxes, rings = whole, rounded
    elif fit.fractions:
        near = _near_whole(boxes, np.tile(sizes, 2))
        nearer = {i: [_near_whole(ring, sizes[i]) for ring in own] for i, own in rings.items()}
        changed = _differences(boxes, near, rings, nearer)
    _note_rounding(request, changed, fit)
    return boxes, rings


def _near_whole(points: Floats, sides: Floats) -> Floats:
    """The coordinates as readers of fractions return them."""
    whole = np.rint(points)
    return np.where(np.abs(points - whole) <= NEAR_WHOLE * sides, whole, points)


def _differences(
    boxes: Floats, new_boxes: Floats, rings: dict[int, list[Floats]], new_rings: dict[int, list[Floats]]
) -> Floats:
    """float64[regions]: the largest change of a coordinate."""
    changed: Floats = np.abs(new_boxes - boxes).max(axis=1, initial=0)
    for i, own in rings.items():  # the box of an outline is not written
        changed[i] = max(float(np.abs(new - old).max(initial=0)) for old, new in zip(own, new_rings[i]))
    return changed


def _note_rounding(request: Request, changed: Floats, fit: Fit) -> None:
    pages = request.layout.page_columns
    sizes = np.concatenate([pages.widths, pages.heights]) if fit.whole_sizes else np.zeros(0)
    excess = np.ceil(sizes) - sizes
    most = max(float(changed.max(initial=0)), float(excess.max(initial=0)))
    count = int((changed > REPORTED).sum()) + int((excess > 0).sum())
    if count:
        request.change("rounded-coordinates", count, most=most)


def number_text(value: float) -> str:
    """A number in full, a whole one without a point."""
    return str(int(value)) if value == math.floor(value) else repr(value)


def points_text(ring: Floats, between: str) -> str:
    """The points of a polygon as "x,y x,y", with another text between points."""
    return between.join(f"{number_text(x)},{number_text(y)}" for x, y in ring.tolist())
