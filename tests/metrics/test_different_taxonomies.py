"""Two different taxonomies: equal names are two labels, in every number; a family may group them.

If a name of pred that gt has, too, is replaced by a new name, no number changes.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import layoutcm as lcm
from layoutcm.layouts.model import GT, PRED
from support.generated_pages import LABELS, page
from support.generated_pages import layouts as generated_layouts
from support.layouts import build
from support.results import full_result

OOF = "OOF"


def different():
    pages = {"p": (10, 10)}
    gt = build(pages, [("p", "Title", 0, 0, 10, 2), ("p", "Text", 0, 2, 10, 8), ("p", "Formula", 0, 8, 10, 10)])
    pred = build(pages, [("p", "Text", 0, 0, 10, 4), ("p", "paragraph", 0, 4, 10, 8), ("p", "logo", 0, 8, 10, 10)])
    return gt, pred


def test_families_may_name_labels_of_either_side():
    c = lcm.compare(*different())
    assert c.taxonomy == "different"
    f = c.families({"Words": ["Title", "Text", "paragraph"], "Other": ["Formula", "logo"]})
    words = f.matrices["Words"]
    assert words.index.tolist() == ["Title", "Text", OOF] and words.columns.tolist() == ["Text", "paragraph", OOF]
    # Text of gt and Text of pred are two labels, because the two lists differ
    assert words.to_numpy().tolist() == [[20, 0, 0], [20, 40, 0], [0, 0, 0]]
    assert f.given_gt().set_index("label").loc["Text"].tolist() == [0, 1, 0, 60, "paragraph"]
    assert f.given_pred().set_index("label").loc["Text"].tolist() == [0, 1, 0, 40, "Title"]
    assert f.given_gt().set_index("label").loc["Formula"].tolist() == [0, 1, 0, 20, "logo"]
    assert f.given_pred()["label"].tolist() == ["Background", "Text", "paragraph", "logo"]


def test_a_family_with_labels_of_both_sides_makes_them_comparable():
    c = lcm.compare(*different())
    m = c.confusion(families={"Words": ["Title", "Text", "paragraph"]})
    assert m.diagonal and m.labels == ["Background", "Words", "Formula", "logo"]
    assert m.classes().set_index("label").loc["Words", "f1"] == 1
    # a family with labels of one side only does not
    block = c.confusion(families={"Words": ["Title", "Text"], "Images": ["logo"]}, depth=2)
    assert not block.diagonal and block.labels == c.labels
    np.testing.assert_array_equal(block.values, c.confusion().values)
    block = c.confusion(families={"Heads": ["Title", "Formula"]})
    assert not block.diagonal and block.labels == ["Background", "Heads", "Text", "Text", "paragraph", "logo"]
    assert block.sides == ((0, 1, 2), (0, 3, 4, 5))
    assert block.values[1].tolist() == [0, 0, 0, 20, 0, 20]


def test_mapped_labels_are_known_by_their_new_names():
    c = lcm.compare(*different(), mapping={"pred": {"paragraph": "Text", "logo": "Formula"}})
    f = c.families({"Words": ["Title", "Text"]})
    assert f.given_gt().set_index("label").loc["Title"].tolist() == [0, 1, 0, 20, "Text"]
    assert [finding.code for finding in f.findings] == ["label-without-family"]


def test_equal_names_outside_all_families_are_two_labels_in_the_matrix_at_a_depth():
    pages = {"p": (10, 10)}
    gt = build(pages, [("p", "Title", 0, 0, 10, 2), ("p", "Text", 0, 2, 10, 10)])
    pred = build(pages, [("p", "Heading", 0, 0, 10, 2), ("p", "Text", 0, 2, 10, 10)])
    c = lcm.compare(gt, pred)
    m = c.confusion(families={"Heads": ["Title", "Heading"]})
    assert m.diagonal and m.labels == ["Background", "Heads", "Text (gt)", "Text (pred)"]
    assert m.values.tolist() == [[0, 0, 0, 0], [0, 20, 0, 0], [0, 0, 0, 80], [0, 0, 0, 0]]
    assert m.classes().set_index("label").loc["Text (gt)", "recall"] == 0
    f = c.families({"Heads": ["Title", "Heading"]})
    # A label in no family is a family of its own, named after it.
    assert f.matrices["Text"].to_numpy().tolist() == [[80, 0], [0, 0]] and not f.common_labels
    assert f.shares(GT) == f.shares(PRED) == {"identity": 0, "in_family": 1, "oof": 0}
    same = lcm.compare(gt, pred, taxonomy="same")
    assert same.families({"Heads": ["Title", "Heading"]}).shares(GT) == {"identity": 0.8, "in_family": 0.2, "oof": 0}
    assert same.confusion(families={"Heads": ["Title", "Heading"]}).labels == ["Background", "Heads", "Text"]


def renamed(pred):
    """pred with new names for all labels, of which gt has none."""
    rows = [
        (row.page, f"new {row.label}", row.x0, row.y0, row.x1, row.y1, row.score) for row in pred.regions.itertuples()
    ]
    sizes = {row.page: (row.width, row.height) for row in pred.pages.itertuples()}
    return build(sizes, rows, [f"new {label}" for label in pred.labels])


def without_new(value):
    """JSON with the old names, without what contains names only by chance: recipe, findings, the tree of families.

    Of the places of labels in a family only whether the other side has the same place.
    """
    if isinstance(value, dict):
        kept = {key: one for key, one in value.items() if key not in ("recipe", "findings", "tree", "pred_places")}
        if "gt_places" in kept:
            kept["gt_places"] = [place in value["pred_places"] for place in value["gt_places"]]
        return {key.removeprefix("new "): without_new(one) for key, one in kept.items()}
    if isinstance(value, list):
        return [without_new(one) for one in value]
    return value.removeprefix("new ") if isinstance(value, str) else value


FAMILIES = {
    "A": [*LABELS[:2], *(f"new {name}" for name in LABELS[:2])],
    "B": [*LABELS[2:], *(f"new {name}" for name in LABELS[2:])],
}


@settings(max_examples=30)
@given(st.lists(page, min_size=1, max_size=2), st.sampled_from([None, "pairs"]), st.sampled_from(["pixel", "page"]))
def test_no_number_depends_on_whether_names_are_equal(pages, count, sample):
    gt, pred = generated_layouts(pages)
    equal = lcm.compare(gt, pred, taxonomy="different")
    new = lcm.compare(gt, renamed(pred), taxonomy="different")
    results = []
    for compared in (equal, new):
        families = compared.families(FAMILIES, sample=sample, count=count)
        more = {"intervals": 20, "difference": lcm.difference(compared, compared, 20)}
        results.append(without_new(full_result(compared, per_page=True, families=families, **more)))
        assert families.shares(GT)["identity"] in (0, pytest.approx(np.nan, nan_ok=True)) and not families.common_labels
    assert results[0] == results[1]


def test_what_needs_one_list_of_labels_does_not_exist():
    c = lcm.compare(*different())
    objects, found = c.objects(), c.centroids()
    assert objects.ap is None and "different labels" in objects.why_no_ap
    assert objects.class_scores_at(0.5)["found"].isna().all()
    assert objects.scores_at(0.3, class_aware=False)["recall"] == 1
    assert objects.counts_at(0.3, class_aware=False) == {"tp": 3, "fp": 0, "fn": 0}
    assert objects.joint_pairs().empty and objects.ranked_pairs().empty
    assert list(objects.ranked_pairs()) == ["page", "label", "gt", "pred", "score", "iou", "outcome"]
    panoptic = objects.panoptic().set_index("label")
    assert list(panoptic) == ["tp", "fp", "fn", "sq", "rq", "pq"] and panoptic.isna().all(axis=None)
    assert panoptic.index.tolist() == [*c.labels[1:], "mean"]
    assert found.matches.empty and found.pairs.shape == (0, 2) and found.comparable is False
    assert c.centroids(class_aware=False).f1 == 1
    assert len(c.pages_to_review()) == 0 and (c.page_tiles("p").agreement() == 4).all()
    undefined = [
        *objects.scores_at(0.5).values(), *objects.counts_at(0.5).values(), *c.soft().values(), *c.soft(None)["dice"],
        *c.agreement().values(), *c.causes().values.ravel(), *c.forgiveness()["micro_f1"], c.border_slack(),
        found.precision, found.recall, found.f1, c.confusion().right, c.average()["f1"],
    ]  # fmt: skip
    assert np.isnan(undefined).all()
    assert lcm.difference(c, c, 20).headline.set_index("figure")["value"].isna()["macro_f1"]
