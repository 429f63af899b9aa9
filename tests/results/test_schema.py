"""Results follow the published schema, which describes every key."""

import copy
import importlib.util
import json
from hashlib import sha256

import pytest
from jsonschema import Draft202012Validator

import layoutcm as lcm
from layoutcm.models.differences import difference
from layoutcm.report.leaderboard_files import write_board_files
from layoutcm.results.types import SCHEMA as VERSION
from support.layouts import build
from support.paths import ROOT, SAMPLE
from support.result_schema import SCHEMA, VALIDATOR, assert_valid, undescribed_keys
from support.results import full_result
from support.sample_comparisons import compare_all_of_sample, compare_sample
from support.three_pages import different_labels, three_pages


def test_the_schema_is_valid_and_of_the_version_that_is_written():
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$id"] == f"urn:layoutcm:result:{VERSION}"


def test_the_schemas_are_those_of_the_types():
    """`python docs/make_schema.py` writes them."""
    module = importlib.util.spec_from_file_location("make_schema", ROOT / "docs" / "make_schema.py")
    made = importlib.util.module_from_spec(module)
    module.loader.exec_module(made)
    for name, text in made.schemas().items():
        assert (ROOT / "docs" / "schema" / name).read_text("utf-8") == text


def test_every_part_of_the_schema_is_described():
    """Each key has a description of its own, or that of what it refers to."""

    def described(part):
        if "description" in part:
            return True
        return "$ref" in part and "description" in SCHEMA["$defs"][part["$ref"].rpartition("/")[2]]

    def keys(part, place):
        for name, one in part.get("properties", {}).items():
            yield f"{place}.{name}", one
            yield from keys(one, f"{place}.{name}")
        for nested in (part.get("items"), *part.get("anyOf", [])):
            yield from keys(nested, f"{place}[]") if isinstance(nested, dict) else ()

    every = [key for name, part in SCHEMA["$defs"].items() for key in keys(part, name)]
    assert len(every) > 100
    assert [place for place, part in every if not described(part)] == []


def all_extras(c):
    other = three_pages(min_score=0.75)
    families = {"All": {"Inner": ["a"], "Other": ["b"]}}
    return {"families": families, "intervals": 5, "difference": difference(c, other, 5), "slices": True}


@pytest.mark.parametrize("method", ["matrix", "tensor"])
@pytest.mark.parametrize("per_page", [False, True])
def test_small_results(method, per_page, two_pages):
    for c in (three_pages(), different_labels(), lcm.compare(*two_pages), three_pages(rounding="exact")):
        assert_valid(full_result(c, method, per_page))


def test_results_with_extras_and_lists_of_results():
    c = three_pages()
    result = full_result(c, per_page=True, **all_extras(c))
    assert {"families", "intervals", "difference_from_first", "slices", "by_page"} <= set(result)
    assert_valid(result)
    assert_valid([result, full_result(different_labels(), intervals=5)])


def test_the_sample():
    assert_valid(full_result(compare_sample(), "tensor", per_page=True))


@pytest.mark.parametrize("taxonomy", ["same", "different"])
@pytest.mark.parametrize("attribute", [None, "doc_category", "format"])
def test_slices(attribute, taxonomy):
    c = compare_sample(taxonomy=taxonomy)
    result = full_result(c, slices=attribute or True)
    assert result["slices"]["rows"]
    assert_valid(result)


@pytest.mark.parametrize("method", ["matrix", "tensor"])
def test_more_than_200_labels(method):
    labels = [f"label {k}" for k in range(220)]
    gt = build({"p": (4, 2)}, [("p", labels[7], 0, 0, 2, 1)], labels)
    c = lcm.compare(gt, build({"p": (4, 2)}, [("p", labels[9], 1, 0, 4, 1)], labels))
    result = full_result(c, method, per_page=True, families={"All": labels})
    assert isinstance(result["confusion"], dict) and isinstance(result["by_page"][0]["confusion"], dict)
    assert_valid(result)


