"""Several predictions side by side: a table one can count, the same pages for all, corrected p-values."""

import numpy as np
import pandas as pd
import pytest

import layoutcm as lcm
from layoutcm.metrics.intervals import p_values
from layoutcm.metrics.unit_sums import FIGURES, paired_sums, unit_sums
from layoutcm.tables.leaderboard_tables import missing_columns
from support.comparisons import compare_all_of_sample, one_label_pages
from support.layouts import build


@pytest.fixture(scope="module")
def sample():
    return compare_all_of_sample()


@pytest.fixture(scope="module")
def board(sample):
    return lcm.leaderboard(sample)


@pytest.fixture(scope="module")
def worked_example():
    """Eight documents of one page with label a on all pixels; F1 of a page is 2/3 at a half, 8/9 at 0.8, 1/3 at 0.2."""
    shares = {"half": [0.5] * 8, "most": [0.8] * 8, "uneven": [0.8] * 4 + [0.2] * 4}
    return {name: one_label_pages(*found) for name, found in shares.items()}


def test_the_worked_example_of_the_documentation(worked_example):
    found = lcm.leaderboard(worked_example)
    assert repr(found) == "<Leaderboard by macro_f1: most, half, uneven; baseline half>"
    table = found.table.set_index("model")
    np.testing.assert_allclose(table["macro_f1"], [8 / 9, 2 / 3, 2 / 3])  # "uneven" also finds 400 of 800 pixels
    ends = table.loc["most", ["difference", "difference_low", "difference_high"]]
    np.testing.assert_allclose(ends.astype(float), 2 / 9)  # the same on every page
    assert table["verdict"].tolist() == ["better", "baseline", "no difference shown"]
    assert table.loc["most", "p"] == 2 * 2 / 2**8 and table.loc["uneven", "p"] == 1
    assert abs(table.loc["uneven", "difference"]) < 1e-12 and table.loc["uneven", "difference_low"] < -0.1
    assert table.loc["half", ["difference", "difference_low", "difference_high", "p"]].isna().all()
    # Two tests of F1: of a, in "most" and in "uneven". `difference` alone has one. Background is not tested.
    classes = found.classes.set_index(["label", "model"])
    assert classes.loc[("a", "most"), "p"] == 2 * 2 / 2**8 and classes.loc[("a", "most"), "verdict"] == "better"
    alone = lcm.difference(worked_example["half"], worked_example["most"]).classes()
    assert alone.set_index(["label", "score"]).loc[("a", "f1"), "p"] == 2 / 2**8
    assert classes.loc[("Background", "most"), ["difference", "p"]].isna().all()


def test_pages_and_documents_on_which_the_predictions_differ_most(worked_example):
    found = lcm.leaderboard(worked_example, baseline="most")
    order = [f"page 00{i}" for i in (4, 5, 6, 7, 0, 1, 2, 3)]
    for table, key in ((found.pages(), "page"), (found.documents(), "document")):
        assert table[key].tolist() == order and table["pixels"].tolist() == [100] * 8
        np.testing.assert_allclose(table["spread"], [8 / 9 - 1 / 3] * 4 + [2 / 9] * 4)
        np.testing.assert_allclose(table["f1: uneven"], [1 / 3] * 4 + [8 / 9] * 4)
        assert set(table["best"]) == {"most"} and table["worst"].tolist() == ["uneven"] * 4 + ["half"] * 4
    assert found.documents()["pages"].tolist() == [1] * 8
    assert found.table.set_index("model").loc["half", "verdict"] == "worse"


def test_a_blank_page_left_blank_counts_as_right():
    """On p nothing is to be found: x finds nothing, which is n/a, and y invents a region, with F1 0. Both find q."""
    pages = {"p": (10, 10), "q": (10, 10)}
    gt = build(pages, [("q", "a", 0, 0, 10, 10)])
    y = build(pages, [("q", "a", 0, 0, 10, 10), ("p", "a", 0, 0, 5, 5)])
    table = lcm.leaderboard({"x": lcm.compare(gt, gt), "y": lcm.compare(gt, y)}).pages()
    assert table["page"].tolist() == ["p", "q"] and table["spread"].tolist() == [1, 0]
    assert np.isnan(table["f1: x"][0]) and table["f1: y"].tolist() == [0, 1]
    assert table["best"].tolist() == ["x", ""] and table["worst"].tolist() == ["y", ""]


