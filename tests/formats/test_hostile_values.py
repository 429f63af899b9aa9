"""Names, numbers, tables and sources that are too large, too many or unclear are refused; usual ones are read."""

import os
import subprocess
import sys
import threading

import pytest

import layoutcm as lcm
from layoutcm.formats.content import FileContent
from layoutcm.formats.parsing import parse_points, parse_size
from layoutcm.layouts import limits
from support import hostile_formats as hostile
from support.hostile_formats import zip_of
from support.limits import SHOW, read_with_limits
from support.reading import fails, refused

HEADER = "page{0}width{0}height{0}label{0}x0{0}y0{0}x1{0}y1{0}score\n"


def table(*rows, sign=","):
    return ("a.csv", (HEADER.format(sign) + "".join(f"{sign.join(row)}\n" for row in rows)).encode())


@pytest.mark.long
def test_every_hostile_file_is_read_or_refused_in_bounded_time_and_memory(tmp_path):
    """The limits are 5 s of CPU and 1 GB for small files; the time here is generous for slow machines."""
    paths = [make(tmp_path) for make in hostile.HOSTILE.values()]
    taken = read_with_limits(paths)
    assert len(taken) == len(hostile.HOSTILE)
    assert {name: used for name, used in taken.items() if used[0] or used[1] > 30 or used[2] > 1000} == {}


@pytest.mark.long
def test_images_of_very_many_pages_are_shown_or_refused_in_bounded_time_and_memory(tmp_path):
    pdfs = {f"{i}.pdf": hostile.pdf_of_many_pages(20_000) for i in range(100)}
    paths = [
        hostile.write(tmp_path, "a.tif", hostile.tiff_of_many_pages(99_000)),
        hostile.write(tmp_path, "b.tif", hostile.tiff_of_large_tags()),
        hostile.write(tmp_path, "c.png", hostile.png_of_tiny_chunks(80_000)),
        hostile.write(tmp_path, "pdfs.zip", hostile.zip_of(pdfs)),
        hostile.HOSTILE["TIFF of large tags"](tmp_path),
    ]
    taken = read_with_limits(paths, SHOW)
    assert {name: used for name, used in taken.items() if used[0] or used[1] > 30 or used[2] > 1000} == {}


@pytest.mark.parametrize("column", ["page", "label", "document"])
def test_a_name_of_a_thousand_characters_is_read_and_a_longer_one_refused(column):
    cells = {
        "page": "p", "document": "d", "width": 100, "height": 80, "label": "Text", "x0": 1, "y0": 1, "x1": 5, "y1": 5,
    }  # fmt: skip

    def text(length):
        named = cells | {column: "é" * length}
        return "a.csv", f"{','.join(named)}\n{','.join(map(str, named.values()))}\n".encode()

    assert len(lcm.read(text(1000)).regions) == 1
    refused(text(1001), "a.csv", column, "1,001 characters", "at most 1,000", "Shorten it")


@pytest.mark.parametrize("value", ["1,000", "-12,345", "+999,999", " 1,000 "])
def test_a_comma_that_may_separate_thousands_is_refused(value):
    quoted = f'"{value}"'
    message = ("row 3, column x1", "may mean", value.strip().replace(",", ""), value.strip().replace(",", "."))
    first = ("p", "2000", "2000", "Text", "1", "1", "5", "5", "0.5")
    refused(table(first, ("p", "2000", "2000", "Text", "1", "1", quoted, "5", "0.5")), *message)
    box = f"<object><bndbox><xmin>{value}</xmin><ymin>1</ymin><xmax>5</xmax><ymax>5</ymax></bndbox></object>"
    refused(("a.xml", f"<annotation>{box}</annotation>".encode()), "may mean", "xmin", sizes=(9, 9))


@pytest.mark.parametrize(
    ("value", "number"), [("0,358", 0.358), ("12,34", 12.34), ("1234,567", 1234.567), (",5", 0.5), ("012,345", 12.345)]
)
def test_a_decimal_comma_is_read_and_explains_the_others(value, number):
    row = ("p", "2000", "2000", "Text", value, "1,000", "1999", "1500", "")
    assert lcm.read(table(row, sign=";")).region_columns.boxes[0, :2].tolist() == [number, 1]


def test_a_table_of_too_many_columns_is_refused(monkeypatch):
    monkeypatch.setattr(limits, "MAX_COLUMNS", 12)
    row = ("p", "100", "80", "Text", "1", "1", "5", "5", "", "", "", "")
    names = HEADER.format(",").strip() + ',"a\nb",c,d'
    data = f"{names}\n{','.join(row)}\n"
    assert len(lcm.read(("a.csv", data.encode())).regions) == 1
    refused(("a.csv", data.replace(",d\n", ',d,"e"\n').encode()), "header", "13 columns", "at most 12")
    refused(("a.csv", data.replace(",d\n", f',"{"d" * 200_000}"\n').encode()), "header", "cannot be read")


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null"])
def test_a_device_is_not_read(device):
    refused(device, device, "a device, not a file")


def test_a_pipe_is_read_up_to_a_limit(tmp_path, monkeypatch):
    def through_pipe(data):
        pipe = tmp_path / "pipe.csv"
        os.mkfifo(pipe)
        writer = threading.Thread(target=pipe.write_bytes, args=(data,), daemon=True)
        writer.start()
        try:
            return lcm.read(pipe)
        finally:
            pipe.unlink()

    assert len(through_pipe(hostile.ROW).regions) == 1
    monkeypatch.setattr(limits, "MAX_PIPE_BYTES", 20)
    fails("more than 20 bytes", through_pipe, hostile.ROW)


