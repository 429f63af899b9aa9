"""Texts of the terminal: whole ones for pages that can be counted by hand, and every number is that of the API."""

import re

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.diagnosis.cause_kernel import CAUSES
from layoutcm.filling.result_of import Asked, result_of
from layoutcm.layouts.findings import SEVERE
from layoutcm.tables.terminal import (
    family_summary,
    finding_lines,
    layout_summary,
    object_summary,
    result_summary,
)
from layoutcm.tables.why import cause_shares, why_summary, why_tables
from layoutcm.wording import percent
from support.comparisons import compare_sample, different_labels, three_pages
from support.layouts import build
from support.results import assert_valid
from support.stored import stored_text
from support.written_reports import GT, MODEL_A

NOTHING = "has no region at all, so every score with it is 0 or n/a. Check that this is the right file."
FAMILIES = {"Text": ["title", "paragraph", "list_item", "caption"], "Figure": ["picture"], "Table": ["table"]}


def summary(c, method="matrix", **asked):
    return result_summary(result_of(c, method, Asked(**asked)))


def family_text(c, families):
    return family_summary(result_of(c, asked=Asked(families=families)).families)


def test_summary_of_a_comparison(two_pages):
    assert summary(lcm.compare(*two_pages)) == stored_text("summary.txt")


def test_summary_with_intervals():
    """Two documents are too few for intervals, so their own values are listed. The b on p3 has too low a score."""
    comparison = three_pages(min_score=0.55)
    found = summary(comparison, "tensor", intervals=comparison.bootstrap(100, level=0.9))
    assert found == stored_text("summary_with_intervals.txt")


def test_summary_with_different_labels():
    assert summary(different_labels(), intervals=5) == stored_text("summary_of_different_labels.txt")


def test_warnings_stand_before_the_scores():
    gt = build({"p": (4, 4)}, [("p", "a", 0, 0, 4, 4)], name="gt")
    sections = summary(lcm.compare(gt, build({"p": (4, 4)}, [], ["a"], name="pred"))).split("\n\n")
    assert sections[1:4] == [
        "1 page, 1 document, 16 pixels, same taxonomy",
        f"{SEVERE}\n  [error] pred {NOTHING}",
        "findings\n  [warning] 1 of 1 pages has regions in gt and none in pred (first: 'p'); they count as missed. "
        "Check that the model ran on all pages.",
    ]
    assert [section.split()[0] for section in sections[4:]] == ["pred", "averages", "content,", "class", "largest"]


def test_no_findings_have_no_lines():
    assert finding_lines(()) == []


def test_summary_of_families(two_pages):
    assert family_text(lcm.compare(*two_pages), FAMILIES) == stored_text("summary_of_families.txt")


def test_summary_of_families_on_pages_with_findings(two_pages):
    """A label that is longer than the name of the last row makes the first column wider."""
    comparison = lcm.compare(*two_pages, mapping={side: {"title": "title of the document"} for side in ("gt", "pred")})
    tree = {"A": {"B": ["title of the document"]}, "Text": ["nope"]}
    found = family_text(comparison, comparison.families(tree, sample="page", depth=3))
    assert found == stored_text("summary_of_families_on_pages.txt")


PAGES = {"p": (10, 20), "q": (7.5, 30)}
REGIONS = [("q", "text", 1, 2.5, 3, 4, 0.5), ("p", "a", 2, 3, 4, 5, 0.25), ("q", "text", 1, 2.5, 3, 4, 0.5)]


def test_summaries_of_layouts():
    layouts = [
        build(PAGES, REGIONS, ["a", "text", "title"], "in.csv", {"p": "D", "q": "D"}),
        build({"p": (60, 80)}, [("p", "x", 0, 0, 40, 1)]),
        build({}, [], name="none"),
    ]
    assert list(map(layout_summary, layouts)) == stored_text("summary_of_layouts.txt").split("\n\n")


SIZES = {"d_0": (100, 100), "d_1": (100, 100)}
EMPTY = dict.fromkeys(CAUSES, 0.0)


@pytest.fixture(scope="module")
def compared():
    """d_0: a box without its last column (40 px of slack). d_1: a missed region of 100 px, one of 200 px as b."""
    gt = [("d_0", "a", 10, 10, 50, 50), ("d_1", "a", 0, 0, 10, 10), ("d_1", "a", 50, 50, 70, 60)]
    pred = [("d_0", "a", 10, 10, 49, 50), ("d_1", "b", 50, 50, 70, 60)]
    sides, documents = ((gt, "gt"), (pred, "pred")), dict.fromkeys(SIZES, "d")
    return lcm.compare(*(build(SIZES, rows, ["a", "b"], name, documents) for rows, name in sides))


