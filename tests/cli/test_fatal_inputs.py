"""Mistakes after which the numbers say nothing about a model: the sentence above them names the cause."""

import json

import numpy as np
import pandas as pd
import pytest

import layoutcm as lcm
from layoutcm.cli.main import main
from layoutcm.layouts.findings import SEVERE

BOX = ["x0", "y0", "x1", "y1"]
PAGES, REGIONS, WIDTH, HEIGHT = 12, 10, 600, 800


def regions(seed):
    """Regions of all pages as a table, drawn at random."""
    rng = np.random.default_rng(seed)
    count = PAGES * REGIONS
    x0, y0 = rng.uniform(0, WIDTH - 160, count), rng.uniform(0, HEIGHT - 120, count)
    columns = {"x0": x0, "y0": y0, "x1": x0 + rng.uniform(40, 160, count), "y1": y0 + rng.uniform(20, 120, count)}
    pages = [f"page_{k // REGIONS + 1}.png" for k in range(count)]
    labels = rng.choice(["Text", "Table", "Figure"], count)
    return pd.DataFrame({"page": pages, "label": labels, "width": WIDTH, "height": HEIGHT} | columns)


GT = regions(1)
PRED = GT.assign(score=np.linspace(0.1, 0.9, len(GT))).iloc[:-PAGES]  # a good model, which misses some
PRED = PRED.assign(x1=PRED["x1"] - 3)


def changed(**columns):
    return PRED.assign(**columns)


def next_page(table):
    return table["page"].map(lambda page: f"page_{int(page[5:-4]) % PAGES + 1}.png")


FATAL = {
    "another data set": (GT, regions(2).assign(score=0.5), "another data set"),
    "gt twice": (GT, GT, "compares a file with itself"),
    "pred as gt": (PRED, GT, "seem to be swapped"),
    "labels disjoint": (GT, changed(label="x-" + PRED["label"]), "no label in common"),
    "other unit": (GT, changed(**{name: PRED[name] / 2 for name in BOX}), "Coordinates of pred seem to be in points"),
    "fractions": (
        GT,
        changed(**{name: PRED[name] / (WIDTH if name[0] == "x" else HEIGHT) for name in BOX}),
        "from 0 to 1",
    ),
    "axes swapped": (GT, changed(x0=PRED["y0"], y0=PRED["x0"], x1=PRED["y1"], y1=PRED["x1"]), "axes of pred seem"),
    "y flipped": (GT, changed(y0=HEIGHT - PRED["y1"], y1=HEIGHT - PRED["y0"]), "The y axis of pred seems to point up"),
    "off by one": (GT, changed(page=next_page(PRED)), "seem to be off by one"),
    "empty pred": (GT, None, "pred.json has no region at all"),
    "empty gt": (None, PRED, "gt.json has no region at all"),
}


def written(table, file):
    """The path of a COCO file without regions, or of a table."""
    if table is not None:
        table.to_csv(file.with_suffix(".csv"), index=False)
        return str(file.with_suffix(".csv"))
    pages = [{"id": k, "file_name": f"page_{k}.png", "width": WIDTH, "height": HEIGHT} for k in range(1, PAGES + 1)]
    coco = {"images": pages, "annotations": [], "categories": [{"id": 1, "name": "Text"}]}
    file.with_suffix(".json").write_text(json.dumps(coco))
    return str(file.with_suffix(".json"))


@pytest.mark.parametrize(("gt", "pred", "cause"), FATAL.values(), ids=FATAL)
def test_the_cause_stands_above_the_headline(gt, pred, cause, tmp_path, capsys):
    assert main(["compare", written(gt, tmp_path / "gt"), written(pred, tmp_path / "pred")]) == 0
    above = capsys.readouterr().out.partition(f"\n{SEVERE}\n")[2].partition("\n\n")[0]
    assert cause in above


def test_a_good_model_has_no_severe_finding(tmp_path, printed):
    assert SEVERE not in printed(["compare", written(GT, tmp_path / "gt"), written(PRED, tmp_path / "pred")])


def lines_of(table, parts=5):
    """Every region cut into lines, as of a tool that knows no paragraphs."""
    step = (table["y1"] - table["y0"]) / parts
    cut = [table.assign(y0=table["y0"] + k * step, y1=table["y0"] + (k + 0.8) * step) for k in range(parts)]
    return pd.concat(cut).assign(label="Text")


def test_lines_instead_of_paragraphs_are_the_same_pages():
    gt, pred = (lcm.read(table.to_dict("records")) for table in (GT, lines_of(PRED)))
    assert not [one.code for one in lcm.compare(gt, pred).findings if one.severity == "error"]


def test_the_repair_of_swapped_axes_brings_the_boxes_back():
    pred = lcm.read(FATAL["axes swapped"][1].to_dict("records"))
    assert lcm.repair(pred, "swap-xy").regions[BOX].equals(lcm.read(PRED.to_dict("records")).regions[BOX])


