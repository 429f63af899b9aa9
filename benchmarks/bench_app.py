"""How long a person waits in the dashboard, measured in a real browser: a 500-page COCO pair, and a DocLayNet-size one.

Times include the browser. The large pair is opened through the data folder, as people with large files would.
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

from generate import LABELS, write_pair

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from browser import cell_centre, chromium, server, settle

WAIT = 60_000


def timed(page, title, work, seen):
    """From what a person does to the moment its answer is on the screen: `seen` waits for it, then all is drawn."""
    start = time.perf_counter()
    work()
    seen()
    drawn(page)
    print(f"  {title:48} {time.perf_counter() - start:6.2f} s", flush=True)
    settle(page)


def drawn(page):
    """The browser draws charts in one go, so a frame after it is one with them."""
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def interactions(page):
    """What a person does with a loaded comparison."""
    text = lambda words: page.get_by_text(words).first.wait_for(timeout=WAIT)
    chart = lambda: page.wait_for_selector(".nsewdrag", timeout=WAIT)
    go = lambda name: page.get_by_role("link", name=name).click()
    names = ["Background", *LABELS]

    def cell(row, column):
        where = cell_centre(page, row, column, len(names), len(names))
        timed(page, "click on a cell to its pages", lambda: page.mouse.click(*where),
              lambda: (text(f"{names[row]} read as {names[column]}"), text("Open page")))  # fmt: skip

    def option(label, value, shown):
        page.get_by_role("combobox", name=label).first.click()  # a person's own time
        choice = page.get_by_role("option", name=value, exact=True)
        choice.wait_for(timeout=WAIT)
        timed(page, f"{label.lower()}: {value}", choice.click, lambda: text(shown))

    timed(page, "matrix page", lambda: go("Matrices"), chart)
    cell(10, 4)
    cell(4, 10)
    timed(page, "open a page", lambda: page.get_by_role("button", name="Open page").first.click(),
          lambda: (text("This page's matrix"), chart()))  # fmt: skip
    timed(page, "next page", lambda: page.get_by_role("button", name="Next").click(), lambda: settle(page, 0))
    timed(page, "back to the matrix", lambda: go("Matrices"), chart)
    option("Method", "tensor", "method:tensor")
    option("Rounding", "exact", "rounding:exact")
    page.get_by_role("slider").first.focus()
    timed(page, "score threshold", lambda: page.keyboard.press("ArrowRight"), lambda: text("min_score:0.05"))
    option("Level", "document", "of document")
    timed(page, "pages and documents", lambda: go("Pages and documents"), lambda: (text("worst first"), chart()))
    timed(page, "classes", lambda: go("Classes"), chart)


def small(browser, folder):
    gt, pred = write_pair(folder, 500)
    print("500 pages, uploaded")
    with server() as address:
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        page.goto(address)
        settle(page, 1000)
        inputs = page.locator("[data-testid=stFileUploaderDropzoneInput]")

        def upload():
            inputs.nth(0).set_input_files(str(gt))
            inputs.nth(1).set_input_files(str(pred))
            page.get_by_role("button", name="See how good it is").click(timeout=WAIT)

        first = lambda: page.wait_for_selector(".nsewdrag", timeout=WAIT)
        timed(page, "upload of two files to the first matrix", upload, first)
        interactions(page)
        page.close()


def large(browser, folder, pages):
    gt, pred = write_pair(folder, pages)
    print(f"{pages:,} pages, from the data folder")
    with server(data=str(folder)) as address:
        page = browser.new_page(viewport={"width": 1400, "height": 1000})

        link = lambda: page.goto(f"{address}/overview?load={gt.name}|{pred.name}")
        first = lambda: page.wait_for_selector(".nsewdrag", timeout=WAIT)
        timed(page, "link to the first matrix (reads and compares)", link, first)
        interactions(page)
        page.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=80_863)
    options = parser.parse_args()
    print(json.dumps({"browser": "Chromium, headless"}))
    with chromium() as browser, tempfile.TemporaryDirectory() as folder:
        small(browser, Path(folder))
        if options.pages:
            large(browser, Path(folder) / "large", options.pages)
