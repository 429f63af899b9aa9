"""Folders, zips and several files: what is read, what is left out, and which attacks are refused."""

import hashlib
import os
import stat
import struct
import zipfile
import zlib
from pathlib import Path

import pytest
from PIL import Image

import layoutcm as lcm
from layoutcm.drawing import page_images
from layoutcm.drawing.page_images import ImageFile, images_from_files, load_shrunk
from support.hostile_formats import zip_of
from support.layouts import build
from support.reading import fails, read_as, reads, refused, refused_as, refuses
from support.results import full_result
from written import written

ROW = b"page,width,height,label,x0,y0,x1,y1\n%s,100,80,Text,1,1,5,5\n"


def png_header(width, height):
    """The start of a PNG file that declares this size."""
    chunk = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = struct.pack(">I", 8) + b"IDAT" + bytes(12)
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + chunk + struct.pack(">I", zlib.crc32(chunk)) + data


def test_tables_of_a_folder_are_joined_in_the_order_of_their_numbers(tmp_path):
    for n in (10, 2, 1):
        (tmp_path / f"p{n}.csv").write_bytes(ROW % f"page {n}".encode())
    layout = lcm.read(tmp_path)
    assert layout.page_columns.names == ("page 1", "page 2", "page 10")
    assert len(layout.region_columns) == 3 and layout.labels == ["Text"]


def test_a_page_that_two_files_have_is_refused_with_both_names(tmp_path):
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_bytes(ROW % b"same")
    refused(tmp_path, "a.csv", "b.csv", "'same'", "twice")


def test_sizes_come_from_the_images_next_to_the_labels(tmp_path):
    (tmp_path / "images").mkdir()
    (tmp_path / "labels").mkdir()
    Image.new("L", (200, 100)).save(tmp_path / "images" / "a.png")
    (tmp_path / "labels" / "a.txt").write_text("0 0.5 0.5 0.5 0.5\n")
    layout = lcm.read(tmp_path)
    assert layout.pages.loc[0, ["page", "width", "height"]].tolist() == ["images/a.png", 200, 100]
    assert layout.regions.loc[0, ["label", "x0", "y0", "x1", "y1"]].tolist() == ["class 0", 50, 25, 150, 75]


def test_a_link_out_of_a_folder_is_not_followed(tmp_path):
    secret = tmp_path / "secret.csv"
    secret.write_bytes(ROW % b"secret")
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "a.csv").write_bytes(ROW % b"a")
    os.symlink(secret, folder / "b.csv")
    os.symlink(tmp_path, folder / "up")
    assert lcm.read(folder).page_columns.names == ("a",)


def test_a_gigantic_image_in_a_folder_of_sizes_is_refused(tmp_path):
    (tmp_path / "a.png").write_bytes(png_header(100_000, 100_000))
    refused(("a.txt", b"0 0.5 0.5 0.5 0.5\n"), "a.png", "10000000000 pixels", sizes=tmp_path)


@pytest.mark.parametrize("side", [100_000, 12_000, 10_000])
def test_a_gigantic_image_is_not_shown(side, tmp_path):
    (tmp_path / "a.png").write_bytes(png_header(side, side))
    given = page_images.ImageFile("a.png", "digest", png_header(side, side))
    for images in (page_images.images_from_path(tmp_path), page_images.images_from_files([given])):
        assert [page_images.load_shrunk(picture, 100) for picture in images.pictures] == [None]


def nested_aliases(levels):
    """YAML of a few lines that expands to 9**levels values."""
    first = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    more = (f"a{i + 1}: &a{i + 1} [{', '.join([f'*a{i}'] * 9)}]\n" for i in range(levels - 1))
    return f"{first}{''.join(more)}names: *a{levels - 1}\n".encode()


def link_to(name, target):
    """A zip whose only member is a symbolic link."""
    link = zipfile.ZipInfo(name)
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    return zip_of({link: target})


