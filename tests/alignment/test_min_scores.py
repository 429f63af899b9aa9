"""Minimum scores of labels: which regions stay, and what is refused; the recipe of a comparison."""

import pytest

import layoutcm as lcm
from layoutcm.verification.recount import verify
from support.layouts import build
from support.reading import fails

PAGE = {"p": (10, 10)}
GT = [("p", "a", 0, 0, 10, 2), ("p", "b", 0, 2, 10, 4), ("p", "c", 0, 4, 10, 6)]
PRED = [(*row, 0.3) for row in GT] + [("p", "a", 0, 8, 10, 9)]  # the last one has no score and always stays


def compared(pred=PRED, **options):
    return lcm.compare(build(PAGE, GT), build(PAGE, pred), **options)


def pred_pixels(comparison):
    """{label: pixels} of pred, without Background."""
    classes = comparison.confusion().classes()[1:]
    return dict(zip(classes["label"], classes["pred_pixels"].tolist()))


@pytest.mark.parametrize(
    ("min_score", "expected"),
    [
        ({"a": 0.5}, {"a": 10, "b": 20, "c": 20}),
        ({"a": 0.3, "b": 0.31}, {"a": 30, "b": 0, "c": 20}),
        ({"b": 0.5, None: 0.1}, {"a": 30, "b": 0, "c": 20}),
        ({None: 0.5, "b": 0.1}, {"a": 10, "b": 20, "c": 0}),
        ({None: 0.5}, {"a": 10, "b": 0, "c": 0}),
        ({}, {"a": 30, "b": 20, "c": 20}),
    ],
)
def test_each_label_has_its_own_minimum(min_score, expected):
    c = compared(min_score=min_score)
    assert pred_pixels(c) == expected
    assert {label: int(n) for label, n in zip("abc", c.objects().pred_counts)} == {
        label: pixels // 10 - (pixels >= 20) for label, pixels in expected.items()
    }
    assert verify(c).agrees


def test_all_views_leave_out_the_same_regions():
    c, plain = compared(min_score={"b": 0.5}), compared([PRED[0], *PRED[2:]], taxonomy="same")
    assert c.soft("micro") == plain.soft("micro")
    assert c.causes().totals == plain.causes().totals
    assert c.score_curves().curve().equals(plain.score_curves().curve())
    assert c.centroids().recall == plain.centroids().recall
    assert len(c.sources.page_regions.of(1, 0)) == len(PRED) - 1


def test_names_are_those_after_mapping():
    renamed = [(page, label.upper(), *rest) for page, label, *rest in PRED]
    mapping = {"pred": {"A": "a", "B": "b", "C": "c"}}
    assert pred_pixels(compared(renamed, mapping=mapping, min_score={"b": 0.5}))["b"] == 0
    assert pred_pixels(compared(renamed, taxonomy="match-names", min_score={"b": 0.5}))["b"] == 0
    fails("min_score: 'B' is not known", compared, renamed, mapping=mapping, min_score={"B": 0.5})
    assert pred_pixels(compared(PRED[:1], min_score={"b": 0.5}))["a"] == 20  # only gt has b
    different = compared([("p", "x", 0, 0, 9, 9, 0.2)], min_score={"x": 0.5})
    assert different.confusion().values[:, -1].sum() == 0 and verify(different).agrees


def test_the_recipe_and_the_finding_name_all_minimums():
    c = compared(min_score={"b": 0.5, None: 0.25, "a": 0.4})
    assert c.recipe_fields["min_score"] == "0.25+b=0.5+a=0.4" and "|min_score:0.25+b=0.5+a=0.4|" in c.recipe
    (finding,) = [one for one in c.findings if one.code == "below-min-score"]
    assert finding.count == 2
    assert finding.message == (
        "2 of 4 regions of pred have a score below 0.5 for b, 0.4 for a, 0.25 for other labels and are left out."
    )
    assert compared(min_score={None: 0.25}).recipe_fields["min_score"] == "0.25"
    assert "min_score" not in compared(min_score={}).recipe_fields


