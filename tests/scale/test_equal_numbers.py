"""Numbers from partitions equal those in memory, whatever the number of parts, their order, and the order of labels."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import layoutcm as lcm
from layoutcm.alignment.no_common_pages import NoCommonPages
from layoutcm.layouts.model import Finding, Pages, Regions, recode_labels
from layoutcm.scale.partitions import cut_layout
from support.generated_pages import LABELS, layouts, page
from support.layouts import build
from support.parts import compared, pair
from support.results import assert_valid, full_result

FEW = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def with_documents(layout, every):
    """The layout with documents of `every` pages; pages have names that are not in the order of the documents."""
    pages = layout.page_columns
    documents = tuple(f"document {i // every}" for i in range(len(pages)))
    named = Pages(pages.names, pages.widths, pages.heights, documents, pages.numbers)
    return replace(layout, page_columns=named)


def in_other_order(layout, order):
    """The same layout with its labels in another order."""
    position = {label: i for i, label in enumerate(order)}
    recode = np.array([position[label] for label in layout.labels], np.int32)
    regions = recode_labels(layout.region_columns, recode)
    dropped = layout.dropped and recode_labels(layout.dropped, recode)
    return replace(layout, labels=list(order), region_columns=regions, dropped=dropped, label_keys={})


def assert_same(stored, in_memory, exact=True):
    """All numbers from pair counts are the same; `exact` to the last bit, else to 1e-9."""
    same = np.array_equal if exact else (lambda a, b, **_: np.allclose(a, b, rtol=1e-9, atol=1e-9, equal_nan=True))
    place = [stored.labels.index(label) for label in in_memory.labels]
    if not in_memory.space.shared:  # then a name can be there twice
        place = list(range(len(place)))
    for level in ({}, {"page": in_memory.pages[-1]}, {"document": in_memory.documents[0]}):
        for method in ("matrix", "tensor"):
            a, b = stored.confusion(**level, method=method), in_memory.confusion(**level, method=method)
            np.testing.assert_allclose(a.values[np.ix_(place, place)], b.values, rtol=1e-9, atol=1e-9)
        a, b = (one.counts(**level).table() for one in (stored, in_memory))
        assert sorted(zip(a["gt_set"], a["pred_set"])) == sorted(zip(b["gt_set"], b["pred_set"]))
        pixels = lambda table: table.sort_values(["gt_set", "pred_set"])["pixels"].to_numpy()
        assert same(pixels(a), pixels(b))
        assert stored.content(**level) == pytest.approx(in_memory.content(**level), nan_ok=True, rel=1e-9)
    for name in ("page", "document"):
        a, b = (getattr(one, f"{name}_table")().sort_values(name, ignore_index=True) for one in (stored, in_memory))
        assert a[name].tolist() == b[name].tolist()
        numbers = a.select_dtypes("number").columns
        np.testing.assert_allclose(a[numbers], b[numbers], rtol=1e-9, atol=1e-9)
    for over in ("pixels", "pages", "documents"):
        assert stored.average(over=over) == pytest.approx(in_memory.average(over=over), nan_ok=True, rel=1e-9)


def compared_twice(tmp_path, gt, pred, *parts, **options):
    """The comparison of parts and that in memory, which have the same numbers."""
    stored, in_memory = compared(tmp_path, gt, pred, *parts, **options), lcm.compare(gt, pred, **options)
    assert_same(stored, in_memory)
    return stored, in_memory


@FEW
@given(
    st.lists(page, min_size=1, max_size=12),
    st.integers(1, 5),
    st.integers(1, 6),
    st.integers(1, 4),
    st.sampled_from(["outer", "nearest", "exact"]),
    st.randoms(),
)
def test_generated_pages(tmp_path_factory, pages, gt_parts, pred_parts, every, rounding, rng):
    gt, pred = (with_documents(one, every) for one in layouts(pages))
    folder = tmp_path_factory.mktemp("set")
    other = rng.sample(LABELS, len(LABELS))
    lcm.partition(gt, folder / "gt", gt_parts)
    lcm.partition(in_other_order(pred, other), folder / "pred", pred_parts)
    stored = lcm.compare_partitions(folder / "gt", folder / "pred", folder / "out", rounding=rounding, threads=2)
    assert_same(stored, lcm.compare(gt, pred, rounding=rounding), exact=rounding != "exact")


@pytest.mark.parametrize("missing_pages", ["penalise", "ignore", "penalise-both"])
def test_pages_of_one_side_only(tmp_path, missing_pages):
    stored, in_memory = compared_twice(tmp_path, *pair(), missing_pages=missing_pages)
    codes = lambda one: {finding.code: finding.count for finding in one.findings if finding.code.startswith("page-")}
    assert codes(stored) == codes(in_memory)
    assert stored.pixels == in_memory.pixels


def test_pages_that_are_matched_by_other_rules(tmp_path):
    """Pred has other suffixes, and one page under another name, which a page map gives."""
    gt, pred = pair()
    names = tuple("other" if name == "d3-p9" else f"{name}.png" for name in pred.page_columns.names)
    pred = replace(pred, page_columns=replace(pred.page_columns, names=names))
    stored, in_memory = compared_twice(tmp_path, gt, pred, pages={"d3-p9": "other"}, missing_pages="penalise-both")
    rows = lambda one: sorted(one.page_matches().values.tolist())
    assert rows(stored) == rows(in_memory)
    assert ["d3-p9", "other", "map"] in rows(stored) and ["d3-p10", "d3-p10.png", "stem"] in rows(stored)


def test_options_of_the_plan(tmp_path):
    mapping = {"gt": {"a": "A"}, "pred": {"a": "A", "b": "Background"}}
    stored, in_memory = compared_twice(tmp_path, *pair(), min_score={None: 0.3, "A": 0.6}, mapping=mapping)
    assert stored.taxonomy == in_memory.taxonomy == "mapped"
    assert stored.recipe == in_memory.recipe


def test_a_small_part_does_not_change_the_taxonomy(tmp_path):
    """Each part alone has labels of one side that the other includes; the whole set has different labels."""
    sizes = {f"p{i}": (10, 10) for i in range(8)}
    gt = build(sizes, [(name, "ab"[i % 2], 0, 0, 5, 5) for i, name in enumerate(sizes)], "ab", "gt")
    pred = build(sizes, [(name, "ac"[i % 2], 0, 0, 5, 4) for i, name in enumerate(sizes)], "ac", "pred")
    stored, in_memory = compared_twice(tmp_path, gt, pred, 8, 8)
    assert stored.taxonomy == in_memory.taxonomy == "different"


def test_declared_labels_are_kept(tmp_path):
    """No region has the label d, which both sides declare."""
    stored = compared(tmp_path, *pair())
    assert stored.labels == ["Background", "a", "b", "c", "d"]
    assert stored.confusion().values[4].tolist() == [0.0] * 5


def test_ignore_regions_and_repairs(tmp_path):
    gt, pred = pair()
    options = {"mapping": {"gt": {"c": "Ignore"}, "pred": {}}}
    stored = compared(tmp_path, gt, pred, fix="flip-y", **options)
    in_memory = lcm.compare(gt, lcm.repair(pred, "flip-y"), **options)
    assert stored.ignored_pixels == in_memory.ignored_pixels > 0
    assert_same(stored, in_memory)
    with pytest.raises(lcm.InputError, match="needs all pages of pred at once"):
        lcm.compare_partitions(tmp_path / "gt", tmp_path / "pred", tmp_path / "other", fix="images:1")


def test_a_repair_of_ids_in_parts_with_other_orders_of_labels(tmp_path):
    """The ids of labels, 10 to 13, do not follow the order of the labels, which is another one in each shard."""
    gt = pair()[1]
    for order, one in zip(("dbca", "abcd", "cadb"), cut_layout(gt, np.arange(len(gt.page_columns)) % 3, 3)):
        ids = {10 + i: order.index(label) for i, label in enumerate("acbd")}
        for side, layout in (("gt", one), ("pred", replace(in_other_order(one, order), label_keys=ids))):
            (tmp_path / side).mkdir(exist_ok=True)
            lcm.write(layout, "parquet", tmp_path / side / f"{order}.parquet")
    for side in ("gt", "pred"):
        lcm.make_manifest(tmp_path / side)
    stored = lcm.compare_partitions(tmp_path / "gt", tmp_path / "pred", tmp_path / "out", fix="ids:1")
    assert not (tmp_path / "out" / "pred").exists()
    whole = replace(gt, label_keys={10 + i: "abcd".index(label) for i, label in enumerate("acbd")})
    assert_same(stored, lcm.compare(gt, lcm.repair(whole, "ids:1")))


def test_documents_in_several_parts(tmp_path):
    """A folder of shards cuts documents in two; document matrices and means are those of whole documents."""
    for layout, name in zip(pair(), ("gt", "pred")):
        (tmp_path / name).mkdir()
        part = np.arange(len(layout.page_columns)) % 3
        for k, one in enumerate(cut_layout(layout, part, 3)):
            lcm.write(one, "parquet", tmp_path / name / f"shard-{k}.parquet")
        lcm.make_manifest(tmp_path / name)
    stored = lcm.compare_partitions(tmp_path / "gt", tmp_path / "pred", tmp_path / "out")
    in_memory = lcm.compare(lcm.read(tmp_path / "gt"), lcm.read(tmp_path / "pred"))
    assert_same(stored, in_memory)
    a, b = (one.bootstrap(n=20).headline for one in (stored, in_memory))
    np.testing.assert_allclose(a[["value", "low", "high"]], b[["value", "low", "high"]], rtol=1e-9)


def test_everything_a_comparison_offers(tmp_path):
    gt, pred = pair(pages=90)
    stored = compared(tmp_path, gt, pred, why=True)
    in_memory = lcm.compare(gt, pred)
    a, b = (one.bootstrap(n=30).headline for one in (stored, in_memory))
    np.testing.assert_array_equal(a[["value", "low", "high"]], b[["value", "low", "high"]])
    families = {"first": ["a", "b"], "second": ["c"]}
    for sample in ("pixel", "page"):
        a, b = (one.families(families, sample).given_gt() for one in (stored, in_memory))
        assert a.equals(b)
    assert stored.agreement() == in_memory.agreement()
    by_page = lambda one: one.pages_behind("a", "b").sort_values("page", ignore_index=True)
    assert by_page(stored).equals(by_page(in_memory)) and len(by_page(stored))
    page = in_memory.pages[30]
    np.testing.assert_allclose(stored.causes().values, in_memory.causes().values, rtol=1e-9)
    np.testing.assert_array_equal(stored.causes(page=page).values, in_memory.causes(page=page).values)
    np.testing.assert_allclose(stored.forgiveness(), in_memory.forgiveness(), rtol=1e-9)
    a, b = stored.score_curves(), in_memory.score_curves()
    assert a.best().equals(b.best()) and a.roc_auc == pytest.approx(b.roc_auc, nan_ok=True)
    np.testing.assert_allclose(a.gains()["f1"], b.gains()["f1"])
    assert np.array_equal(stored.page_tiles(page).x_edges, in_memory.page_tiles(page).x_edges)
    assert (lcm.difference(stored, stored, n=10).headline["value"] == 0).all()
    for level in ({"page": page}, {"document": in_memory.documents[5]}):
        assert stored.objects(**level).summary == pytest.approx(in_memory.objects(**level).summary, nan_ok=True)
        assert stored.centroids(**level).f1 == pytest.approx(in_memory.centroids(**level).f1)
        assert stored.soft(**level) == pytest.approx(in_memory.soft(**level), nan_ok=True)
    for ask in (stored.objects, stored.centroids, stored.soft):
        with pytest.raises(lcm.InputError, match=r"of all pages are not counted from parts. Ask for one page or docu"):
            ask()


def test_findings_on_single_regions_are_those_of_a_comparison_in_memory(tmp_path):
    """Equal boxes, regions without a score or below the minimum, pages without regions on one side."""
    gt, pred = pair()
    regions = pred.region_columns
    scores = np.where(np.arange(len(regions)) % 7 == 0, np.nan, regions.scores)
    twice = Regions(*(np.concatenate([column, column[:9]]) for column in (regions.page, regions.label, regions.boxes)),
                    np.concatenate([scores, scores[:9]]))  # fmt: skip
    pred = replace(pred, region_columns=twice)
    read = Finding("empty-box", 2, {"file": "gt", "inverted": 0, "place": "d0-p0", "box": [1, 2, 1, 4]})
    gt = replace(gt, findings=(read,))
    options = {"min_score": 0.3, "mapping": {"gt": {"c": "Ignore"}}, "missing_pages": "penalise-both"}
    stored, in_memory = compared(tmp_path, gt, pred, **options), lcm.compare(gt, pred, **options)
    codes = [finding.code for finding in stored.findings]
    assert sorted(codes) == sorted(finding.code for finding in in_memory.findings)
    assert [one.code for one in stored.findings_by_side["gt"]] == [one.code for one in in_memory.findings_by_side["gt"]]
    found = {finding.code: finding for finding in stored.findings}
    expected = {finding.code: finding for finding in in_memory.findings}
    assert found.keys() == expected.keys() >= {"duplicate-box", "score-missing", "below-min-score", "page-without-pred"}
    assert {code: one.count for code, one in found.items()} == {code: one.count for code, one in expected.items()}
    same = ("score-missing", "below-min-score", "ignored-pixels", "empty-box")
    assert [found[code].message for code in same] == [expected[code].message for code in same]
    assert found["duplicate-box"].values["file"] == "pred" and found["duplicate-box"] in stored.findings_by_side["pred"]


def test_the_json_has_the_numbers_of_a_comparison_in_memory(tmp_path):
    gt, pred = pair()
    compared(tmp_path, gt, pred)
    found = json.loads((tmp_path / "out" / "result.json").read_text())
    expected = full_result(lcm.compare(gt, pred))
    assert set(found) - {"plan"} == set(expected) - {"border_slack"}  # which needs the regions of all pages
    for key in ("labels", "pages", "documents", "pixels", "confusion", "f1", "classes", "averages", "content"):
        assert found[key] == expected[key], key
    assert_valid(found)
    assert found["objects"] is found["centroids"] is found["soft"] is None
    assert found["inputs"]["pred"]["pages"] == len(pred.page_columns)
    by_name = lambda result: sorted(result["by_document"], key=lambda one: one["document"])
    assert [one["confusion"] for one in by_name(found)] == [one["confusion"] for one in by_name(expected)]
    assert lcm.load_result(tmp_path / "out" / "result.json").confusion().values.tolist() == expected["confusion"]
    assert sorted(found["page_matching"]["only_in_pred"]) == sorted(expected["page_matching"]["only_in_pred"])


def test_pages_without_documents_are_matched_as_in_memory(tmp_path):
    """Parts name a document for every page; pages are matched by what the files say of it."""
    sizes = lambda *names: dict.fromkeys(names, (10, 10))
    gt = build(sizes("a-1.png", "b-1.png", "c"), [("a-1.png", "x", 0, 0, 5, 5), ("b-1.png", "x", 0, 0, 5, 5)], "x")
    names = ("a_0001.png", "b_0001.png", "c")
    pred = build(sizes(*names), [(name, "x", 0, 0, 4, 5) for name in names[:2]], "x")
    stored, _ = compared_twice(tmp_path, gt, pred)
    assert stored.confusion().values.tolist() == [[250, 0], [10, 40]]
    assert sorted(stored.page_matches()["how"]) == ["exact", "number", "number"]


@pytest.mark.parametrize("score", [0.9, 1.5])
def test_score_curves_with_parts_without_scores(tmp_path, score):
    """Pred finds nothing in most parts: their gt counts. With a score outside 0..1 in one part the set has no curve."""
    sizes = {f"p{i}": (10, 10) for i in range(6)}
    gt = build(sizes, [(name, "x", 0, 0, 5, 5) for name in sizes], "x", "gt", {name: name for name in sizes})
    rows = [("p0", "x", 0, 0, 5, 4, score), ("p1", "x", 0, 0, 5, 5, 0.5)]
    pred = build(sizes, rows, "x", "pred", {name: name for name in sizes})
    stored, in_memory = compared(tmp_path, gt, pred, 8, why=True), lcm.compare(gt, pred)
    a, b = stored.score_curves(), in_memory.score_curves()
    assert a.best_overall == pytest.approx(b.best_overall, nan_ok=True)
    assert a.roc_auc == pytest.approx(b.roc_auc, nan_ok=True)
    assert a.best_overall["f1"] == pytest.approx(90 / 195 if score < 1 else np.nan, nan_ok=True)


@pytest.mark.parametrize("score", [1.0, None])
def test_score_curves_of_labels_without_scores_from_parts(tmp_path, score):
    """x has the score 1 in one part, or only on a page that is not compared; y has none anywhere."""
    sizes = {f"p{i}": (10, 10) for i in range(6)}
    documents = {name: name for name in [*sizes, "other"]}
    gt = build(sizes, [(name, label, 0, 0, 5, 5) for name in sizes for label in "xy"], "xy", "gt", documents)
    rows = [("p3", "x", 0, 0, 5, 5, *([score] if score else [])), ("p1", "y", 0, 0, 5, 5)]
    rows += [] if score else [("other", "x", 0, 0, 5, 5, 0.5)]
    pred = build({**sizes, "other": (10, 10)}, rows, "xy", "pred", documents)
    options = {"missing_pages": "ignore"}
    stored, in_memory = compared(tmp_path, gt, pred, 8, why=True, **options), lcm.compare(gt, pred, **options)
    a, b = stored.score_curves(), in_memory.score_curves()
    assert a.why_none == b.why_none == ("" if score else "No region that is compared has a score.")
    assert a.roc_auc == pytest.approx(b.roc_auc, nan_ok=True) and np.isnan(a.roc_auc["y"])
    assert np.isnan(a.roc_auc["x"]) == (score is None)


def test_no_pixel_is_judged(tmp_path):
    gt = build({"p": (9, 9)}, [("p", "x", 0, 0, 9, 9)], "x")
    pred = build({"p": (9, 9)}, [("p", "x", 0, 0, 5, 5)], "x")
    options = {"mapping": {"gt": {"x": "Ignore"}}}
    assert compared(tmp_path, gt, pred, **options).pixels == lcm.compare(gt, pred, **options).pixels == 0


@pytest.mark.parametrize("pages", ["a", ""])
def test_no_page_in_common_is_an_error(tmp_path, pages):
    gt = build({f"{page}-1": (9, 9) for page in pages}, [(f"{page}-1", "Text", 0, 0, 5, 5) for page in pages], ["Text"])
    pred = build({"b-1": (9, 9)}, [("b-1", "Text", 0, 0, 5, 5)], ["Text"])
    with pytest.raises(NoCommonPages, match="Pred has 1 page"):
        compared(tmp_path, gt, pred, missing_pages="ignore", taxonomy="same")


def test_an_empty_prediction(tmp_path):
    gt = build({"a-1": (9, 9)}, [("a-1", "Text", 0, 0, 5, 5)], ["Text"])
    stored = compared(tmp_path, gt, build({}, [], ["Text"]), taxonomy="same")
    assert stored.average("micro")["recall"] == 0
    assert [(one.code, one.severity) for one in stored.findings_by_side["pred"]] == [("empty-side", "error")]
