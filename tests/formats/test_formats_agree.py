"""Every format gives the same layout as COCO, read from a file, a folder, a zip or a list of uploads."""

import itertools
import random

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.formats.content import FileContent
from layoutcm.formats.recognition import find_candidates
from layoutcm.layouts.page_names import stem
from support.hostile_formats import zip_of
from support.reading import pages, regions
from written import LABELS, PAGES, Page, writers, written

# The labels that formats give for Title, Text, Table and Picture, where they differ from these.
LOWER = {label: label.lower() for label in LABELS}
OWN_LABELS = {
    "docling": LOWER,
    "docling-eval": LOWER,
    "docling-serve": LOWER,
    "omnidocbench": LOWER,
    "paddlex": LOWER,
    "mineru": LOWER,
    "mineru-content": LOWER,
    "mineru-model": {"Title": "title", "Text": "plain text", "Table": "table", "Picture": "figure"},
    "azure": {"Title": "title", "Text": "paragraph", "Table": "table", "Picture": "figure"},
    "textract": {label: f"LAYOUT_{label.upper()}" for label in LABELS},
    "docai": {"Title": "paragraph", "Text": "paragraph", "Table": "table", "Picture": "visual element"},
    "page-xml": {
        "Title": "TextRegion:heading", "Text": "TextRegion:paragraph", "Table": "TableRegion", "Picture": "ImageRegion",
    },
    "alto": {"Title": "Title", "Text": "TextBlock", "Table": "ComposedBlock:table", "Picture": "Illustration"},
    "hocr": {"Title": "ocr_header", "Text": "ocr_carea", "Table": "ocr_table", "Picture": "ocr_photo"},
    "mineru-content-v2": LOWER,
    "mineru-vlm": LOWER,
    "opendataloader": LOWER,
    "adobe-extract": {"Title": "Title", "Text": "P", "Table": "Table", "Picture": "Figure"},
    "pdffigures2": {"Title": "Title", "Text": "Caption", "Table": "Table", "Picture": "Picture"},
    "pdffigures2-gt": {"Title": "Title", "Text": "Caption", "Table": "Table", "Picture": "Picture"},
    "grobid": {"Title": "head", "Text": "p", "Table": "figure:table", "Picture": "figure"},
    "glm-ocr": LOWER,
    "deepseek-ocr": LOWER,
    "mistral-ocr": LOWER,
    "dolphin": LOWER,
    "ctdar": dict.fromkeys(LABELS, "table"),
    "doctags": {"Title": "title", "Text": "text", "Table": "otsl", "Picture": "picture"},
}  # fmt: skip
INCH = 100  # pixels per inch, for formats with coordinates in inches
# Formats that do not list blank pages.
NO_BLANK_PAGES = {"textract", "omnidocbench-pred", "mineru-content", "unstructured", "huridocs"}
NO_BLANK_PAGES |= {"labelbox-import", "docbank"}
NO_BLANK_PAGES |= {"dots-ocr", "qwen-vl-1000", "qwen-vl-pixels", "glm-ocr", "deepseek-ocr", "chandra"}
NO_BLANK_PAGES |= {"mineru-content-v2", "mineru-vlm", "adobe-extract", "pdffigures2", "grobid"}
# Formats that recognise the same files, because these do not tell their unit; one of them has to be named.
SAME_FILES = [["qwen-vl-1000", "qwen-vl-pixels"]]
TO_BE_NAMED = {format: {"format": format} for formats in SAME_FILES for format in formats}


def read_written(format, tmp_path, **options):
    files = written(format)
    for name, data in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    source = tmp_path / next(iter(files)) if len(files) == 1 else tmp_path
    return lcm.read(source, like=ground_truth(), **TO_BE_NAMED.get(format, {}), **options)


def ground_truth():
    return lcm.read(list(written("coco").items()))


@pytest.mark.parametrize("format", sorted(writers()))
def test_every_format_gives_the_same_pages_as_coco(format, tmp_path):
    layout = read_written(format, tmp_path)
    assert layout.format == format
    names = OWN_LABELS.get(format, {label: label for label in LABELS})
    compared = lcm.compare(ground_truth(), layout, mapping={"gt": names, "pred": {}}, rounding="nearest")
    expected = {page.name for page in PAGES if page.regions or format not in NO_BLANK_PAGES}
    assert {stem(name) for name in layout.page_columns.names} == expected
    assert len(compared.pages) == len(PAGES), compared.pages
    # With a perfect match every label has recall 1, even where regions overlap.
    recall = np.diag(compared.confusion(method="tensor").recall)
    assert np.nanmin(recall) == 1, compared.confusion().classes()


@pytest.mark.parametrize("format", sorted(writers()))
def test_pages_regions_labels_and_boxes_are_as_written(format, tmp_path):
    """Checks the layout against PAGES directly, without `compare`."""
    layout = read_written(format, tmp_path)
    names = OWN_LABELS.get(format, {label: label for label in LABELS})
    unit = INCH if format == "azure" else 1
    sizes = {page.name: (page.width / unit, page.height / unit) for page in PAGES}
    assert {stem(name): sizes[stem(name)] for name, *_ in pages(layout)} == {
        stem(name): (width, height) for name, width, height in pages(layout)
    }
    expected = [(page.name, names[label], *(v / unit for v in box)) for page in PAGES for label, box, _ in page.regions]
    on_page = [stem(layout.page_columns.names[i]) for i in layout.region_columns.page]
    found = [(page, label, *(round(v, 3) for v in box)) for page, (label, *box) in zip(on_page, regions(layout))]
    # The order on a page depends on the format: some services list paragraphs before tables.
    assert sorted(found) == sorted(expected)


