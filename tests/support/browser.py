"""Run the app on a server, open it in Chromium and use it, for tests and screenshots."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import BrowserContext, Page, sync_playwright
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from support.paths import ROOT
from support.ports import free_port

UPLOAD_ATTEMPTS = 4
SETTLED = "[data-testid=stApp][data-test-script-state=notRunning]"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
# No sandbox, because tests may run as root; no background traffic, because tests must not use the network.
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run", "--disable-sync"]

LOOK = {"viewport", "color_scheme"}  # options of a context that pages of the kept one can have


@contextmanager
def server(files=(), **opened):
    """Run `layoutcm app` on a free port and yield its address; `opened` are its options."""
    port = free_port()
    command = [sys.executable, "-m", "layoutcm", "app", f"--port={port}", *map(str, files)]
    command += [f"--{name}={value}" for name, value in opened.items()]
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        address = f"http://127.0.0.1:{port}"
        wait_for_server(f"{address}/_stcore/health")
        yield address
    finally:
        process.terminate()
        process.wait(20)


def wait_for_server(address):
    for _ in range(300):
        try:
            with urllib.request.urlopen(address, timeout=1):
                return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(f"no answer from {address}")


def found_browser():
    """The path of the browser of the system; None for the one from `playwright install chromium`."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


@contextmanager
def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found_browser(), args=FLAGS)
        yield browser
        browser.close()


class Visitor:
    """A browser that keeps the scripts of the dashboard, already compiled, from page to page.

    Opening a page takes half the work of opening it in a new context. Pages share cookies and storage.
    """

    def __init__(self, kept: BrowserContext):
        self._kept = kept

    def fresh_context(self, **options):
        """A context that has nothing yet: another visitor, or the first visit."""
        return self._kept.browser.new_context(**options)

    def new_context(self, **options):
        return _Pages(self._kept, **options) if options.keys() <= LOOK else self.fresh_context(**options)

    def new_page(self, **options):
        return self.new_context(**options).new_page()


class _Pages:
    """Pages of the kept context with one look, in place of a context of their own."""

    def __init__(self, kept, viewport=None, color_scheme="light"):
        self.kept, self.viewport, self.scheme, self.opened = kept, viewport, color_scheme, []

    def new_page(self):
        page = self.kept.new_page()
        page.set_viewport_size(self.viewport or {"width": 1280, "height": 720})
        page.emulate_media(color_scheme=self.scheme)
        self.opened.append(page)
        return page

    def __getattr__(self, name):
        return getattr(self.kept, name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        for page in self.opened:
            page.close()


@contextmanager
def visitor():
    with sync_playwright() as playwright, tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        one_process = [
            "--process-per-site",
            "--renderer-process-limit=1",
        ]  # for all pages, which keeps what it compiled
        kept = playwright.chromium.launch_persistent_context(
            folder, executable_path=found_browser(), args=FLAGS + one_process
        )
        yield Visitor(kept)
        kept.close()


def settle(page: Page, pause: int = 250):
    """Wait until the script has finished and the page is rendered."""
    page.wait_for_selector(SETTLED, timeout=60_000)
    page.wait_for_timeout(pause)
    page.wait_for_selector(SETTLED, timeout=60_000)


def visit(page: Page, address: str):
    page.goto(address)
    settle(page, 400)


def cell_centre(page: Page, row: int, column: int, rows: int, columns: int):
    """The pixel position of the cell of a matrix with so many rows and columns."""
    matrix = page.locator(".lcm-matrix table").first
    assert matrix.locator("tbody tr").count() == rows and matrix.locator("thead th").count() == columns
    cell = matrix.locator("tbody tr").nth(row).locator("td").nth(column)
    cell.scroll_into_view_if_needed()
    box = cell.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@contextmanager
def tab(context):
    """A page; all its requests must go to this machine."""
    opened = context.new_page()
    requested = []
    opened.on("request", lambda request: requested.append(request.url))
    yield opened
    opened.close()
    outside = {url for url in requested if not re.match(r"(https?|wss?)://127\.0\.0\.1:|data:|blob:", url)}
    assert requested and not outside


def wait_for_link(page, *parts):
    """The address is written at the end of a run, after the text is on the screen."""
    page.wait_for_url(lambda url: all(part in url for part in parts), timeout=60_000, wait_until="commit")
    settle(page)


def shown(page):
    """The text of the page, without the sidebar."""
    return page.locator("[data-testid=stMain]").inner_text()


def drop(page, *files, answer=None):
    """Give files to the drop zone of Data until the page shows a card of the first, or the locator `answer`.

    A file that is given while the page is drawn anew is lost: the browser removes the field that received it.
    """
    given = [_as_upload(file) for file in files]
    answer = answer or page.locator("[class*=st-key-card_]").filter(has_text=given[0]["name"]).first
    for attempts_left in reversed(range(UPLOAD_ATTEMPTS)):
        page.locator("[class*=st-key-drop_] [data-testid=stFileUploaderDropzoneInput]").set_input_files(given)
        try:
            return answer.wait_for(timeout=60_000)
        except PlaywrightTimeout:
            if not attempts_left:
                raise


def _as_upload(file):
    """A path, or {"name", "mimeType", "buffer"}, as Playwright takes several files."""
    if isinstance(file, dict):
        return file
    return {"name": Path(file).name, "mimeType": "application/octet-stream", "buffer": Path(file).read_bytes()}


def upload(page, gt, pred):
    """Drop two files, and wait for Models, or for a message on Data."""
    answer = page.locator("[data-testid=stMain] h1", has_text="Models").or_(page.get_by_text("before you go on"))
    drop(page, gt, pred, answer=answer.first)
    settle(page, 500)
