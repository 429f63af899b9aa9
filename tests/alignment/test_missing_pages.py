"""Pages that only one side has: worked values, the same numbers in every unit and format, and no page in common."""

import os
import pickle
import random

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.alignment.no_common_pages import NoCommonPages
from layoutcm.layouts.writers import written
from layoutcm.verification.recount import verify
from support.image_files import zipped
from support.layouts import build
from support.results import codes

ON_P1 = ("p1", "A", 0, 0, 10, 5)
GT = build({"p1": (10, 10)}, [ON_P1], ["A", "B"])
PRED = build({"p1": (10, 10), "p2": (10, 10)}, [ON_P1, ("p2", "B", 0, 0, 10, 10)], ["A", "B"])
WORKED = {"Background/Background": 50, "A/A": 50}
MODES = ("penalise", "penalise-both")


def cells(comparison):
    m = comparison.confusion()
    return {
        f"{gt}/{pred}": m.values[i, j]
        for i, gt in enumerate(m.labels)
        for j, pred in enumerate(m.labels)
        if m.values[i, j]
    }


@pytest.mark.parametrize(
    ("missing_pages", "expected"),
    [("penalise", WORKED), ("ignore", WORKED), ("penalise-both", {**WORKED, "Background/B": 100})],
)
def test_a_page_that_gt_lacks(missing_pages, expected):
    assert cells(lcm.compare(GT, PRED, missing_pages=missing_pages)) == expected


@pytest.mark.parametrize(
    ("missing_pages", "expected"),
    [
        ("penalise", {**WORKED, "B/Background": 100}),
        ("ignore", WORKED),
        ("penalise-both", {**WORKED, "B/Background": 100}),
    ],
)
def test_a_page_that_pred_lacks(missing_pages, expected):
    assert cells(lcm.compare(PRED, GT, missing_pages=missing_pages)) == expected


def test_a_page_that_only_pred_has_is_scaled_to_the_median_page_of_gt():
    gt = build({"a": (10, 40), "b": (20, 20), "c": (60, 30)}, [("a", "A", 0, 0, 1, 1)])
    pred = build({"a": (10, 40), "z": (2, 3)}, [("z", "A", 0, 0, 1, 3)])
    c = lcm.compare(gt, pred, missing_pages="penalise-both")
    assert c.alignment.pages.size(3) == (20, 30) and c.confusion(page="z").values.tolist() == [[300, 300], [0, 0]]
    assert verify(c).agrees


def test_pages_that_are_left_out_are_counted_with_their_regions():
    pred = build({"p1": (9, 9), "x": (9, 9), "y": (9, 9)}, [("x", "A", 0, 0, 1, 1), ("y", "A", 0, 0, 1, 1)] * 2)
    (found,) = [one for one in lcm.compare(GT, pred).findings if one.code == "page-only-in-pred"]
    assert (found.severity, found.count, found.values["regions"]) == ("warning", 2, 4)
    assert "2 of 3 pages of pred (4 regions) are not in the other side and are left out: 'x', 'y'." in found.message


# What is read has no size for p2, which the reference layout does not have.
NAMED = b"page,label,x0,y0,x1,y1\np1,A,0,0,10,5\np2,B,0,0,10,10\n"
BY_ID = b'[{"image_id": 7, "category_id": 1, "bbox": [0, 0, 10, 5], "score": 1},' \
        b' {"image_id": 8, "category_id": 2, "bbox": [0, 0, 10, 10], "score": 1}]'  # fmt: skip
COCO_GT = (
    b'{"images": [{"id": 7, "file_name": "p1", "width": 10, "height": 10}], "categories": [{"id": 1, "name": "A"},'
    b' {"id": 2, "name": "B"}], "annotations": [{"image_id": 7, "category_id": 1, "bbox": [0, 0, 10, 5]}]}'
)
PADDLE = zipped(
    **{
        f"{page}.json": b'{"input_path": "%s", "boxes": [{"label": "%s", "score": 1, "coordinate": [0, 0, 10, %d]}]}'
        % (page.encode(), label, bottom)
        for page, label, bottom in (("p1", b"A", 5), ("p2", b"B", 10))
    }
)
WITHOUT_SIZES = {"pred.csv": NAMED, "pred.json": BY_ID, "paddle.zip": PADDLE}


