"""`layoutcm suggest-mapping`: the table, and a YAML that `compare --mapping` reads back."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import layoutcm as lcm
from layoutcm.alignment.taxonomy import load_mapping, parse_mapping
from layoutcm.cli.main import main
from layoutcm.tables.command_texts import mapping_lines, mapping_yaml
from support.layouts import build
from support.paths import SAMPLE

GT, PRED = str(SAMPLE / "gt.json"), str(SAMPLE / "model-b.csv")


def test_the_mapping_is_written_and_read_back(tmp_path, printed):
    file = tmp_path / "mapping.yaml"
    text = printed(["suggest-mapping", GT, PRED, "-o", str(file)])
    assert "12 of 12 labels mapped, from the pixels of 60 pages" in text
    assert "paragraph_title  Section-header  43.5 %  Background  33.4 %   0.90" in text
    assert f"mapping written to {file}" in text
    assert load_mapping(file) == lcm.suggest_mapping(lcm.read(GT), lcm.read(PRED)).mapping
    result = json.loads(printed(["compare", GT, PRED, "--mapping", str(file), "--json", "-"]))
    by_hand = lcm.compare(lcm.read(GT), lcm.read(PRED), mapping=SAMPLE / "mapping.yaml")
    assert result["taxonomy"] == "mapped"
    np.testing.assert_array_equal(result["confusion"], by_hand.confusion().values)


def test_without_a_file_the_yaml_is_printed(printed):
    text = printed(["suggest-mapping", GT, PRED, "--one-to-one", "--no-prior"])
    expected = lcm.suggest_mapping(lcm.read(GT), lcm.read(PRED), one_to_one=True, prior=False)
    assert parse_mapping("mapping.yaml", text.encode()) == expected.mapping
    assert len(set(expected.mapping["pred"].values())) == len(expected.mapping["pred"]) == 11
    assert "# table_title      (Caption)       60.9 %  Background  36.8 %   0.35  left: Caption is taken by" in text


def test_no_mapping_is_advised_to_who_asks_for_one():
    """Some labels have equal names, and neither side has all labels of the other."""
    size = {"p": (10, 10)}
    gt = build(size, [("p", "a", 0, 0, 10, 5), ("p", "b", 0, 5, 10, 10)])
    pred = build(size, [("p", "a", 0, 0, 10, 5), ("p", "c", 0, 5, 10, 10)])
    assert "equal-label-names" in {finding.code for finding in lcm.compare(gt, pred).findings}
    assert "equal-label-names" not in {finding.code for finding in lcm.suggest_mapping(gt, pred).findings}


def test_what_may_spoil_the_shares_is_said_beside_the_yaml(capsys):
    assert main(["suggest-mapping", GT, str(SAMPLE / "model-b.csv"), "--sizes", "model-b=612x792"]) == 0
    printed = capsys.readouterr()
    assert "[warning] 1 of 60 pages has regions in gt and none in pred" in printed.err
    assert parse_mapping("mapping.yaml", printed.out.encode())["pred"]["text"] == "Text"


def test_an_input_is_not_replaced(refusal):
    assert "would replace this input" in refusal(["suggest-mapping", GT, PRED, "-o", GT])
    assert "no such folder" in refusal(["suggest-mapping", GT, PRED, "-o", "/no/such/folder/m.yaml"])


def test_what_is_left_on_both_sides_is_said():
    gt = build({"p": (10, 10)}, [("p", "a", 0, 0, 10, 5), ("p", "b", 0, 9, 10, 10), ("p", "lost", 0, 5, 1, 6)])
    pred = build({"p": (10, 10)}, [("p", "x", 0, 0, 10, 5), ("p", "y", 1, 5, 10, 10)])
    assert mapping_lines(lcm.suggest_mapping(gt, pred)) == [
        "1 of 2 labels mapped, from the pixels of 1 page",
        "pred label  gt label     share  runner-up   share  names",
        "x           a            100 %  –               –   0.00",
        "y           Background  80.0 %  b          20.0 %   0.00  left as it is: mostly Background",
        "gt labels to which no label is mapped",
        "  b: 90.0 % of its pixels are y",
        "  lost: no pixels in pred",
        "Labels are left on both sides: compare with --taxonomy same, or map them by hand.",
    ]


ODD = [
    "No",
    "1:30",
    "a: b",
    "# x",
    "two\nlines",
    "a\x85",
    "\u2028b",
    "<<",
    "~",
    "é 表",
    "'",
    "x" * 300,
    "{a}",
    "- a",
    "🙂",
]


@pytest.mark.parametrize("name", ODD)
def test_odd_names_are_read_back(name):
    gt = build({"p": (10, 10)}, [("p", f"{name}!", 0, 0, 10, 10)])
    found = lcm.suggest_mapping(gt, build({"p": (10, 10)}, [("p", name, 0, 0, 10, 10)]))
    assert parse_mapping("m.yaml", mapping_yaml(found).encode()) == {"pred": {name: f"{name}!"}}


@settings(deadline=None, max_examples=100)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20))
def test_any_name_is_read_back(name):
    gt = build({"p": (10, 10)}, [("p", f"{name}!", 0, 0, 10, 10)])
    pred = build({"p": (10, 10)}, [("p", name, 0, 0, 10, 10)])
    if pred.labels != [name] or not gt.labels:  # such as Background
        return
    found = lcm.suggest_mapping(gt, pred)
    assert parse_mapping("m.yaml", mapping_yaml(found).encode()) == found.mapping