def test_standard_input_is_read():
    program = "import layoutcm; print(len(layoutcm.read('/dev/stdin', format='csv').regions))"
    done = subprocess.run([sys.executable, "-c", program], input=hostile.ROW, capture_output=True, check=True)
    assert done.stdout == b"1\n"


def test_a_file_of_more_than_four_gigabytes_is_not_read(tmp_path):
    path = tmp_path / "a.json"
    with path.open("wb") as file:
        file.truncate(limits.MAX_FILE_BYTES + 1)  # takes no space on the disk
    refused(path, "more than 4,294,967,296 bytes")


def test_the_place_of_a_wrong_value_is_searched_with_bounded_work():
    """Each level halves a list of two, which converts the whole tree; levels beyond the bound are not named."""
    tree = '{"block_type":1}'
    for _ in range(100):
        tree = f'{{"block_type":"a","children":[{{"block_type":"a"}},{tree}]}}'
    refused(("a.json", tree.encode()), "children[1].children[1]", "expected `str`")


def test_large_numbers_and_deep_lists_of_json_are_refused():
    for inside in ("[" * 500_000, "9" * 500_000, '{"a":' * 150_000):
        refused(("a.json", ('{"images": ' + inside).encode()), "a.json", format="coco")
    assert FileContent("a.json", b"[" * 1_000_000).json_keys == frozenset()


@pytest.mark.parametrize("data", [
    b"1" + (b" " + b"1" * 20) * 10 + b"x",  # ten numbers with no end: 20^10 ways to split their digits
    b"1 1 1 1 " + b"1" * 60_000 + b"x",
    b" " * 60_000 + b"x",
])  # fmt: skip
def test_repeated_digits_and_blanks_are_no_numbers(data):
    """With an expression that repeats repeats, this would take years; `test_linear_patterns` finds such ones."""
    refused(("x.bin", data), "x.bin", sizes=(10, 10))


def test_blanks_before_a_class_are_blanks():
    """hOCR: the search for pages must not try every way to divide the blanks between two parts of its pattern."""
    page = b"<html><body><div class='ocr_page' title='bbox 0 0 9 9'><div class=%b'ocr_carea'></div></div></body></html>"
    assert len(lcm.read(("x.bin", page % (b"\t" * 400_000))).page_columns) == 1


CSV = "page,width,height,label,x0,y0,x1,y1\n" + "".join(f"{i},9,9,a,0,0,1,1\n" for i in range(300))


def test_more_pages_than_packed_bytes_can_hold_are_refused(monkeypatch):
    monkeypatch.setattr(limits, "PAGES_FLOOR", 299)
    packed = ("pages.zip", zip_of({"pages.csv": CSV}))
    assert len(packed[1]) < 300 * limits.STORED_BYTES_PER_PAGE
    fails(r"^pages.zip: 300 pages, but at most 299 can be read from [\d,]+ bytes", lcm.read, packed)
    assert len(lcm.read(("pages.csv", CSV.encode())).pages) == 300  # not packed, it has enough bytes
    monkeypatch.setattr(limits, "PAGES_FLOOR", 300)
    assert len(lcm.read(packed).pages) == 300


def test_pages_of_the_reference_and_a_file_for_each_page_are_enough(monkeypatch):
    reference = lcm.read(("pages.csv", CSV.encode()))
    monkeypatch.setattr(limits, "PAGES_FLOOR", 1)
    assert len(lcm.read(("pages.zip", zip_of({"pages.csv": CSV})), like=reference).pages) == 300
    yolo = {"classes.txt": "a", **{f"{i}.txt": "0 0.5 0.5 0.2 0.2" for i in range(30)}}
    monkeypatch.setattr(limits, "STORED_BYTES_PER_PAGE", 1000)
    assert len(lcm.read(("pages.zip", zip_of(yolo)), sizes=(9, 9)).pages) == 30


DIGITS = ["1_0", "١٠", "１０"]  # `float` and `int` of Python read each as 10


@pytest.mark.parametrize("number", DIGITS)
def test_underscores_and_digits_of_other_scripts_are_no_numbers(number):
    with pytest.raises(lcm.InputError, match=rf"a\.txt, line 2, number 3: '{number}' is not a finite number"):
        lcm.read(("a.txt", f"0 0.5 0.5 0.1 0.2\n0 0.5 0.5 {number} 0.2\n".encode()), sizes=(100, 100))
    with pytest.raises(lcm.InputError, match=rf"a\.txt, line 2, class: '{number}' is not a finite number"):
        lcm.read(("a.txt", f"0 0.5 0.5 0.1 0.2\n{number} 0.5 0.5 0.1 0.2\n".encode()), sizes=(100, 100))
    with pytest.raises(lcm.InputError, match=f"place: the outline '1,2 {number},3 .*is not a list of points"):
        parse_points(f"1,2 {number},3 4,5", "a.xml", "place")
    cells = f"page,label,x0,y0,x1,y1,width,height\np,a,{number},1,20,20,50,50\n"
    with pytest.raises(lcm.InputError, match=rf"a\.csv, row 2, column x0: '{number}' is not a number"):
        lcm.read(("a.csv", cells.encode()))
    flags = f"page,label,x0,y0,x1,y1,width,height,ignore\np,a,1,1,20,20,50,50,{number}\n"
    with pytest.raises(lcm.InputError, match=rf"a\.csv, row 2, column ignore: '{number}' is neither"):
        lcm.read(("a.csv", flags.encode()))
    assert parse_size(number, "10") == (None, None) and parse_size(" 10", "10") == (10, 10)
