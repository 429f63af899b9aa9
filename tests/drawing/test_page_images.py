"""Page images of folders, images, PDFs, TIFFs and zips, and the pages that they show."""

import io
import struct

import pytest
from PIL import Image

import layoutcm as lcm
from layoutcm.drawing.page_images import ImageFile, images_from_files, images_from_folder, load_shrunk
from layoutcm.formats.archives import Budget
from layoutcm.formats.image_files import CountedFile, tiff_pages
from layoutcm.layouts import limits
from support.image_files import pdf, png, zipped
from support.layouts import build


def shown(picture):
    return load_shrunk(picture, 64)


def compared(*names, documents=None):
    layout = build(dict.fromkeys(names, (40, 30)), [], documents=documents)
    return lcm.compare(layout, layout)


def uploaded(**files):
    return images_from_files([ImageFile(name, name, data) for name, data in files.items()])


def frames(sizes, format="TIFF"):
    """An image file with several pages of different sizes."""
    out = io.BytesIO()
    first, *others = (Image.new("RGB", size, "white") for size in sizes)
    first.save(out, format, save_all=True, append_images=others)
    return out.getvalue()


def test_images_are_matched_like_pages():
    scans = {"x/b.png": png((8, 9)), "x/d 1.webp": frames([(6, 7)], "WEBP"), "note.txt": b"no"}
    images = uploaded(**{"scans/a.PNG": png(), "pages.zip": zipped(**scans)})
    c = compared("a.jpg", "img/b", "c", "D%201")
    assert [shown(images.find(c, page)).size for page in (0, 1, 3)] == [(40, 30), (8, 9), (6, 7)]
    assert images.find(c, 2) is None and shown(None) is None


def test_an_ambiguous_image_name_is_not_matched():
    images = uploaded(**{"scans.zip": zipped(**{"train/a.png": png((8, 9)), "val/a.png": png()})})
    c = compared("a.tif")
    assert images.find(c, 0) is None and images.unmatched_files(c) == ["train/a.png", "val/a.png"]
    assert shown(images.find(compared("val/a.png", "train/a.png"), 0)).size == (40, 30)


@pytest.mark.parametrize("name", ["report_p2", "report-0002.png", "Report 2", "img/report_page_002.jpg"])
@pytest.mark.parametrize(("file", "data", "size"), [
    ("report.pdf", pdf(), (48, 64)),
    ("report.tiff", frames([(9, 9), (20, 10)]), (20, 10)),
    ("all.zip", zipped(**{"report.tif": frames([(9, 9), (20, 10)])}), (20, 10)),
    ("all.zip", zipped(**{"report.pdf": pdf()}), (48, 64)),
])  # fmt: skip
def test_pages_of_a_pdf_or_a_tiff_are_found_by_number(file, data, size, name):
    images = uploaded(**{file: data})
    c = compared(name, "other")
    assert shown(images.find(c, 0)).size == size and images.find(c, 1) is None
    assert images.unmatched_files(c) == []  # page 1 is not used, but another page of the file is


def test_pages_with_document_and_number_are_found_in_a_pdf():
    images = uploaded(**{"report.pdf": pdf()})
    numbered = compared("first", "second", documents={"first": "report.pdf", "second": "report.pdf"})
    numbered.alignment.layouts[0].page_columns.numbers[:] = [1, 3]
    assert images.find(numbered, 0).page_index == 0 and images.find(numbered, 1) is None


def test_an_image_with_the_page_name_of_pred_is_found():
    gt, pred = (build({name: (40, 30)}, []) for name in ("left", "right"))
    c = lcm.compare(gt, pred, pages={"left": "right"})
    images = uploaded(**{"right.png": png()})
    assert c.pages == ["left"] and images.find(c, 0).file == "right.png"


@pytest.mark.parametrize(
    ("name", "data"),
    [("a.docx", b"x"), ("a.pdf", b"no pdf"), ("a.zip", b"no zip")],
)
def test_a_file_that_is_no_image_is_named_in_the_error(name, data):
    with pytest.raises(lcm.InputError, match=name):
        uploaded(**{name: data})


