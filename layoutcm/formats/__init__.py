"""Readers: from files to layouts. One small module a format, chosen by what the content looks like.

To add a format, write a module with a function that recognises a `Content` and one that reads it: into a `Gathering`
row by row (`gathered`), or whole as columns through `layout_rules.make_layout` (`each`). Then add a line to `FORMATS`.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

import msgspec

from layoutcm.errors import InputError, shown
from layoutcm.formats.builder import Gathering, each, gathered
from layoutcm.formats.content import Content, Options
from layoutcm.formats.page_sizes import Sizes, resolve_sizes
from layoutcm.formats.readers import (
    alto,
    azure,
    coco,
    cvat,
    docai,
    docling,
    doctags,
    hocr,
    huridocs,
    labelme,
    labelstudio,
    layoutparser,
    marker,
    mineru,
    omnidocbench,
    paddlex,
    page_xml,
    surya,
    table,
    textract,
    unstructured,
    voc,
    yolo,
)
from layoutcm.formats.source_files import Bundle, Source, load
from layoutcm.layouts.model import Finding, Layout
from layoutcm.layouts.page_maps import PagesGiven, page_map_of
from layoutcm.wording import agreeing


@dataclass(frozen=True)
class Format:
    """One kind of file: its name for `format=`, what people call it, how it is known and read."""

    name: str
    title: str
    recognises: Callable[[Content], bool]
    read: Callable[[str, Sequence[Content], Options], Layout]


def never(content: Content) -> bool:
    """For what only a person can ask for."""
    return False


def _rows(
    name: str,
    title: str,
    recognises: Callable[[Content], bool],
    read_one: Callable[[Content, Options, Gathering], None],
) -> Format:
    return Format(name, title, recognises, gathered(name, read_one))


FORMATS = (
    Format("coco", "COCO ground truth", coco.is_ground_truth, each(coco.read_ground_truth)),
    Format("coco-results", "COCO results list", coco.is_results, each(coco.read_results)),
    Format("parquet", "table in Parquet", table.is_parquet, each(table.read_parquet)),
    Format("csv", "table in CSV", table.is_csv, each(table.read_csv)),
    _rows("voc", "Pascal VOC", voc.is_voc, voc.read_page),
    Format("yolo", "YOLO labels", yolo.is_yolo, yolo.read_yolo),
    _rows("labelme", "LabelMe", labelme.is_labelme, labelme.read_page),
    _rows("label-studio", "Label Studio", labelstudio.is_labelstudio, labelstudio.read_tasks),
    _rows("docling", "DoclingDocument", docling.is_document, docling.read_document),
    _rows("docling-metrics", "docling-metrics sample, side a", docling.is_metrics, docling.read_metrics),
    _rows("docling-metrics-b", "docling-metrics sample, side b", never, docling.read_metrics_b),
    _rows("docling-layout", "docling layout predictions", docling.is_dump, docling.read_dump),
    _rows("omnidocbench", "OmniDocBench", omnidocbench.is_ground_truth, omnidocbench.read_ground_truth),
    _rows("omnidocbench-pred", "OmniDocBench predictions", omnidocbench.is_prediction, omnidocbench.read_prediction),
    _rows("paddlex", "PaddleX, PP-StructureV3", paddlex.is_paddlex, paddlex.read_pages),
    _rows("mineru", "MinerU middle.json", mineru.is_middle, mineru.read_middle),
    _rows("mineru-model", "MinerU model.json", mineru.is_model, mineru.read_model),
    _rows("mineru-content", "MinerU content_list.json", mineru.is_content_list, mineru.read_content_list),
    _rows("unstructured", "Unstructured", unstructured.is_unstructured, unstructured.read_elements),
    _rows("surya", "Surya", surya.is_surya, surya.read_results),
    _rows("huridocs", "HURIDOCS", huridocs.is_huridocs, huridocs.read_segments),
    _rows("layoutparser", "LayoutParser", layoutparser.is_json, layoutparser.read_json),
    _rows("layoutparser-csv", "LayoutParser CSV", layoutparser.is_csv, layoutparser.read_csv),
    _rows("marker", "Marker", marker.is_marker, marker.read_tree),
    _rows("azure", "Azure Document Intelligence", azure.is_azure, azure.read_analysis),
    _rows("textract", "AWS Textract", textract.is_textract, textract.read_response),
    _rows("docai", "Google Document AI", docai.is_docai, docai.read_document),
    _rows("page-xml", "PAGE-XML", page_xml.is_page_xml, page_xml.read_file),
    _rows("alto", "ALTO", alto.is_alto, alto.read_file),
    _rows("hocr", "hOCR", hocr.is_hocr, hocr.read_file),
    _rows("cvat", "CVAT for images 1.1", cvat.is_cvat, cvat.read_file),
    Format("doctags", "DocTags", doctags.is_doctags, doctags.read),
)
PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"II*\0", b"MM\0*")  # how their files begin
BY_NAME = {format.name: format for format in FORMATS}
# One file of these is all that a tool found; of the others it is a page or a document, and several make one layout.
WHOLE = frozenset(
    ("coco", "coco-results", "parquet", "csv", "label-studio", "omnidocbench", "omnidocbench-pred", "surya", "cvat")
)


def read(
    source: Source,
    *,
    like: Layout | None = None,
    pages: PagesGiven = None,
    format: str | None = None,
    sizes: Sizes = None,
    shapes: str = "box",
    nested: bool = True,
) -> Layout:
    """The layout in a file, a folder, a zip, (name, bytes), or a list of these.

    `like` lends page ids, sizes and labels to formats that lack them; `pages` says which of its pages is which here
    where names differ, as in `compare`; `sizes` is (width, height) or a folder of page images;
    `shapes="polygon"` keeps outlines and masks where the file has them; `nested=False` drops what stands inside
    pictures and tables, in formats that say so.
    """
    if shapes not in ("box", "polygon"):
        raise InputError("", "shapes", f"{shown(shapes)} is not known", "Use 'box' or 'polygon'.")
    if like is not None and not isinstance(like, Layout):
        raise InputError("", "like", f"{shown(like)} is not a layout", "Give what read() returned for the other file.")
    given, page_map = resolve_sizes(sizes), page_map_of(pages)
    bundle = load(source)
    with collector_paused(), named_after(bundle):
        chosen, contents, companions = choose(bundle, format)
        if given is None and bundle.images:
            given = resolve_sizes(bundle.images)
        options = Options(like, given, shapes == "polygon", nested, companions, tuple(bundle.images), page_map)
        with called_what_it_is(contents, chosen):
            layout = chosen.read(bundle.name, contents, options)
    return replace(layout, findings=(*layout.findings, *_skipped(bundle.name, companions)))


@contextmanager
def named_after(bundle: Bundle) -> Iterator[None]:
    """An error in a file of a folder or an archive names that, too."""
    try:
        yield
    except InputError as error:
        if error.file and error.file != bundle.name:
            place = ", ".join(part for part in (error.file, error.place) if part)
            raise InputError(bundle.name, place, error.problem, error.hint) from None
        raise


@contextmanager
def called_what_it_is(contents: Sequence[Content], chosen: Format) -> Iterator[None]:
    """A file that cannot be read as what a person called it, but looks like something else."""
    try:
        yield
    except InputError as error:
        found = find_candidates(contents[0]) if len(contents) == 1 and chosen.recognises is not never else []
        if not found or chosen in found:
            raise
        names = " or ".join(format.name for format in found)
        hint = f"This looks like {names}: leave out the format, or name this one."
        raise InputError(error.file, error.place, error.problem, hint) from None


def _skipped(file: str, others: Sequence[Content]) -> list[Finding]:
    """Files of a folder that are neither annotations of the chosen kind nor known to stand beside them."""
    lost = [content.name for content in others if not is_companion(content)]
    if not lost:
        return []
    files = agreeing(len(lost), "file of another kind is", "files of another kind are")
    message = f"{file}: {files} left out (first: {shown(lost[0])})."
    return [Finding("skipped-file", message, severity="info", count=len(lost))]


@contextmanager
def collector_paused() -> Iterator[None]:
    """Decoding makes millions of small values; the collector would look at all of them again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def choose(bundle: Bundle, name: str | None) -> tuple[Format, tuple[Content, ...], tuple[Content, ...]]:
    """The format, the files that are of it, and the others beside them."""
    if len(bundle.contents) == 1:
        return find_format(bundle.contents[0], name), bundle.contents, ()
    kinds = list(_kinds(bundle.contents))
    if name is not None:
        wanted = named_format(bundle.name, name)
        mine = tuple(content for content, kind in zip(bundle.contents, kinds) if wanted in kind)
    else:
        votes = Counter(kind[0].name for kind in kinds if len(kind) == 1)
        if not votes:
            problem = f"none of its {len(bundle.contents):,} files is of a known kind"
            raise InputError(bundle.name, "", problem, f"Known formats: {', '.join(BY_NAME)}.")
        if len(votes) > 1:
            found = ", ".join(f"{count:,} of {kind}" for kind, count in votes.most_common())
            raise InputError(
                bundle.name, "", f"it holds files of several kinds: {found}", "Say which with format= or --format."
            )
        wanted = BY_NAME[next(iter(votes))]
        mine = tuple(content for content, kind in zip(bundle.contents, kinds) if wanted in kind)
    if not mine:
        raise InputError(bundle.name, "", f"it holds no file of the format {wanted.name}", "Leave out the format.")
    taken = {id(content) for content in mine}  # by identity: equality would compare all bytes
    return wanted, mine, tuple(content for content in bundle.contents if id(content) not in taken)