WAYS_OUT = ("sizes=", "like=")


@pytest.mark.parametrize("format", sorted(writers()))
def test_a_file_alone_is_read_as_written_or_refused_with_the_ways_out(format):
    """Without the ground truth nothing is guessed: each page, label and box is right, or there is an error.

    A file that has only numbers of labels shows these numbers.
    """
    unit, names = INCH if format == "azure" else 1, OWN_LABELS.get(format, {label: label for label in LABELS})
    try:
        layout = lcm.read(list(written(format).items()), **TO_BE_NAMED.get(format, {}))
    except lcm.InputError as error:
        assert all(way in str(error) for way in WAYS_OUT), error
        return
    sizes = {page.name: (page.width / unit, page.height / unit) for page in PAGES}
    assert all(sizes[stem(name)] == (width, height) for name, width, height in pages(layout))
    if any(label.startswith("category ") for label in layout.labels):
        names = {label: f"category {i}" for i, label in enumerate(LABELS)}
    expected = [(page.name, names[label], *box) for page in PAGES for label, box, _ in page.regions]
    on_page = [stem(layout.page_columns.names[i]) for i in layout.region_columns.page]
    found = [(page, label, *(round(v * unit, 3) for v in box)) for page, (label, *box) in zip(on_page, regions(layout))]
    assert sorted(found) == sorted(expected)


FILE_FORMATS = ("coco", "voc", "yolo", "cvat", "labelme", "page-xml", "alto", "hocr", "csv", "parquet")


def random_pages():
    rng = random.Random(11)
    corners = [(rng.randrange(900), rng.randrange(1100)) for _ in range(60)]
    regions = [
        (LABELS[i % 4], (x, y, x + rng.randrange(1, 100), y + rng.randrange(1, 100)), 0.5)
        for i, (x, y) in enumerate(corners)
    ]
    return [Page(f"page_{i}", 1000, 1200, regions[20 * i : 20 * i + 20]) for i in range(3)]


def test_the_same_boxes_give_a_diagonal_matrix_between_any_two_file_formats():
    pages_to_write = random_pages()
    like = lcm.read(list(writers()["coco"](pages_to_write).items()))
    layouts = {format: lcm.read(list(writers()[format](pages_to_write).items()), like=like) for format in FILE_FORMATS}
    to_written_label = {
        format: {own: label for label, own in OWN_LABELS.get(format, {}).items()} for format in FILE_FORMATS
    }
    for gt, pred in itertools.permutations(FILE_FORMATS, 2):
        mapping = {"gt": to_written_label[gt], "pred": to_written_label[pred]}
        matrix = lcm.compare(layouts[gt], layouts[pred], mapping=mapping, rounding="nearest").confusion().values
        assert np.count_nonzero(matrix - np.diag(np.diag(matrix))) == 0, (gt, pred)
        assert np.diag(matrix).all(), (gt, pred)


@pytest.mark.parametrize("format", sorted(writers()))
def test_a_written_file_is_recognised_by_its_own_format_only(format):
    known = [[kind.name for kind in find_candidates(FileContent(name, data))] for name, data in written(format).items()]
    own = next((formats for formats in SAME_FILES if format in formats), [format])
    assert own in known and all(kinds in (own, []) for kinds in known)


@pytest.mark.parametrize("format", sorted(writers()))
def test_a_zip_and_a_list_of_uploads_give_the_same_layout_as_the_folder(format, tmp_path):
    files = written(format)
    like = ground_truth()
    folder = read_written(format, tmp_path)
    for source in (("upload.zip", zip_of(files)), list(files.items())):
        other = lcm.read(source, like=like, **TO_BE_NAMED.get(format, {}))
        assert other.page_columns.names == folder.page_columns.names
        assert np.array_equal(other.region_columns.boxes, folder.region_columns.boxes)
        assert other.labels == folder.labels


# Names with braces, which have a meaning in the templates of places, are names like any other.

NAME_WITH_BRACES = "{x}{:9}{0[1]}"
# The first box has inverted corners, so that a message names its place.
INVERTED = [("Text", (400, 300, 50, 100), 0.5), ("Text", (50, 100, 450, 300), 0.5)]


@pytest.mark.parametrize("format", sorted(writers()))
def test_a_page_or_document_may_be_named_with_braces(format):
    pages = [Page(f"{NAME_WITH_BRACES}_p{i}", 1000, 500, INVERTED) for i in (1, 2)]
    gt = lcm.read(list(writers()["coco"](pages).items()))
    try:
        lcm.read(list(writers()[format](pages).items()), like=gt, format=format)
    except lcm.InputError as error:
        assert str(error)


@pytest.mark.parametrize(("name", "text"), [
    ("a.json", '{"%s.pdf": {"elements": [{"category": "a", "page": 1, "coordinates": []}, '
               '{"category": "b", "page": 1, "coordinates": [{"x": 0.5, "y": 0.5}, {"x": 0.1, "y": 0.1}]}]}}'),
    ("a.tei.xml", '<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body>'
                  '<figure type="%s" coords="1,5,5,-2,-2"/></body></text></TEI>'),
])  # fmt: skip
def test_keys_and_types_with_braces(name, text):
    try:
        lcm.read((name, (text % NAME_WITH_BRACES).encode()), sizes=(100, 100))
    except lcm.InputError as error:
        assert str(error)
