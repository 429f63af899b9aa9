"""A damaged file among others: a finding with its reason, in comparisons and the gate, and an error if asked for."""

import json

import pytest

import layoutcm as lcm
from layoutcm.cli.main import main
from support.hostile_formats import zip_of
from support.reading import codes

SHAPE = {"label": "Text", "points": [[1, 1], [50, 50]], "shape_type": "rectangle"}
PAGE = {"version": "5", "flags": {}, "shapes": [SHAPE], "imagePath": "a.png", "imageHeight": 100, "imageWidth": 100}
GOOD = json.dumps(PAGE).encode()
XML = b"<?xml version='1.0'?><annotation><filename>a.png</filename><size><width>9</width><height>9</height></size>"
VOC = XML + (
    b"<object><name>T</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>5</xmax><ymax>5</ymax></bndbox></object>"
    b"</annotation>"
)
COUNTED = [
    ("b.json", GOOD[:9], "the JSON ends too early"),
    ("b.json", b"", "the file is empty"),
    ("b.json", b" \n", "the file is empty"),
    ("b.json", b"\0\0\0\0", "it starts with '\\x00"),
    ("b.json", b'{"error": "timeout"}', "a JSON object with keys 'error'"),
    ("b.json.part", GOOD[:9], "the JSON ends too early"),
]
LEFT_OUT = [
    ("notes.log", b"[2024-01-01] all went well"),
    ("b_meta.json", b'{"table_of_contents": [], "page_stats": []}'),  # of Marker
    ("b.csv", b"page,label,x0,y0,x1,y1,width,height\nb,T,1,1,5,5,9,9\n"),
    ("other", b""),
]


def read(name, data, good=("a.json", GOOD), **options):
    return lcm.read(("x.zip", zip_of({good[0]: good[1], name: data})), **options)


@pytest.mark.parametrize(("name", "data", "why"), COUNTED)
def test_a_file_that_a_person_expects_to_be_read_is_a_warning_with_its_reason(name, data, why):
    (finding,) = read(name, data).findings
    assert (finding.code, finding.severity) == ("damaged-file", "warning")
    assert repr(name) in finding.message and why in finding.message


def test_xml_that_is_cut_off_is_damaged():
    assert codes(read("b.xml", VOC[:26], ("a.xml", VOC))) == {"damaged-file": 1}


@pytest.mark.parametrize(("name", "data"), LEFT_OUT)
def test_a_file_of_another_kind_is_only_noted(name, data):
    assert codes(read(name, data, format="labelme", strict=True)) == {"skipped-file": 1}


def test_strict_refuses_damaged_files_and_answers_without_regions():
    with pytest.raises(lcm.InputError, match=r"'b.json'.*the file is empty"):
        read("b.json", b"", strict=True)
    answer = json.dumps([{"bbox_2d": [1, 1, 5, 5], "label": "T"}]).encode()
    given = {"good": ("a.json", answer), "format": "qwen-vl-1000", "sizes": (9, 9)}
    assert codes(read("b.json", b"sorry", **given)) == {"failed-answer": 1}
    with pytest.raises(lcm.InputError, match=r"'b.json'"):
        read("b.json", b"sorry", strict=True, **given)


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """The folders gt and pred, whose second page is cut on both sides."""
    monkeypatch.chdir(tmp_path)
    for side, height in (("gt", b"100"), ("pred", b"101")):  # two heights
        (tmp_path / side).mkdir()
        (tmp_path / side / "a.json").write_bytes(GOOD.replace(b"100", height))
        (tmp_path / side / "b.json").write_bytes(GOOD[:9])
    return ["gt", "pred"]


def test_the_gate_notes_what_is_damaged_on_both_sides(folders, capsys):
    limit = ["--fail-under", "micro.f1=0"]
    assert main(["gate", *folders, *limit]) == 0
    shown = capsys.readouterr().out
    assert all(f"{side}: 1 file like the others cannot be read" in shown for side in folders)
    assert main(["compare", *folders, "--json", "r.json"]) == 0
    assert "[warning] pred: 1 file like the others cannot be read" in capsys.readouterr().out
    assert main(["gate", "--result", "r.json", *limit]) == 0
    assert "gt: 1 file like the others cannot be read" in capsys.readouterr().out


@pytest.mark.parametrize(
    "command",
    [
        ["compare", "gt", "pred"],
        ["gate", "gt", "pred", "--fail-under", "micro.f1=0"],
        ["gate", "--result", "r.json", "--fail-under", "micro.f1=0"],
        ["inspect", "gt"],
        ["convert", "gt", "--to", "csv", "-o", "out.csv"],
    ],
)
def test_commands_refuse_damaged_files_if_they_are_strict(folders, command, refusal):
    assert main(["compare", *folders, "--json", "r.json"]) == 0
    assert "gt: 1 file like the others cannot be read" in refusal([*command, "--strict"])