def test_of_many_labels_some_are_named():
    """Four in a finding; the closest ones in an error."""
    names = [*(f"label {i}" for i in range(40)), "Table"]
    layout = build(PAGE, [("p", name, 0, 0, 5, 5, 0.1) for name in names])
    found = lcm.compare(layout, layout, min_score=dict.fromkeys(names, 0.5)).findings
    text = next(one.message for one in found if one.code == "below-min-score")
    assert "0.5 for label 3, … and are left out" in text and "label 4" not in text
    fails(r"'Tabel' is not known\. The closest are Table, ", lcm.compare, layout, layout, min_score={"Tabel": 0.5})


def test_without_ap_the_reason_names_the_minimums():
    c = compared([(*GT[0], 0.3), GT[1]], min_score={"a": 0.5})
    assert "All predicted regions with a score are below the minimum score of 0.5 for a" in c.objects().why_no_ap


@pytest.mark.parametrize(
    ("min_score", "problem"),
    [
        ({"d": 0.5}, "min_score: 'd' is not known. Use one of a, b, c."),
        ({"a": "x"}, "min_score of 'a': 'x' is not a finite number. Use one such as 0.5."),
        ({"a": float("nan")}, "min_score of 'a': nan is not a finite number. Use one such as 0.5."),
        ({None: "x"}, "min_score: 'x' is not a finite number. Use one such as 0.5."),
        ({5: 0.5}, "min_score: 5 is not the name of a label. Use a number such as 0.5, or {label: number}."),
        ("x", "min_score: 'x' is not a finite number. Use one such as 0.5."),
        ([0.5], "min_score: [0.5] is not a finite number. Use one such as 0.5."),
    ],
)
def test_wrong_minimums_are_named(min_score, problem):
    with pytest.raises(lcm.InputError) as caught:
        compared(min_score=min_score)
    assert str(caught.value) == problem


def test_the_given_mapping_can_change_afterwards():
    given = {"a": 0.5}
    c = compared(min_score=given)
    given["b"] = 0.5
    assert pred_pixels(c)["b"] == 20 and c.objects().pred_counts.tolist() == [1, 1, 1]


def layouts(label="a"):
    page = {"p": (10, 10)}
    gt = build(page, [("p", "a", 0, 0, 5, 10)], name="in|valid/gt.json")
    return gt, build(page, [("p", label, 0, 0, 6, 10, 0.9)], name="model.json")


def test_the_fields_are_the_settings_that_change_a_number():
    c = lcm.compare(*layouts())
    assert c.recipe_fields == {
        "gt": "gt", "pred": "model", "pages": "1", "rounding": "outer", "taxonomy": "same", "method": "matrix",
        "version": f"v{lcm.__version__}",
    }  # fmt: skip
    assert c.recipe == f"gt:gt|pred:model|pages:1|rounding:outer|taxonomy:same|method:matrix|v{lcm.__version__}"


def test_every_setting_that_is_not_the_default_is_named():
    c = lcm.compare(
        *layouts("b"), rounding="exact", min_score=0.5, missing_pages="ignore", documents="prefix",
        mapping={"pred": {"b": "a"}}, pages={"p": "p"},
    )  # fmt: skip
    fields = c.recipe_fields
    assert list(fields) == ["gt", "pred", "pages", "rounding", "min_score", "missing_pages", "documents", "taxonomy",
                            "mapped_labels", "mapped_pages", "method", "version"]  # fmt: skip
    assert fields["min_score"] == "0.5" and fields["missing_pages"] == "ignore" and fields["documents"] == "prefix"
    assert (fields["taxonomy"], fields["mapped_labels"], fields["mapped_pages"]) == ("mapped", "1", "1")
    assert c.recipe.split("|")[:-1] == [f"{name}:{value}" for name, value in list(fields.items())[:-1]]


def test_a_separator_inside_a_value_does_not_end_it():
    gt, _ = layouts()
    c = lcm.compare(gt, build({"p": (10, 10)}, [], ["a"], name="a|b\nc.json"))
    assert c.recipe_fields["pred"] == "a/b c" and "|pred:a/b c|" in c.recipe


def test_layouts_without_nested_regions_are_named():
    table = "f.csv", b"page,label,x0,y0,x1,y1,width,height\np,a,0,0,5,5,9,9\n"
    whole, outer = (lcm.read(table, nested=nested) for nested in (True, False))
    found = [lcm.compare(*pair).recipe_fields.get("outer_only") for pair in ((whole, whole), (whole, outer))]
    assert found == [None, "pred"]
    assert lcm.compare(outer, lcm.repair(outer, "flip-y")).recipe_fields["outer_only"] == "gt+pred"
