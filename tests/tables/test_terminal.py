"""The terminal summary: every number in it is that of the API, in the column that its heading names."""

import re

import pytest

import layoutcm as lcm
from layoutcm.filling.result_of import Asked, result_of
from layoutcm.tables.terminal import layout_summary, object_summary, result_summary
from layoutcm.wording import percent
from support.layouts import build
from support.sample_comparisons import compare_sample
from support.three_pages import different_labels
from support.written_reports import GT, MODEL_A


def summary(c, method="matrix", **asked):
    return result_summary(result_of(c, method, Asked(**asked)))


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
    found = object_summary(result_of(lcm.compare(*two_pages)))
    assert (
        found
        == """\
objects (boxes), 5 gt, 7 pred   precision    recall        F1     found    missed  invented
at IoU 0.50                         0.571     0.800     0.667         4         1         3
at IoU 0.50, whatever the label     0.714     1.000     0.833         5         0         2
centroids within 20 x 20 px         0.571     0.800     0.667
AP 0.430, AP50 0.700, AP75 0.500, AR 0.500"""
    )


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
