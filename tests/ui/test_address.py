"""Texts of an address: what is not a value of its choice is ignored."""

import json

import pytest

from layoutcm.ui.files.repairs_and_mapping import LONGEST_MAPPING, mapping_from_text, mapping_to_text
from layoutcm.ui.state.choices import choices_in

DEEP = "[" * 5000
MAPPINGS = ["{", "[]", "1", '{"other": {}}', '{"pred": {"x": 1}}', '{"pred": []}', '{"preds": {"x": {"a": "b"}}}',
            '{"preds": {"-1": {"a": "b"}}}', '{"preds": {"²": {"a": "b"}}}', json.dumps({"pred": {"x" * 1001: "a"}}),
            '{"pred":' * 2000]  # fmt: skip
LONG = mapping_to_text({"pred": {f"label number {i}": "Text" for i in range(LONGEST_MAPPING // 20)}})
WRONG = {
    "labels": ["[", '"Text"', "[1]", "null", DEEP],
    "curves": [DEEP],
    "fixes": [DEEP, '["0=rm"]', '["x=flip-y"]', "[1]", "{", json.dumps(["0=flip-y"] * 17)],
    "label_scores": ['["2=Table"]', '["x=Table"]', '["nan=Table"]', "Table"],
    "mapping": [*MAPPINGS, LONG],
    "view": ["zzz"],
    "mask": ["?"],
    "cause": ["?"],
    "min_score": ["abc", "nan", "1.5"],
    "iou": ["7"],
    "ap_rule": ["best"],
    "pairing": ["best"],
    "tolerance_x": ["nan"],
    "object_view": ["x"],
    "family_view": ["x"],
    "family_depth": ["99"],
    "matrix_depth": ["-1"],
}


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in WRONG.items() for text in texts])
def test_a_text_that_is_not_a_value_is_ignored(name, text):
    assert choices_in({name: text}) == {}


@pytest.mark.parametrize("text", MAPPINGS)
def test_a_text_that_is_not_a_mapping(text):
    assert mapping_from_text(text) is None


def test_values_are_read():
    texts = {
        "labels": '["a", "b"]',
        "fixes": '["0=flip-y"]',
        "label_scores": '["0.5=Nix"]',
        "iou": "0.75",
        "class": "a",
    }
    assert choices_in(texts) == {
        "labels": ("a", "b"), "fixes": ("0=flip-y",), "label_scores": ("0.5=Nix",), "iou": 0.75, "class_name": "a",
    }  # fmt: skip