@pytest.mark.parametrize("name", WITHOUT_SIZES)
@pytest.mark.parametrize("missing_pages", MODES)
def test_no_size_is_asked_of_a_page_that_gt_lacks(name, missing_pages):
    gt = lcm.read(("gt.json", COCO_GT))
    pred = lcm.read((name, WITHOUT_SIZES[name]), like=gt)
    c = lcm.compare(gt, pred, missing_pages=missing_pages)
    assert cells(c) == ({**WORKED, "Background/B": 100} if missing_pages == "penalise-both" else WORKED)
    assert codes(c.findings)["page-only-in-pred"] == codes(pred.findings)["page-without-size"] == 1


def test_a_page_without_a_size_is_neither_compared_with_a_page_nor_written():
    pred = lcm.read(("pred.csv", NAMED), like=GT)
    gt = build({"p2": (10, 10)}, [("p2", "B", 0, 0, 1, 1)])
    for use in (lambda: lcm.compare(gt, pred), lambda: written(pred, "parquet")):
        with pytest.raises(lcm.InputError, match="the size of page 'p2' is not known"):
            use()


UNITS = {"inches": 1, "points": 72, "100 dpi": 100, "300 dpi": 300, "normalised": 0}
FORMATS = ("parquet", "csv", "coco", "memory", "label-studio", "yolo")


def generated_pair(seed):
    """Pages in inches, and boxes in fractions of their page; either side lacks some of the pages."""
    rng = random.Random(seed)
    sizes = {f"page-{chr(97 + i)}": (rng.choice([6, 8.5, 11]), rng.choice([8, 11, 14])) for i in range(6)}
    pages, sides = list(sizes), []
    for missing in (1, 4):
        rows = []
        for page in pages[:missing] + pages[missing + 1 :]:
            for _ in range(rng.randrange(1, 4)):
                x, y = sorted(rng.sample(range(33), 2)), sorted(rng.sample(range(33), 2))
                rows.append((page, rng.choice("AB"), x[0] / 32, y[0] / 32, x[1] / 32, y[1] / 32))
        sides.append(rows)
    return sizes, sides


def in_unit(sizes, rows, unit):
    """The layout in this many units an inch; 0: every page is 1 x 1."""
    used = dict.fromkeys(row[0] for row in rows)
    frames = {page: (sizes[page][0] * unit, sizes[page][1] * unit) if unit else (1, 1) for page in used}
    scaled = [(page, label, *(v * frames[page][k % 2] for k, v in enumerate(box))) for page, label, *box in rows]
    return build(frames, scaled, ["A", "B"])


def written_and_read(layout, to, gt):
    if to == "memory":
        sizes = layout.pages.set_index("page")[["width", "height"]]
        return lcm.read(layout.regions.join(sizes, on="page"), like=gt)
    content = written(layout, to)[0]
    name, data = ("x.zip", zipped(**content)) if isinstance(content, dict) else (f"x.{to}", content)
    return lcm.read((name, data), like=gt)


def numbers(gt, pred, missing_pages):
    c = lcm.compare(gt, pred, missing_pages=missing_pages, rounding="exact")
    return [c.pixels, *c.average("micro").values(), *c.average("macro").values(), *c.content().values()]


@pytest.mark.parametrize("seeds", [range(2), pytest.param(range(2, 300), marks=pytest.mark.long)])
def test_numbers_do_not_depend_on_the_unit_or_the_format_of_pred(seeds):
    for seed in seeds:
        sizes, (gt_rows, rows) = generated_pair(seed)
        gt = in_unit(sizes, gt_rows, 100)
        for missing_pages in MODES:
            expected = numbers(gt, in_unit(sizes, rows, 100), missing_pages)
            for name, unit in UNITS.items():
                for to in FORMATS:
                    pred = written_and_read(in_unit(sizes, rows, unit), to, gt)
                    found = numbers(gt, pred, missing_pages)
                    np.testing.assert_allclose(found, expected, rtol=1e-9, err_msg=f"{seed} {name} {to}")


