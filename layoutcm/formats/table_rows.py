"""From the rows of a table to a layout: pages, regions, one annotator of several, and what the metadata adds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.annotators import Annotators, choose_annotator
from layoutcm.formats.content import Options
from layoutcm.formats.outlines import parse_segmentation
from layoutcm.formats.parsing import LARGEST_FRACTION
from layoutcm.formats.table_columns import as_corners, check_header, find_columns
from layoutcm.formats.table_pages import TableRows, encode, read_pages
from layoutcm.formats.table_values import check_commas, coded_column, flag_column, number_column, text_column
from layoutcm.layouts.model import (
    NEAR_WHOLE,
    CocoFacts,
    Finding,
    Floats,
    Indices,
    Layout,
    Pages,
    PlaceNamer,
    Regions,
)
from layoutcm.layouts.shapes import Shape, is_box
from layoutcm.layouts.stored_facts import StoredFacts, usable_findings
from layoutcm.layouts.validation import FileIds, PlaceNamers, check_lengths, make_layout, set_labels_aside

if TYPE_CHECKING:
    import pyarrow as pa

TEXT_COLUMNS = ("page", "document", "label", "outline")
NUMBER_COLUMNS = ("number", "width", "height", "score", "area", "coco_width", "coco_height")
FLAG_COLUMNS = ("crowd", "ignore")
CODED_COLUMNS = ("annotator", "key")


class TableSource(NamedTuple):
    """Where a table comes from: its name and format, the name of a page without a name, and how rows are named."""

    name: str
    format: str
    page: str
    place: PlaceNamer
    facts: StoredFacts | None = None  # of a layout that was written by this package


def read_table(source: TableSource, table: pa.Table, options: Options) -> Layout:
    rows, area = _with_named_areas(_read_rows(source, table))
    has_label_only = _rows_with_label_only(rows)
    declared = source.facts.labels if source.facts else []
    labels = [label for label in dict.fromkeys((*declared, *rows.text["label"])) if label]
    if "page" not in find_columns(table.column_names).place:
        rows = rows._replace(text=rows.text | {"page": [source.page] * table.num_rows})
    if has_label_only.any():
        rows = rows.take(np.flatnonzero(~has_label_only))
    layout = set_labels_aside(_build_layout(source, labels, rows, options), [area])
    return replace(layout, findings=(*layout.findings, *_ignore_findings(layout))) if source.facts is None else layout


def _read_rows(source: TableSource, table: pa.Table) -> TableRows:
    file, place = source.name, source.place
    columns = find_columns(table.column_names)
    check_header(file, table.column_names, columns)
    at = columns.place.get
    number_columns = [columns.place[name] for name in NUMBER_COLUMNS if name in columns.place]
    check_commas(file, table, [*number_columns, *(columns.box or ())], place)
    boxes = np.stack([number_column(file, table, i, place) for i in columns.box or ()], axis=1)
    return TableRows(
        file,
        {name: text_column(file, table, at(name)) for name in TEXT_COLUMNS},
        {name: number_column(file, table, at(name), place) for name in NUMBER_COLUMNS},
        {name: flag_column(file, table, at(name), place) for name in FLAG_COLUMNS if name in columns.place},
        {name: coded_column(file, table, at(name)) for name in CODED_COLUMNS if name in columns.place},
        {name: coded_column(file, table, i) for name, i in columns.attributes.items()},
        as_corners(boxes, columns.kind),
        place,
        columns.are_fractions,
    )


def _with_named_areas(rows: TableRows) -> tuple[TableRows, str]:
    """The rows with a label for ignore areas, which have a box and `ignore` but no label; and this label."""
    ignore, labels, area = rows.flags.get("ignore"), rows.text["label"], "ignore area"
    if ignore is None or not ignore.any():
        return rows, ""
    known = set(labels)
    while area in known:
        area += "_"
    is_area = (ignore & np.isfinite(rows.boxes).any(axis=1)).tolist()
    named = [area if unjudged and not label else label for label, unjudged in zip(labels, is_area)]
    return rows._replace(text=rows.text | {"label": named}), area


def _rows_with_label_only(rows: TableRows) -> NDArray[np.bool_]:
    """bool[rows]: whether a row has a label and nothing else."""
    has_label_only = np.zeros(len(rows.boxes), bool)
    others = [rows.text[name] for name in TEXT_COLUMNS if name != "label"]
    for i in np.flatnonzero(np.isnan(rows.boxes).all(axis=1)):  # usually few of very many rows
        has_number = not all(np.isnan(column[i]) for column in rows.numbers.values())
        has_label_only[i] = rows.text["label"][i] and not has_number and not any(column[i] for column in others)
    return has_label_only


def _build_layout(source: TableSource, labels: list[str], rows: TableRows, options: Options) -> Layout:
    page, first_rows = encode(rows.text["page"])
    pages = read_pages(rows, page, first_rows, options)
    if rows.are_fractions:
        rows = rows._replace(boxes=_fractions_in_pixels(rows, pages, page))
    has_label = np.array([bool(name) for name in rows.text["label"]], bool)
    is_own, annotators = _of_one_annotator(rows, has_label, options, source.facts)
    region_rows = np.flatnonzero(has_label & is_own)
    findings = _unlabelled_row_findings(rows, has_label)
    regions = _regions(rows, region_rows, page, labels, options, source.facts)
    if source.facts is not None and not options.outlines:
        findings += _outline_findings(rows.file, [rows.text["outline"][i] for i in region_rows])
    layout = make_layout(
        rows.file,
        source.format,
        labels,
        pages,
        regions,
        findings=[*findings, *annotators.findings],
        ids=_file_ids(rows, page, len(labels), source.facts),
        places=PlaceNamers(rows.place_within(first_rows), rows.place_within(region_rows)),
    )
    layout = replace(layout, **annotators.names)
    return layout if source.facts is None else _with_facts(layout, source.facts)


def _fractions_in_pixels(rows: TableRows, pages: Pages, page: Indices) -> Floats:
    """float64[rows, x0 y0 x1 y1]; as in `pixels_from_fraction`, what is very close to a whole pixel becomes whole."""
    is_wrong = (np.abs(rows.boxes) > LARGEST_FRACTION).any(axis=1)  # never for an empty cell
    if is_wrong.any():
        row = int(np.argmax(is_wrong))
        problem = f"{np.nanmax(np.abs(rows.boxes[row])):g} is no fraction of the page, as these columns mean"
        raise InputError(
            rows.file, rows.place(row), problem, "For pixels, name the columns page, label, x0, y0, x1, y1."
        )
    sides = np.tile(np.stack([pages.widths, pages.heights], axis=1)[page], 2)
    values = rows.boxes * sides
    whole = np.rint(values)
    return np.where(np.abs(values - whole) <= NEAR_WHOLE * sides, whole, values)


def _unlabelled_row_findings(rows: TableRows, has_label: NDArray[np.bool_]) -> list[Finding]:
    is_unlabelled_box = ~has_label & np.isfinite(rows.boxes).any(axis=1)
    if not is_unlabelled_box.any():
        return []
    count, first_at = int(is_unlabelled_box.sum()), rows.place(int(np.argmax(is_unlabelled_box)))
    return [Finding("unlabelled-row", count, {"file": rows.file, "place": first_at})]


def _ignore_findings(layout: Layout) -> list[Finding]:
    regions = layout.region_columns
    not_crowds = regions.ignored & ~(regions.coco.crowd if regions.coco else np.zeros(len(regions), bool))
    if not not_crowds.any():
        return []
    return [Finding("ignore-without-crowd", int(not_crowds.sum()), {"file": layout.name})]


def _outline_findings(file: str, outlines: Sequence[str]) -> list[Finding]:
    """A note that a stored layout has outlines, because writing it again would lose them."""
    count = sum(map(bool, outlines))
    return [Finding("outlines-as-boxes", count, {"file": file})] if count else []


def _of_one_annotator(
    rows: TableRows, has_label: NDArray[np.bool_], options: Options, facts: StoredFacts | None
) -> tuple[NDArray[np.bool_], Annotators]:
    """bool[rows]: whether a row is by the chosen annotator, or by none; and the annotators."""
    given = rows.coded.get("annotator")
    names = [] if given is None else [given.words[i] for i in _in_order(given.codes[has_label])]
    check_lengths(rows.file, "name of the annotator", names, "annotator {}".format)
    if not names and facts and facts.annotator:  # a layout without regions
        names = [facts.annotator]
    annotators = choose_annotator(rows.file, names, options)
    if facts:  # of the others, only the names are stored
        annotators = annotators._replace(known=tuple(dict.fromkeys((*facts.annotators, *annotators.known))))
    if given is None or len(names) < 2:
        return np.ones(len(has_label), bool), annotators
    return (given.codes == 0) | (given.codes == given.words.index(annotators.chosen)), annotators


def _in_order(codes: NDArray[np.integer]) -> list[int]:
    """The different codes in order of first use, without that of empty cells."""
    found, first = np.unique(codes, return_index=True)
    return [code for code in found[np.argsort(first)].tolist() if code]


def _regions(
    rows: TableRows,
    region_rows: np.ndarray,
    page: Indices,
    labels: list[str],
    options: Options,
    facts: StoredFacts | None,
) -> Regions:
    """One region per row in `region_rows`; `page` is int32[rows]."""
    code, names = {label: i for i, label in enumerate(labels)}, rows.text["label"]
    label = np.fromiter((code[names[i]] for i in region_rows), np.int32, len(region_rows))
    shapes: dict[int, Shape] = {}
    if options.outlines:
        outlines = rows.text["outline"]
        shapes = _parse_outlines(rows.file, [outlines[i] for i in region_rows], rows.place_within(region_rows))
    crowd, ignore = rows.flags.get("crowd"), rows.flags.get("ignore")
    boxes, coco = rows.boxes[region_rows], None
    # In tables of other tools, areas matter only beside crowds.
    if crowd is not None and (facts is not None or crowd.any()):
        coco = CocoFacts(crowd[region_rows], rows.numbers["area"][region_rows], _sizes(rows, region_rows, facts))
    own = None if ignore is None or not ignore[region_rows].any() else ignore[region_rows]
    return Regions(page[region_rows], label, boxes, rows.numbers["score"][region_rows], shapes, coco, own)


def _sizes(rows: TableRows, region_rows: np.ndarray, facts: StoredFacts | None) -> Floats:
    """float64[regions, width height] as a COCO file had them; nan for a table of another tool."""
    if facts is None:
        return np.full((len(region_rows), 2), np.nan)
    boxes = rows.boxes[region_rows]
    given = np.stack([rows.numbers["coco_width"], rows.numbers["coco_height"]], axis=1)[region_rows]
    return np.where(np.isnan(given), boxes[:, 2:] - boxes[:, :2], given)


def _parse_outlines(file: str, texts: Sequence[str], place: PlaceNamer) -> dict[int, Shape]:
    """{region: shape} from the column of outlines and masks in COCO's notation, without those that are boxes."""
    parsed: dict[str, Shape | None] = {"": None}  # a Parquet file can repeat one text in each row
    shapes = {}
    for i, text in enumerate(texts):
        if text not in parsed:
            try:
                shape = parse_segmentation(msgspec.Raw(text.encode()), file, "column outline")
            except InputError as error:  # named only now, because finding the row of one outline reads the whole file
                raise InputError(file, f"{place(i)}, {error.place}", error.problem, error.advice) from None
            parsed[text] = shape if shape is not None and not is_box(shape) else None
        if (known := parsed[text]) is not None:
            shapes[i] = known
    return shapes


