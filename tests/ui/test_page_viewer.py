"""The page viewer in a real browser: what is clicked is what Python gets, keys, layers, words, labels, speed."""

import json
import random
import re
from contextlib import contextmanager

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from PIL import Image, ImageDraw
from playwright.sync_api import expect

from support.browser import server, settle, tab, visit, wait_for_link

HOSTILE = ["<img src=x onerror=alert(1)>", "</script>", "عنوان رئيسي", "😀 emoji", "$x$ *a*"]
WIDE, HIGH, REGIONS = 5100, 6600, 150


def coco(regions, labels, size=(WIDE, HIGH)):
    images = [{"id": 1, "width": size[0], "height": size[1], "file_name": "p1.png"}]
    images.append({"id": 2, "width": size[0], "height": size[1], "file_name": "p2.png"})
    rows = [
        {"id": i, "image_id": 1 + page, "category_id": label + 1, "bbox": box}
        | ({} if score is None else {"score": score})
        for i, (page, label, box, score) in enumerate(regions)
    ]
    return {
        "images": images,
        "categories": [{"id": i + 1, "name": n} for i, n in enumerate(labels)],
        "annotations": rows,
    }


def page_image(path, random_lines):
    picture = Image.new("RGB", (WIDE, HIGH), "white")
    pen = ImageDraw.Draw(picture)
    for y in range(200, HIGH - 200, 60):
        for x in range(300, WIDE - 300, 90):
            pen.rectangle((x, y, x + int(random_lines.integers(20, 80)), y + 28), fill=(40, 40, 40))
    picture.save(path, compress_level=1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two large pages with 150 regions and two predictions; and a small page with hostile labels."""
    place, chance = tmp_path_factory.mktemp("data"), np.random.default_rng(0)
    (place / "images").mkdir()
    for name in ("p1.png", "p2.png"):
        page_image(place / "images" / name, chance)
    labels = [f"Label {k}" for k in range(8)]
    gt = []
    for page in (0, 1):
        for k in range(REGIONS):
            x, y = 300 + (k % 5) * 900, 200 + (k // 5) * 205
            gt.append(
                (
                    page,
                    int(chance.integers(8)),
                    [x, y, int(chance.integers(300, 880)), int(chance.integers(60, 190))],
                    None,
                )
            )
    moved = lambda: [
        (
            page,
            label,
            [x + float(chance.integers(-15, 16)), y + float(chance.integers(-15, 16)), w, h],
            0.5 + k % 50 / 100,
        )
        for k, (page, label, (x, y, w, h), _) in enumerate(gt)
    ]
    for name, rows in (("gt.json", gt), ("first.json", moved()), ("second.json", moved())):
        (place / name).write_text(json.dumps(coco(rows, labels)))
    strips = [(0, k, [10, 10 + 30 * k, 200, 25], None) for k in range(len(HOSTILE))]
    (place / "hostile.json").write_text(json.dumps(coco(strips, HOSTILE, (300, 200))))
    return place


@pytest.fixture(scope="module")
def app(folder):
    with server(data=folder, images=folder / "images") as running:
        yield running


@contextmanager
def opened(browser, address, link, **look):
    with browser.new_context(viewport={"width": 1400, "height": 900}, **look) as context, tab(context) as page:
        errors = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("dialog", lambda dialog: errors.append(dialog.message))
        visit(page, f"{address}/page?{link}")
        page.wait_for_selector(".viewer[data-ready=full], .viewer[data-ready=none]", timeout=30_000)
        settle(page)
        yield page
        assert not errors


LARGE = "load=gt.json|first.json|second.json&page=p1.png"


def look(page, name):
    return page.locator(".viewer").get_attribute(f"data-{name}")


def on_screen(page, x, y, canvas=0):
    """The place on the screen of a point of the page."""
    box = page.locator(".viewer canvas").nth(canvas).bounding_box()
    zoom, left, top = (float(look(page, name)) for name in ("zoom", "x", "y"))
    return box["x"] + left + x * zoom, box["y"] + top + y * zoom


def regions_of(folder, *names):
    """[side, number, label, x0, y0, x1, y1] of the first page, numbered as in the files."""
    found = []
    for side, name in enumerate(names):
        data = json.loads((folder / name).read_text())
        rows = [row for row in data["annotations"] if row["image_id"] == 1]
        for number, row in enumerate(rows, start=1):
            x, y, w, h = row["bbox"]
            found.append((side, number, data["categories"][row["category_id"] - 1]["name"], x, y, x + w, y + h))
    return found


def text_of(region, sides=("Ground truth", "first.json")):
    side, number, label, x0, y0, x1, y1 = region
    return f"{sides[side]}, region {number}: {label}, x {x0:g} to {x1:g}, y {y0:g} to {y1:g}"


@pytest.mark.long
def test_twenty_random_regions_are_those_that_python_gets(browser, app, folder):
    chance = random.Random(1)
    regions = regions_of(folder, "gt.json", "first.json")
    with opened(browser, app, LARGE) as page:
        page.mouse.move(*on_screen(page, 1000, 800))
        page.mouse.wheel(0, -300)
        page.wait_for_timeout(200)
        clicked = 0
        while clicked < 20:
            *_, x0, y0, x1, y1 = chance.choice(regions)
            x, y = chance.uniform(x0 + 2, x1 - 2), chance.uniform(y0 + 2, y1 - 2)
            canvas = page.locator(".viewer canvas").bounding_box()
            at = on_screen(page, x, y)
            if not (
                canvas["x"] + 5 < at[0] < canvas["x"] + canvas["width"] - 5
                and canvas["y"] + 5 < at[1] < min(canvas["y"] + canvas["height"], 900) - 5
            ):
                continue
            here = sorted(
                (r for r in regions if r[3] <= x <= r[5] and r[4] <= y <= r[6]),
                key=lambda r: (r[5] - r[3]) * (r[6] - r[4]),
            )
            if (
                len(here) > 1
                and abs(
                    (here[0][5] - here[0][3]) * (here[0][6] - here[0][4])
                    - (here[1][5] - here[1][3]) * (here[1][6] - here[1][4])
                )
                < 1e-6
            ):
                continue  # two of the same size
            page.mouse.click(*at)
            expect(page.get_by_text(text_of(here[0])).first).to_be_visible(timeout=10_000)
            page.wait_for_timeout(350)  # a second click too soon is a double click
            clicked += 1


def test_a_large_page_is_drawn_soon_and_moves_smoothly(browser, app, capsys):
    with opened(browser, app, LARGE) as page:
        page.locator(".viewer").get_by_role("button", name="second.json").click()
        expect(page.locator(".viewer summary")).to_have_text("List of 450 regions", timeout=20_000)
        page.evaluate(
            """() => { const at = {}; window.seen = at; const begin = performance.now();
            const look = () => { const v = document.querySelector("[data-testid=stMain]") && window.viewer_element;
              if (v && v.dataset.page === "p2.png") for (const kind of ["small", "full"])
                if (v.dataset.ready === kind && !at[kind]) at[kind] = performance.now() - begin;
              if (v && v.dataset.ready === "full" && v.dataset.page === "p2.png") { at.small ??= at.full; return; }
              requestAnimationFrame(look); }; window.start_watching = look; }"""
        )
        page.locator(".viewer").evaluate("(element) => { window.viewer_element = element; window.start_watching(); }")
        page.get_by_role("button", name="Next").click()
        page.wait_for_function("window.seen.full", timeout=30_000)
        seen = page.evaluate("window.seen")
        settle(page)
        page.locator(".viewer canvas").evaluate(PANNING)
        page.wait_for_function("window.panned", timeout=30_000)
        whole = page.evaluate("window.panned")
        for _ in range(6):
            page.locator(".viewer").get_by_role("button", name="Zoom in").click()
        page.locator(".viewer canvas").evaluate(PANNING)
        page.wait_for_function("window.panned", timeout=30_000)
        near = page.evaluate("window.panned")
        frames = int(look(page, "frames"))
    with capsys.disabled():
        print(f"\n  reduced {seen['small']:.0f} ms, sharp {seen['full']:.0f} ms", end="")
        print(f", {whole:.0f} frames/s of the whole page, {near:.0f} zoomed in")
    assert frames > 0 and seen["small"] <= seen["full"]


# Drags the canvas for a second and a half and counts the frames that the viewer has drawn.
PANNING = """async (canvas) => {
  window.panned = 0;
  const box = canvas.getBoundingClientRect(), viewer = canvas.closest(".viewer");
  const place = (x, y) => ({ pointerId: 1, clientX: x, clientY: y, bubbles: true });
  const send = (kind, x, y) => canvas.dispatchEvent(new PointerEvent(kind, place(x, y)));
  canvas.setPointerCapture = () => {};
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  send("pointerdown", x, y);
  const begin = performance.now(), first = +viewer.dataset.frames;
  for (let k = 0; performance.now() - begin < 1500; k++) {
    send("pointermove", x + 60 * Math.sin(k / 9), y + 60 * Math.cos(k / 9));
    await new Promise(requestAnimationFrame);
  }
  const frames = +viewer.dataset.frames - first, seconds = (performance.now() - begin) / 1000;
  send("pointerup", x, y);
  window.panned = frames / seconds;
}"""


def live(page):
    return page.locator(".viewer [role=status]").inner_text()


def test_every_region_is_reached_read_and_chosen_by_keyboard(browser, app, folder):
    regions = regions_of(folder, "hostile.json", "hostile.json")
    sides = ("Ground truth", "Prediction")
    with opened(browser, app, "load=hostile.json|hostile.json&page=p1.png") as page:
        page.locator(".viewer canvas").focus()
        for region in regions:
            page.keyboard.press("n")
            assert live(page) == text_of(region, sides)
        page.keyboard.press("Enter")
        expect(page.get_by_text(text_of(regions[-1], sides)).last).to_be_visible(timeout=10_000)
        page.keyboard.press("p")
        assert live(page) == text_of(regions[-2], sides)
        page.keyboard.press("Tab")
        assert live(page) == text_of(regions[-1], sides)
        page.keyboard.press("Tab")  # after the last region, Tab leaves the canvas
        assert page.evaluate(FOCUSED) != "CANVAS"
        page.locator(".viewer summary").focus()
        page.keyboard.press("Enter")
        expect(page.locator(".viewer-list li")).to_have_count(len(regions))
        page.keyboard.press("Tab")
        for region in regions:
            assert live(page) == text_of(region, sides)
            page.keyboard.press("ArrowDown")
        page.keyboard.press("Home")
        page.keyboard.press("Enter")
        expect(page.get_by_text(text_of(regions[0], sides)).last).to_be_visible(timeout=10_000)


FOCUSED = """() => { let now = document.activeElement;
  while (now?.shadowRoot?.activeElement) now = now.shadowRoot.activeElement;
  return now?.tagName; }"""


def test_keys_move_the_view_and_do_not_turn_the_page(browser, app):
    with opened(browser, app, "load=gt.json|first.json&page=p1.png") as page:
        page.locator(".viewer canvas").focus()
        begin = {name: float(look(page, name)) for name in ("zoom", "x", "y")}
        now = lambda name: float(look(page, name))
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(100)
        assert now("x") == pytest.approx(begin["x"] - 60, abs=0.02)
        page.keyboard.press("+")
        page.wait_for_timeout(100)
        assert now("zoom") == pytest.approx(1.25 * begin["zoom"], rel=0.01)
        for key in "cr12":  # c and r are shortcuts of Streamlit
            page.keyboard.press(key)
        settle(page)
        assert (
            page.locator(".viewer").get_by_role("button", name="Ground truth").get_attribute("aria-pressed") == "false"
        )
        assert "page=p1.png" in page.url and page.get_by_role("dialog").count() == 0
        page.keyboard.press("0")
        page.wait_for_timeout(100)
        assert {name: now(name) for name in begin} == pytest.approx(begin, abs=0.02)


def test_zoom_stays_when_data_change_and_canvases_move_together(browser, app):
    with opened(browser, app, LARGE) as page:
        page.mouse.move(*on_screen(page, 2000, 2000))
        page.mouse.wheel(0, -400)
        page.wait_for_timeout(200)
        zoom = look(page, "zoom")
        page.locator(".viewer").get_by_role("button", name="second.json").click()
        expect(page.locator(".viewer summary")).to_have_text("List of 450 regions", timeout=20_000)
        settle(page)
        assert look(page, "zoom") == zoom
        page.locator(".viewer").get_by_role("button", name="2 canvases").click()
        wait_for_link(page, "mask=difference")
        page.locator(".viewer select").nth(1).select_option("causes")
        wait_for_link(page, "mask=causes")
        expect(page.locator(".viewer-legend")).to_contain_text("slack", timeout=20_000)
        page.locator(".viewer").get_by_role("button", name="Centres").click()
        settle(page)
        assert look(page, "zoom") == zoom and look(page, "panes") == "2"
        page.locator(".viewer canvas").nth(1).dblclick()
        page.wait_for_timeout(200)
        assert float(look(page, "zoom")) < float(zoom)


# Two fingers that move apart, the first one stays.
PINCH = """(canvas) => {
  canvas.setPointerCapture = () => {};
  const box = canvas.getBoundingClientRect();
  const place = (id, x) => ({ pointerId: id, clientX: box.x + x, clientY: box.y + 200, pointerType: "touch" });
  const send = (kind, id, x) => canvas.dispatchEvent(new PointerEvent(kind, place(id, x)));
  send("pointerdown", 1, 100); send("pointerdown", 2, 200);
  for (let x = 210; x <= 300; x += 10) send("pointermove", 2, x);
  send("pointerup", 2, 300); send("pointerup", 1, 100);
}"""


def test_two_fingers_zoom(browser, app):
    with opened(browser, app, "load=gt.json|first.json&page=p1.png") as page:
        zoom = float(look(page, "zoom"))
        page.locator(".viewer canvas").evaluate(PINCH)
        page.wait_for_timeout(200)
        assert float(look(page, "zoom")) == pytest.approx(2 * zoom, rel=0.01)  # from 100 to 200 px apart
        assert "region" not in page.locator("[data-testid=stCaptionContainer]").last.inner_text()


def colour_at(page, x, y, canvas=0):
    """The colour that is drawn at a point of the page."""
    read = (
        "(c, [x, y]) => { const v = c.closest('.viewer').dataset, r = devicePixelRatio;"
        "const at = [+v.x + x * v.zoom, +v.y + y * v.zoom].map((place) => Math.round(place * r));"
        "return [...c.getContext('2d').getImageData(...at, 1, 1).data].slice(0, 3); }"
    )
    return page.locator(".viewer canvas").nth(canvas).evaluate(read, [x, y])


def test_a_word_lights_its_pixels_and_a_pixel_marks_its_word(browser, app):
    with opened(browser, app, "load=hostile.json|hostile.json&page=p1.png") as page:
        for name in ("Ground truth", "Prediction"):
            page.locator(".viewer").get_by_role("button", name=name).click()
        rows = page.locator(".viewer-words tr[data-pair]")
        assert rows.count() == 1 + len(HOSTILE)
        assert "0000 0010" in rows.filter(has_text=HOSTILE[0]).inner_text()
        paper = colour_at(page, 100, 22)
        rows.filter(has_text=HOSTILE[0]).click()
        expect(
            page.get_by_text(f"Ground truth: {HOSTILE[0]}, Prediction: {HOSTILE[0]}: same labels, 5\u202f000 px")
        ).to_be_visible(timeout=10_000)
        red, green, _ = colour_at(page, 100, 22)
        assert red > 200 and green < 170 and min(*paper, *colour_at(page, 100, 52), *colour_at(page, 280, 190)) > 240
        page.mouse.click(*on_screen(page, 100, 82))
        marked = page.locator(".viewer-words tr[aria-selected=true]")
        expect(marked).to_have_count(1)
        assert HOSTILE[2] in marked.inner_text()
        settle(page)
        marked.press("ArrowDown")
        page.keyboard.press("Enter")
        expect(page.locator(".viewer-words tr[aria-selected=true]")).not_to_contain_text(HOSTILE[2])


def test_hostile_labels_show_as_typed(browser, app):
    with opened(browser, app, "load=hostile.json|hostile.json&page=p1.png") as page:
        page.locator(".viewer summary").click()
        listed = page.locator(".viewer-list li").all_inner_texts()
        for number, label in enumerate(HOSTILE, start=1):
            assert any(text.startswith(f"Ground truth, region {number}: {label}, x 10 to 210") for text in listed)
            assert label in page.locator(".viewer-legend").inner_text()
        assert page.locator(".viewer img").count() == 0
        page.mouse.move(*on_screen(page, 100, 22))
        expect(page.locator(".viewer-tip")).to_contain_text(f"Ground truth 0000 0010 = {HOSTILE[0]}")
        assert re.search("same labels, 5\u202f000 px", page.locator(".viewer-tip").inner_text())


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_viewer_has_no_serious_accessibility_violation(browser, app, scheme):
    with opened(browser, app, LARGE + "&mask=difference", color_scheme=scheme) as page:
        page.locator(".viewer summary").click()
        page.locator(".viewer-words tr[data-pair]").first.click()
        settle(page)
        found = Axe().run(page, context="[data-testid^=stBidi]").response
        serious = [one for one in found["violations"] if one["impact"] in ("serious", "critical")]
        assert [(one["id"], one["nodes"][0]["html"]) for one in serious] == []
        looked_at = str([node["html"] for one in found["passes"] for node in one["nodes"]])
        assert [part for part in ("<canvas", "<ul aria-label", "<tr role=", "<select") if part not in looked_at] == []


def test_thumbnails_open_their_page(browser, app):
    with browser.new_context(viewport={"width": 1400, "height": 900}) as context, tab(context) as page:
        visit(page, f"{app}/errors?load=sample&gt_label=Caption&pred_label=Text")
        pictures = page.locator(".thumbnails img")
        expect(pictures).to_have_count(4, timeout=20_000)
        page.wait_for_timeout(1500)
        assert pictures.evaluate_all("all => all.map((image) => image.complete && image.naturalHeight)") == [420] * 4
        page.get_by_role("button", name="Open page paper-3_p2.png").click()
        wait_for_link(page, "/page", "page=paper-3_p2.png")