def test_the_number_of_pictures_is_limited_over_all_files(monkeypatch):
    monkeypatch.setattr(limits, "MAX_PICTURES", 4)
    two = frames([(9, 9), (20, 10)])
    assert len(uploaded(**{"a.tif": two, "b.zip": zipped(**{"c.tif": two})}).pictures) == 4
    for more in ({"d.png": png()}, {"d.pdf": pdf()}, {"d.zip": zipped(**{"e.png": png()})}):
        with pytest.raises(lcm.InputError, match=f"{next(iter(more))}.*more than 4 page images"):
            uploaded(**{"a.tif": two, "b.zip": zipped(**{"c.tif": two})}, **more)


def test_the_pictures_of_a_folder_are_limited(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "MAX_PICTURES", 3)
    for name in ("a.tif", "b.tif"):
        (tmp_path / name).write_bytes(frames([(9, 9), (20, 10)]))
    with pytest.raises(lcm.InputError, match="more than 3 page images"):
        images_from_folder(tmp_path)


def test_a_picture_of_a_zip_that_is_too_large_is_not_shown(monkeypatch):
    monkeypatch.setattr(limits, "MAX_PICTURE_BYTES", 50)
    images = uploaded(**{"x.zip": zipped(**{"a.png": png(), "b.tif": frames([(9, 9)])})})
    assert [shown(picture) for picture in images.pictures] == [None, None]
    with pytest.raises(lcm.InputError, match=r"b\.pdf"):
        uploaded(**{"x.zip": zipped(**{"b.pdf": pdf()})})


@pytest.mark.parametrize("big_tiff", [False, True])
@pytest.mark.parametrize("compression", [None, "tiff_lzw", "group4"])
def test_every_page_of_a_tiff_is_shown(big_tiff, compression, tmp_path):
    sizes = [(20 + i, 30) for i in range(5)]
    first, *others = (Image.new("1", size, i % 2) for i, size in enumerate(sizes))
    path = tmp_path / "a.tif"
    first.save(path, save_all=True, append_images=others, compression=compression, big_tiff=big_tiff)
    in_zip = uploaded(**{"a.zip": zipped(**{"a.tif": path.read_bytes()})})
    for images in (uploaded(**{"a.tif": path.read_bytes()}), images_from_folder(tmp_path), in_zip):
        pages = [shown(picture) for picture in images.pictures]
        assert [page.size for page in pages] == sizes
        assert [page.convert("L").getpixel((5, 5)) for page in pages] == [0, 255, 0, 255, 0]


def test_the_pages_of_a_tiff_are_counted_without_reading_them():
    """Each of 50,000 pages costs three reads; a page that names an earlier one as the next ends the file."""
    pages = b"".join(struct.pack("<HL", 0, 8 + 6 * (i + 1)) for i in range(50_000))
    data = b"II*\0" + struct.pack("<L", 8) + pages
    counted = CountedFile(io.BytesIO(data), budget := Budget(1 << 30))
    assert len(tiff_pages(counted, 100_000)[0]) == 50_000
    assert (1 << 30) - budget.left <= limits.READ_COST * (2 * 50_000 + 3)
    assert len(tiff_pages(io.BytesIO(data), 7)[0]) == 7
    in_a_circle = data[:-4] + struct.pack("<L", 8)
    assert len(tiff_pages(io.BytesIO(in_a_circle), 100_000)[0]) == 50_000


@pytest.mark.filterwarnings("ignore:Corrupt EXIF")
def test_a_broken_or_huge_picture_is_not_shown(monkeypatch):
    names = ["a.png", "cut.png", "c.tif", "b.png"]
    broken = uploaded(**dict(zip(names, [b"no image", png()[:-40], b"II*\0no tiff", png((50, 50))])))
    assert [picture.file for picture in broken.pictures] == names
    assert [shown(picture) for picture in broken.pictures[:3]] == [None, None, None]
    monkeypatch.setattr(limits, "MAX_PIXELS", 100)
    assert shown(broken.pictures[3]) is None


def test_pictures_of_a_folder(tmp_path):
    (tmp_path / "p.png").write_bytes(png())
    (tmp_path / "p.txt").write_text("no")
    images = images_from_folder(tmp_path)
    assert shown(images.find(compared("p.tif"), 0)).size == (40, 30)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "report.pdf").write_bytes(pdf())
    (tmp_path / "deep" / "locked.pdf").write_bytes(b"no pdf")
    assert shown(images_from_folder(tmp_path).find(compared("report_p2"), 0)).size == (48, 64)