def test_values_and_differences_are_those_of_bootstrap_and_difference(sample, board):
    assert board.baseline == "a" and board.figure == "macro_f1" and board.page_count == 60
    for name, row in board.table.set_index("model").iterrows():
        for figure in ("micro_f1", "macro_f1", "content_f1"):
            found = row[[figure, f"{figure}_low", f"{figure}_high"]].to_numpy(float)
            np.testing.assert_array_equal(found, sample[name].bootstrap().figures[figure])
    assert board.table["macro_f1"].is_monotonic_decreasing
    for name in "bc":
        expected = lcm.difference(sample["a"], sample[name]).headline
        found = board.differences[board.differences["model"] == name].drop(columns="model").reset_index(drop=True)
        tested = ["p", "verdict", "documents_needed", "remark"]  # p is corrected for the two predictions
        pd.testing.assert_frame_equal(found.drop(columns=tested), expected.drop(columns=tested))
        row = board.table.set_index("model").loc[name]
        wanted = found.set_index("figure").loc["macro_f1"]
        names = {"difference": "value", "difference_low": "low", "p": "p", "verdict": "verdict", "remark": "remark"}
        assert {name: row[name] for name in names} == {name: wanted[other] for name, other in names.items()}


def test_p_values_of_a_figure_are_corrected_for_the_predictions(sample, board):
    """Of two tests, the smaller p is multiplied by 2; the other is not smaller than that."""
    single = {name: lcm.difference(sample["a"], sample[name]).figure_rows for name in "bc"}
    for figure, rows in board.differences.groupby("figure"):
        alone = [single[name][figure]["p"] for name in rows["model"]]
        smaller = min(2 * min(alone), 1)
        assert rows["p"].tolist() == pytest.approx([smaller if p == min(alone) else max(p, smaller) for p in alone])


def test_the_best_two_have_the_verdict_of_a_leaderboard_against_the_second(sample):
    """Whatever the baseline is, the second is compared with two predictions."""
    found = lcm.leaderboard(sample, baseline="b" if lcm.leaderboard(sample).models[1] != "b" else "a")
    best, second, _ = found.models
    assert found.lead.headline.equals(found.against(second).differences_by_model[best].headline)
    assert found.lead.tests["macro_f1"] == 2


def test_p_values_of_classes_are_corrected_over_the_whole_table(sample, board):
    """Holm's method in plain Python: the smallest of m p-values is multiplied by m, the next by m - 1, and so on."""
    sums = {name: unit_sums(c.levels, "matrix") for name, c in sample.items()}
    raw = {}
    for name in "bc":
        paired = paired_sums(sums["a"], sums[name])
        first = len(FIGURES) + 2 * len(paired.a.labels)  # precision, recall, then F1
        pixels = sum(one.parts[side] for one in (paired.a, paired.b) for side in ("gt", "pred"))
        documents = (pixels > 0).sum(axis=0)  # a class in fewer than six is not tested
        tested = zip(paired.a.labels, p_values(paired)[first:], documents)
        raw |= {(label, name): p for label, p, count in tested if count >= 6 and label != "Background"}
    expected, largest = {}, 0.0
    for k, (key, p) in enumerate(sorted(raw.items(), key=lambda item: item[1])):
        largest = max(largest, min(p * (len(raw) - k), 1))
        expected[key] = largest
    found = board.classes.set_index(["label", "model"])["p"].dropna()
    assert found.to_dict() == pytest.approx(expected) and len(found) == 20
    verdicts = board.classes.dropna(subset="p").set_index(["label", "model"])["verdict"]
    assert {key for key, verdict in verdicts.items() if verdict in ("better", "worse")} == {
        key for key, p in expected.items() if p <= 0.05
    }


def test_neither_the_order_of_predictions_nor_the_baseline_changes_the_test(sample, board):
    turned = lcm.leaderboard(dict(reversed(sample.items())), baseline="a")
    pd.testing.assert_frame_equal(turned.table, board.table)
    pd.testing.assert_frame_equal(turned.classes, board.classes)
    back = lcm.leaderboard(sample, baseline="b").table.set_index("model").loc["a"]
    there = board.table.set_index("model").loc["b"]
    for name, other in (("difference", "difference"), ("difference_low", "difference_high")):
        assert back[name] == pytest.approx(-there[other], abs=1e-12)
    assert (back["p"], back["verdict"], there["verdict"]) == (there["p"], "better", "worse")


def test_class_values_are_those_of_the_matrices(sample, board):
    table = board.classes.pivot(index="label", columns="model", values="f1")
    for name, compared in sample.items():
        values = compared.confusion().classes().set_index("label")["f1"]
        np.testing.assert_array_equal(table[name].loc[values.index], values)


def test_causes_are_those_of_the_comparisons(sample, board):
    for name, row in board.causes(0.01).set_index("model").iterrows():
        expected = sample[name].causes(tolerance=0.01)
        assert list(row.index) == list(expected.names)
        np.testing.assert_allclose(row, expected.values.sum(axis=(1, 2)))


def pages_of(names):
    return dict.fromkeys(names, (10, 10))


