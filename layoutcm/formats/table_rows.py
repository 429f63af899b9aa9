"""From the rows of a table to a layout: pages, regions, one annotator of several, and what the metadata adds.

What the rows of one page say about it must agree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.annotators import Annotators, choose_annotator
from layoutcm.formats.content import Options
from layoutcm.formats.page_sizes import size_or_median
from layoutcm.formats.parsing import LARGEST_FRACTION, parse_segmentation
from layoutcm.formats.table_columns import (
    Coded,
    as_corners,
    check_commas,
    check_header,
    coded_column,
    find_columns,
    flag_column,
    number_column,
    text_column,
)
from layoutcm.layouts.model import NEAR_WHOLE, CocoFacts, Finding, Floats, Indices, Layout, Pages, PlaceNamer, Regions
from layoutcm.layouts.shapes import Shape, is_box
from layoutcm.layouts.stored_facts import StoredFacts, usable_findings
from layoutcm.layouts.validation import FileIds, PlaceNamers, check_lengths, make_layout, set_labels_aside
from layoutcm.lazy import pa

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
        outlines = sum(bool(rows.text["outline"][i]) for i in region_rows)
        if outlines:  # writing the layout again would lose them
            findings.append(Finding("outlines-as-boxes", outlines, {"file": rows.file}))
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
        problem = f"{np.nanmax(np.abs(rows.boxes[row])):g} is not a fraction of the page, which these columns hold"
        hint = "For pixels, name the columns page, label, x0, y0, x1, y1."
        raise InputError(rows.file, rows.place(row), problem, hint)
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


class TableRows(NamedTuple):
    """The rows of a file as columns with known meanings, and what turns a row number into a place in the file."""

    file: str
    text: dict[str, list[str]]  # page, document, label, outline
    numbers: dict[str, Floats]  # nan = empty cell
    flags: dict[str, NDArray[np.bool_]]  # those that the table has
    coded: dict[str, Coded]  # those that the table has
    attributes: dict[str, Coded]  # of pages
    boxes: Floats  # [rows, x0 y0 x1 y1]
    place: PlaceNamer
    are_fractions: bool = False  # the boxes, of the sides of their pages

    def take(self, kept: np.ndarray) -> TableRows:
        return TableRows(
            self.file,
            {name: [column[i] for i in kept] for name, column in self.text.items()},
            {name: column[kept] for name, column in self.numbers.items()},
            {name: column[kept] for name, column in self.flags.items()},
            {name: column.take(kept) for name, column in self.coded.items()},
            {name: column.take(kept) for name, column in self.attributes.items()},
            self.boxes[kept],
            self.place_within(kept),
            self.are_fractions,
        )

    def place_within(self, some: np.ndarray) -> PlaceNamer:
        """What turns a position in `some`, which are row numbers, into a place in the file."""
        place = self.place
        return lambda i: place(int(some[i]))


def encode(values: list[str]) -> tuple[Indices, np.ndarray]:
    """int32[rows]: the code of each value, in order of first use; and the row in which each code is first used."""
    position: dict[str, int] = {}
    codes = np.fromiter((position.setdefault(value, len(position)) for value in values), np.int32, len(values))
    first = np.full(len(position), -1)
    first[codes[::-1]] = np.arange(len(values))[::-1]
    return codes, first


def read_pages(rows: TableRows, page: Indices, first_rows: np.ndarray, options: Options) -> Pages:
    """The pages in order of first use; `page` is int32[rows], and `first_rows` the first row of each page."""
    _check_page_names(rows)
    names = tuple(rows.text["page"][row] for row in first_rows)
    frame = _frames(rows, page, len(first_rows))
    unsized = np.zeros(len(frame), bool)
    for i in np.flatnonzero(np.isnan(frame[:, 0])):
        frame[i], is_known = size_or_median(rows.file, rows.place(int(first_rows[i])), names[i], options)
        unsized[i] = not is_known
    return Pages(
        names,
        np.ascontiguousarray(frame[:, 0]),
        np.ascontiguousarray(frame[:, 1]),
        _documents(rows, page, len(first_rows)),
        np.array([number if 0 <= number < 2**31 else -1 for number in rows.numbers["number"][first_rows]], np.int32),
        {name: _attribute(rows, name, page, len(first_rows)) for name in rows.attributes},
        unsized if unsized.any() else None,
    )


def _check_page_names(rows: TableRows) -> None:
    blank = np.array([not name for name in rows.text["page"]], bool)
    if blank.any():
        row = int(np.argmax(blank))
        raise InputError(rows.file, f"{rows.place(row)}, column page", "the page has no name", "Add it.")


def _frames(rows: TableRows, page: Indices, pages: int) -> Floats:
    """float64[pages, width height], nan if no row has them. The first row with a size sets it; others must agree."""
    sizes = np.stack([rows.numbers["width"], rows.numbers["height"]], axis=1)
    known = np.asarray(np.isfinite(sizes).all(axis=1))
    size_text = lambda row: f"{sizes[row, 0]:g} x {sizes[row, 1]:g}"
    first_row = _first_rows(
        rows, page, pages, known, lambda row: (sizes != sizes[row]).any(axis=1),
        lambda name, before, row: f"page {name} is {size_text(before)} and then {size_text(row)}",
        "A page has only one size: repair the size, or rename one of them if these are different pages.",
    )  # fmt: skip
    return np.where((first_row >= 0)[:, None], sizes[first_row], np.nan) if pages else np.empty((0, 2))


def _documents(rows: TableRows, page: Indices, pages: int) -> tuple[str, ...]:
    """The document of each page; two documents are an error, because page "1" of both must not become one page."""
    given, (code, _) = rows.text["document"], encode(rows.text["document"])
    known, quoted = np.array([bool(document) for document in given], bool), lambda row: short_repr(given[row])
    first_row = _first_rows(
        rows, page, pages, known, lambda row: code != code[row],
        lambda name, before, row: f"page {name} is in document {quoted(before)} and then in {quoted(row)}",
        "Page names must be unique: write the document into the name of the page.",
    )  # fmt: skip
    return tuple(given[row] if row >= 0 else "" for row in first_row)


def _attribute(rows: TableRows, name: str, page: Indices, pages: int) -> tuple[str, ...]:
    """The text of each page. The first row with a value sets it; the others must agree."""
    codes, words = rows.attributes[name]
    text, quoted = f"the attribute {short_repr(name)} of page", lambda row: short_repr(words[codes[row]])
    first_row = _first_rows(
        rows, page, pages, codes > 0, lambda row: codes != codes[row],
        lambda page_name, before, row: f"{text} {page_name} is {quoted(before)} and then {quoted(row)}",
        "An attribute has one value for each page: repair it.",
    )  # fmt: skip
    return tuple(words[codes[row]] if row >= 0 else "" for row in first_row.tolist())


def _first_rows(
    rows: TableRows,
    page: Indices,
    pages: int,
    known: np.ndarray,
    differs_from: Callable[[np.ndarray], np.ndarray],
    problem: Callable[[str, int, int], str],
    hint: str,
) -> np.ndarray:
    """int64[pages]: the first row of each page with a known value, -1 if there is none; the others must agree."""
    first_row, known_rows = np.full(pages, -1), np.flatnonzero(known)
    first_row[page[known_rows[::-1]]] = known_rows[::-1]
    clash = known & differs_from(first_row[page])
    if clash.any():
        row = int(np.argmax(clash))
        before, name = int(first_row[page[row]]), short_repr(rows.text["page"][row])
        places = f"{rows.place(before)} and {rows.place(row)}"
        raise InputError(rows.file, places, problem(name, before, row), hint)
    return first_row