def is_companion(content: Content) -> bool:
    """Lists of names and settings that stand beside annotations."""
    name = PurePosixPath(content.name.replace("\\", "/")).name.lower()
    return name.endswith((".yaml", ".yml", ".names", ".data")) or name in ("classes.txt", "notes.json", "readme.txt")


def named_format(file: str, name: str) -> Format:
    if not isinstance(name, str) or name not in BY_NAME:
        raise InputError(file, "", f"the format {shown(name)} is not known", f"Known formats: {', '.join(BY_NAME)}.")
    return BY_NAME[name]


def _kinds(contents: Sequence[Content]) -> Iterator[list[Format]]:
    """The formats that each file may be. Most are of the kind of the one before, which is asked first."""
    before: list[Format] = []
    for content in contents:
        if len(before) != 1 or not before[0].recognises(content):
            before = find_candidates(content)
        yield before


def find_candidates(content: Content) -> list[Format]:
    return [format for format in FORMATS if format.recognises(content)]


def find_format(content: Content, name: str | None = None) -> Format:
    if name is not None:
        return named_format(content.name, name)
    candidates = find_candidates(content)
    if len(candidates) == 1:
        return candidates[0]
    if candidates:
        names = " or ".join(format.name for format in candidates)
        raise InputError(content.name, "", f"this could be {names}", "Say which with format= or --format.")
    known = _other_kind(content)
    if known:
        raise InputError(content.name, "", *known)
    if content.json_root:
        content.decode(msgspec.Raw)  # a file cut off before its telling keys is broken rather than unknown
    raise InputError(
        content.name,
        "",
        f"the kind of file is not recognised: {_describe(content)}",
        f"Known formats: {', '.join(BY_NAME)}. Name one with format= or --format if this is one of them.",
    )


def _other_kind(content: Content) -> tuple[str, str] | None:
    """What is wrong and what to do, for files that often stand beside annotations."""
    head = content.data[:12]
    if head.startswith(PICTURES) or (head[:4], head[8:]) == (b"RIFF", b"WEBP"):
        return "this is a picture, which holds no regions", "Give the file or folder of the annotations instead."
    if head.startswith(b"%PDF"):
        return "this is a PDF, which holds no regions", "Give what a tool or a person found in it: JSON, XML or CSV."
    if is_companion(content):
        hint = "Give the folder that holds the annotations with this file beside them."
        return "this file holds names or settings, no regions", hint
    return None


def _describe(content: Content) -> str:
    if content.json_root:
        keys = ", ".join(map(repr, sorted(content.json_keys)[:8]))
        return f"JSON {content.json_root} with {'keys ' + keys if keys else 'no keys'}"
    head = content.data[:40]
    try:
        return f"it starts with {head.decode('utf-8')!r}"
    except UnicodeDecodeError:
        return f"binary data that starts with {head[:8].hex(' ')}"
