"""The page viewer in a real browser: what is clicked is what Python gets, keys, layers, words, labels."""

import json
import random
import re
from contextlib import contextmanager

import numpy as np
import pytest
from PIL import Image, ImageDraw
from playwright.sync_api import expect

from support.browser import settle, tab, visit, wait_for_link
from support.hostile import SCREEN
from support.matrix_page import serious_violations
from support.servers import server, wait_until

WIDE, HIGH, REGIONS = 850, 1100, 30
BLOCK = (40, 1070, 60, 1090)  # black on both pages, below all regions


def coco(regions, labels, size=(WIDE, HIGH)):
    images = [{"id": k, "width": size[0], "height": size[1], "file_name": f"p{k}.png"} for k in (1, 2)]
    rows = [
        {"id": i, "image_id": 1 + page, "category_id": label + 1, "bbox": box}
        | ({} if score is None else {"score": score})
        for i, (page, label, box, score) in enumerate(regions)
    ]
    names = [{"id": i + 1, "name": name} for i, name in enumerate(labels)]
    return {"images": images, "categories": names, "annotations": rows}


def made_regions(chance):
    """REGIONS regions on each of two pages, in five columns."""
    for page in (0, 1):
        for k in range(REGIONS):
            size = [int(chance.integers(60, 150)), int(chance.integers(40, 150))]
            yield page, int(chance.integers(8)), [30 + k % 5 * 160, 40 + k // 5 * 170, *size], None


def moved(regions, chance):
    """The regions as a prediction: up to 5 pixels beside them, with scores."""
    for k, (page, label, (x, y, w, h), _) in enumerate(regions):
        right, down = chance.integers(-5, 6, 2).tolist()
        yield page, label, [x + right, y + down, w, h], 0.5 + k % 50 / 100


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two pages with 30 regions each and two predictions; and a small page with hostile labels."""
    place, chance = tmp_path_factory.mktemp("data"), np.random.default_rng(0)
    (place / "images").mkdir()
    picture = Image.new("RGB", (WIDE, HIGH), "white")
    ImageDraw.Draw(picture).rectangle(BLOCK, fill="black")
    for name in ("p1.png", "p2.png"):
        picture.save(place / "images" / name)
    labels, gt = [f"Label {k}" for k in range(8)], list(made_regions(chance))
    for name, rows in (("gt.json", gt), ("first.json", moved(gt, chance)), ("second.json", moved(gt, chance))):
        (place / name).write_text(json.dumps(coco(rows, labels)))
    strips = [(0, k, [10, 10 + 30 * k, 200, 25], None) for k in range(len(SCREEN))]
    (place / "hostile.json").write_text(json.dumps(coco(strips, SCREEN, (300, 200))))
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
        page.wait_for_selector(".viewer[data-ready=full], .viewer[data-ready=none]")
        yield page
        assert not errors


TWO_MODELS = "load=gt.json|first.json|second.json&page=p1.png"


def look(page, name):
    return page.locator(".viewer").get_attribute(f"data-{name}")


def view(page):
    """Zoom and place of the page in the viewer."""
    return {name: float(look(page, name)) for name in ("zoom", "x", "y")}


def wait_for_view(page, is_so):
    """Wait until the viewer has drawn a view of which this is so, and return it."""
    return wait_until(lambda: is_so(now := view(page)) and now, "another view of the page")


def scroll(page, amount):
    """Scroll over the page, which zooms, and wait until it is drawn."""
    before = view(page)
    page.mouse.wheel(0, amount)
    wait_for_view(page, lambda now: now["zoom"] != before["zoom"])


def on_screen(page, x, y, canvas=0):
    """The place on the screen of a point of the page."""
    box = page.locator(".viewer canvas").nth(canvas).bounding_box()
    zoom, left, top = view(page).values()
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


ANSWERS = r", region \d+: |: (same|other) labels|Scroll to zoom"


def answer(page):
    """What Python says about what was clicked; the viewer itself says it, too, to screen readers."""
    return page.locator("[data-testid=stCaptionContainer]").filter(has_text=re.compile(ANSWERS))


def area(region):
    *_, x0, y0, x1, y1 = region
    return (x1 - x0) * (y1 - y0)


@pytest.mark.parametrize("clicks", [4, pytest.param(20, marks=pytest.mark.long)])
def test_random_regions_are_those_that_python_gets(browser, app, folder, clicks):
    chance = random.Random(1)
    regions = regions_of(folder, "gt.json", "first.json")
    with opened(browser, app, TWO_MODELS) as page:
        page.mouse.move(*on_screen(page, 200, 150))
        scroll(page, -300)
        clicked = 0
        while clicked < clicks:
            *_, x0, y0, x1, y1 = chance.choice(regions)
            x, y = chance.uniform(x0 + 2, x1 - 2), chance.uniform(y0 + 2, y1 - 2)
            canvas = page.locator(".viewer canvas").bounding_box()
            at = on_screen(page, x, y)
            if not (
                canvas["x"] + 5 < at[0] < canvas["x"] + canvas["width"] - 5
                and canvas["y"] + 5 < at[1] < min(canvas["y"] + canvas["height"], 900) - 5
            ):
                continue
            here = sorted((r for r in regions if r[3] <= x <= r[5] and r[4] <= y <= r[6]), key=area)
            if len(here) > 1 and area(here[0]) == area(here[1]):
                continue  # either may be meant
            page.mouse.click(*at)
            expect(answer(page)).to_contain_text(text_of(here[0]))
            clicked += 1


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
        expect(answer(page)).to_contain_text(text_of(regions[-1], sides))
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
        expect(answer(page)).to_contain_text(text_of(regions[0], sides))


FOCUSED = """() => { let now = document.activeElement;
  while (now?.shadowRoot?.activeElement) now = now.shadowRoot.activeElement;
  return now?.tagName; }"""


def test_keys_move_the_view_and_do_not_turn_the_page(browser, app):
    with opened(browser, app, "load=gt.json|first.json&page=p1.png") as page:
        page.locator(".viewer canvas").focus()
        begin = view(page)
        page.keyboard.press("ArrowRight")
        wait_for_view(page, lambda now: now["x"] == pytest.approx(begin["x"] - 60, abs=0.02))
        page.keyboard.press("+")
        wait_for_view(page, lambda now: now["zoom"] == pytest.approx(1.25 * begin["zoom"], rel=0.01))
        for key in "cr12":  # c and r are shortcuts of Streamlit
            page.keyboard.press(key)
        settle(page)
        button = page.locator(".viewer").get_by_role("button", name="Ground truth")
        assert button.get_attribute("aria-pressed") == "false"
        assert "page=p1.png" in page.url and page.get_by_role("dialog").count() == 0
        page.keyboard.press("0")
        wait_for_view(page, lambda now: now == pytest.approx(begin, abs=0.02))


def test_zoom_stays_when_data_change_and_canvases_move_together(browser, app):
    with opened(browser, app, TWO_MODELS) as page:
        page.mouse.move(*on_screen(page, 340, 340))
        scroll(page, -400)
        zoom = look(page, "zoom")
        page.locator(".viewer").get_by_role("button", name="second.json").click()
        expect(page.locator(".viewer summary")).to_have_text(f"List of {3 * REGIONS} regions")
        settle(page)
        assert look(page, "zoom") == zoom
        page.locator(".viewer").get_by_role("button", name="2 canvases").click()
        wait_for_link(page, "mask=difference")
        page.locator(".viewer select").nth(1).select_option("causes")
        wait_for_link(page, "mask=causes")
        expect(page.locator(".viewer-legend")).to_contain_text("slack")
        page.locator(".viewer").get_by_role("button", name="Centres").click()
        settle(page)
        assert look(page, "zoom") == zoom and look(page, "panes") == "2"
        page.locator(".viewer canvas").nth(1).dblclick()
        wait_for_view(page, lambda now: now["zoom"] < float(zoom))
        block_is_seen(page)
        page.mouse.move(*on_screen(page, BLOCK[0], BLOCK[1], canvas=1))
        scroll(page, -300)
        before = view(page)
        page.mouse.down()
        page.mouse.move(*on_screen(page, 300, 900, canvas=1))
        page.mouse.up()
        wait_for_view(page, lambda now: now["x"] != before["x"])
        block_is_seen(page)


def block_is_seen(page):
    """In both canvases the block is where the view says it is, below the colours of what was clicked."""
    x0, y0, x1, y1 = BLOCK
    for canvas in (0, 1):
        inside = [sum(colour_at(page, x, y, canvas)) for x, y in ((x0 + 4, y0 + 4), (x1 - 4, y1 - 4))]
        beside = [(x0 - 6, y0 + 4), (x0 + 4, y0 - 6), (x1 + 6, y1 - 4)]
        assert max(inside) + 30 < min(sum(colour_at(page, x, y, canvas)) for x, y in beside), canvas


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
        zoom = view(page)["zoom"]
        page.locator(".viewer canvas").evaluate(PINCH)
        wait_for_view(page, lambda now: now["zoom"] == pytest.approx(2 * zoom, rel=0.01))  # from 100 to 200 px apart
        expect(answer(page)).to_contain_text("Scroll to zoom")


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
        legend = page.locator(".viewer-legend").inner_text()
        assert [label for label in SCREEN if label not in legend] == [] and page.locator(".viewer img").count() == 0
        page.mouse.move(*on_screen(page, 100, 22))
        tip = page.locator(".viewer-tip")
        expect(tip).to_contain_text(f"Ground truth 0000 0010 = {SCREEN[0]}")
        assert "same labels, 5\u202f000 px" in tip.inner_text()
        for name in ("Ground truth", "Prediction"):
            page.locator(".viewer").get_by_role("button", name=name).click()
        rows = page.locator(".viewer-words tr[data-pair]")
        assert rows.count() == 1 + len(SCREEN)
        assert "0000 0010" in rows.filter(has_text=SCREEN[0]).inner_text()
        paper = colour_at(page, 100, 22)
        rows.filter(has_text=SCREEN[0]).click()
        said = f"Ground truth: {SCREEN[0]}, Prediction: {SCREEN[0]}: same labels, 5\u202f000 px"
        expect(answer(page)).to_contain_text(said)
        red, green, _ = colour_at(page, 100, 22)
        assert red > 200 and green < 170 and min(*paper, *colour_at(page, 100, 52), *colour_at(page, 280, 190)) > 240
        page.mouse.click(*on_screen(page, 100, 82))
        marked = page.locator(".viewer-words tr[aria-selected=true]")
        expect(marked).to_have_count(1)
        assert SCREEN[2] in marked.inner_text()
        settle(page)
        marked.press("ArrowDown")
        page.keyboard.press("Enter")
        expect(page.locator(".viewer-words tr[aria-selected=true]")).not_to_contain_text(SCREEN[2])


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.long)])
def test_the_viewer_has_no_serious_accessibility_violation(browser, app, scheme):
    with opened(browser, app, TWO_MODELS + "&mask=difference", color_scheme=scheme) as page:
        page.locator(".viewer summary").click()
        page.locator(".viewer-words tr[data-pair]").first.click()
        settle(page)
        parts = ("<canvas", "<ul aria-label", "<tr role=", "<select")
        assert serious_violations(page, "[data-testid^=stBidi]", parts) == []
