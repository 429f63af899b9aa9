"""How long a person waits in the dashboard, measured in a real browser: a 500-page COCO pair, and a DocLayNet-size one.

Times include the browser. The large pair is opened through the data folder, as people with large files would.
"""

import argparse
import json
import re
import sys
import tempfile
import time
from pathlib import Path

from generate import LABELS, write_pair

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from layoutcm.wording import thin_spaced
from support.browser import SETTLED, cell_centre, chromium, server, settle

WAIT = 60_000


def timed(page, title, work, words, whole=True):
    """From what a person does to the moment its answer is on the screen: these words and, if `whole`, all the rest."""
    start = time.perf_counter()
    work()
    page.get_by_text(words).first.wait_for(timeout=WAIT)
    if whole:
        page.wait_for_selector(SETTLED, timeout=WAIT)
        page.wait_for_selector(".nsewdrag", timeout=WAIT)
    # The browser draws a chart in one go, so the second frame from now has it.
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    print(f"  {title:48} {time.perf_counter() - start:6.2f} s", flush=True)
    settle(page)


def interactions(page):
    """What a person does with a loaded comparison."""
    link = lambda name: page.get_by_role("link", name=name).click
    button = lambda name: page.get_by_role("button", name=name).first.click
    names = ["Background", *LABELS]

    def cell(row, column):
        where = cell_centre(page, row, column, len(names), len(names))
        words = f"{names[row]} read as {names[column]}"
        timed(page, "click on a cell to its pages", lambda: page.mouse.click(*where), words, whole=False)

    def option(label, value, words):
        page.get_by_role("combobox", name=label).first.click()  # opening the list is a person's own time
        choice = page.get_by_role("option", name=value, exact=True)
        choice.wait_for(timeout=WAIT)
        timed(page, f"{label.lower()}: {value}", choice.click, words)

    timed(page, "matrix page", link("Matrices"), "Rows are gt")
    cell(10, 4)
    cell(4, 10)
    timed(page, "open a page", button("Open page"), "This page's matrix")
    number = re.search(r"page ([\d\s]+) of", page.locator("[data-testid=stMain]").inner_text())[1]
    following = thin_spaced(int(re.sub(r"\s", "", number)) + 1)
    timed(page, "next page", button("Next"), f"page {following} of")
    timed(page, "back to the matrix", link("Matrices"), "Rows are gt")
    option("Method", "tensor", "method:tensor")
    option("Rounding", "exact", "rounding:exact")
    page.get_by_role("slider").first.focus()
    timed(page, "score threshold", lambda: page.keyboard.press("ArrowRight"), "min_score:0.05")
    option("Level", "document", "of document")
    timed(page, "pages and documents", link("Pages and documents"), "Documents, worst first")
    timed(page, "classes", link("Classes"), "What is it taken for?")


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

        timed(page, "upload of two files to the first matrix", upload, "Recall matrix")
        timed(page, "overview", page.get_by_role("button", name="See how good it is").click, "Largest confusions")
        interactions(page)
        page.close()


def large(browser, folder, pages):
    gt, pred = write_pair(folder, pages)
    print(f"{pages:,} pages, from the data folder")
    with server(data=str(folder)) as address:
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        link = lambda: page.goto(f"{address}/overview?load={gt.name}|{pred.name}")
        timed(page, "link to the first matrix (reads and compares)", link, "Recall matrix")
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
