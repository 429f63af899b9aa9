"""Page images from folders, zips, PDFs and Parquet files."""

import io
import json
import struct

import numpy as np
import pyarrow as pa
import pytest
from PIL import Image

import layoutcm as lcm
from layoutcm.drawing import page_images
from layoutcm.drawing.page_images import (
    ImageFile,
    Picture,
    images_from_files,
    images_from_folder,
    images_from_path,
    load_shrunk,
)
from layoutcm.formats import parquet_images
from layoutcm.formats.archives import Budget
from layoutcm.formats.content import FileContent
from layoutcm.formats.image_files import CountedFile, tiff_pages
from layoutcm.formats.parquet_images import image_bytes
from layoutcm.layouts import limits
from layoutcm.ui.files.input_file import input_from_bytes
from layoutcm.ui.files.page_pictures import pictures_of_files, pictures_of_folder, shrunk_image
from support.image_files import pdf, png, zipped
from support.layouts import build
from written import PAGES
from written.hf import IMAGE_STRUCT, doclaynet_table, objects_table, parquet_bytes


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


def as_shown(image, suffix="png", page_size=(0.0, 0.0), **options):
    out = io.BytesIO()
    image.save(out, {"png": "PNG", "tif": "TIFF", "jpg": "JPEG"}[suffix], **options)
    found = load_shrunk(Picture(f"p.{suffix}", "digest", data=out.getvalue(), page_size=page_size), 200)
    assert found is not None and found.mode == "RGB"
    return np.asarray(found)


@pytest.mark.parametrize("suffix", ["png", "tif"])
def test_16_bits_are_scaled(suffix):
    grey = np.tile(np.linspace(0, 65535, 64).astype(np.uint16), (8, 1))
    found = as_shown(Image.fromarray(grey), suffix)
    assert np.abs(found[0, :, 0].astype(int) - np.linspace(0, 255, 64)).max() <= 1


def test_fractions_are_scaled():
    found = as_shown(Image.fromarray(np.tile(np.linspace(0, 1, 64, dtype=np.float32), (8, 1))), "tif")
    assert np.abs(found[0, :, 0].astype(int) - np.linspace(0, 255, 64)).max() <= 1


@pytest.mark.parametrize("mode", ["RGBA", "LA"])
def test_what_is_transparent_is_white(mode):
    image = Image.new(mode, (20, 10))  # black, and all of it transparent
    image.paste(Image.new(mode, (5, 10), (0, 0, 0, 255) if mode == "RGBA" else (0, 255)), (0, 0))
    found = as_shown(image)
    assert (found[:, :5] == 0).all() and (found[:, 5:] == 255).all()


@pytest.mark.parametrize(("page_size", "shape"), [((50, 100), (40, 20)), ((100, 50), (20, 40)), ((0, 0), (40, 20))])
def test_an_image_is_turned_if_the_page_has_its_turned_proportions(page_size, shape):
    """Orientation 6: stored 40 x 20, shown 20 x 40, the stored left side at the top."""
    image = Image.new("RGB", (40, 20), "white")
    image.paste("black", (0, 0, 10, 20))
    exif = image.getexif()
    exif[0x0112] = 6
    found = as_shown(image, "jpg", page_size, exif=exif, quality=95)
    assert found.shape[:2] == shape
    dark = found[:8, :].mean() if shape == (40, 20) else found[:, :8].mean()
    assert dark < 20 < 200 < found[-8:, -8:].mean()


PIXEL = 8  # where the only pixel is, after the header
WHOLE = {256: 1, 257: 1, 258: 8, 259: 1, 262: 1, 273: PIXEL, 279: 1}  # sides, bits, compression, colours, place, length


def tiff(*frames):
    """A little-endian TIFF; each frame is given as {tag: number}."""
    out = struct.pack("<2sHI", b"II", 42, PIXEL + 2) + b"\xff\0"
    for i, tags in enumerate(frames):
        entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags.items())
        following = len(out) + 2 + len(entries) + 4 if i + 1 < len(frames) else 0
        out += struct.pack("<H", len(tags)) + entries + struct.pack("<I", following)
    return out


DAMAGED = {
    "no width": {tag: value for tag, value in WHOLE.items() if tag != 256},
    "unknown compression": WHOLE | {259: 11051},
}


def sizes_shown(data):
    """The sizes of the pictures in a file, None for one that cannot be shown."""
    pictures = uploaded(**{"p1.tif": data}).pictures
    return [image and image.size for image in (load_shrunk(picture, 100) for picture in pictures)]


def test_frames_of_a_whole_tiff_are_shown():
    assert sizes_shown(tiff(WHOLE, WHOLE)) == [(1, 1), (1, 1)]


