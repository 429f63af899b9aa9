"""Suggested mappings: pages one can count, the sample, and every two of the built-in label sets."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import layoutcm as lcm
from layoutcm.diagnosis import label_mapping
from layoutcm.diagnosis.label_mapping import KINDS, LABEL_SETS, best_assignment, labels_of, mapping_of, synonym_likeness
from layoutcm.layouts.handwritten import read_yaml_or_json
from support.drawn_label_sets import right_partners, two_layouts
from support.generated_pages import layouts, page
from support.layouts import build
from support.paths import SAMPLE

PAGE = {"p": (100, 100)}


def suggested(gt, pred, sizes=PAGE, **options):
    gt, pred = (build(sizes, [("p", *row) for row in side]) for side in (gt, pred))
    return lcm.suggest_mapping(gt, pred, **options)


def rows_of(found, *columns):
    return [tuple(row) for row in found.table[list(columns)].itertuples(index=False)]


def test_the_worked_page():
    # The page of docs/suggested-mapping.md: headline lies half on Title, a little more on Section-header.
    gt = [("Title", 0, 0, 100, 10), ("Section-header", 0, 10, 100, 20), ("Text", 0, 30, 100, 80)]
    pred = [("titles", 0, 5, 40, 16), ("body", 0, 30, 100, 70), ("list", 0, 70, 100, 80), ("stamp", 0, 78, 50, 100)]
    found = suggested(gt, pred, prior=False)
    assert rows_of(found, "pred_label", "gt_label", "runner_up", "mapped") == [
        ("titles", "Title", "Section-header", True), ("body", "Text", "", True), ("list", "Text", "", True),
        ("stamp", "Background", "Text", False),
    ]  # fmt: skip
    np.testing.assert_allclose(found.table["share"], [5 / 11, 1, 1, 20 / 22])
    np.testing.assert_allclose(found.table["runner_up_share"], [6 / 11, np.nan, np.nan, 2 / 22])
    assert found.table["note"].tolist() == [
        "by its name, instead of Section-header", "", "", "not mapped: mostly Background",
    ]  # fmt: skip
    assert found.mapping == {"pred": {"titles": "Title", "body": "Text", "list": "Text"}}
    assert found.unmatched.to_dict("records") == [
        {"gt_label": "Section-header", "pred_label": "titles", "share": 6 * 40 / 1000}
    ]
    once = suggested(gt, pred, one_to_one=True, prior=False)
    assert once.mapping == {"pred": {"titles": "Title", "body": "Text"}}
    assert once.table["note"][2] == "not mapped: Text is taken by body"
    # With the prior, both names are like titles, and the common pixels decide: 2 · 240 / 1,440 against 2 · 200 / 1,440.
    once = suggested(gt, pred, one_to_one=True)
    assert once.mapping == {"pred": {"titles": "Section-header", "body": "Text"}}
    assert once.unmatched.to_dict("records") == [{"gt_label": "Title", "pred_label": "titles", "share": 5 * 40 / 1000}]


def test_names_decide_only_between_close_shares():
    gt = [("Title", 0, 0, 100, 4), ("Text", 0, 4, 100, 10)]
    found = suggested(gt, [("title", 0, 0, 100, 10)])
    assert rows_of(found, "gt_label", "share", "runner_up_share") == [("Text", 0.6, 0.4)]
    assert found.table["note"].tolist() == ["gt also has a label Title, on 40.0 % of its pixels"]
    gt = [("Title", 0, 0, 100, 46), ("Text", 0, 46, 100, 100)]
    assert rows_of(suggested(gt, [("title", 0, 0, 100, 100)]), "gt_label", "share") == [("Title", 0.46)]


def test_the_prior_knows_synonyms():
    gt = [("Caption", 0, 0, 100, 48), ("Text", 0, 48, 100, 100)]
    pred = [("figure_title", 0, 0, 100, 100)]
    assert suggested(gt, pred).mapping == {"pred": {"figure_title": "Caption"}}
    assert suggested(gt, pred, prior=False).mapping == {"pred": {"figure_title": "Text"}}


def test_of_labels_on_the_same_pixels_the_inner_one_is_the_partner():
    gt = [("Picture", 0, 0, 100, 100), ("Caption", 10, 10, 90, 30)]
    found = suggested(gt, [("legend", 10, 10, 90, 31), ("figure", 0, 0, 100, 100)])
    assert rows_of(found, "pred_label", "gt_label", "note") == [
        ("legend", "Caption", "lies inside Picture, which covers the same pixels"),
        ("figure", "Picture", ""),
    ]
    np.testing.assert_allclose(found.table["share"], [20 / 21, 1])


def test_a_label_without_a_good_partner_is_left_out_and_said():
    gt = [(f"label {i}", 0, 20 * i, 100, 20 * i + 20) for i in range(5)]
    found = suggested(gt, [("all", 0, 0, 100, 100), ("none", 200, 200, 210, 210)])
    assert found.mapping == {"pred": {}}
    assert found.table["note"].tolist() == ["not mapped: no good partner", "no pixels on common pages"]
    assert np.isnan(found.table["share"][1]) and found.table["gt_label"][1] == ""


def test_a_side_without_regions():
    found = suggested([("a", 0, 0, 10, 10)], [])
    assert found.mapping == {"pred": {}} and not len(found.table)
    assert found.unmatched.to_dict("records") == [{"gt_label": "a", "pred_label": "", "share": 0}]
    found = suggested([], [("x", 0, 0, 10, 10)])
    assert found.mapping == {"pred": {}} and not len(found.unmatched)
    assert rows_of(found, "pred_label", "gt_label", "share") == [("x", "Background", 1)]
    assert repr(found) == "<SuggestedMapping of 0 of 1 labels>"


def test_many_labels_are_counted_in_parts(monkeypatch):
    rows = [(f"label {i}", i, 0, i + 1, 100) for i in range(90)]
    monkeypatch.setattr(label_mapping, "CELLS_AT_A_TIME", 1000)
    found = suggested(rows, [(f"x{label}", *box) for label, *box in rows], one_to_one=True)
    assert found.mapping == {"pred": {f"xlabel {i}": f"label {i}" for i in range(90)}}


def test_pages_that_only_one_side_has_are_left_out():
    sizes = {"p": (10, 10), "q": (10, 10)}
    gt = build({"p": (10, 10)}, [("p", "a", 0, 0, 10, 10)])
    pred = build(sizes, [("p", "x", 0, 0, 10, 10), ("q", "x", 0, 0, 10, 10)])
    found = lcm.suggest_mapping(gt, pred)
    assert found.pages == 1 and found.table["share"].tolist() == [1.0]
    for other, problem in (
        (build({"z": (10, 10)}, []), "no page of pred is a page of gt"),
        (build({}, []), "in common"),
    ):
        with pytest.raises(lcm.InputError, match=problem):
            lcm.suggest_mapping(gt, other)
    found = lcm.suggest_mapping(gt, build({"z": (10, 10)}, [("z", "x", 0, 0, 5, 10)]), pages={"p": "z"})
    assert found.mapping == {"pred": {"x": "a"}}


def test_scores_below_the_threshold_are_left_out():
    pred = build(PAGE, [("p", "x", 0, 0, 100, 10, 0.9), ("p", "x", 0, 20, 100, 100, 0.1)])
    gt = build(PAGE, [("p", "a", 0, 0, 100, 10)])
    assert lcm.suggest_mapping(gt, pred, min_score=0.5).mapping == {"pred": {"x": "a"}}
    assert lcm.suggest_mapping(gt, pred).mapping == {"pred": {}}


@pytest.mark.parametrize("model", ["model-a.json", "model-b.csv", "model-c.json"])
def test_the_sample_without_the_prior(model):
    gt = lcm.read(SAMPLE / "gt.json")
    pred = lcm.read(SAMPLE / model, like=gt)
    mapping = read_yaml_or_json(SAMPLE / "mapping.yaml", "mapping")["pred"]
    wanted = {label: mapping.get(label, label) for label in pred.labels}
    for options in ({"prior": False}, {}):
        assert lcm.suggest_mapping(gt, pred, **options).mapping == {"pred": wanted}


def test_between_any_two_built_in_label_sets_without_the_prior():
    """At least 95 % of the labels that have a partner get it; none gets a wrong one with a share above 0.8."""
    with_partner = got_it = 0
    for gt_set, pred_set in product(LABEL_SETS, repeat=2):
        found = lcm.suggest_mapping(*two_layouts(gt_set, pred_set), prior=False)
        mapping = found.mapping["pred"]
        shares = dict(zip(found.table["pred_label"], found.table["share"]))
        of_gt, of_pred = labels_of(gt_set), labels_of(pred_set)
        for label, partners in right_partners(gt_set, pred_set).items():
            best = max(partners.values())
            right = {name for name, share in partners.items() if share > best - 0.1}
            if right != {""}:
                with_partner += 1
                got_it += mapping.get(label, "") in right
            if label in mapping and shares[label] > 0.8:
                assert of_gt[mapping[label]] & of_pred[label], (gt_set, pred_set, label, mapping[label])
    assert with_partner > 300
    assert got_it / with_partner >= 0.95


def test_every_set_labels_kinds_and_synonyms_ignore_spelling():
    assert all(len(names) == len(LABEL_SETS) for names in KINDS.values())
    assert len(labels_of("doclaynet")) == 11 and len(labels_of("publaynet")) == 5
    alike = [("Section-header", "section titles"), ("Picture", "figure"), ("figure_title", "Caption")]
    assert [synonym_likeness(*names) for names in alike] == [0.9] * 3
    included = [("title", "Section-header"), ("abandon", "Page-header"), ("figure_title", "Text")]
    assert [synonym_likeness(*names) for names in included] == [0.8] * 3
    assert synonym_likeness("Table", "figure") == synonym_likeness("stamp", "stamp") == 0


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 5), st.integers(0, 5), st.integers(0, 2**32))
def test_the_assignment_is_the_best_of_all(rows, columns, seed):
    values = np.round(np.random.default_rng(seed).uniform(-0.3, 1, (rows, columns)), 1)
    found = best_assignment(values)
    taken = found[found >= 0]
    assert len(set(taken.tolist())) == taken.size
    total = values[np.flatnonzero(found >= 0), taken].sum()
    padded = np.concatenate([values, np.zeros((rows, rows))], axis=1)
    best = max(sum(padded[i, j] for i, j in enumerate(one)) for one in permutations(range(columns + rows), rows))
    assert total == pytest.approx(best)


@settings(deadline=None, max_examples=40)
@given(st.lists(page, min_size=1, max_size=2))
def test_shares_are_those_of_the_pairs(pages):
    """Every share from the table of pairs, in plain Python."""
    c = lcm.compare(*layouts(pages), taxonomy="different")
    pairs = c.counts().table()
    found = mapping_of(c.counts(), len(pages), prior=False)
    for row in found.table.to_dict("records"):
        rows = [one for one in pairs.to_dict("records") if row["pred_label"] in one["pred_set"].split(" + ")]
        pixels = sum(one["pixels"] for one in rows)
        if not pixels:
            assert row["note"] == "no pixels on common pages"
            continue
        shares = {}
        for one in rows:
            for name in one["gt_set"].split(" + "):
                shares[name] = shares.get(name, 0) + one["pixels"] / pixels
        assert row["share"] == pytest.approx(shares[row["gt_label"]])
        assert row["share"] > max(shares.values()) - 0.1
        rest = [share for name, share in shares.items() if name != row["gt_label"]]
        assert row["runner_up_share"] == pytest.approx(max(rest)) if rest else row["runner_up"] == ""
