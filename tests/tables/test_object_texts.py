"""Objects and centroids in the terminal."""

import layoutcm as lcm
from layoutcm.cli.main import main
from layoutcm.filling.result_of import Asked, result_of
from layoutcm.tables.terminal import object_summary
from support.layouts import build
from support.three_pages import different_labels
from support.written_reports import GT, MODEL_A


def test_objects_of_the_two_page_example(two_pages):
    """Found are the title, a paragraph, half of the picture and the table; the list item is missed.

    Invented are a second paragraph on the list item, a table on the picture and a caption. Whatever the labels, the
    second paragraph finds the list item.
    """
    assert (
        object_summary(result_of(lcm.compare(*two_pages)))
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


def test_objects_of_a_very_large_set_are_shown_if_asked_for(monkeypatch, two_pages, capsys):
    monkeypatch.setattr("layoutcm.cli.compare_command.MOST_PAGES", 1)
    c = lcm.compare(*two_pages)
    line = "Objects and centroids of 2 pages take a while: --objects adds them."
    assert object_summary(result_of(c, asked=Asked(parts=()))) == line
    assert main(["compare", GT, MODEL_A]) == 0
    out = capsys.readouterr().out
    assert "take a while: --objects adds them." in out and "objects (boxes)" not in out
    assert main(["compare", GT, MODEL_A, "--objects"]) == 0
    assert "objects (boxes)" in capsys.readouterr().out
