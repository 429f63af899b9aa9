"""Tools in which several people may annotate the same page: Labelbox and Prodigy.

If a page has several annotations, the last is read, or that of the annotator who is asked for.

- Labelbox: export v2 (one data row per line), export v1, and the NDJSON with which annotations are imported. Boxes are
  top, left, height and width; polygons are lists of points. Masks are addresses, which are never opened. A data row is
  an image or a PDF. Exports v2 count the pages of a PDF from 1; the other two count them from 0.
- Prodigy: JSON lines of the image recipes, one answer per line, with outlines of spans in pixels. The recipe for PDFs,
  pdf.image.manual, names the file and the page, counted from 0, and may leave the image out. A line is an answer about
  one page, or about all pages of a PDF. Only answers "accept" are ground truth; the page of any other answer is left
  out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.json_keys import json_type
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import Point, StatedSize, literal, name_in_address, page_name, place_text
from layoutcm.layouts.page_names import IMAGE_SUFFIXES, MAX_DIGITS, path_without_suffix, stem

KNOWN_UNITS = (None, "POINTS", "PIXELS")
LAST_PAGE = 2**31 - 2
is_labelbox = Needs("json", ("data_row", "projects"), typical=("media_attributes",))
is_labelbox_v1 = Needs("json", ("Labeled Data", "Label"), typical=("DataRow ID",))
is_labelbox_import = Needs("json", ("uuid", "dataRow"))

BOX = json_type({"top!": float, "left!": float, "height!": float, "width!": float})
# An object of any of the three files; each has its own names for the label, the box and the page.
OBJECT = {
    **{"name": str, "title": str, "value": Any, "schemaId": str},
    **{"bounding_box": BOX, "bbox": BOX, "polygon": [Point], "unit": str, "confidence": float},
    **{"page_number": int, "page": int},  # from 1, from 0
    **dict.fromkeys(("point", "line", "mask", "composite_mask", "instanceURI"), Any),
}
ANNOTATIONS = json_type({"objects": [OBJECT], "classifications": Any, "frames": Any})  # frames are of a video
LABEL = {"annotations": ANNOTATIONS, "label_details": {"created_by": str}}
DATA_ROW = {"id": str, "global_key": str, "external_id": str, "row_data": str}
PROJECTS = {"*": {"name": str, "labels": [LABEL]}}
EXPORT_ROW = json_type({"data_row!": DATA_ROW, "media_attributes": StatedSize, "projects": PROJECTS})
# A label of export v1, and one with all its keys, to see what it has instead of objects.
OLD_EXPORT_ROW = json_type(
    {
        **{"DataRow ID": str, "External ID": str, "Labeled Data": Any, "Label": ANNOTATIONS | str},
        **{"Created By": str, "Skipped": bool, "Media Attributes": StatedSize},
    }
)
ANY_LABEL = json_type({"Label": Any})

ROW_KEY = json_type({"id": str, "globalKey": str})
IMPORT_ROW = json_type({**OBJECT, "dataRow": (ROW_KEY, msgspec.field(default_factory=ROW_KEY))})


class Version(NamedTuple):
    """One annotation of a data row: by whom, its objects, and the place of the first object, to be formatted."""

    annotator: str
    objects: Sequence[Any]
    place: str


class Media(NamedTuple):
    """A data row: its name, another name of it, and its size."""

    name: str
    otherwise: str
    size: StatedSize | None


def read_labelbox(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    rows = content.decode_each(EXPORT_ROW)
    several = len({key for row in rows for key in row.projects or {}}) > 1
    for i, row in enumerate(rows):
        versions = []
        for key, project in (row.projects or {}).items():
            for k, label in enumerate(project.labels or []):
                user = (label.label_details.created_by if label.label_details else None) or ""
                annotator = f"{project.name or key}: {user}" if several else user
                place = f"[{i}].projects.{key}.labels[{k}].annotations.objects"
                objects = _objects(label.annotations, content.name, place)
                versions.append(Version(annotator, objects, literal(place) + "[{}]"))
        data_row = row.data_row
        others = [data_row.external_id, name_in_address(data_row.row_data), data_row.id]
        name = data_row.global_key or next(filter(None, others), "")
        is_image = (others[1] or "").lower().endswith(tuple(IMAGE_SUFFIXES))  # the address may also end in a key
        media = Media(name, data_row.external_id or (others[1] if is_image else ""), row.media_attributes)
        _add_row(media, versions, f"[{i}]", builder)


def read_labelbox_v1(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    rows = content.decode_each(OLD_EXPORT_ROW)
    _check_old_labels(content, rows)
    by_data_row: dict[str, list[int]] = {}
    for i, row in enumerate(rows):
        by_data_row.setdefault(row.DataRow_ID or row.External_ID or f"row {i}", []).append(i)
    for key, positions in by_data_row.items():
        versions = []
        for i in positions:
            row = rows[i]
            if row.Skipped or not isinstance(row.Label, ANNOTATIONS):
                continue
            place = f"[{i}].Label.objects"
            versions.append(Version(row.Created_By or "", _objects(row.Label, content.name, place), place + "[{}]"))
        first = rows[positions[0]]
        name = first.External_ID or name_in_address(first.Labeled_Data) or key
        media = Media(name, key if name != key else "", first.Media_Attributes)
        _add_row(media, versions, f"[{positions[0]}]", builder)


def _check_old_labels(content: FileContent, rows: Sequence[Any]) -> None:
    """Refuse exports of 2018, which have outlines by label; an empty label is a page without objects."""
    unknown = [i for i, row in enumerate(rows) if isinstance(row.Label, ANNOTATIONS) and row.Label == ANNOTATIONS()]
    labels = content.decode_each(ANY_LABEL) if unknown else []
    outlined = next((i for i in unknown if labels[i].Label), None)
    if outlined is not None:
        problem = "there are no objects, but outlines by label, which do not say from where y counts"
        raise InputError(content.name, f"[{outlined}].Label", problem, "Export it again as export v2.")


def read_labelbox_import(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    rows = content.decode_each(IMPORT_ROW)
    by_data_row: dict[tuple[str, str], list[int]] = {}
    for i, row in enumerate(rows):
        by_data_row.setdefault((row.dataRow.globalKey or "", row.dataRow.id or ""), []).append(i)
    for (key, row_id), positions in by_data_row.items():
        media = Media(key or row_id or content.stem, row_id if key else "", None)
        places = {id(rows[i]): i for i in positions}
        _add_pages(media, [rows[i] for i in positions], [rows[i] for i in positions],
                   lambda one, k, places=places: ("[{}]", places[id(one)]), f"[{positions[0]}]", builder)  # fmt: skip


def _label(one: Any) -> str:
    return one.name or one.title or (one.value if isinstance(one.value, str) else "") or one.schemaId or ""


def _number(one: Any) -> int | None:
    """The page of a PDF from 1, None for an image."""
    return one.page_number if one.page is None else one.page + 1


def _objects(annotations: Any, file: str, place: str) -> Sequence[Any]:
    if annotations and annotations.frames and not annotations.objects:
        raise InputError(file, place, "these are frames of a video", "Export images or PDFs.")
    return (annotations.objects or []) if annotations else []


def _add_row(media: Media, versions: Sequence[Version], place: str, builder: LayoutBuilder) -> None:
    """Add the pages of a data row with the regions of one of its annotations."""
    chosen = builder.annotators.choose_last([one.annotator for one in versions])
    if len(versions) > 1 and builder.annotators.wanted is None:
        builder.note_unusual("several-annotators", place)
    if not versions:
        builder.note_unusual("page-left-out", place, what="data rows were skipped or have no label")
        return
    known = [one for version in versions for one in version.objects]
    objects, text = ([], "") if chosen is None else versions[chosen][1:]
    _add_pages(media, objects, known, lambda one, k: (text, k), place, builder)


def _add_pages(
    media: Media, objects: Sequence[Any], known: Iterable[Any], place_of: Any, place: str, builder: LayoutBuilder
) -> None:
    """Add the pages that are named by any of the known objects, and the chosen objects as regions."""
    numbers = sorted({number for one in known if (number := _number(one)) is not None})
    wrong = next((n for n in numbers if not 1 <= n <= LAST_PAGE), None)
    if wrong is not None:
        raise InputError(builder.file, place, f"{wrong - 1:,} is not a page", "Repair this value.")
    pages: dict[int | None, int] = {}
    if not numbers:
        size = media.size or StatedSize()
        pages[None] = builder.add_page(media.name, size.width, size.height, place, otherwise=media.otherwise)
    stem = media.name.removesuffix(".pdf")
    for n in numbers:
        pages[n] = builder.add_numbered_page(stem, n, 2, place=place, in_points=True)
    for k, one in enumerate(objects):
        where = place_of(one, k)
        page = pages.get(_number(one))
        if page is None:  # an object of the whole PDF
            builder.note_unusual("not-an-area", place_text(where))
        else:
            _add_region(one, page, where, builder)


def _add_region(one: Any, page: int, place: tuple[str, object], builder: LayoutBuilder) -> None:
    if one.unit not in KNOWN_UNITS:
        problem = f"the unit {short_repr(one.unit)} is not read"
        raise InputError(builder.file, place_text(place), problem, "Write POINTS or PIXELS.")
    box = one.bounding_box or one.bbox
    if box:
        corners = (box.left, box.top, box.left + box.width, box.top + box.height)
        builder.add_region(page, _label(one), corners, place, one.confidence)
    elif one.polygon and len(one.polygon) > 2:
        builder.add_outline(page, _label(one), [(point.x, point.y) for point in one.polygon], place, one.confidence)
    elif one.mask or one.composite_mask or (one.instanceURI and not one.point and not one.line):
        builder.note_unusual("mask-left-out", place_text(place))
    else:
        builder.note_unusual("not-an-area", place_text(place))


Points = list[tuple[float, float]]
is_prodigy = (
    Needs("array", ("image", "spans"))
    | Needs("array", ("image", "answer", "_task_hash"))
    | Needs("array", ("spans", "width", "height", "_task_hash"))  # of a PDF
    | Needs("array", ("pages", "answer", "_task_hash"))  # of all pages of a PDF
)

# Some recipes write w and h instead of width and height.
SPAN = {"label": str, "points": Points, **dict.fromkeys(("x", "y", "width", "height", "w", "h", "score"), float)}
PAGE = {
    **{"image": Any, "path": Any, "pdf": Any, "page": Any, "meta": Any, "text": Any, "_input_hash": Any},
    **{"spans": [SPAN], "width": float, "height": float},
}
ANSWERS = json_type([{**PAGE, "pages": [PAGE], "answer": str, "_annotator_id": str, "_session_id": str}])


def _corners(span: Any) -> Points:
    """The outline, or two corners; the rectangle beside an outline is rounded, so the outline comes first."""
    if span.points:
        points: Points = span.points
        return points
    width = span.width if span.width is not None else span.w
    height = span.height if span.height is not None else span.h
    if span.x is None or span.y is None or width is None or height is None:
        return []
    return [(span.x, span.y), (span.x + width, span.y + height)]


def _pdf_page(line: Any) -> tuple[str, Any]:
    """The path of a PDF without its suffix, and the page as written in the line; "" and None if there is no PDF."""
    meta = line.meta if isinstance(line.meta, dict) else {}
    paths = [one if str(one).lower().endswith(".pdf") else None for one in (line.path, meta.get("path"))]
    files = [(file, meta.get("page")) for file in (*paths, meta.get("pdf"))]
    known = (
        (path_without_suffix(file), page)
        for file, page in (*files, (line.pdf, line.page))
        if isinstance(file, str) and file and page is not None
    )
    return next(known, ("", None))


def _name(line: Any) -> str:
    """The first name of a page that is not from a PDF; the image may be its bytes or an address."""
    file = line.meta.get("file") if isinstance(line.meta, dict) else None
    image = "" if isinstance(line.image, str) and line.image.startswith("data:") else line.image
    given = (line.path, file, name_in_address(image), line.text, line.input_hash)
    return next((str(one) for one in given if isinstance(one, str | int) and one != ""), "")


class Answered(NamedTuple):
    """A page with its place in the file, and the annotator who answered."""

    page: Any
    place: str
    by: str
    pdf: str  # its path without the suffix
    number: int  # in the PDF, from 1


def read_prodigy(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    answered = list(_accepted(content, builder))
    stems: dict[str, set[str]] = {}
    for one in answered:
        stems.setdefault(stem(one.pdf), set()).add(one.pdf)
    by_page: dict[tuple[str, str, int], list[Answered]] = {}
    for i, one in enumerate(answered):
        # PDFs of the same name in several folders are distinguished by their paths.
        document = stem(one.pdf) if len(stems[stem(one.pdf)]) == 1 else one.pdf
        name = page_name(document, one.number, 2) if one.pdf else _name(one.page) or f"{content.stem}_{i + 1}"
        by_page.setdefault((name, document, one.number), []).append(one)
    for (name, document, number), answers in by_page.items():
        if len(answers) > 1 and builder.annotators.wanted is None:
            builder.note_unusual("several-annotators", answers[0].place)
        chosen = builder.annotators.choose_last([one.by for one in answers])
        last = answers[chosen if chosen is not None else 0]
        size = last.page.width, last.page.height
        page = builder.add_page(name, *size, last.place, document=document, number=number)
        if chosen is not None:
            _add_spans(builder, page, last)


def _accepted(content: FileContent, builder: LayoutBuilder) -> Iterator[Answered]:
    for i, answer in enumerate(content.decode(ANSWERS)):
        if answer.answer not in (None, "accept"):
            builder.note_unusual("page-left-out", f"[{i}]", what="answers are not 'accept'")
            continue
        pages = [(answer, f"[{i}]")]
        if answer.pages is not None:
            pages = [(page, f"[{i}].pages[{k}]") for k, page in enumerate(answer.pages)]
        for page, place in pages:
            pdf, number = _pdf_page(page)
            number = _number_from_1(number, content.name, place) if pdf else -1
            yield Answered(page, place, answer.annotator_id or answer.session_id or "", pdf, number)


def _number_from_1(page: object, file: str, place: str) -> int:
    """The number of a page that is counted from 0 and may be written as text."""
    if isinstance(page, float) and page.is_integer():
        page = int(page)
    number = str(page)
    if isinstance(page, int | str) and number.isascii() and number.isdigit() and len(number) <= MAX_DIGITS:
        return int(number) + 1
    problem = f"the page of the PDF is {short_repr(page)}, must be a number from 0"
    raise InputError(file, place, problem, "Repair this value or remove the entry.")


def _add_spans(builder: LayoutBuilder, page: int, answer: Answered) -> None:
    for k, span in enumerate(answer.page.spans or []):
        corners = _corners(span)
        if len(corners) < 2:
            builder.note_unusual("not-an-area", f"{answer.place}.spans[{k}]")
            continue
        place = ("{0[0]}.spans[{0[1]}]", (answer.place, k))
        builder.add_outline(page, span.label or "", corners, place, span.score)
