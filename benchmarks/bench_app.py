"""Response times of the dashboard in a real browser, with a COCO pair of 500 pages and one of the size of DocLayNet.

Then a matrix of 74 labels, and the page viewer with two models on pages of 5,100 x 6,600 pixels with 150 regions.
Times include the work of the browser. The large pair is opened from the data folder, which is the way for large files.
"""

import argparse
import json
import re
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
from generate import LABELS, write_pair
from PIL import Image, ImageDraw

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from support.browser import SETTLED, cell_centre, chromium, settle, visit
from support.servers import server

TIMEOUT = 60_000  # milliseconds
SCREEN = {"width": 1400, "height": 1000}
WIDE, HIGH, REGIONS = 5100, 6600, 150  # of a page in the viewer


def print_time(page, title, work, words, whole=True, start=None):
    """Print the time from an action until these words are on the screen and, if `whole`, the rest of the page too."""
    start = start or time.perf_counter()
    work()
    page.get_by_text(words).first.wait_for(timeout=TIMEOUT)
    if whole:
        page.wait_for_selector(SETTLED, timeout=TIMEOUT)
        page.wait_for_selector(".lcm-matrix table, .js-plotly-plot .main-svg", timeout=TIMEOUT)
    print_since(page, title, start)


def print_since(page, title, start):
    # The browser draws a chart within one frame, so it is complete in the second frame from now.
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    print(f"  {title:48} {time.perf_counter() - start:6.2f} s", flush=True)
    settle(page)


def time_actions(page):
    """The usual actions of a user on a loaded comparison."""
    link = lambda name: page.get_by_role("link", name=name).click
    button = lambda name: page.get_by_role("button", name=name).first.click
    names = ["Background", *LABELS]

    def go_to(place, words, whole=False):
        """Two times: until the place answers with its heading, and until its numbers are there."""
        start = time.perf_counter()
        link(place)()
        page.get_by_role("heading", name=place, exact=True).first.wait_for(timeout=TIMEOUT)
        answered = time.perf_counter() - start
        print_time(page, f"{place} (answered after {answered:.2f} s)", lambda: None, words, whole, start)

    def cell(row, column):
        where = cell_centre(page, row, column, len(names), len(names))
        words = f"{names[row]} read as {names[column]}"
        print_time(page, "click on a cell to its pages", lambda: page.mouse.click(*where), words, whole=False)

    go_to("Errors", "Rows are the ground truth", True)
    cell(10, 4)
    cell(4, 10)
    view = lambda name: page.get_by_role("radio", name=name, exact=True).first.click
    print_time(page, "Precision", view("Precision"), "Rows are the ground truth", whole=False)
    print_time(page, "open a page", button("Open page"), "This page's matrix")
    time_next_page(page)
    go_to("Measures", "at an IoU of")
    go_to("Ground truth", "probably wrong")
    go_to("Models", "has the highest macro F1")


def time_next_page(page):
    """The next page behind the chosen cell, until its number is on the screen."""
    number = "document.querySelector('[data-testid=stMain]').innerText.match(/page ([\\d\\s]+) of/)?.[1]"
    before, start = page.evaluate(number), time.perf_counter()
    page.get_by_role("button", name="Next").first.click()
    page.wait_for_function(f"before => {{ const now = {number}; return now && now !== before; }}", arg=before)
    page.wait_for_selector(SETTLED, timeout=TIMEOUT)
    print_since(page, "next page behind the cell", start)


def write_models(folder, pages):
    """A ground truth and three predictions; the second and the third are the first with moved regions."""
    gt, pred = write_pair(folder, pages)
    chance, models = np.random.default_rng(0), [pred]
    for name in ("second.json", "third.json"):
        rows = json.loads(pred.read_bytes())
        for row in rows:
            row["bbox"][:2] = [max(0, value + int(chance.integers(-9, 10))) for value in row["bbox"][:2]]
        models.append(folder / name)
        models[-1].write_text(json.dumps(rows))
    return gt, models


def bench_small(browser, folder):
    gt, models = write_models(folder, 500)
    print("500 pages and three models, uploaded")
    with server() as address:
        page = browser.new_page(viewport=SCREEN)
        page.goto(address)
        settle(page)
        zone = page.locator("[data-testid=stFileUploaderDropzoneInput]")
        upload = lambda: zone.set_input_files([str(path) for path in (gt, *models)])
        print_time(page, "files dropped, to the verdict on Models", upload, "has the highest macro F1", whole=False)
        settle(page)
        time_actions(page)
        page.close()


