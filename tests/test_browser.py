"""The dashboard in a real browser: uploads, clicks, deep links, two visitors, light and dark."""

import json
import re
from contextlib import contextmanager

import pytest
from browser import ROOT, cell_centre, chromium, server, settle, visit
from test_app_pages import HOSTILE, coco

import layoutcm as lcm

SAMPLE = ROOT / "sample_data"


@pytest.fixture(scope="module")
def address():
    with server() as running:
        yield running


@pytest.fixture(scope="module")
def browser():
    with chromium() as running:
        yield running


@pytest.fixture
def page(browser):
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    opened = context.new_page()
    with inside(context):
        yield opened
    context.close()


@contextmanager
def inside(context):
    """Whatever a page asks for must come from the server on this machine."""
    asked = []
    context.on("request", lambda request: asked.append(request.url))
    yield
    outside = {url for url in asked if not re.match(r"(https?|wss?)://127\.0\.0\.1:|data:|blob:", url)}
    assert not outside and asked


def shown(page):
    return page.locator("[data-testid=stMain]").inner_text()


def upload(page, gt, pred):
    inputs = page.locator("[data-testid=stFileUploaderDropzoneInput]")
    inputs.nth(0).set_input_files(gt)
    settle(page)
    inputs.nth(1).set_input_files(pred)
    settle(page, 800)


def test_upload_of_two_files_to_the_first_matrix(page, address):
    visit(page, address)
    upload(page, str(SAMPLE / "gt.json"), str(SAMPLE / "model-a.json"))
    assert "263 regions" in shown(page) and "266 regions" in shown(page)
    page.get_by_role("button", name="See how good it is").click()
    page.wait_for_selector(".nsewdrag", timeout=15_000)
    settle(page)
    assert "/overview" in page.url and "0.889" in shown(page)


def test_sample_cell_pages_and_lit_pixels(page, address):
    visit(page, address)
    page.get_by_role("button", name="Try the sample").click()
    settle(page, 600)
    assert "load=sample" in page.url
    page.get_by_role("link", name="Matrices").click()
    page.wait_for_selector(".nsewdrag", timeout=15_000)
    settle(page)
    gt = lcm.read(SAMPLE / "gt.json")
    c = lcm.compare(gt, lcm.read(SAMPLE / "model-a.json", like=gt))
    labels = list(c.confusion().labels)
    row, column, n = labels.index("Caption"), labels.index("Text"), len(labels)
    page.mouse.click(*cell_centre(page, row, column, n, n))
    page.get_by_text("Caption read as Text").first.wait_for(timeout=10_000)
    behind = c.pages_behind("Caption", "Text")
    assert f"{behind.pixels.sum():,.0f} px on {len(behind)} of 16 pages" in shown(page)
    assert "gt_label=Caption" in page.url and "pred_label=Text" in page.url
    settle(page)
    page.get_by_role("button", name="Open page").first.click()
    page.get_by_text("This page's matrix").wait_for(timeout=10_000)
    settle(page)
    worst = behind["page"].iloc[0]
    assert "/viewer" in page.url and f"page={worst}" in page.url
    assert f"Caption read as Text: {behind.pixels.iloc[0]:,.0f} px" in shown(page)
    page.get_by_role("button", name="Back to the cell").click()
    page.get_by_text("Caption read as Text").first.wait_for(timeout=10_000)
    assert "/matrices" in page.url


def test_many_cells_answer_their_clicks(page, address):
    visit(page, f"{address}/matrices?load=sample")
    page.wait_for_selector(".nsewdrag", timeout=15_000)
    labels = list(lcm.read(SAMPLE / "gt.json").labels)
    names = ["Background", *labels]
    for row, column in ((0, 0), (0, 11), (11, 0), (11, 11), (5, 7), (7, 5), (9, 10), (4, 10)):
        page.mouse.click(*cell_centre(page, row, column, 12, 12))
        verb = "found as" if row == column else "read as"
        page.get_by_text(f"{names[row]} {verb} {names[column]}").first.wait_for(timeout=10_000)
        settle(page)


def test_deep_links_on_a_fresh_server(browser):
    with server() as fresh:
        context = browser.new_context(viewport={"width": 1400, "height": 1000})
        page = context.new_page()
        visit(page, f"{fresh}/viewer?load=sample&page=report_p3.png&gt_label=Table&pred_label=Picture")
        page.get_by_text("This page's matrix").wait_for(timeout=20_000)
        assert "Table read as Picture: 112,280 px" in shown(page)
        context.close()


