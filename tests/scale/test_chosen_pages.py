"""A comparison of parts on some of its pages: of few in memory, of more from its files, with the same numbers."""

from dataclasses import replace

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.layouts.shapes import Outline
from layoutcm.metrics.pages_behind import pages_wrong_in
from layoutcm.models.differences import comparison_of_pages, difference_of_pages
from layoutcm.scale import stored_comparison
from layoutcm.scale.partitions import cut_layout
from support.layouts import build
from support.parts import compared, pair
from support.reading import fails


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """The same two layouts compared from parts and in memory."""
    gt, pred = pair(pages=60)
    return compared(tmp_path_factory.mktemp("set"), gt, pred, why=True), lcm.compare(gt, pred)


def by_name(table, name="page"):
    return table.sort_values(name, ignore_index=True)


@pytest.mark.parametrize("most", [0, 2000], ids=["from files", "in memory"])
def test_every_second_page(both, monkeypatch, most):
    monkeypatch.setattr(stored_comparison, "MOST_IN_MEMORY", most)
    names = both[1].pages[::2]
    stored, in_memory = (comparison_of_pages(one, names, "every second") for one in both)
    assert stored.recipe == in_memory.recipe and "chosen:every second" in stored.recipe
    assert sorted(stored.pages) == sorted(names) and stored.pixels == in_memory.pixels
    assert np.array_equal(stored.confusion().values, in_memory.confusion().values)
    level = {"document": in_memory.documents[3]}
    assert np.array_equal(stored.confusion(**level).values, in_memory.confusion(**level).values)
    assert by_name(stored.page_table()).equals(by_name(in_memory.page_table()))
    assert by_name(stored.document_table(), "document").equals(by_name(in_memory.document_table(), "document"))
    assert stored.average(over="documents") == pytest.approx(in_memory.average(over="documents"))
    np.testing.assert_allclose(stored.causes().values, in_memory.causes().values, rtol=1e-9)
    a, b = (by_name(one.pages_behind("a", "b", cause="label")) for one in (stored, in_memory))
    assert a.equals(b) and len(a)
    assert stored.score_curves().best().equals(in_memory.score_curves().best())
    page = names[7]
    assert stored.objects(page=page).ap50 == pytest.approx(in_memory.objects(page=page).ap50, nan_ok=True)
    again = [comparison_of_pages(one, names[:9]).confusion().values for one in (stored, in_memory)]
    assert np.array_equal(*again)  # chosen from the chosen ones


def test_pages_with_wrong_pixels_of_a_label_and_pages_to_review(both):
    stored, in_memory = both
    a, b = (by_name(pages_wrong_in(one.levels, one.alignment, "a", "matrix")) for one in both)
    assert a.equals(b) and len(a) > 20
    rows = lambda one: by_name(one.pages_to_review(), ["page", "label"])
    assert rows(stored).equals(rows(in_memory)) and len(rows(stored)) > 50
    assert stored.pages_to_review()["pixels"].tolist() == in_memory.pages_to_review()["pixels"].tolist()


def test_the_difference_of_two_sets_of_pages(both):
    pages = both[1].pages
    a, b = (difference_of_pages(one, pages[:30], pages[30:]) for one in both)
    columns = ["first", "second", "difference", "difference_low"]
    np.testing.assert_allclose(a[columns], b[columns], rtol=1e-9)


def test_names_of_pages_are_found_without_unpacking_them(both):
    stored, in_memory = both
    names = stored.pages
    assert names == sorted(in_memory.pages, key=list(names).index) and names[-1] == list(names)[-1]
    assert names.index(names[17]) == 17 and "no such page" not in names
    assert stored.levels.numbers_of(names[5:9]).tolist() == [5, 6, 7, 8]
    assert stored.alignment.pages.index[names[3]] == 3 and stored.alignment.pages.index.get("?") is None
    fails("there is no page 'nothing'", stored.confusion, page="nothing")


def test_one_page_of_parts_with_outlines_and_of_a_document_in_several_parts(tmp_path):
    """Shards of every third page: a document is in three of them."""
    gt, pred = pair(pages=12)
    outline = Outline((np.array([[1.0, 1], [9, 1], [5, 9]]),))
    shaped = replace(gt, region_columns=replace(gt.region_columns, shapes={0: outline}))
    for layout, name in ((shaped, "gt"), (pred, "pred")):
        (tmp_path / name).mkdir()
        for k, one in enumerate(cut_layout(layout, np.arange(len(layout.page_columns)) % 3, 3)):
            lcm.write(one, "parquet", tmp_path / name / f"shard-{k}.parquet")
        lcm.make_manifest(tmp_path / name, shapes="polygon")
    stored = lcm.compare_partitions(tmp_path / "gt", tmp_path / "pred", tmp_path / "out", shapes="polygon")
    in_memory = lcm.compare(*(lcm.read(tmp_path / name, shapes="polygon") for name in ("gt", "pred")))
    page, document = in_memory.pages[0], in_memory.documents[0]
    assert np.array_equal(stored.page_tiles(page).agreement(), in_memory.page_tiles(page).agreement())
    assert stored.objects(document=document).summary == pytest.approx(
        in_memory.objects(document=document).summary, nan_ok=True
    )


def test_two_predictions_without_a_truth(tmp_path):
    """The minimum score holds for both sides; the JSON has the agreement."""
    sizes = {f"p{i}": (20, 20) for i in range(6)}
    rows = [(page, "ab"[i % 2], i, 0, i + 6, 9, 0.2 + 0.1 * i) for i, page in enumerate(sizes)]
    first = build(sizes, rows, "ab", "gt")
    second = build(sizes, [(page, "a", *row, 0.9) for page, _, *row, _ in rows], "ab", "pred")
    stored = compared(tmp_path, first, second, truth=False, min_score=0.45)
    in_memory = lcm.compare(first, second, truth=False, min_score=0.45)
    assert not stored.has_truth and stored.side_names == ("A", "B")
    assert stored.recipe == in_memory.recipe and stored.recipe.startswith("A:gt|B:pred|")
    assert np.array_equal(stored.confusion().values, in_memory.confusion().values)
    assert stored.agreement() == in_memory.agreement()
    found, expected = lcm.load_result(tmp_path / "out" / "result.json"), in_memory.result(intervals=False).agreement
    assert found.agreement.kappa == expected.kappa and found.agreement.labels == expected.labels
    assert np.array_equal(lcm.open_comparison(tmp_path / "out").objects(page="p3").gt_counts, [0, 1])


def test_results_with_another_ground_truth_are_not_paired(both, tmp_path):
    gt, pred = pair(pages=60)
    larger = replace(gt, page_columns=replace(gt.page_columns, widths=gt.page_columns.widths + 1))
    other = compared(tmp_path / "larger", larger, pred)
    fails(r"gt page '.*' is 20 x 30 in one comparison and 21 x 30 in the other", lcm.difference, both[0], other)
    fewer = compared(tmp_path / "fewer", pair(pages=57)[0], pred)
    fails("3 of 60 gt pages are not in the gt of the other comparison", lcm.difference, both[0], fewer)
    assert (lcm.difference(both[0], compared(tmp_path / "same", gt, pred, 2, 2), n=10).headline["value"] == 0).all()