def bench_large(browser, folder, pages):
    gt, models = write_models(folder, pages)
    for count, words in ((1, "of the ground truth"), (3, "has the highest macro F1")):
        print(f"{pages:,} pages and {count} of the models, from the data folder")
        with server(data=str(folder)) as address:
            page = browser.new_page(viewport=SCREEN)
            names = "|".join(path.name for path in (gt, *models[:count]))
            open_link = partial(page.goto, f"{address}/models?load={names}")
            print_time(page, "link to figures and verdicts on Models", open_link, words, whole=False)
            start = time.perf_counter()
            page.wait_for_selector(SETTLED, timeout=5 * TIMEOUT)
            print_since(page, "everything else on Models after that", start)
            if count > 1:
                time_actions(page)
            page.close()


def write_coco(path, labels, size, pages, rows):
    """Write a COCO file; `rows` are (page, label, bbox, score or None)."""
    images = [{"id": i, "width": size[0], "height": size[1], "file_name": page} for i, page in enumerate(pages)]
    regions = [
        {"id": i, "image_id": page, "category_id": label, "bbox": box} | ({} if score is None else {"score": score})
        for i, (page, label, box, score) in enumerate(rows)
    ]
    categories = [{"id": i, "name": name} for i, name in enumerate(labels)]
    path.write_text(json.dumps({"images": images, "categories": categories, "annotations": regions}))


def bench_matrix(browser, folder):
    """A matrix of 74 labels: until it is painted, and clicks on ten of its cells."""
    labels = [f"label {i:02d}" for i in range(74)]
    rows = [(0, i, [0.5 * (i % 10), 0.5 * i, 20, 0.5], None) for i in range(74)]
    folder.mkdir()
    write_coco(folder / "many.json", labels, (50, 40), ["p1.png"], rows)
    print("A matrix of 74 labels")
    with server(data=str(folder)) as address:
        page = browser.new_page(viewport=SCREEN)
        visit(page, f"{address}/errors?load=many.json|many.json")
        start = time.perf_counter()
        page.get_by_role("link", name="Errors").click()
        page.get_by_role("radio", name="Labels", exact=True).click()  # it opens in groups
        page.locator(".st-key-error_matrix td[data-cell]").nth(75**2 - 1).wait_for(timeout=TIMEOUT)
        print_since(page, "matrix page until the last cell is painted", start)
        times = []
        for row, column in np.random.default_rng(74).integers(1, 75, (10, 2)).tolist():
            where = cell_centre(page, row, column, 75, 75)
            verb = "found as" if row == column else "read as"
            heading = page.get_by_role("heading", name=f"{labels[row - 1]} {verb} {labels[column - 1]}", exact=True)
            start = time.perf_counter()
            page.mouse.click(*where)
            heading.wait_for(timeout=TIMEOUT)
            times.append(time.perf_counter() - start)
            settle(page)
        print_times("click on a cell until it is described", times)
        page.close()


def print_times(title, times):
    print(f"  {title:48} {np.median(times):6.2f} s (median), {max(times):.2f} s (slowest of {len(times)})", flush=True)


