"""An upload that is refused because it is too large: the page says why, and what was uploaded before stays."""

import os
import subprocess
import sys
from contextlib import contextmanager

from playwright.sync_api import expect

from layoutcm.ui.server.serving import TOO_LARGE
from support.browser import chromium, drop, settle, visit, wait_for_server
from support.paths import ROOT, SAMPLE
from support.ports import free_port

# A server whose visitors may have 1 MB each.
SMALL_SERVER = """
import sys
from layoutcm.ui.server import settings
settings.LOCAL = settings.Limits(upload=settings.GB, visitor=settings.MB, all_visitors=settings.GB, reading=settings.GB)
from layoutcm.cli.main import main
main(["app", sys.argv[1]])
"""


@contextmanager
def small_server():
    port = free_port()
    command = [sys.executable, "-c", SMALL_SERVER, f"--port={port}"]
    process = subprocess.Popen(command, env=os.environ | {"PYTHONPATH": str(ROOT)}, cwd=ROOT)
    try:
        wait_for_server(f"http://127.0.0.1:{port}/_stcore/health")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(20)


def test_the_page_says_why_an_upload_was_refused():
    large = {"name": "large.csv", "mimeType": "text/csv", "buffer": bytes(5 << 20)}
    with small_server() as address, chromium() as browser, browser.new_page() as page:
        visit(page, address)
        drop(page, SAMPLE / "model-b.csv")
        settle(page)
        drop(page, large, answer=page.get_by_text(TOO_LARGE))
        settle(page)
        expect(page.locator("[class*=st-key-card_]").get_by_text("model-b.csv").first).to_be_visible()