YOLO = b"0 .5 .5 .5 .5"
LABELLED = {"labels/a.txt": YOLO, "images/a.png": png_header(100_000, 100_000)}
EXPANDING = {
    "nested aliases": (nested_aliases(10), "far longer"),
    "many values": (b"names: [" + b"a," * 500_000 + b"]", "far longer"),
    "many lists": (b"names: [" + b"[]," * 500_000 + b"]", "far longer"),
    "one long value": (b"a: &a '" + b"x" * 1_000_000 + b"'\nnames: [" + b"*a," * 1000 + b"]", "far longer"),
    "deep": (b"names: " + b"[" * 100_000, "64 deep"),
}
MIXED = ("mixed.zip", zip_of({"gt.json": written("coco")["gt.json"], "a.csv": ROW % b"a", "notes.txt": b"hello"}))
HIDDEN = {"__MACOSX/._a.csv": b"\0\1", ".DS_Store": b"\0", "x/.git/config": b"[core]", "a.csv": ROW % b"a"}
ALIASES = b"base: &base {0: Text}\nnames:\n  <<: *base\n  1: Table\n"
BOM = b"\xef\xbb\xbf"
ENDS = (b"\r\n", b"\n", b"\r")
DOCTAGS = next(iter(written("doctags").items()))


def tiff(**entries):
    """A little-endian TIFF without pixels; entries are whole numbers."""
    numbers = {"width": 256, "height": 257, "compression": 259}
    packed = b"".join(struct.pack("<HHII", numbers[name], 3, 1, value) for name, value in entries.items())
    return struct.pack("<2sHIH", b"II", 42, 8, len(entries)) + packed + bytes(4)


DAMAGED = {"no width": tiff(height=9), "unknown compression": tiff(width=9, height=9, compression=11051)}
EMPTY_COCO = b'{"images": [{"id": 1, "file_name": "a", "width": 9, "height": 9}], "annotations": [], "categories": []}'
test_reading = read_as(
    reads("one kind of several is named", MIXED, {"format": "csv"}, names=("a",), codes={"skipped-file": 2},
          says=["gt.json"]),
    reads("hidden files and files of operating systems are skipped", ("a.zip", zip_of(HIDDEN)), codes={}),
    reads("a large image is measured and not decoded",
          ("b.zip", zip_of(LABELLED | {"images/a.png": png_header(12_000, 12_000)})),
          pages=[("images/a.png", 12_000, 12_000)]),
    reads("a few YAML aliases", [("data.yaml", ALIASES), ("a.txt", b"1 .5 .5 .5 .5")], {"sizes": (10, 10)},
          declared=["Text", "Table"]),
    *(reads(f"an empty label file is a blank page: {empty}", ("page7.txt", empty), {"sizes": (10, 10)},
            names=("page7",), count=0) for empty in (b"", b"\n", BOM)),
    *(reads(f"line ends and a byte order mark in a table: {end}", ("a.csv", BOM + (ROW % b"a").replace(b"\n", end)),
            names=("a",)) for end in ENDS),
    *(reads(f"line ends and a byte order mark in labels: {end}",
            ("a.txt", BOM + b"0 0.5 0.5 1 1" + end + b"1 0.5 0.5 0.2 0.2" + end), {"sizes": (10, 10)}, count=2)
      for end in ENDS),
    read=lcm.read,
)  # fmt: skip
test_refusal = refused_as(
    *(refuses(f"{name} leads out of an archive", ("a.zip", zip_of({name: ROW % b"a"})), "leads out of the archive")
      for name in ("../a.csv", "/etc/a.csv", "x/../../a.csv", "..\\a.csv", "C:\\a.csv")),
    refuses("a link in an archive", ("a.zip", link_to("a.csv", "/etc/passwd")), "link"),
    *(refuses(f"an archive cut at {cut}", ("cut.zip", zip_of({"a.csv": ROW % b"a"})[:cut]), "cut.zip")
      for cut in (30, 100, -1, -30)),
    refuses("an archive in an archive", ("out.zip", zip_of({"in.zip": zip_of({"a.csv": ROW % b"a"})})), "out.zip"),
    refuses("an empty archive", ("a.zip", zip_of({})), "a.zip: there is no annotation file in it"),
    *(refuses(f"a list of names with {name}", [("data.yaml", names), ("a.txt", YOLO)], "data.yaml", words, sizes=(9, 9))
      for name, (names, words) in EXPANDING.items()),
    refuses("a gigantic image", ("a.zip", zip_of(LABELLED)), "images/a.png", "too large", "10000000000 pixels"),
    refuses("a broken image", ("c.zip", zip_of(LABELLED | {"images/a.png": b"\x89PNG\r\n\x1a\n????"})), "images/a.png",
            "cannot be read"),
    *(refuses(f"COCO that is called {format}", ("gt.json", EMPTY_COCO), "This looks like coco: leave out the format",
              format=format) for format in ("mineru", "docling", "voc", "marker", "csv", "hocr")),
    refuses("files of several kinds", MIXED, "several kinds", "coco", "csv", "format="),
    *(refuses(f"a damaged TIFF, {name}", [DOCTAGS, ("report_p1.tif", data)], "report_p1.tif",
              "this image cannot be read") for name, data in DAMAGED.items()),
    refuses("a file that is not an image", [DOCTAGS, ("report_p1.png", b"no image")],
            "report_p1.png: this image cannot be read: it is damaged, or none of PNG, JPEG"),
    refuse=refused,
)  # fmt: skip