def test_nothing_to_compare():
    assert_valid(full_result(lcm.compare(build({}, []), build({}, [])), per_page=True))
    assert_valid(full_result(lcm.compare(build({"p": (3, 3)}, []), build({"p": (3, 3)}, []))))


def test_very_many_documents(monkeypatch):
    monkeypatch.setattr("layoutcm.filling.level_records.MOST_DOCUMENTS", 1)
    result = full_result(three_pages())
    assert result["by_document"] is None
    assert_valid(result)


def test_wrong_results_are_refused():
    good = json.loads(json.dumps(full_result(three_pages())))
    changes = {
        "schema": 2.0,
        "taxonomy": "similar",
        "labels": "a",
        "confusion": [[None]],
        "recall": [["1"]],
        "inputs": {"gt": {}},
        "averages": {"micro": {"precision": 1, "recall": 1}},
        "by_document": [{"document": "A"}],
        "findings": [{"code": "x"}],
    }
    assert VALIDATOR.is_valid(good)
    for key, value in changes.items():
        assert not VALIDATOR.is_valid(good | {key: value}), key
        assert not VALIDATOR.is_valid({name: one for name, one in good.items() if name != key}) or key == "recall"


def test_a_key_that_is_not_described_is_found():
    result = json.loads(json.dumps(full_result(three_pages(), **all_extras(three_pages()))))
    assert undescribed_keys(result) == []
    changed = copy.deepcopy(result)
    changed["new"] = 1
    changed["by_document"][1]["classes"][0]["new"] = 1
    changed["families"]["at_depth"][0]["new"] = 1
    changed["inputs"]["gt"]["new"] = 1
    changed["intervals"]["headline"][0]["new"] = changed["objects"]["new"] = 1
    assert VALIDATOR.is_valid(changed)
    assert sorted(undescribed_keys(changed)) == [
        "$.by_document[].classes[].new",
        "$.families.at_depth[].new",
        "$.inputs.gt.new",
        "$.intervals.headline[].new",
        "$.new",
        "$.objects.new",
    ]


def test_headline_numbers_say_where_they_come_from():
    c = compare_sample()
    result = json.loads(json.dumps(full_result(c)))
    assert_valid(result)
    records = {record["figure"]: record for record in result["headline"]}
    assert list(records) == ["micro.f1", "macro.f1", "weighted.f1", "content.f1", "right", "objects.ap", "objects.pq"]
    assert records["macro.f1"]["value"] == c.confusion().average("macro")["f1"]
    assert records["content.f1"]["value"] == c.content()["f1"] and records["objects.ap"]["value"] == c.objects().ap
    for record in records.values():
        assert record["version"] == lcm.__version__
        for side, file in (("gt", "gt.json"), ("pred", "model-a.json")):
            assert record[f"{side}_digest"] == sha256((SAMPLE / file).read_bytes()).hexdigest()
    assert records["macro.f1"]["recipe"] == c.recipe
    assert records["objects.ap"]["recipe"] == c.recipe_for(None, objects="box")
    in_memory = full_result(three_pages())["headline"][0]
    assert in_memory["gt_digest"] is None


def test_the_schema_of_a_leaderboard_describes_every_key(tmp_path):
    schema = json.loads((ROOT / "docs" / "schema" / f"leaderboard-{VERSION}.schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    assert schema["$id"] == f"urn:layoutcm:leaderboard:{VERSION}"
    few = lcm.leaderboard({"a": three_pages(), "b": three_pages(min_score=0.75)})
    for board in (lcm.leaderboard(compare_all_of_sample()), few):
        write_board_files(board, board.result(why=True), tmp_path)
        written = json.loads((tmp_path / "leaderboard.json").read_text("utf-8"))
        assert [error.message for error in Draft202012Validator(schema).iter_errors(written)] == []
        assert undescribed_keys(written, schema) == []
    assert written["causes"]
    changed = written | {"models": [{"model": "a"}]}
    assert not Draft202012Validator(schema).is_valid(changed)
