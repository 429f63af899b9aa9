"""The matrix of the dashboard in a real browser: what is clicked is what Python gets, and everybody can use it."""

import random
import time

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.models.cell_differences import cell_differences
from layoutcm.ui.parts.matrix_panel import choose_in
from support.app_runner import choose, coco, matrices, opened, opened_unmapped, texts
from support.browser import cell_centre, settle, shown, tab, upload, visit, wait_for_link
from support.matrix_page import serious_violations
from support.matrix_values import views_of
from support.paths import SAMPLE

HOSTILE = ["<img src=x onerror=alert(1)>", "</script>", "مرحبا", "😀", "plain"]
GROUPED = ["Title", "Section-header", "Text", "List-item", "Table", "Picture", "Caption", "Formula", "Footnote"]


@pytest.fixture(scope="module")
def context(browser):
    with browser.new_context(viewport={"width": 1400, "height": 1000}) as shared:
        yield shared


@pytest.fixture
def page(context):
    with tab(context) as opened:
        yield opened


def many_labels(tmp_path, n):
    """A COCO file with n labels, most of them of no known family."""
    labels = [*GROUPED, *(f"label {i:02d}" for i in range(n - len(GROUPED)))]
    path = tmp_path / "many.json"
    path.write_bytes(coco(labels, [(i, [0.5 * (i % 10), 0.5 * i, 20, 0.5]) for i in range(n)]))
    return labels, str(path)


@pytest.mark.parametrize("n", [pytest.param(11, marks=pytest.mark.long), 74])
def test_20_of_20_random_cells_are_the_chosen_ones(page, address, tmp_path, n):
    if n == 11:
        labels = lcm.read(SAMPLE / "gt.json").labels
        visit(page, f"{address}/errors?load=sample")
    else:
        labels, path = many_labels(tmp_path, n)
        visit(page, address)
        upload(page, path, path)
        started = time.perf_counter()
        page.get_by_role("link", name="Errors").click()
    cells = page.locator(".st-key-matrix_recall td[data-cell]")
    cells.nth((n + 1) ** 2 - 1).wait_for(timeout=20_000)
    if n == 74:
        print(f"74 labels: {time.perf_counter() - started:.2f} s from the link to the painted matrix")
    settle(page, 500)
    names = ["Background", *labels]
    generator = random.Random(n)
    picked = [(generator.randrange(n + 1), generator.randrange(n + 1)) for _ in range(20)]
    answers = []
    for row, column in picked:
        place = cell_centre(page, row, column, n + 1, n + 1)
        wanted = f"{names[row]} {'found as' if row == column else 'read as'} {names[column]}"
        clicked = time.perf_counter()
        page.mouse.click(*place)
        page.get_by_role("heading", name=wanted, exact=True).wait_for(timeout=10_000)
        answers.append(time.perf_counter() - clicked)
        settle(page, 50)
        selected = page.locator(".lcm-matrix table [aria-selected=true]")
        assert selected.get_attribute("data-cell") == f"{row}-{column}"
    print(f"{n} labels: a click is answered in {np.median(answers):.2f} s (median), {max(answers):.2f} s (slowest)")