@pytest.mark.parametrize("frame", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_second_frame_does_not_hide_the_first(frame):
    first, *others = sizes_shown(tiff(WHOLE, frame))
    assert first == (1, 1) and not any(others)


@pytest.mark.parametrize("frame", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_tiff_is_not_shown(frame):
    assert sizes_shown(tiff(frame)) == [None]


SHADES = [0, 80, 160, 240]


def image_of_shade(shade):
    out = io.BytesIO()
    Image.new("L", (40, 30), shade).save(out, "PNG")
    return out.getvalue()


def shaded_table():
    """The pages of DocLayNet, each with an image of another shade of grey."""
    images = [{"bytes": image_of_shade(shade), "path": None} for shade in SHADES]
    return doclaynet_table(PAGES).set_column(0, "image", pa.array(images, IMAGE_STRUCT))


def shades_of(pictures):
    return [load_shrunk(picture, 20).getpixel((5, 5))[0] for picture in pictures]


@pytest.mark.parametrize("options", [{}, {"row_group_size": 1}, {"row_group_size": 3}], ids=str)
def test_each_row_has_the_picture_of_its_page(tmp_path, options):
    path = tmp_path / "train.parquet"
    path.write_bytes(parquet_bytes(shaded_table(), **options))
    gt = lcm.read(path)
    from_bytes = images_from_files([ImageFile("train.parquet", "d", path.read_bytes())])
    for images in (images_from_path(path), images_from_path(tmp_path), from_bytes):
        by_page = images.by_page(lcm.compare(gt, gt))
        assert [by_page[i].name for i in range(4)] == [page.name for page in PAGES]
        assert shades_of(by_page[i] for i in range(4)) == SHADES
        assert images.unmatched_files(lcm.compare(gt, gt)) == []
    assert all(not picture.data for picture in images_from_path(path).pictures)


def test_no_image_is_read_before_it_is_shown(tmp_path, monkeypatch):
    path = tmp_path / "train.parquet"
    path.write_bytes(parquet_bytes(shaded_table()))
    monkeypatch.setattr(parquet_images, "iter_row_group", lambda *_: pytest.fail("read"))
    assert len(images_from_path(path).pictures) == 4


def test_a_visitor_may_drop_the_file_as_images_or_as_ground_truth(tmp_path):
    given = input_from_bytes("train.parquet", parquet_bytes(shaded_table()))
    table = input_from_bytes("t.parquet", parquet_bytes(pa.table({"label": ["a"]})))
    for pictures in (pictures_of_files([given], []), pictures_of_files([], [given, table])):
        assert [picture.member for picture in pictures] == [page.name for page in PAGES]
        assert shrunk_image(pictures[2], 20, given.data).getpixel((0, 0)) == (160, 160, 160)
    with pytest.raises(lcm.InputError, match="this Parquet file has no page images"):
        pictures_of_files([table], [])
    for one in (given, table):
        (tmp_path / one.name).write_bytes(one.data)
    assert len(pictures_of_folder(str(tmp_path / given.name))) == 4
    assert pictures_of_folder(str(tmp_path / table.name)) == ()


def test_rows_without_an_image_and_damaged_files_show_nothing(tmp_path):
    images = pa.array([{"bytes": None, "path": "a"}, None, {"bytes": b"no image", "path": "c"}], IMAGE_STRUCT)
    table = objects_table(PAGES[:3]).set_column(0, "image", images).append_column("image_id", pa.array([1, 2, 3]))
    path = tmp_path / "a.parquet"
    path.write_bytes(parquet_bytes(table))
    pictures = images_from_path(path).pictures
    assert [picture.name for picture in pictures] == ["1", "2", "3"]
    assert [load_shrunk(picture, 20) for picture in pictures] == [None] * 3
    path.write_bytes(path.read_bytes()[:-50])
    assert load_shrunk(pictures[0], 20) is None
    path.write_bytes(b"")
    assert load_shrunk(pictures[0], 20) is None
    with pytest.raises(lcm.InputError, match="has no page images"):
        images_from_path(path)


def test_pictures_are_counted(monkeypatch, tmp_path):
    path = tmp_path / "a.parquet"
    path.write_bytes(parquet_bytes(shaded_table()))
    monkeypatch.setattr(limits, "MAX_PICTURES", 3)
    with pytest.raises(lcm.InputError, match="more than 3 page images"):
        images_from_path(path)


def test_images_of_shards_are_found_under_the_names_that_all_shards_together_give(tmp_path):
    """The paths of images are unique in each shard only, so that pages are named by file and row."""
    base = objects_table(PAGES[:2]).select(["objects"])
    for shard, shades in (("a", (10, 90)), ("b", (170, 250))):
        images = [{"bytes": image_of_shade(shade), "path": f"{i}.png"} for i, shade in enumerate(shades)]
        table = base.append_column("image", pa.array(images, IMAGE_STRUCT))
        (tmp_path / f"{shard}.parquet").write_bytes(parquet_bytes(table))
    gt = lcm.read(tmp_path)
    assert gt.page_columns.names == ("a_p1", "a_p2", "b_p1", "b_p2")
    by_page = images_from_path(tmp_path).by_page(lcm.compare(gt, gt))
    assert shades_of(by_page[i] for i in range(4)) == [10, 90, 170, 250]


def evaluation_table(pages, images, **columns):
    text = json.dumps({"schema_name": "DoclingDocument", "texts": [], "pages": {str(n): page for n, page in pages}})
    lists = pa.array([images, []], pa.list_(IMAGE_STRUCT))
    given = {"document_id": ["a", "b"], "GroundTruthDocument": [text, "{}"], "GroundTruthPageImages": lists}
    return pa.table(given | columns)


@pytest.mark.parametrize("with_images", [(1, 2, 3), (1, 3)])
def test_page_images_of_docling_eval(tmp_path, with_images):
    size = {"width": 40, "height": 30}
    pages = [(n, {"page_no": n, "size": size, "image": {"dpi": 72} if n in with_images else None}) for n in (1, 2, 3)]
    images = [{"bytes": image_of_shade(50 * n), "path": None} for n in with_images]
    path = tmp_path / "shard.parquet"
    path.write_bytes(parquet_bytes(evaluation_table(pages, images)))
    gt = lcm.read(path)
    for found in (images_from_path(path), images_from_files([ImageFile("s.parquet", "d", path.read_bytes())])):
        by_page = found.by_page(lcm.compare(gt, gt))
        assert {gt.page_columns.names[i]: shades_of([one])[0] for i, one in by_page.items()} == {
            f"a_p{n}": 50 * n for n in with_images
        }


def test_fewer_images_than_pages_with_images_are_not_shown(tmp_path):
    pages = [(n, {"page_no": n, "size": {"width": 40, "height": 30}, "image": {"dpi": 72}}) for n in (1, 2, 3)]
    images = [{"bytes": image_of_shade(50 * n), "path": None} for n in (1, 3)]
    path = tmp_path / "shard.parquet"
    path.write_bytes(parquet_bytes(evaluation_table(pages, images)))
    with pytest.raises(lcm.InputError, match="has no page images"):
        images_from_path(path)


def test_evaluations_without_images_or_with_damaged_documents_have_no_page_images(tmp_path):
    path = tmp_path / "shard.parquet"
    for table in (evaluation_table([], []), evaluation_table([], [{"bytes": b"x", "path": None}])):
        path.write_bytes(parquet_bytes(table))
        with pytest.raises(lcm.InputError, match="has no page images"):
            images_from_path(path)
    images = [{"bytes": None, "path": "a"}, None]
    table = evaluation_table([(1, {"page_no": 1}), (2, {"page_no": 2})], images)
    path.write_bytes(parquet_bytes(table))
    pictures = images_from_path(path).pictures
    assert [load_shrunk(picture, 20) for picture in pictures] == [None, None]
    damaged = table.set_column(1, "GroundTruthDocument", pa.array(["{", "{}"]))
    path.write_bytes(parquet_bytes(damaged))
    with pytest.raises(lcm.InputError, match="has no page images"):
        images_from_path(path)
    assert image_bytes(FileContent("a", path.read_bytes()), 0, 5) == b""


def strokes(count):
    """A PDF of one page of 60 x 80 points with strokes."""
    content = b"".join(b"%d %d m %d %d l S\n" % (i % 60, i % 80, i * 7 % 60, i * 3 % 80) for i in range(count))
    parts = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 60 80]/Contents 4 0 R>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(content), content),
    ]
    objects = b"".join(b"%d 0 obj\n%s\nendobj\n" % (i, part) for i, part in enumerate(parts, 1))
    return b"%PDF-1.4\n" + objects + b"trailer<</Root 1 0 R>>\n%%EOF"


@pytest.mark.parametrize(("count", "size"), [(10, (60, 80)), (20, (30, 40)), (40, (15, 20)), (41, None)])
def test_a_pdf_page_with_many_objects_is_drawn_smaller_or_not_at_all(count, size, monkeypatch):
    monkeypatch.setattr(page_images, "PDF_WORK", 800)
    monkeypatch.setattr(limits, "MAX_PDF_OBJECTS", 40)
    image = load_shrunk(uploaded(**{"a.pdf": strokes(count)}).pictures[0], 80)
    assert (image and image.size) == size