def test_an_empty_folder_says_what_is_missing(tmp_path):
    refused(tmp_path, "no annotation file")


def test_a_list_may_hold_images_and_documents_next_to_the_annotations(tmp_path):
    Image.new("L", (200, 100)).save(tmp_path / "p1.png")
    picture = (tmp_path / "p1.png").read_bytes()
    label, names = ("p1.txt", b"1 .5 .5 .5 .5"), ("data.yaml", b"names: [a, b]")
    for image in (("p1.png", picture), tmp_path / "p1.png"):
        layout = lcm.read([("paper.pdf", b"%PDF"), image, label, names])
        assert layout.format == "yolo" and layout.labels == ["a", "b"]
        assert layout.region_columns.boxes.tolist() == [[50, 25, 150, 75]]
    refused([("p1.png", picture), ("paper.pdf", b"%PDF")], "no annotation file")
    refused([("p1.png", b"no image"), label], "cannot be read")


def test_an_error_in_a_file_of_the_named_format_stays_as_it_is():
    wrong = ("gt.json", b'{"images": 1, "annotations": [], "categories": []}')
    assert "looks like" not in refused(wrong, format="coco")


@pytest.mark.parametrize(("name", "data", "words"), [
    ("a.png", b"\x89PNG\r\n\x1a\n", ("this is a picture", "annotations")),
    ("a.jpg", b"\xff\xd8\xff\xe0\0\x10JFIF", ("this is a picture",)),
    ("a.webp", b"RIFF\x24\0\0\0WEBPVP8 ", ("this is a picture",)),
    ("a.pdf", b"%PDF-1.4\n%", ("this is a PDF", "JSON, XML or CSV")),
    ("data.yaml", b"names: [a, b]\nnc: 2\n", ("holds names or settings", "Give the folder")),
])  # fmt: skip
def test_the_error_for_a_file_without_annotations_names_its_kind(name, data, words):
    assert "Known formats" not in refused((name, data), *words)


def test_an_entry_of_a_folder_that_cannot_be_looked_at_is_named(tmp_path, monkeypatch):
    (tmp_path / "secret.json").write_text("{}")
    monkeypatch.setattr(Path, "is_file", lambda path: (_ for _ in ()).throw(PermissionError(13, "Permission denied")))
    fails(r"secret\.json: this entry of the folder cannot be looked at: Permission denied", lcm.read, tmp_path)


