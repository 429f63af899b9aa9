"""The page viewer in the HTML report, opened from disk: layers, words, hostile labels, keyboard, accessibility."""

import layoutcm as lcm
from support.hostile import SCREEN
from support.layouts import build
from support.matrix_page import serious_violations

LABELS = SCREEN[:4]


def strips(shift=0):
    rows = [("p", label, 10, 10 + 30 * k, 210 - shift, 35 + 30 * k) for k, label in enumerate(LABELS)]
    return build({"p": (300, 200)}, rows, LABELS)


def at(compared, *cell):
    """The part of an address that chooses a cell."""
    row, column = compared.cell(*cell)
    return f"#cell-{row}-{column}"


def test_the_dialog_is_the_whole_viewer(opened):
    c = lcm.compare(strips(), strips(50))
    page = opened(c, at(c, LABELS[0], "Background"), why=True)
    page.locator("#cell canvas").press("Enter")
    viewer = page.locator("#large .viewer")
    page.wait_for_selector("#large .viewer[data-ready=none]")
    assert viewer.locator("canvas").count() == 1 and "1\u202f250 px" in viewer.locator(".viewer-legend").inner_text()
    kinds = viewer.locator("select").first.locator("option").all_inner_texts()
    sides = ["Label sets of Ground truth", "Label sets of Prediction"]
    assert kinds == ["Regions only", "Difference", "Chosen cell", *sides, "Causes"]
    viewer.get_by_role("button", name="3 canvases").click()
    assert viewer.locator("canvas").count() == 3
    rows = viewer.locator(".viewer-words tr[data-pair]").all_inner_texts()
    assert len(rows) == 1 + 2 * 4 and any("0000 0010" in row and LABELS[0] in row for row in rows)
    viewer.locator("summary").click()
    viewer.locator(".viewer-list li").first.wait_for()  # the list is made when it is opened
    listed = viewer.locator(".viewer-list li").all_inner_texts()
    for number, label in enumerate(LABELS, start=1):
        assert f"Ground truth, region {number}: {label}, x 10 to 210" in listed[number - 1]
    assert len(listed) == 8 and page.locator("#large img").count() == 0
    page.keyboard.press("Escape")
    assert not page.locator("#large").is_visible()


def test_two_predictions_without_a_truth_are_a_and_b(opened):
    c = lcm.compare(strips(), strips(50), truth=False)
    page = opened(c, at(c, LABELS[0], "Background"))
    page.locator("#cell canvas").click()
    text = page.locator("#large .viewer").inner_text()
    assert "Label sets of A" in text and "Ground truth" not in text and "Prediction" not in text


def test_the_dialog_has_no_serious_accessibility_violation(opened):
    c = lcm.compare(strips(), strips(50))
    page = opened(c, at(c, LABELS[0], "Background"), "dark")
    page.locator("#cell canvas").click()
    page.locator("#large summary").click()
    page.locator("#large .viewer-words tr[data-pair]").first.click()
    assert serious_violations(page, "#large", ["<canvas"]) == []
