"""Every format read from files that the tests wrote, compared with COCO, in a folder, a zip and a list of uploads."""

import io
import zipfile

import numpy as np
import pytest
from written import LABELS, PAGES, writers, written

import layoutcm as lcm
from layoutcm.formats import find_candidates
from layoutcm.formats.content import Content
from layoutcm.model import stem

# Formats that name no labels of their own, or give other names: what they make of Title, Text, Table, Picture.
LOWER = {label: label.lower() for label in LABELS}
OWN_LABELS = {
    "docling": LOWER,
    "omnidocbench": LOWER,
    "paddlex": LOWER,
    "mineru": LOWER,
    "mineru-content": LOWER,
    "mineru-model": {"Title": "title", "Text": "plain text", "Table": "table", "Picture": "figure"},
    "azure": {"Title": "title", "Text": "paragraph", "Table": "table", "Picture": "figure"},
    "textract": {label: f"LAYOUT_{label.upper()}" for label in LABELS},
    "docai": {"Title": "paragraph", "Text": "paragraph", "Table": "table", "Picture": "visual element"},
    "page-xml": {
        "Title": "TextRegion:heading",
        "Text": "TextRegion:paragraph",
        "Table": "TableRegion",
        "Picture": "ImageRegion",
    },
    "alto": {"Title": "Title", "Text": "TextBlock", "Table": "ComposedBlock:table", "Picture": "Illustration"},
    "hocr": {"Title": "ocr_header", "Text": "ocr_carea", "Table": "ocr_table", "Picture": "ocr_photo"},
    "doctags": {"Title": "title", "Text": "text", "Table": "otsl", "Picture": "picture"},
}
# Formats that cannot say that a page is blank, or leave it out.
NO_BLANK_PAGES = {"textract", "omnidocbench-pred", "mineru-content", "unstructured", "huridocs"}


def read_written(format, tmp_path, **options):
    files = written(format)
    for name, data in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    source = tmp_path / next(iter(files)) if len(files) == 1 else tmp_path
    return lcm.read(source, like=ground_truth(), **options)


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
    # The diagonal alone is not enough where regions overlap: a perfect match has recall 1 on it.
    recall = np.diag(compared.confusion(method="tensor").recall)
    assert np.nanmin(recall) == 1, compared.confusion().classes()


@pytest.mark.parametrize("format", sorted(writers()))
def test_no_other_format_takes_a_written_file_for_its_own(format):
    known = [[kind.name for kind in find_candidates(Content(name, data))] for name, data in written(format).items()]
    assert [format] in known and all(kinds in ([format], []) for kinds in known)


@pytest.mark.parametrize("format", sorted(writers()))
def test_a_zip_and_a_list_of_uploads_give_what_the_folder_gives(format, tmp_path):
    files = written(format)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    like = ground_truth()
    folder = read_written(format, tmp_path)
    for source in (("upload.zip", packed.getvalue()), list(files.items())):
        other = lcm.read(source, like=like)
        assert other.page_columns.names == folder.page_columns.names
        assert np.array_equal(other.region_columns.boxes, folder.region_columns.boxes)
        assert other.labels == folder.labels
