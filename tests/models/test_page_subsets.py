"""A comparison on some of its pages is that of files with only these pages."""

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.layouts.model import GT, PRED
from layoutcm.models.differences import comparison_of_pages, difference_of_pages


def pages_of(compared, value):
    return [p for p, own in zip(compared.pages, compared.levels.pages.attributes["doc_category"]) if own == value]


def test_all_numbers_are_those_of_the_pages(sample):
    pages = pages_of(sample, "invoice")
    some = comparison_of_pages(sample, pages, "doc_category=invoice")
    np.testing.assert_array_equal(some.confusion().values, sum(sample.confusion(page=page).values for page in pages))
    assert some.pages == pages and "pages:10|" in some.recipe and "chosen:doc_category=invoice" in some.recipe
    causes = sum(sample.causes(page=page).values for page in pages)
    np.testing.assert_allclose(some.causes().values, causes)
    found = sum(np.array(list(sample.objects(page=page).counts_at(0.5).values())) for page in pages)
    assert list(some.objects().counts_at(0.5).values()) == found.tolist()
    behind = sample.pages_behind("Table", "Picture")
    here = behind[behind["page"].isin(pages)]
    assert some.pages_behind("Table", "Picture")["pixels"].tolist() == here["pixels"].tolist()
    tiles, whole = some.page_tiles(pages[1]), sample.page_tiles(pages[1])
    np.testing.assert_array_equal(tiles.pair_of_tile, whole.pair_of_tile)


def test_no_page_and_all_pages(sample):
    assert comparison_of_pages(sample, sample.pages) is sample
    none = comparison_of_pages(sample, [])
    assert none.confusion().values.sum() == 0 and none.pages == []


def test_two_sets_of_pages_are_the_two_slices_of_their_union(sample):
    first, second = pages_of(sample, "invoice"), pages_of(sample, "paper")
    found = difference_of_pages(sample, first, second).set_index("figure")
    a, b = (comparison_of_pages(sample, pages).confusion() for pages in (first, second))
    assert found.loc["micro_f1", ["first", "second", "difference"]].tolist() == pytest.approx(
        [a.average("micro")["f1"], b.average("micro")["f1"], b.average("micro")["f1"] - a.average("micro")["f1"]]
    )
    both = comparison_of_pages(sample, [*first, *second])
    slices = both.slices("doc_category").set_index("value")
    for name in ("difference", "difference_low", "difference_high", "p", "verdict"):
        assert found.loc["micro_f1", name] == slices.loc["paper", name]
    assert found.loc["content_f1", "first_documents"] == 6
    with pytest.raises(lcm.InputError, match="10 pages are in both sets"):
        difference_of_pages(sample, first, first)


def test_the_wrong_pixels_of_a_label_on_each_page(sample):
    from layoutcm.metrics.levels import pages_wrong_in

    i = sample.labels.index("List-item")
    found = pages_wrong_in(sample.levels, sample.alignment, "List-item", "matrix").set_index("page")["pixels"]
    for page in sample.pages:
        values = sample.confusion(page=page).values
        wrong = values[i].sum() + values[:, i].sum() - 2 * values[i, i]
        assert found.get(page, 0) == pytest.approx(wrong)
    tiles = sample.page_tiles(found.index[0])
    lit = tiles.share_in_label((i, i))
    assert (lit * tiles.pairs.pixels).sum() == pytest.approx(found.iloc[0])
    right = tiles.carries(GT, i) == tiles.carries(PRED, i)
    names = [[tiles.set_names(side, pair) for side in (GT, PRED)] for pair in range(len(tiles.pairs))]
    assert not lit[right & [len(gt) == len(pred) == 1 for gt, pred in names]].any()
