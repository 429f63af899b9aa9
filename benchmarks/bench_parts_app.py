"""The dashboard on a result of a million pages from parts: time of each step in a browser, and memory of the server.

One visitor uses one tab. Memory is that of the server's process, when a step is done and at most during it; the
processes that read uploaded files are idle. `--result` opens a result that exists, such as one of `bench_scale.py`.
"""

import argparse
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil
from bench_scale import LAYOUTCM, command
from generate_parts import write_parts

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from support.browser import SETTLED, chromium
from support.servers import free_port, wait_for_server

TIMEOUT = 300_000  # milliseconds
SCREEN = {"width": 1400, "height": 1000}
MB = 1e6


class Memory:
    """The largest memory of a process since the last look."""

    def __init__(self, process):
        self.process, self.peak = process, 0
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self):
        while self.process.is_running():
            try:
                self.peak = max(self.peak, self.now())
            except psutil.Error:
                return
            time.sleep(0.05)

    def now(self):
        return self.process.memory_info().rss

    def take_peak(self):
        peak, self.peak = max(self.peak, self.now()), 0
        return peak


def step(page, memory, title, work, ready):
    """Print seconds until `ready` is on the screen and the script has ended, and the memory."""
    memory.take_peak()
    start = time.perf_counter()
    work()
    page.wait_for_timeout(300)  # until the page is no longer that of the step before
    page.locator(ready).first.wait_for(timeout=TIMEOUT)
    page.wait_for_selector(SETTLED, timeout=TIMEOUT)
    seconds = time.perf_counter() - start
    page.wait_for_timeout(500)
    page.wait_for_selector(SETTLED, timeout=TIMEOUT)
    now, peak = memory.now() / MB, memory.take_peak() / MB
    print(f"  {title:44} {seconds:6.1f} s  {now:6.0f} MB  at most {peak:6.0f} MB", flush=True)


def use(page, memory, address):
    link = lambda name: page.get_by_role("link", name=name, exact=True).click
    button = lambda name: page.get_by_role("button", name=name).first.click
    cell = lambda row, column: page.locator(".lcm-matrix tbody tr").nth(row).locator("td").nth(column).click
    panel, viewer = ".st-key-clicked .thumbnails img", "text=Packed words"
    take = lambda *arguments: step(page, memory, *arguments)
    take("Data", lambda: page.goto(address), "text=Result of")
    take("Errors: matrix and list of pages", link("Errors"), "text=worst first, 1 to 12")
    take("  a cell with its pages and causes", cell(10, 5), panel)
    take("  the cell that all pages have", cell(0, 0), panel)
    take("  what is wrong with a label", page.locator(".lcm-matrix th.row button").nth(9).click, panel)
    take("  next rows of the list", button("Next"), "text=13 to 24 of")
    take("  documents", page.get_by_role("radio", name="Documents").first.click, "text=documents, the whole set")
    take("Page", link("Page"), viewer)
    take("  next page", button("Next"), viewer)
    take("Models: figures with intervals", link("Models"), ".models-notes >> text=intervals over")
    page.wait_for_timeout(30_000)  # slices are made in a thread
    take("Measures: families", lambda: page.goto(f"{address}/measures?measure=families"), "text=are right")
    of_document = f"{address}/measures?measure=objects&level=document&document=report_00000012.pdf"
    take("Measures: objects of one document", lambda: page.goto(of_document), "text=At one IoU")


def serve(result):
    """Start the server, use it, and stop it."""
    port = free_port()
    process = psutil.Popen(
        [*LAYOUTCM, "app", str(result), f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        wait_for_server(port)
        time.sleep(20)  # it loads compiled code
        memory = Memory(process)
        print(f"  the server without a visitor: {memory.now() / MB:.0f} MB")
        with chromium() as browser:
            use(browser.new_page(viewport=SCREEN), memory, f"http://127.0.0.1:{port}")
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--parts", type=int, default=64)
    parser.add_argument("--result", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if options.result is None:
            sets = write_parts(Path(folder) / "sets", options.pages, options.parts)
            options.result = Path(folder) / "out"
            subprocess.run(command(sets, options.result), check=True, stdout=subprocess.DEVNULL)
        serve(options.result)