@pytest.mark.parametrize("data", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_tiff_is_not_shown(data):
    (picture,) = images_from_files([ImageFile("p1.tif", "digest", data)]).pictures
    assert load_shrunk(picture, 100) is None


HEAD = b"page,width,height,label,x0,y0,x1,y1\n"
ONE, TWO = HEAD + b"p,9,9,a,0,0,5,5\n", HEAD + b"q,9,9,b,0,0,5,5\n"


def sha256(data):
    return hashlib.sha256(data).hexdigest()


# What `sha256sum one.csv sub/two.csv | sha256sum` prints.
BOTH = sha256(f"{sha256(ONE)}  one.csv\n{sha256(TWO)}  sub/two.csv\n".encode())


def write(folder, files):
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def test_one_file_has_the_digest_of_its_bytes(tmp_path):
    write(tmp_path, {"deep/one.csv": ONE})
    for source in (tmp_path / "deep/one.csv", ("one.csv", ONE), ("x.zip", zip_of({"one.csv": ONE})), tmp_path / "deep"):
        assert lcm.read(source).sha256 == sha256(ONE)
    assert lcm.read(("bom.csv", b"\xef\xbb\xbf" + ONE)).sha256 == sha256(b"\xef\xbb\xbf" + ONE)


def test_several_files_have_one_digest_wherever_they_are(tmp_path):
    files = {"sub/two.csv": TWO, "one.csv": ONE}
    folder = write(tmp_path / "folder", files)
    in_folder = {f"outer/{name}": data for name, data in files.items()}
    sources = [
        folder,
        ("x.zip", zip_of(files)),
        ("x.zip", zip_of(in_folder)),
        [folder / "sub/two.csv", folder / "one.csv"],
        list(files.items()),
    ]
    assert {lcm.read(source).sha256 for source in sources} == {BOTH}
    assert lcm.read(write(tmp_path / "renamed", {"one.csv": ONE, "sub/three.csv": TWO})).sha256 != BOTH


def test_files_that_are_not_used_do_not_count():
    """A list of names counts, because it can change the labels; a file of another kind does not."""
    files = {"a.txt": b"0 0.5 0.5 0.5 0.5\n", "b.txt": b"0 0.2 0.2 0.1 0.1\n"}
    first = lcm.read(("x.zip", zip_of(files)), sizes=(10, 10)).sha256
    assert lcm.read(("x.zip", zip_of({**files, "other.json": b"{}"})), sizes=(10, 10)).sha256 == first
    assert lcm.read(("x.zip", zip_of({**files, "classes.txt": b"Text\n"})), sizes=(10, 10)).sha256 != first


def test_the_digest_is_kept(tmp_path):
    layout = lcm.read(("one.csv", ONE))
    assert lcm.repair(layout, "scale:2").sha256 == sha256(ONE)
    mapped = lcm.compare(layout, layout, mapping={"pred": {"a": "b"}, "gt": {"a": "b"}}, missing_pages="ignore")
    assert [side.sha256 for side in mapped.alignment.layouts] == [sha256(ONE)] * 2
    assert build({"p": (5, 5)}, []).sha256 is None


def test_a_result_names_its_inputs_without_their_folders(tmp_path):
    folder = write(tmp_path / "secret", {"one.csv": ONE, "sub/two.csv": TWO})
    c = lcm.compare(lcm.read(folder), lcm.read(folder / "one.csv"))
    assert full_result(c)["inputs"] == {
        "gt": {"name": "secret", "format": "csv", "sha256": BOTH, "pages": 2, "regions": 2},
        "pred": {"name": "one.csv", "format": "csv", "sha256": sha256(ONE), "pages": 1, "regions": 1},
    }
    windows = lcm.compare(lcm.read(("C:\\secret\\gt.csv", ONE)), build({"p": (9, 9)}, [("p", "a", 0, 0, 1, 1)]))
    assert full_result(windows)["inputs"]["gt"]["name"] == "gt.csv"
