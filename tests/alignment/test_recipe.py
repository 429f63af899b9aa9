"""The recipe of a comparison, as fields and as one line."""

import layoutcm as lcm
from support.layouts import build


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
