"""Open the dashboard in Chromium and use it, for tests and screenshots."""

import re
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from support.servers import PATIENCE

MILLISECONDS = 1000 * PATIENCE
expect.set_options(timeout=MILLISECONDS)

UPLOAD_ATTEMPTS = 4
SETTLED = "[data-testid=stApp][data-test-script-state=notRunning]"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
# No sandbox, because tests may run as root; no background traffic, because tests must not use the network.
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run", "--disable-sync"]

WATCH_RUNS = Path(__file__).with_name("watch_runs.js")
# Nothing is owed, and all is drawn: no part of the page waits for its script.
IS_SETTLED = f"""() => !window.runsOwed && document.querySelector("{SETTLED}")
  && !document.querySelector("[data-testid=stSkeleton]") && document.fonts.status === 'loaded'"""
# What the server was asked before this question has arrived there, and what it has sent is drawn two frames later.
ROUND_TRIP = """async () => {
  await fetch("/_stcore/health");
  for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
}"""

LOOK = {"viewport", "color_scheme"}  # options of a context that pages of the kept one can have


def found_browser():
    """The path of the browser of the system; None for the one from `playwright install chromium`."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """A browser whose pages wait patiently; every context and every page starts without cookies and cache."""

    def __init__(self, running):
        self._running = running

    def new_context(self, **options):
        return _patient(self._running.new_context(**options))

    def new_page(self, **options):
        return _patient(self._running.new_page(**options))


class Visitor(Browser):
    """A browser that keeps the scripts of the dashboard, already compiled, from page to page.

    Opening a page takes half the work of opening it in a new context. Pages share cookies and storage.
    """

    def __init__(self, kept):
        super().__init__(kept.browser)
        self._kept = _patient(kept)

    def fresh_context(self, **options):
        """A context that has nothing yet: another visitor, or the first visit."""
        return super().new_context(**options)

    def new_context(self, **options):
        return _Pages(self._kept, **options) if options.keys() <= LOOK else self.fresh_context(**options)

    def new_page(self, **options):
        return self.new_context(**options).new_page()


def _patient(opened):
    opened.set_default_timeout(MILLISECONDS)
    opened.add_init_script(path=WATCH_RUNS)
    return opened


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
def chromium():
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=found_browser(), args=FLAGS)
        yield Browser(running)
        running.close()


@contextmanager
def visitor():
    # One process for all pages keeps what it has compiled.
    one_process = ["--process-per-site", "--renderer-process-limit=1"]
    with sync_playwright() as playwright, tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        kept = playwright.chromium.launch_persistent_context(
            folder, executable_path=found_browser(), args=FLAGS + one_process
        )
        yield Visitor(kept)
        kept.close()


def settle(page: Page):
    """Wait until the script has finished and the page is rendered."""
    for _ in range(2):
        page.wait_for_function(IS_SETTLED)
        page.evaluate(ROUND_TRIP)
    page.wait_for_function(IS_SETTLED)


def visit(page: Page, address: str):
    page.goto(address)
    settle(page)


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
    """A page; all its requests must go to this machine, and its Content-Security-Policy must refuse nothing."""
    opened = context.new_page()
    requested, told = [], []
    opened.on("request", lambda request: requested.append(request.url))
    opened.on("console", lambda message: told.append(message.text))
    yield opened
    opened.close()
    outside = {url for url in requested if not re.match(r"(https?|wss?)://127\.0\.0\.1:|data:|blob:", url)}
    assert requested and not outside
    assert [text for text in told if "Content Security Policy" in text] == []


def wait_for_link(page, *parts):
    """The address is written at the end of a run, after the text is on the screen."""
    page.wait_for_url(lambda url: all(part in url for part in parts), wait_until="commit")
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
    settle(page)