@pytest.fixture(scope="module")
def why(compared):
    return result_of(compared, asked=Asked(why=True))


def test_tables_of_causes(why):
    tables = {table.name: table for table in why_tables(why)}
    totals = tables["causes"].data.set_index("cause")
    assert totals["pixels"].to_dict() == EMPTY | {"slack": 40, "label": 200, "missed": 100}
    assert totals.loc["label"].tolist() == [200, 200 / 340, "a read as b"]
    assert totals.loc["split"].tolist() == [0, 0, ""]
    by_label = tables["causes_by_label"].data.set_index(["side", "class"])
    lost = EMPTY | {"slack": 40, "label": 200, "missed": 100, "total": 340}
    assert by_label.loc[("missing in pred", "a")].to_dict() == lost
    assert by_label.loc[("too much in pred", "b")].to_dict() == EMPTY | {"label": 200, "total": 200}
    extra = [("too much in pred", "Background"), ("too much in pred", "b")]
    assert by_label.index.tolist() == [("missing in pred", "a"), *extra]
    documents = tables["causes_by_document"].data
    assert documents[["document", "pages", "total"]].values.tolist() == [["d", 2, 340]]
    pages = tables["causes_by_page"].data
    assert pages[["page", "document", "slack", "label", "total"]].values.tolist() == [
        ["d_1", "d", 0, 200, 300],
        ["d_0", "d", 40, 0, 40],
    ]
    assert tables["causes"].kinds() == ["text", "pixels", "share", "text"]
    assert set(tables["causes_by_document"].kinds()[2:]) == {"pixels"}
    assert tables["causes"].note == "slack: borders within 0.5 % of the longer side of a page"
    # With slack as right, 1600 of 1900 pixels of gt are found, and 1600 of 1800 of pred are right.
    forgiven = tables["forgiveness"].data.set_index("tolerance")
    assert forgiven.loc[0.005, "micro_f1"] == pytest.approx(2 * 1600 / (1900 + 1600 + 200))
    assert forgiven.loc[0, "micro_f1"] == pytest.approx(2 * 1560 / (1900 + 1560 + 200))


def test_shares_are_what_recall_and_precision_lack(compared):
    shares = cause_shares(compared.causes(), compared.confusion())
    assert shares.labels == ["a", "b"]
    assert dict(zip(CAUSES, shares.gt[0])) == pytest.approx(
        EMPTY | {"slack": 40 / 1900, "label": 200 / 1900, "missed": 100 / 1900}
    )
    assert shares.pred[0].sum() == 0 and shares.pred[1].sum() == 1 and np.isnan(shares.gt[1]).all()


def test_the_json(compared, why):
    result = why.as_dict()
    assert_valid(result)
    causes = result["causes"]
    assert causes["totals"] == EMPTY | {"slack": 40, "label": 200, "missed": 100} and causes["tolerance"] == 0.005
    assert causes["by_document"] == [{"document": "d", "pages": 2, **EMPTY, "slack": 40, "label": 200, "missed": 100}]
    assert causes["by_label"][0] == {"side": "gt", "class": "a", **causes["totals"]}
    assert causes["values"]["missed"] == [[0, 0, 0], [100, 0, 0], [0, 0, 0]]
    assert [row["tolerance"] for row in result["forgiveness"]] == [0, 0.0025, 0.005, 0.01, 0.02]
    plain = result_of(compared).as_dict()
    assert "causes" not in plain and "forgiveness" not in plain


def test_the_text(why):
    assert why_summary(why) == stored_text("summary_of_causes.txt")


def test_different_labels_have_no_causes():
    why = result_of(different_labels(), asked=Asked(why=True))
    assert why_summary(why).startswith("There are no causes")
    assert why_tables(why)[0].note.startswith("There are no causes")
    result = why.as_dict()
    assert_valid(result)
    assert result["causes"] is None and result["forgiveness"][0]["micro_f1"] is None


def section(text, title):
    """The lines after the one that begins with `title`, up to a blank line, and that line itself."""
    lines = text.split("\n")
    start = next(i for i, line in enumerate(lines) if line.startswith(title))
    end = next((i for i in range(start, len(lines)) if not lines[i]), len(lines))
    return lines[start], lines[start + 1 : end]