def test_hostile_names_show_as_typed(page, address, tmp_path):
    gt, pred = tmp_path / "gt.json", tmp_path / "pred.json"
    gt.write_bytes(coco(HOSTILE, [(i, [0, 5 * i, 50, 5]) for i in range(6)]))
    pred.write_bytes(coco(HOSTILE, [(i, [0, 5 * i, 40, 5]) for i in (1, 0, 2, 3, 4, 5)]))
    visit(page, address)
    upload(page, str(gt), str(pred))
    page.get_by_role("link", name="Overview").click()
    page.wait_for_selector(".nsewdrag", timeout=15_000)
    settle(page)
    seen = shown(page)
    for name in HOSTILE:
        assert f"{name} read as Background" in seen
    ticks = page.locator(".ytick text, .xtick text").all_inner_texts()
    assert {"<b>bold</b>", "=1+1", "مرحبا 😀"} <= {tick.strip() for tick in ticks}


def test_a_wrong_upload_says_what_to_do_and_the_app_goes_on(page, address, tmp_path):
    bad = tmp_path / "bad.json"
    bad.write_bytes((SAMPLE / "gt.json").read_bytes()[:-500])
    visit(page, address)
    upload(page, str(SAMPLE / "gt.json"), str(bad))
    assert "bad.json" in shown(page) and "cut off" in shown(page) and "Traceback" not in shown(page)
    page.get_by_role("button", name="Try the sample").click()
    settle(page, 600)
    assert "266 regions" in shown(page)


def test_two_visitors_do_not_see_each_other(browser, address, tmp_path):
    contexts = [browser.new_context() for _ in range(2)]
    pages = [context.new_page() for context in contexts]
    for i, page in enumerate(pages):
        path = tmp_path / f"secret-{i}.json"
        path.write_text(json.dumps(json.loads(coco([f"label of visitor {i}"], [(0, [0, 0, 10, 10 + i])]))))
        visit(page, address)
        upload(page, str(path), str(path))
    for i, page in enumerate(pages):
        page.get_by_role("link", name="Overview").click()
        page.wait_for_selector(".nsewdrag", timeout=15_000)
        settle(page)
        body = page.locator("body").inner_text()
        assert f"secret-{i}.json" in body and f"secret-{1 - i}" not in body and f"visitor {1 - i}" not in body
    for context in contexts:
        context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["overview", "matrices", "classes", "documents", "viewer", "method"])
def test_pages_fit_in_both_themes(browser, address, scheme, name):
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    visit(page, f"{address}/{name}?load=sample")
    dark = page.evaluate("getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", dark)[:3])) < 200) == (scheme == "dark")
    sideways = page.evaluate(
        "(() => { const m = document.querySelector('[data-testid=stMain]'); return m.scrollWidth - m.clientWidth })()"
    )
    assert sideways <= 0 and page.locator("[data-testid=stException]").count() == 0
    context.close()


@pytest.mark.parametrize("n", [40, 74])
def test_large_matrices_stay_clickable(page, address, tmp_path, n):
    labels = [f"label {i:02d} of many" for i in range(n)]
    path = tmp_path / "many.json"
    rows = [(i, [0.5 * (i % 10), 0.5 * i, 20, 0.5]) for i in range(n)]
    path.write_bytes(coco(labels, rows))
    visit(page, address)
    upload(page, str(path), str(path))
    page.get_by_role("link", name="Matrices").click()
    page.wait_for_selector(".nsewdrag", timeout=15_000)
    settle(page)
    ticks = page.locator(".ytick text")
    assert ticks.count() == n + 1
    boxes = sorted((ticks.nth(i).bounding_box() for i in range(n + 1)), key=lambda box: box["y"])
    gaps = [b["y"] - a["y"] for a, b in zip(boxes, boxes[1:])]
    assert min(gaps) >= 0.85 * max(box["height"] for box in boxes)
    page.mouse.move(700, 500)
    target = n // 2
    page.locator(".ytick text").nth(target).scroll_into_view_if_needed()
    page.mouse.click(*cell_centre(page, target, target, n + 1, n + 1))
    page.get_by_text("found as").first.wait_for(timeout=10_000)
    assert f"{labels[target - 1]} found as {labels[target - 1]}" in shown(page)