def test_a_cell_is_chosen_by_keyboard(page, address):
    visit(page, f"{address}/errors?load=sample&gt_label=Caption&pred_label=Caption")
    page.wait_for_selector(".lcm-matrix table", timeout=15_000)
    settle(page, 500)
    page.locator(".lcm-matrix table [aria-selected=true]").focus()
    for key in ("ArrowRight", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    page.get_by_role("heading", name="Footnote found as Footnote").wait_for(timeout=10_000)
    settle(page)
    page.keyboard.press("ArrowRight")  # the focus is still there
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Footnote read as Formula").wait_for(timeout=10_000)
    wait_for_link(page, "gt_label=Footnote", "pred_label=Formula")


def test_a_label_that_is_clicked_is_shown_and_is_the_chosen_class(page, address, sample):
    visit(page, f"{address}/errors?load=sample&gt_label=Caption&pred_label=Text")
    page.wait_for_selector(".lcm-matrix table", timeout=15_000)
    settle(page, 500)
    page.locator(".lcm-matrix table th.row button", has_text="Table").click()
    page.get_by_role("heading", name="Table", exact=True).wait_for(timeout=10_000)
    wait_for_link(page, "class=Table")
    assert "gt_label" not in page.url
    value = sample.confusion().classes().set_index("label").loc["Table"]
    assert f"Precision {value.precision:.3f}, Recall {value.recall:.3f}, F1 {value.f1:.3f}" in shown(page)
    page.locator(".lcm-matrix table th.column button", has_text="Picture").click()
    wait_for_link(page, "class=Picture")
    assert page.get_by_role("combobox", name="What is it taken for?").input_value() == "Picture"


def test_large_matrices_open_in_groups_that_the_link_keeps(page, address, tmp_path):
    labels = ["Title", "Section-header", "Text", "List-item", "Table", "Picture", "Caption", "Formula", "Footnote",
              "Page-header", "Page-footer", "Paragraph", "Heading", "Figure", "Equation", "List", "Header", "Footer",
              "Reference", "Code", "Document-title", "Table-caption"]  # fmt: skip
    path = tmp_path / "many.json"
    path.write_bytes(coco(labels, [(i, [0, i, 20, 1]) for i in range(len(labels))]))
    visit(page, address)
    upload(page, str(path), str(path))
    page.get_by_role("link", name="Errors").click()
    page.wait_for_selector(".lcm-matrix table", timeout=15_000)
    settle(page, 500)
    groups = page.locator(".groups button[data-group]")
    count = groups.count()
    assert count > 2 and page.locator(".lcm-matrix table th.row").count() < len(labels)
    name = groups.first.get_attribute("data-group")
    groups.first.click()
    wait_for_link(page, "open_groups=", name)
    assert (
        groups.first.get_attribute("aria-expanded") == "true"
        and groups.nth(1).get_attribute("aria-expanded") == "false"
    )
    page.get_by_role("button", name="Open all groups").click()
    settle(page)
    assert page.locator(".lcm-matrix table th.row").count() == len(labels) + 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_the_matrix(browser, address, scheme):
    size = {"width": 1400, "height": 1000}
    with browser.new_context(viewport=size, color_scheme=scheme) as context, tab(context) as page:
        for choices in ("gt_label=Caption&pred_label=Text", "other=1&beside=beside", "other=1&beside=difference"):
            visit(page, f"{address}/errors?load=sample&{choices}")
            page.wait_for_selector(".lcm-matrix table", timeout=15_000)
            settle(page, 500)
            assert (
                serious_violations(page, "[data-testid=stBidiComponentRegular], [data-testid=stBidiComponentIsolated]")
                == []
            )


def test_hostile_labels_appear_as_typed(page, address, tmp_path):
    path, problems = tmp_path / "hostile.json", []
    path.write_bytes(coco(HOSTILE, [(i, [0, 5 * i, 50, 5]) for i in range(5)]))
    page.on("dialog", lambda dialog: problems.append(dialog.message))
    page.on("pageerror", lambda error: problems.append(str(error)))
    visit(page, address)
    upload(page, str(path), str(path))
    page.get_by_role("link", name="Errors").click()
    page.get_by_role("heading", name="Errors").wait_for(timeout=15_000)
    settle(page, 500)
    shown_names = page.locator(".lcm-matrix table th.row").all_text_contents()
    assert shown_names[2:] == HOSTILE[1:] and shown_names[1].startswith("<img src=x")
    page.mouse.click(*cell_centre(page, 1, 2, 6, 6))
    page.get_by_role("heading", name=f"{HOSTILE[0]} read as {HOSTILE[1]}").wait_for(timeout=10_000)
    page.hover(".lcm-matrix table [data-cell='1-2']")
    assert page.locator(".tip:not([hidden])").inner_text().startswith(f"Ground truth {HOSTILE[0]}")
    assert not problems and page.locator(".lcm-matrix table img").count() == 0


def test_the_matrix_has_the_numbers_of_the_api(sample):
    data = matrices(opened("errors", load="sample"))[0]
    np.testing.assert_array_equal(views_of(data)["recall"], sample.confusion().recall)
    assert data["clickable"] and data["headers"] and data["groups"] == []
    four = matrices(opened("errors", load="sample", view="collapsed"))
    small = sample.confusion().collapse()
    assert [one["view"] for one in four] == ["pixels", "recall", "precision", "f1"]
    assert all((views_of(one)["f1"] == small.f1).all() for one in four) and four[0]["row_names"] == small.labels


def test_a_click_chooses_a_cell_a_class_or_groups():
    app = opened("errors", load="sample")
    labels = ["Background", "a", "b"]

    def chosen(**picked):
        import streamlit as st

        st.session_state["choices"] = app.session_state["choices"]
        choose_in(labels)(picked)
        return st.session_state["choices"]

    now = chosen(kind="cell", row=1, column=2, n=1)
    assert (now.gt_label, now.pred_label) == ("a", "b")
    now = chosen(kind="column", column=2, n=2)
    assert (now.gt_label, now.pred_label, now.class_name) == ("", "", "b")
    assert chosen(kind="row", row=0, n=3).class_name == "Background"
    assert chosen(kind="group", group="F", open=["F", "G"], n=4).open_groups == ("F", "G")


def test_two_predictions_side_by_side_and_their_difference(sample):
    app = opened("errors", load="sample", other="1")
    (data,) = matrices(app)
    assert [model["name"] for model in data["models"]] == ["model-a.json", "model-b.csv"] and "difference" not in data
    np.testing.assert_array_equal(views_of(data)["recall"][1:12, 1:12], sample.confusion().recall[1:12, 1:12])
    choose(app, beside="difference")
    app.run()
    assert not app.exception and not app.error, texts(app)
    (data,) = matrices(app)
    gt, b = (lcm.read(SAMPLE / name) for name in ("gt.json", "model-b.csv"))
    other = lcm.compare(gt, b, mapping=SAMPLE / "mapping.yaml")
    found = cell_differences(other, sample, "recall", data["row_names"])
    np.testing.assert_array_equal(np.array(data["difference"]["values"], float), found.values)
    assert data["difference"]["noise"] == found.noise.tolist()
    assert "model-a.json minus model-b.csv" in texts(app) and "95 % interval" in texts(app)
    # One document has too few pages.
    choose(app, level="page", page=sample.pages[0])
    app.run()
    assert np.all(matrices(app)[0]["difference"]["noise"])
    assert "With 1 page nothing can be called better or worse: 6 are needed." in texts(app)
    choose(app, other=99)
    app.run()
    assert not app.exception and len(matrices(app)[0]["models"]) == 1


def test_matrices_that_cannot_be_compared_say_why(monkeypatch):
    import json

    files = [str(SAMPLE / name) for name in ("gt.json", "model-a.json", "model-b.csv")]
    monkeypatch.setenv("LAYOUTCM_APP", json.dumps({"files": files}))
    app = opened("errors", load="start", other="1")
    assert not app.exception and not matrices(app)
    assert "The two predictions cannot be compared" in texts(app) and "mapping" in texts(app)
    assert "Compare with" not in texts(opened_unmapped(monkeypatch, "errors"))