def test_no_page_in_common_is_an_error_with_the_names_of_both_and_a_page_map():
    gt = build({"a.png": (9, 9), "=b.png": (9, 9)}, [("a.png", "A", 0, 0, 1, 1)])
    pred = build({"x.png": (9, 9), "y.png": (9, 9)}, [("x.png", "A", 0, 0, 1, 1)])
    for missing_pages in ("ignore", *MODES):
        with pytest.raises(
            NoCommonPages, match=r"Pred has 2 pages .'x.png', 'y.png'.; gt has 2 pages .'a.png'"
        ) as found:
            lcm.compare(gt, pred, missing_pages=missing_pages)
    assert found.value.page_map == b"gt_page,pred_page\na.png,\n'=b.png,\n,x.png\n,y.png\n"
    assert pickle.loads(pickle.dumps(found.value)).names == found.value.names


def test_a_page_map_that_was_filled_in_is_read(tmp_path):
    filled = b"gt_page,pred_page\np1,q1\n,q2\n"
    (tmp_path / "map.csv").write_bytes(filled)
    pred = build({"q1": (10, 10), "q2": (10, 10)}, [("q1", "A", 0, 0, 10, 5)], ["A", "B"])
    assert cells(lcm.compare(GT, pred, pages=tmp_path / "map.csv")) == WORKED


@pytest.mark.parametrize(
    ("name", "data"), [("x.json", b"[]"), ("x.csv", b"page,label,x0,y0,x1,y1,width,height\n")], ids=["[]", "no page"]
)
def test_a_prediction_without_regions_is_empty_and_no_error(name, data):
    c = lcm.compare(GT, lcm.read((name, data), like=GT))
    assert c.average("micro")["recall"] == 0
    assert [one.severity for one in c.findings if one.code == "empty-side"] == ["error"]


def test_results_whose_image_ids_are_all_unknown_have_no_page_in_common():
    gt = lcm.read(("gt.json", COCO_GT))
    other = lcm.read(("x.json", b'[{"image_id": 99, "category_id": 1, "bbox": [0, 0, 1, 1], "score": 1}]'), like=gt)
    with pytest.raises(NoCommonPages, match=r"Pred has 1 page .'image_id 99'."):
        lcm.compare(gt, other)


def test_an_evaluator_does_not_raise_for_empty_predictions_or_no_pages():
    e = lcm.Evaluator(["A"])
    with pytest.warns(UserWarning, match="no region"):
        assert e.as_dict()["macro.f1"] is None
    e.update([{"label": "A", "x0": 0, "y0": 0, "x1": 9, "y1": 5}], [], page="a", size=(10, 10))
    with pytest.warns(UserWarning, match="no region"):
        assert e.as_dict()["class.A.recall"] == 0


@pytest.mark.parametrize("read", ["layout", "sizes", "parts"])
def test_a_folder_that_cannot_be_listed_is_an_error(tmp_path, monkeypatch, read):
    (tmp_path / "closed").mkdir()
    (tmp_path / "a.csv").write_bytes(b"page,label,x0,y0,x1,y1,width,height\na,A,0,0,1,1,9,9\n")
    scandir = os.scandir

    def refuse(folder="."):
        if str(folder).endswith("closed"):
            raise PermissionError(13, "Permission denied", str(folder))
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", refuse)
    uses = {
        "layout": lambda: lcm.read(tmp_path),
        "sizes": lambda: lcm.read(tmp_path / "a.csv", sizes=tmp_path),
        "parts": lambda: lcm.make_manifest(tmp_path),
    }
    with pytest.raises(lcm.InputError, match="closed: this folder cannot be listed: Permission denied"):
        uses[read]()


def test_a_label_on_a_page_that_is_left_out_makes_no_other_taxonomy():
    row = {"page": "a", "x0": 0, "y0": 0, "x1": 9, "y1": 3, "width": 10, "height": 10}
    gt = lcm.read([row | {"label": "A"}, row | {"label": "C", "y0": 4, "y1": 7}])
    found, extra = row | {"label": "A"}, row | {"label": "B", "page": "b"}
    with_extra = lcm.compare(gt, lcm.read([found, extra]))
    assert with_extra.taxonomy == "same"
    assert with_extra.average("macro") == lcm.compare(gt, lcm.read([found])).average("macro")