def test_intervals_stand_beside_their_own_average():
    sample = compare_sample(documents="(.+)")  # every page is a document
    intervals = sample.bootstrap(50)
    text = summary(sample, intervals=intervals)
    for title, figure in {
        "micro, without Background": "micro_f1",
        "weighted, without Background": "weighted_f1",
        "micro, with Background": "micro_f1_with_background",
        "macro, mean over pages": "macro_f1_over_pages",
        "macro, mean over documents": "macro_f1_over_documents",
        "content, against Background": "content_f1",
    }.items():
        _, low, high = intervals.figures[figure]
        line, _ = section(text, title)
        assert line.endswith(f"   {low:.3f} – {high:.3f}"), title
    assert f"95 % intervals over {len(sample.pages)} documents, by the jackknife" in text


def test_sizes_and_confusions_are_those_of_the_comparison(sample):
    text, confusion = summary(sample), sample.confusion()
    assert f"60 pages, 30 documents, {int(sample.pixels):,} pixels, same taxonomy" in text
    _, lines = section(text, "largest confusions")
    assert len(lines) == 10
    pixels = []
    for line in lines:
        gt, pred, value, share, of = re.fullmatch(r"  (.+) read as (.+?) +([\d,.]+) px +(\S+ %) of (.+)", line).groups()
        i, j = sample.cell(gt, pred)
        pixels.append(float(value.replace(",", "")))
        assert of == gt and i != j and pixels[-1] == pytest.approx(confusion.values[i, j], abs=0.05)
        assert share == percent(confusion.recall[i, j])
    assert pixels == sorted(pixels, reverse=True)


def test_names_cannot_look_like_other_lines_or_widen_a_table():
    forged = "Text\nAll numbers that were compared agree"
    gt = build({"p\nfindings: none": (60, 80)}, [("p\nfindings: none", forged, 0, 0, 40, 10)], name="a\nb.json")
    long = build({"p": (60, 80)}, [("p", "long " * 100, 0, 0, 40, 10)])
    for text in (layout_summary(gt), summary(lcm.compare(gt, gt))):
        assert "Text All numbers that were compared agree" in text
        assert not any(line.startswith(("All numbers", "findings: none", "b.json")) for line in text.splitlines())
    assert max(map(len, layout_summary(long).splitlines())) < 160


def test_objects_of_the_two_page_example(two_pages):
    """Found are the title, a paragraph, half of the picture and the table; the list item is missed.

    Invented are a second paragraph on the list item, a table on the picture and a caption. Whatever the labels, the
    second paragraph finds the list item.
    """
    assert object_summary(result_of(lcm.compare(*two_pages))) == stored_text("summary_of_objects.txt")


def test_objects_with_different_labels_are_matched_whatever_their_labels():
    text = object_summary(result_of(different_labels()))
    assert text.startswith("""\
objects (boxes), 1 gt, 1 pred                   precision    recall        F1     found    missed  invented
at IoU 0.50, whatever the label                     1.000     1.000     1.000         1         0         0
centroids within 20 x 20 px, whatever the label     1.000     1.000     1.000
no AP: The two sides have different labels""")


def test_without_scores_panoptic_quality_comes_first_and_the_summary_says_why_there_is_no_ap():
    gt = build({"p": (10, 10)}, [("p", "a", 0, 0, 5, 5), ("p", "b", 5, 5, 9, 9)])
    pred = build({"p": (10, 10)}, [("p", "a", 0, 0, 5, 4)], "ab")
    text = object_summary(result_of(lcm.compare(gt, pred))).split("\n")
    assert text[-2] == "panoptic quality: PQ 0.400 (SQ 0.400, RQ 0.500)" and text[-1].startswith("no AP: ")


def test_objects_of_a_very_large_set_are_shown_if_asked_for(monkeypatch, two_pages, printed):
    monkeypatch.setattr("layoutcm.cli.compare_command.MOST_PAGES", 1)
    c = lcm.compare(*two_pages)
    line = "Objects and centroids of 2 pages take a while: --objects adds them."
    assert object_summary(result_of(c, asked=Asked(parts=()))) == line
    out = printed(["compare", GT, MODEL_A])
    assert "take a while: --objects adds them." in out and "objects (boxes)" not in out
    assert "objects (boxes)" in printed(["compare", GT, MODEL_A, "--objects"])
