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


def timed(title, work):
    start = time.perf_counter()
    work()
    print(f"  {title:48} {time.perf_counter() - start:6.2f} s", flush=True)


def click(page, name):
    page.get_by_role("link", name=name).click()


def choose(page, label, value):
    page.get_by_role("combobox", name=label).first.click()
    page.get_by_role("option", name=value, exact=True).click()


def interactions(page, settled=100):
    """What a person does with a loaded comparison, each to the moment its answer is on the screen."""

    def matrix():
        click(page, "Matrices")
        page.wait_for_selector(".nsewdrag", timeout=WAIT)

    def cell():
        page.mouse.click(*cell_centre(page, 10, 4, len(LABELS) + 1, len(LABELS) + 1))
        page.get_by_role("button", name="Open page").first.wait_for(timeout=WAIT)

    def open_page():
        page.get_by_role("button", name="Open page").first.click()
        page.get_by_text("This page's matrix").wait_for(timeout=WAIT)

    def option(label, value, recipe):
        choose(page, label, value)
        page.get_by_text(recipe).first.wait_for(timeout=WAIT)

    timed("matrix page", matrix)
    settle(page, settled)
    timed("click on a cell to its pages", cell)
    settle(page, settled)
    timed("open a page", open_page)
    settle(page, settled)
    timed("back to matrices", matrix)
    settle(page, settled)
    timed("change method", lambda: option("Method", "tensor", "method:tensor"))
    settle(page, settled)
    timed("change rounding", lambda: option("Rounding", "exact", "rounding:exact"))
    settle(page, settled)
    timed("change level", lambda: option("Level", "document", "of document"))
    settle(page, settled)
    timed(
        "pages and documents",
        lambda: (click(page, "Pages and documents"), page.get_by_text("worst first").first.wait_for(timeout=WAIT)),
    )
    settle(page, settled)
    timed("classes", lambda: (click(page, "Classes"), page.wait_for_selector(".nsewdrag", timeout=WAIT)))


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
            page.wait_for_selector(".nsewdrag", timeout=WAIT)

        timed("upload of two files to the first matrix", upload)
        settle(page)
        interactions(page)
        page.close()


def large(browser, folder, pages):
    gt, pred = write_pair(folder, pages)
    print(f"{pages:,} pages, from the data folder")
    with server(data=str(folder)) as address:
        page = browser.new_page(viewport={"width": 1400, "height": 1000})

        def first():
            page.goto(f"{address}/overview?load={gt.name}|{pred.name}")
            page.wait_for_selector(".nsewdrag", timeout=WAIT)

        timed("link to the first matrix (reads and compares)", first)
        settle(page)
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
