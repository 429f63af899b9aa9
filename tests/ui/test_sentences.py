"""The sentences of the dashboard, on numbers that can be counted by hand."""

from dataclasses import replace

import pytest

import layoutcm as lcm
from layoutcm.layouts.model import GT, PRED
from layoutcm.results.vocabulary import WITH_TRUTH
from layoutcm.tables.matrix_views import select
from layoutcm.ui.measures.families import family_sentence
from layoutcm.ui.screen_text import words_of
from layoutcm.ui.shared.data_tables import collapsed_on_screen, confusion_sentences, sentence_on_screen
from support.app_runner import opened, texts


@pytest.fixture
def confusion():
    """Ten pixels of a: 6 right, 3 read as b, 1 missed. Ninety without a label: 88 right, 2 read as a."""
    return lcm.label_sets_confusion(
        [["a"], ["a"], ["a"], [], []], [["a"], ["b"], [], [], ["a"]], ["a", "b"], weights=[6, 3, 1, 88, 2]
    )


def test_the_summary(confusion):
    assert sentence_on_screen(confusion, "m_1.json", "page *p*") == (
        r"**m\_1\.json** finds 90.0 % of content pixels of page \*p\*; 60.0 % of the ground truth's label pixels have "
        "the right label; "
        "largest confusion: a read as b."
    )
    perfect = lcm.label_sets_confusion([["a"]], [["a"]], ["a"])
    assert sentence_on_screen(perfect, "m", "the whole set") == (
        "**m** finds 100 % of content pixels of the whole set; 100 % of the ground truth's label pixels have the right "
        "label."
    )


def test_the_summary_of_different_labels(two_pages):
    gt, pred = two_pages
    m = lcm.compare(gt, pred, taxonomy="different").confusion()
    assert sentence_on_screen(m, "m", "the whole set") == (
        # gt marks 450 pixels, of which 10 are missed; pred marks 460, of which 20 are invented.
        "**m** finds 97.8 % of content pixels of the whole set; 95.7 % of what it marks is content. "
        "Labels need a mapping."
    )


def test_the_largest_confusions(confusion):
    assert confusion_sentences(confusion, select(confusion)) == [
        ("a read as b: 3 px, 30.0 % of a", "a", "b"),
        ("Background read as a: 2 px, 2.22 % of Background", "Background", "a"),
        ("a read as Background: 1 px, 10.0 % of a", "a", "Background"),
    ]
    # A chosen label may be on either side.
    assert [text for text, *_ in confusion_sentences(confusion, select(confusion), touching=["b"])] == [
        "a read as b: 3 px, 30.0 % of a"
    ]
    assert len(confusion_sentences(confusion, select(confusion), touching=["a"])) == 3
    letters = replace(confusion, side_names=("A", "B"))
    assert confusion_sentences(letters, select(letters), most=1)[0][0] == "a in A, b in B: 3 px, 30.0 % of a in A"


def test_the_2x2(confusion):
    shown = collapsed_on_screen(confusion.collapse())
    numbers = shown.set_index(shown.columns[0]).loc["Content"].to_dict()
    assert numbers["recall"] == pytest.approx(9 / 10) and numbers["precision"] == pytest.approx(9 / 11)
    assert numbers["f1"] == pytest.approx(18 / 21)


def test_families(two_pages):
    # Of 450 label pixels of gt and 540 of pred, 280 are right: title 80, paragraph 80, picture 80, table 40.
    # 80 pixels of list items are read as paragraphs; the rest leaves its family.
    f = lcm.compare(*two_pages).families({"Text": ["title", "paragraph", "list_item"]}, count="gold")
    right, kept = f.shares(GT)["identity"], f.shares(GT)["in_family"]
    assert (right, kept) == pytest.approx((280 / 450, 80 / 450))
    assert family_sentence(f, GT, "the whole set", words_of(WITH_TRUTH)) == (
        "62.2\u00a0% of the ground truth's labelled pixels in the whole set are right; of the mistakes, 47.1\u00a0% "
        "stay in their family."
    )
    assert family_sentence(f, PRED, "page p", words_of(WITH_TRUTH)) == (
        "51.9\u00a0% of the prediction's labelled pixels in page p are right; of the mistakes, 30.8\u00a0% stay in "
        "their family."
    )


def test_the_chosen_cell_in_numbers(sample):
    app = opened("errors", load="sample", gt_label="Caption", pred_label="Text")
    pages = sample.pages_behind("Caption", "Text")
    counted = sum(sample.confusion(page=page).values[sample.cell("Caption", "Text")] for page in sample.pages)
    assert len(pages) == 9 and pages["pixels"].sum() == pytest.approx(counted)
    share = 100 * counted / sample.confusion().gt_pixels[sample.labels.index("Caption")]
    pixels = f"{round(counted):,}".replace(",", "\u202f")
    assert f"{share:.1f} % of Caption, {pixels} px on 9 of 60 pages" in texts(app)


@pytest.mark.parametrize(("page", "level"), [("errors", {}), ("errors", {"level": "page", "page": "paper-1_p1.png"})])
def test_the_sentence_says_how_much_is_border_slack(page, level, sample):
    share = sample.border_slack(level.get("page"))
    assert f"{100 * share:.1f} % of the wrong pixels are only border slack" in texts(
        opened(page, load="sample", **level)
    )
