"""The stored result: its schema, its contract, and how values are encoded."""

import copy
import importlib.util
import json
import random
from hashlib import sha256

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import layoutcm as lcm
from layoutcm.models.differences import difference
from layoutcm.report.leaderboard_files import write_board_files
from layoutcm.results.encoding import json_ready, json_text
from layoutcm.results.result import Result
from layoutcm.results.types import SCHEMA as VERSION
from support.comparisons import compare_all_of_sample, compare_sample, different_labels, three_pages
from support.layouts import build
from support.parts import compared
from support.paths import ROOT, SAMPLE
from support.results import SCHEMA, VALIDATOR, assert_valid, full_result, undescribed_keys
from support.stored import stored_text


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


TRUTHS = [True, True, True, False]


def random_layout(rng, pages, labels, scored, name):
    """A layout of small pages in documents of two, with boxes of the labels."""
    sizes = {f"page {k}": (20, 20) for k in range(pages)}
    rows = []
    for page in sizes:
        for _ in range(rng.randrange(6)):
            x, y = rng.randrange(16), rng.randrange(16)
            box = (x, y, x + rng.randrange(1, 9), y + rng.randrange(1, 9))
            rows.append((page, rng.choice(labels), *box, *([rng.randrange(1, 10) / 10] if scored else [])))
    return build(sizes, rows, labels, name, {page: f"document {k // 2}" for k, page in enumerate(sizes)})


def random_pair(seed):
    """Two layouts and options: same, different or mapped labels, with and without scores, documents, truth, ignore."""
    rng, kind = random.Random(seed), seed % 3
    options = {"truth": TRUTHS[seed % 4], "rounding": ("outer", "nearest", "exact")[seed % 5 % 3]}
    mapping = {"pred": {"u": "a", "v": "b", "w": "c"}} if kind == 2 else {}
    mapping |= {"gt": {"c": "Ignore"}} if seed % 7 == 0 else {}
    options |= {"mapping": mapping} if mapping else {}
    options |= {"missing_pages": "ignore"} if seed % 2 else {}
    pages = rng.randrange(1, 16)
    gt = random_layout(rng, pages, "abc", False, "gt")
    return gt, random_layout(rng, pages, ("abc", "xyz", "uvw")[kind], seed % 5 > 1, "pred"), options


def asked_of(seed, compared):
    extra = {"slices": True, "families": {"one": ["a", "b"], "two": ["x", "u"]}} if compared.has_truth else {}
    return {"why": compared.has_truth and seed % 2 == 0, "per_page": seed % 3 == 0, **(extra if seed % 4 == 0 else {})}


def differing_fields(one, other):
    return [name for name in Result.__struct_fields__ if getattr(one, name) != getattr(other, name)]


@pytest.mark.parametrize("method", ["matrix", "tensor"])
@pytest.mark.parametrize("block", range(10))
def test_a_result_that_is_read_back_is_equal_field_by_field(block, method):
    """200 pairs in all."""
    for seed in range(10 * block, 10 * block + 10):
        *layouts, options = random_pair(seed)
        found = lcm.compare(*layouts, **options)
        result = found.result(method, **asked_of(seed, found))
        again = lcm.load_result(result.to_json())
        assert differing_fields(again, result) == [], seed
        assert again == result and again.to_json() == result.to_json()


@pytest.mark.parametrize("seed", range(0, 60, 3))
def test_an_evaluator_has_the_same_result(seed):
    gt, pred, _ = random_pair(seed)
    e = lcm.Evaluator(list(gt.labels), pred_labels=list(pred.labels), name=pred.name)
    regions = lambda layout, page: layout.regions[layout.regions["page"] == page].to_dict("records")
    for row in gt.pages.to_dict("records"):
        sides = (regions(gt, row["page"]), regions(pred, row["page"]))
        e.update(*sides, page=row["page"], size=(20, 20), document=row["document"])
    found, expected = e.result(), lcm.compare(gt, pred).result()
    assert type(found) is type(expected) is Result
    same = {"inputs", "recipe", "recipe_fields", "headline", "intervals", "findings"}  # which name the files
    assert set(differing_fields(found, expected)) <= same
    assert [row.value for row in found.headline] == [row.value for row in expected.headline]
    assert found.intervals.headline == expected.intervals.headline