def _file_ids(rows: TableRows, page: Indices, labels: int, facts: StoredFacts | None) -> FileIds | None:
    """The ids that the pages and labels had in the file from which the layout was first read."""
    if facts is None:
        return None
    wrong = next((key for key, i in facts.label_keys if not -1 <= i < labels), None)
    if wrong is not None:
        raise InputError(rows.file, "metadata, label_keys", f"{short_repr(wrong)} has no label", "Write it again.")
    return FileIds(_page_keys(rows, page), dict(facts.label_keys))


def _page_keys(rows: TableRows, page: Indices) -> dict[int | float | str, int]:
    coded = rows.coded.get("key")
    if coded is None:
        return {}
    keys: dict[int | float | str, int] = {}
    found, first = np.unique(coded.codes, return_index=True)
    for code, row in zip(found.tolist(), first.tolist()):
        if not code:
            continue
        try:
            key = msgspec.json.decode(coded.words[code], type=int | float | str)
        except (msgspec.MsgspecError, UnicodeError):
            problem = f"{short_repr(coded.words[code])} is neither a number nor a text in quotes"
            raise InputError(rows.file, f"{rows.place(row)}, column page_key", problem, "Write it again.") from None
        keys[key] = int(page[row])
    return keys


def _with_facts(layout: Layout, facts: StoredFacts) -> Layout:
    """The layout with the findings that were written with it; those of reading are added if they are new."""
    stored = usable_findings(facts.findings).with_note(layout.name)
    known = {finding.code for finding in stored}
    new = [finding for finding in layout.findings if finding.code not in known]
    return replace(layout, findings=(*stored, *new), repairs=tuple(facts.repairs))