def test_x_and_y_of_fractions_are_swapped_as_shares_of_the_page():
    shares = {"x0": PRED["y0"] * 0.75, "x1": PRED["y1"] * 0.75, "y0": PRED["x0"] / 0.75, "y1": PRED["x1"] / 0.75}
    gt, pred = (lcm.read(table.to_dict("records")) for table in (GT, PRED.assign(**shares)))
    assert [one.repair for one in lcm.compare(gt, pred).findings if one.severity == "error"] == ["swap-shares"]


@pytest.fixture(scope="module")
def twice():
    """The comparison of a layout with itself, read from two forms of it."""
    gt, again = (lcm.read(table.to_dict("records")) for table in (GT, GT.iloc[::-1]))
    return lcm.compare(gt, again)


def test_the_same_regions_are_found_in_any_order_without_a_truth_too(twice):
    other = lcm.compare(*twice.alignment.layouts, truth=False)
    assert [one.message[:28] for one in (*twice.findings, *other.findings) if one.code == "same-regions"] == [
        "Ground truth and prediction ", "A and B have the same 120 re"]  # fmt: skip


def test_one_other_box_is_no_comparison_of_a_file_with_itself():
    other = GT.assign(x1=[*GT["x1"][:-1], 599.0])
    gt, pred = (lcm.read(table.to_dict("records")) for table in (GT, other))
    assert "same-regions" not in {one.code for one in lcm.compare(gt, pred).findings}


def test_a_model_on_the_right_place_is_never_unrelated():
    """Half of the regions are found badly, the other half not at all."""
    moved = PRED.iloc[::2].assign(x0=PRED["x0"][::2] + 40, x1=PRED["x1"][::2] + 40)
    gt, pred = (lcm.read(table.to_dict("records")) for table in (GT, moved))
    assert not [one.code for one in lcm.compare(gt, pred).findings if one.severity == "error"]


def test_every_output_shows_the_finding(twice, tmp_path):
    result = twice.result(intervals=False)
    result.write_report(tmp_path / "r")
    texts = {
        "html": (tmp_path / "r" / "report.html").read_text("utf-8"),
        "latex": (tmp_path / "r" / "tables" / "averages.tex").read_text("utf-8"),
        "notebook": twice._repr_html_(),
        "matrix in a notebook": twice.show().html,
        "quotation": result.quote(),
        "json": result.to_json().decode(),
        "gate": str(lcm.gate(result, {"macro.f1": 0.5}).as_dict()),
    }
    assert [name for name, text in texts.items() if "same-regions" not in text and SEVERE not in text] == []


def test_a_headline_number_of_the_json_names_its_severe_findings(twice):
    assert {tuple(one.severe) for one in twice.result(intervals=False).headline} == {("same-regions",)}


def test_a_leaderboard_names_the_prediction_that_is_the_ground_truth(tmp_path, printed):
    files = [written(table, tmp_path / name) for table, name in ((GT, "gt"), (PRED, "model"), (GT, "copy"))]
    text = printed(["compare", *files])
    assert f"copy: {SEVERE}" in text and f"model: {SEVERE}" not in text


def test_a_gate_fails_with_a_severe_finding_unless_it_is_allowed(tmp_path, capsys):
    files = [written(GT, tmp_path / name) for name in ("gt", "pred")]
    given = ["gate", *files, "--fail-under", "macro.f1=0.5"]
    assert [main(given), main([*given, "--allow-severe"])] == [3, 0]
    assert capsys.readouterr().out.splitlines()[0] == "gate failed: 1 severe finding"


def test_an_evaluator_warns_and_counts_severe_findings():
    evaluator = lcm.Evaluator(["Text"])
    evaluator.update([{"label": "Text", "x0": 0, "y0": 0, "x1": 9, "y1": 5}], [], page="a", size=(10, 10))
    with pytest.warns(UserWarning, match="pred has no region at all"):
        assert evaluator.as_dict()["severe_findings"] == 1


@pytest.mark.parametrize(("pred", "code"), [(GT, "same-regions"), (None, "empty-side")])
def test_parts_have_the_finding_too(pred, code, tmp_path):
    gt = lcm.read(GT.to_dict("records"))
    layouts = gt, gt if pred is not None else lcm.read(written(None, tmp_path / "empty"))
    for side, layout in zip(("gt", "pred"), layouts):
        lcm.partition(layout, tmp_path / side, 3)
    found = lcm.compare_partitions(tmp_path / "gt", tmp_path / "pred", tmp_path / "out").findings
    assert [one.code for one in found if one.severity == "error"] == [code]


HONEST = {
    "one label only": PRED[PRED["label"] == "Table"],
    "few regions": PRED.iloc[::8],
    "rows of large regions": lines_of(GT, parts=9),
}


@pytest.mark.parametrize("pred", HONEST.values(), ids=HONEST)
def test_a_poor_model_on_the_right_pages_has_no_severe_finding(pred):
    gt, pred = (lcm.read(table.to_dict("records")) for table in (GT, pred))
    assert not [one.code for one in lcm.compare(gt, pred).findings if one.severity == "error"]