def close(one, other):
    """Equal, numbers to 1e-12 of their size."""
    if isinstance(one, float) and isinstance(other, float | int):
        return one == pytest.approx(other, rel=1e-12, abs=1e-12)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(close(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(close, one, other))
    return one == other


COUNTED = [
    "labels", "pages", "documents", "pixels", "ignored_pixels", "confusion", "recall", "precision", "f1", "classes",
    "averages", "averages_with_background", "averages_over_pages", "averages_over_documents", "pred_pixels", "content",
    "content_pixels", "right", "collapsed", "page_matching", "agreement", "by_document", "page_scores", "taxonomy",
]  # fmt: skip


QUICK = (0, 1, 3, 4, 6, 9, 12, 15)
MORE = [pytest.param(seed, marks=pytest.mark.long) for seed in range(200) if seed not in QUICK]


@pytest.mark.parametrize("seed", [*QUICK, *MORE])
def test_a_comparison_of_parts_has_the_same_result(seed, tmp_path):
    gt, pred, options = random_pair(seed)
    whole = lcm.compare(gt, pred, **options).result().as_dict()
    found = compared(tmp_path, gt, pred, 1 + seed % 3, 1 + seed % 2, **options).result()
    assert type(found) is Result
    own = found.as_dict()
    for key in COUNTED:
        if key in whole and key != "page_matching":
            assert close(sorted_rows(own[key]), sorted_rows(whole[key])), (seed, key)
    figures = {name: value for name, value in found.measures.items() if value is not None}
    expected = lcm.compare(gt, pred, **options).result(intervals=False).measures
    assert {name: pytest.approx(expected[name], rel=1e-12) for name in figures} == figures
    assert ("intervals" in own) == ("intervals" in whole) == options["truth"]
    if options["truth"]:
        assert close(own["intervals"]["headline"], whole["intervals"]["headline"])


def sorted_rows(value):
    """Rows in the order of their names: documents and pages of parts have the order of the parts."""
    if isinstance(value, list) and value and isinstance(value[0], dict) and "document" in value[0]:
        return sorted(value, key=lambda row: (row["document"], row.get("page", "")))
    if isinstance(value, dict) and "pages_to_review" in value:  # equal ones are in the order of pages
        rows = sorted(value["pages_to_review"], key=lambda row: (row["label"], row["page"]))
        return value | {"pages_to_review": rows}
    if isinstance(value, dict) and "scores" in value and "page" in value:
        order = sorted(range(len(value["page"])), key=value["page"].__getitem__)
        columns = {name: [value[name][i] for i in order] for name in ("page", "document", "pixels")}
        return columns | {"scores": {name: [one[i] for i in order] for name, one in value["scores"].items()}}
    return value


NAN = float("nan")


def test_values_become_json():
    given = {
        "array": np.array([[1.5, NAN], [np.inf, -np.inf]]),
        "tuple": (np.int64(3), np.float64(0.5), np.float64(NAN), True, None),
        "nested": [{"x": NAN}, "text"],
    }
    assert json_ready(given) == {
        "array": [[1.5, None], [None, None]],
        "tuple": [3, 0.5, None, True, None],
        "nested": [{"x": None}, "text"],
    }
    assert type(json_ready(np.int64(3))) is int


def test_bytes_of_json():
    """Every key is on a line of its own, and so is every row of a matrix and every record."""
    value = {"é": [1, None], "matrix": [[1, 0.5], [0, 1e300]], "records": [{"x": [[1]]}], "both": {"a": [1], "b": {}}}
    text = stored_text("small_value.json") + "\n"
    assert json_text(value) == text.encode()
    several = text.rstrip().replace("\n", "\n ")
    assert json_text([value, value]) == f"[\n {several},\n {several}\n]\n".encode()
    assert json_text([]) == b"[]\n" and json_text({}) == b"{}\n"


def test_text_without_a_utf8_form():
    """A lone surrogate, which a file name can contain, becomes a question mark; nan is null."""
    assert json_text({"name": "a\ud800", "é": "b"}) == '{"name":"a?","é":"b"}\n'.encode()
    assert json_text({"names": ["a\ud800"], "é": 1}) == '{\n "names": ["a?"],\n "é": 1\n}\n'.encode()
    assert json_text(["\ud800", NAN]) == b'["?",null]\n' and json_text([NAN]) == b"[null]\n"


@pytest.mark.parametrize("number", [0.1 + 0.2, 1e-320, 1 / 3, 123456789.123456789, 2.0**53 - 1, 5e22])
def test_numbers_are_read_back_to_the_last_bit(number):
    assert json.loads(json_text({"x": [number]}))["x"] == [number]
