"""Response times of the dashboard in a real browser, with a COCO pair of 500 pages and one of the size of DocLayNet.

Times include the work of the browser. The large pair is opened from the data folder, which is the way for large files.
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

TIMEOUT = 60_000  # milliseconds


def print_time(page, title, work, words, whole=True):
    """Print the time from an action until these words are on the screen and, if `whole`, the rest of the page too."""
    start = time.perf_counter()
    work()
    page.get_by_text(words).first.wait_for(timeout=TIMEOUT)
    if whole:
        page.wait_for_selector(SETTLED, timeout=TIMEOUT)
        page.wait_for_selector(".lcm-matrix table, .nsewdrag", timeout=TIMEOUT)
    # The browser draws a chart within one frame, so it is complete in the second frame from now.
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    print(f"  {title:48} {time.perf_counter() - start:6.2f} s", flush=True)
    settle(page)


def time_actions(page):
    """The usual actions of a user on a loaded comparison."""
    link = lambda name: page.get_by_role("link", name=name).click
    button = lambda name: page.get_by_role("button", name=name).first.click
    names = ["Background", *LABELS]

    def cell(row, column):
        where = cell_centre(page, row, column, len(names), len(names))
        words = f"{names[row]} read as {names[column]}"
        print_time(page, "click on a cell to its pages", lambda: page.mouse.click(*where), words, whole=False)

    def option(label, value, words):
        page.get_by_role("combobox", name=label).first.click()  # opening the list is not measured
        choice = page.get_by_role("option", name=value, exact=True)
        choice.wait_for(timeout=TIMEOUT)
        print_time(page, f"{label.lower()}: {value}", choice.click, words)

    print_time(page, "matrix page", link("Errors"), "Rows are the ground truth")
    cell(10, 4)
    cell(4, 10)
    print_time(page, "open a page", button("Open page"), "This page's matrix")
    number = re.search(r"page ([\d\s]+) of", page.locator("[data-testid=stMain]").inner_text())[1]
    following = thin_spaced(int(re.sub(r"\s", "", number)) + 1)
    print_time(page, "next page", button("Next"), f"page {following} of")
    print_time(page, "back to the matrix", link("Errors"), "Rows are the ground truth")
    option("Method", "tensor", "method:tensor")
    option("Rounding", "exact", "rounding:exact")
    page.get_by_role("slider").first.focus()
    print_time(page, "score threshold", lambda: page.keyboard.press("ArrowRight"), "min_score:0.05")
    option("Level", "document", "of document")
    print_time(page, "measures", link("Measures"), "Ranked pairs")


def bench_small(browser, folder):
    gt, pred = write_pair(folder, 500)
    print("500 pages, uploaded")
    with server() as address:
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        page.goto(address)
        settle(page, 1000)
        zone = page.locator("[data-testid=stFileUploaderDropzoneInput]")
        upload = lambda: zone.set_input_files([str(gt), str(pred)])
        print_time(page, "two files dropped, to Models", upload, "Causes of errors")
        print_time(page, "errors", page.get_by_role("link", name="Errors").click, "Largest confusions")
        time_actions(page)
        page.close()


def bench_large(browser, folder, pages):
    gt, pred = write_pair(folder, pages)
    print(f"{pages:,} pages, from the data folder")
    with server(data=str(folder)) as address:
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        link = lambda: page.goto(f"{address}/errors?load={gt.name}|{pred.name}")
        print_time(page, "link to the first matrix (reads and compares)", link, "Rows are the ground truth")
        time_actions(page)
        page.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=80_863)
    options = parser.parse_args()
    print(json.dumps({"browser": "Chromium, headless"}))
    with chromium() as browser, tempfile.TemporaryDirectory() as folder:
        bench_small(browser, Path(folder))
        if options.pages:
            bench_large(browser, Path(folder) / "large", options.pages)