def three_with_own_pages(missing_pages):
    """x, y and z all have pages p and q of gt; y also has page n, and z lacks q."""
    gt = build(pages_of("pq"), [(page, "a", 0, 0, 10, 10) for page in "pq"])
    preds = {
        "x": build(pages_of("pq"), [(page, "a", 0, 0, 10, 5) for page in "pq"]),
        "y": build(pages_of("npq"), [(page, "a", 0, 0, 10, 5) for page in "npq"]),
        "z": build(pages_of("p"), [("p", "a", 0, 0, 10, 8)]),
    }
    documents = {page: page for page in "npq"}
    return {n: lcm.compare(gt, pred, missing_pages=missing_pages, documents=documents) for n, pred in preds.items()}


def test_all_predictions_have_the_pages_of_gt_under_penalise():
    found = lcm.leaderboard(three_with_own_pages("penalise"))
    assert found.page_count == 2
    # Of 200 gt pixels x and y find 100; z finds 80.
    np.testing.assert_allclose(found.table.set_index("model").loc[["x", "y", "z"], "micro_f1"], [2 / 3, 2 / 3, 4 / 7])


def test_all_predictions_have_all_pages_under_penalise_both():
    found = lcm.leaderboard(three_with_own_pages("penalise-both"))
    assert found.page_count == 3 and found.pages()["page"].tolist()[:2] == ["n", "q"]
    table = found.table.set_index("model")
    # Of 200 gt pixels x finds 100; y finds 100 and invents 50; z finds 80.
    np.testing.assert_allclose(table.loc[["x", "y", "z"], "micro_f1"], [200 / 300, 200 / 350, 160 / 280])
    np.testing.assert_allclose(table.loc["y", "difference"], 200 / 350 - 200 / 300)
    assert set(table["verdict"]) == {"baseline", "too few documents"}
    causes = found.causes().set_index("model")
    assert causes.loc["y", "invented"] + causes.loc["y", "slack"] > 0
    assert causes.loc["y"].sum() == 150  # half of p, of q and of n


def test_only_pages_of_all_predictions_count_under_ignore():
    found = lcm.leaderboard(three_with_own_pages("ignore"))
    assert found.page_count == 1 and found.pages()["page"].tolist() == ["p"]
    table = found.table.set_index("model")
    np.testing.assert_allclose(table.loc[["x", "y", "z"], "micro_f1"], [2 / 3, 2 / 3, 16 / 18])
    assert found.models == ["z", "x", "y"]
    assert found.causes().set_index("model").sum(axis=1).to_dict() == {"x": 50, "y": 50, "z": 20}


def test_with_different_labels_the_order_is_that_of_content():
    gt = build(pages_of("p"), [("p", "a", 0, 0, 10, 10)])
    other = build(pages_of("p"), [("p", "b", 0, 0, 10, 9), ("p", "c", 0, 9, 10, 10)])
    half = build(pages_of("p"), [("p", "a", 0, 0, 10, 5)])
    found = lcm.leaderboard({"half": lcm.compare(gt, half), "other": lcm.compare(gt, other)})
    assert found.figure == "content_f1" and found.models == ["other", "half"]
    table = found.table.set_index("model")
    assert table.loc["other", "content_f1"] == 1 and np.isnan(table.loc["other", "macro_f1"])
    assert table.loc["other", "difference"] == pytest.approx(1 / 3)
    assert found.classes.set_index(["label", "model"]).loc[("a", "other"), ["f1", "difference", "p"]].isna().all()
    assert found.pages()["spread"].tolist() == [pytest.approx(1 / 3)]
    assert found.causes()["slack"].isna().tolist() == [True, False]
    by_macro = lcm.leaderboard({"other": lcm.compare(gt, other), "half": lcm.compare(gt, half)}, figure="macro_f1")
    assert by_macro.models == ["half", "other"]  # n/a is last
    for table in (by_macro.pages(), by_macro.documents()):
        assert table["spread"].tolist() == [0] and table["best"].tolist() == table["worst"].tolist() == [""]
    two = {"other": lcm.compare(gt, other), "half": lcm.compare(gt, half), "gt": lcm.compare(gt, gt)}
    row = lcm.leaderboard(two, figure="macro_f1").pages().iloc[0]
    assert (row["best"], row["worst"], row["spread"]) == ("gt", "half", pytest.approx(1 / 3))
    none = {name: lcm.compare(gt, other) for name in "xy"}
    assert lcm.leaderboard(none, figure="macro_f1").pages()["spread"].isna().all()


