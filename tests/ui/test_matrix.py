"""The matrix of the dashboard in a real browser: what is clicked is what Python gets, and everybody can use it."""

import random

import pytest

from support.app_runner import coco
from support.browser import cell_centre, settle, shown, upload, visit, wait_for_link
from support.matrix_values import KNOWN_LABELS


def many_labels(tmp_path, n):
    """A COCO file with n labels, most of them of no known family."""
    labels = [*KNOWN_LABELS[:9], *(f"label {i:02d}" for i in range(n - 9))]
    path = tmp_path / "many.json"
    path.write_bytes(coco(labels, [(i, [0.5 * (i % 10), 0.5 * i, 20, 0.5]) for i in range(n)]))
    return labels, str(path)


@pytest.mark.long
def test_random_cells_of_74_labels_are_the_chosen_ones(page, address, tmp_path):
    """Python gets the cell that was clicked; the places of more cells are tested without a server."""
    labels, path = many_labels(tmp_path, 74)
    visit(page, address)
    upload(page, path, path)
    page.get_by_role("link", name="Errors").click()
    page.get_by_role("radio", name="Labels", exact=True).click()  # it opens in groups
    page.locator(".st-key-error_matrix td[data-cell]").nth(75**2 - 1).wait_for()
    settle(page)
    names = ["Background", *labels]
    generator = random.Random(74)
    for row, column in [(generator.randrange(75), generator.randrange(75)) for _ in range(4)]:
        wanted = f"{names[row]} {'found as' if row == column else 'read as'} {names[column]}"
        page.mouse.click(*cell_centre(page, row, column, 75, 75))
        page.get_by_role("heading", name=wanted, exact=True).wait_for()
        settle(page)
        selected = page.locator(".lcm-matrix table [aria-selected=true]")
        assert selected.get_attribute("data-cell") == f"{row}-{column}"


@pytest.mark.long
def test_a_cell_is_chosen_by_keyboard(page, address):
    visit(page, f"{address}/errors?load=sample&gt_label=Caption&pred_label=Caption")
    page.wait_for_selector(".lcm-matrix table")
    page.locator(".lcm-matrix table [aria-selected=true]").focus()
    for key in ("ArrowRight", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    page.get_by_role("heading", name="Footnote found as Footnote").wait_for()
    settle(page)
    page.keyboard.press("ArrowRight")  # the focus is still there
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Footnote read as Formula").wait_for()
    wait_for_link(page, "gt_label=Footnote", "pred_label=Formula")


def test_a_label_that_is_clicked_is_shown_and_is_the_chosen_class(page, address, sample):
    visit(page, f"{address}/errors?load=sample&gt_label=Caption&pred_label=Text")
    page.wait_for_selector(".lcm-matrix table")
    page.locator(".lcm-matrix table th.row button", has_text="Table").click()
    page.get_by_role("heading", name="Table", exact=True).wait_for()
    wait_for_link(page, "class=Table")
    assert "gt_label" not in page.url
    value = sample.confusion().classes().set_index("label").loc["Table"]
    assert f"Precision {value.precision:.3f}, Recall {value.recall:.3f}, F1 {value.f1:.3f}" in shown(page)
    page.locator(".lcm-matrix table th.column button", has_text="Picture").click()
    wait_for_link(page, "class=Picture")
    page.get_by_role("heading", name="Picture", exact=True).wait_for()


def test_large_matrices_open_in_groups_that_the_link_keeps(page, address, tmp_path):
    labels = KNOWN_LABELS
    path = tmp_path / "many.json"
    path.write_bytes(coco(labels, [(i, [0, i, 20, 1]) for i in range(len(labels))]))
    visit(page, address)
    upload(page, str(path), str(path))
    page.get_by_role("link", name="Errors").click()
    page.wait_for_selector(".lcm-matrix table")
    settle(page)
    groups = page.locator(".groups button[data-group]")
    count = groups.count()
    assert count > 2 and page.locator(".lcm-matrix table th.row").count() < len(labels)
    name = groups.first.get_attribute("data-group")
    groups.first.click()
    wait_for_link(page, "open_groups=", name)
    assert groups.first.get_attribute("aria-expanded") == "true"
    assert groups.nth(1).get_attribute("aria-expanded") == "false"
    page.get_by_role("button", name="Open all groups").click()
    settle(page)
    assert page.locator(".lcm-matrix table th.row").count() == len(labels) + 1