def write_large_pages(folder):
    """Two pages with images and 150 regions each, a ground truth and two predictions; returns the regions of gt."""
    chance = np.random.default_rng(0)
    (folder / "images").mkdir(parents=True)
    for name in ("p1.png", "p2.png"):
        picture = Image.new("RGB", (WIDE, HIGH), "white")
        pen = ImageDraw.Draw(picture)
        for y in range(200, HIGH - 200, 60):
            for x in range(300, WIDE - 300, 90):
                pen.rectangle((x, y, x + int(chance.integers(20, 80)), y + 28), fill=(40, 40, 40))
        picture.save(folder / "images" / name, compress_level=1)
    gt = []
    for page in (0, 1):
        for k in range(REGIONS):
            size = [int(chance.integers(300, 880)), int(chance.integers(60, 190))]
            gt.append((page, int(chance.integers(8)), [300 + k % 5 * 900, 200 + k // 5 * 205, *size], None))
    labels, pages = [f"Label {k}" for k in range(8)], ["p1.png", "p2.png"]
    write_coco(folder / "gt.json", labels, (WIDE, HIGH), pages, gt)
    for name in ("first.json", "second.json"):
        shifts = chance.integers(-15, 16, (len(gt), 2)).tolist()
        moved = [
            (page, label, [x + right, y + down, w, h], 0.5 + k % 50 / 100)
            for k, ((page, label, (x, y, w, h), _), (right, down)) in enumerate(zip(gt, shifts))
        ]
        write_coco(folder / name, labels, (WIDE, HIGH), pages, moved)
    return gt


# Notes when the viewer shows the reduced and the sharp picture of the second page.
WATCHING = """(viewer) => {
  const seen = {}, begin = performance.now();
  const look = () => {
    const now = viewer.dataset.page === "p2.png" ? viewer.dataset.ready : "";
    if (now) seen[now] ??= (performance.now() - begin) / 1000;
    if (now === "full") window.seen = { small: seen.small ?? seen.full, full: seen.full };
    else requestAnimationFrame(look);
  };
  look();
}"""
# Drags the canvas for a second and a half and counts the frames that the viewer has drawn.
PANNING = """async (canvas) => {
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
  return frames / seconds;
}"""


def bench_viewer(browser, folder):
    gt = write_large_pages(folder)
    print(f"Page viewer, {WIDE:,} x {HIGH:,} pixels, {REGIONS} regions, two models")
    with server(data=str(folder), images=str(folder / "images")) as address:
        page = browser.new_page(viewport=SCREEN)
        visit(page, f"{address}/page?load=gt.json|first.json|second.json&page=p1.png")
        viewer, canvas = page.locator(".viewer"), page.locator(".viewer canvas")
        page.wait_for_selector(".viewer[data-ready=full]", timeout=TIMEOUT)
        viewer.get_by_role("button", name="second.json").click()
        page.get_by_text(f"List of {3 * REGIONS} regions").wait_for(timeout=TIMEOUT)
        settle(page)
        viewer.evaluate(WATCHING)
        page.get_by_role("button", name="Next").click()
        seen = page.wait_for_function("window.seen", timeout=TIMEOUT).json_value()
        print(f"  {'next page until its reduced picture':48} {seen['small']:6.2f} s")
        print(f"  {'next page until its sharp picture':48} {seen['full']:6.2f} s")
        settle(page)
        time_clicks(page, [row for row in gt if row[0] == 1][:50:5])
        print(f"  {'moving the whole page':48} {canvas.evaluate(PANNING):6.0f} frames/s")
        for _ in range(6):
            viewer.get_by_role("button", name="Zoom in").click()
        print(f"  {'moving it zoomed in':48} {canvas.evaluate(PANNING):6.0f} frames/s", flush=True)
        page.close()


def time_clicks(page, regions):
    """The time from a click on a region until Python has written what it is below the page."""
    viewer, times = page.locator(".viewer"), []
    said = page.locator("[data-testid=stCaptionContainer]").filter(has_text=re.compile(r", region \d+: "))
    before = None
    for _, _, (x, y, w, h), _ in regions:
        box = page.locator(".viewer canvas").bounding_box()
        zoom, left, top = (float(viewer.get_attribute(f"data-{name}")) for name in ("zoom", "x", "y"))
        start = time.perf_counter()
        page.mouse.click(box["x"] + left + (x + w / 2) * zoom, box["y"] + top + (y + h / 2) * zoom)
        while not (texts := said.all_inner_texts()) or texts[-1] == before:
            page.wait_for_timeout(10)
        times.append(time.perf_counter() - start)
        before = texts[-1]
        page.wait_for_timeout(400)  # a second click too soon is a double click
    print_times("click on a region until Python has answered", times)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=80_863)
    options = parser.parse_args()
    print(json.dumps({"browser": "Chromium, headless"}))
    with chromium() as browser, tempfile.TemporaryDirectory() as folder:
        bench_small(browser, Path(folder))
        bench_matrix(browser, Path(folder) / "many")
        bench_viewer(browser, Path(folder) / "viewer")
        if options.pages:
            bench_large(browser, Path(folder) / "large", options.pages)