def test_wrong_arguments_are_errors(sample):
    known = "micro_f1, macro_f1, content_f1"
    cases = [
        ({"comparisons": [sample["a"]]}, "comparisons: .* is not a table of two or more comparisons"),
        ({"comparisons": {"a": sample["a"]}}, "comparisons: .* is not a table of two or more comparisons"),
        ({"comparisons": {"a": sample["a"], 3: sample["b"]}}, "comparisons: 3 is not the name of a prediction"),
        ({"comparisons": {"a": sample["a"], "x": 5}}, "x: 5 is not a comparison"),
        ({"comparisons": sample, "baseline": "d"}, "baseline: 'd' is not known. Use one of a, b, c"),
        ({"comparisons": sample, "figure": "f1"}, f"figure: 'f1' is not known. Use one of {known}"),
        ({"comparisons": sample, "n": 0}, "n: 0 is not a number of resamples"),
        ({"comparisons": sample, "method": "other"}, "method: 'other' is not known"),
    ]
    for arguments, message in cases:
        with pytest.raises(lcm.InputError, match=message):
            lcm.leaderboard(**arguments)


def test_all_comparisons_must_have_the_same_gt(sample):
    two, three = one_label_pages(0.1, 0.2), one_label_pages(0.1, 0.2, 0.3)
    with pytest.raises(lcm.InputError, match=r"third: 1 of 3 gt pages are not in the gt of the other comparison"):
        lcm.leaderboard({"first": two, "second": two, "third": three})
    other_gt = build({"page 000": (10, 10), "page 001": (10, 10)}, [("page 000", "a", 0, 0, 10, 10)])
    other = lcm.compare(other_gt, other_gt, documents={page: page for page in two.pages}, taxonomy="same")
    with pytest.raises(lcm.InputError, match="first, third: on document 'page 001', a has 100 gt pixels in one"):
        lcm.leaderboard({"first": two, "second": two, "third": other})


def test_pages_of_predictions_must_have_the_same_documents():
    """Page n is not in the first comparison, and of another document in the second than in the third."""
    gt = build(pages_of("p"), [("p", "a", 0, 0, 10, 10)])
    more = build(pages_of("pn"), [("p", "a", 0, 0, 10, 10)])
    both = {"missing_pages": "penalise-both"}
    first = lcm.compare(gt, gt, documents={"p": "d"}, **both)
    others = [lcm.compare(gt, more, documents={"p": "d", "n": document}, **both) for document in ("d", "e")]
    problem = "second, third: page 'n' is of document 'd' in one and of 'e' in the other"
    with pytest.raises(lcm.InputError, match=problem):
        lcm.leaderboard({"first": first, "second": others[0], "third": others[1]})


def test_the_leaderboard_as_json_values(board):
    found = board.as_dict()
    assert (found["baseline"], found["figure"], found["pages"], found["unit_count"]) == ("a", "macro_f1", 60, 30)
    assert [row["model"] for row in found["models"]] == board.models == list(found["recipes"])
    assert len(found["differences"]) == 2 * len(FIGURES) and len(found["classes"]) == 3 * len(board.labels)


def test_another_baseline_gives_what_a_new_leaderboard_would(sample, board):
    for name in "abc":
        found, fresh = board.against(name), lcm.leaderboard(sample, baseline=name)
        assert found.baseline == name
        pd.testing.assert_frame_equal(found.table, fresh.table)
        pd.testing.assert_frame_equal(found.classes, fresh.classes)
    assert board.against("a") is board
    with pytest.raises(lcm.InputError, match="baseline"):
        board.against("d")


def test_the_lead_is_that_of_the_best_over_the_next(sample, board):
    expected = lcm.difference(sample["a"], sample["c"])
    for name in "abc":
        lead = board.against(name).lead
        for figure in ("macro_f1", "content_f1"):
            np.testing.assert_array_equal(lead.figures[figure], expected.figures[figure])
        assert lead.verdict("macro_f1") == "no difference shown"


def test_objects_are_those_of_the_common_pages(sample, board):
    assert board.objects("a").ap == sample["a"].objects().ap
    pages = {"p": (10, 10), "q": (10, 10)}
    both = [("p", "a", 0, 0, 5, 5), ("q", "a", 0, 0, 5, 5)]
    gt, first = build(pages, both), build(pages, [both[0], ("q", "a", 5, 5, 9, 9)])
    second = build({"p": (10, 10)}, both[:1])
    compared = {name: lcm.compare(gt, one, missing_pages="ignore") for name, one in (("x", first), ("y", second))}
    found = lcm.leaderboard(compared)
    assert found.page_count == 1
    assert [found.objects(name).scores_at(0.5)["f1"] for name in "xy"] == [1, 1]
    assert compared["x"].objects().scores_at(0.5)["f1"] == 0.5


def test_measures_of_objects_are_left_out_if_they_are_not_counted(board):
    counted, short = board.result(), board.result(objects=False)
    assert short.model_rows[0].measures.keys() == {"micro.f1", "macro.f1", "content.f1"}
    assert counted.model_rows[0].measures["objects.pq"] > 0.5
    assert board.as_dict()["models"] == counted.data["models"]
    assert missing_columns(short).startswith("not counted: AP, panoptic quality")
