"""Hostile files uploaded to a running dashboard: it answers other visitors throughout.

The ordinary run uploads two files. `make fuzz` uploads all, and the dashboard must answer within a second.
"""

import os
import subprocess
import sys
import threading
import time
import urllib.request
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from playwright.sync_api import TimeoutError

from support.browser import SETTLED, drop, visit
from support.hostile_files import ALL, generators
from support.paths import ROOT
from support.servers import PATIENCE

EVERY = 0.2  # seconds between two questions
SLOWEST = 1.0 if ALL else PATIENCE  # seconds until the answer
GIVEN_UP_AFTER = 60_000  # milliseconds that the page has to say something
LARGEST = 50_000_000  # bytes that the test sends through the browser
IN_ORDINARY_RUN = ("overlapping repeats of digits", "JSON nested 200,000 deep")


MAKE = """
import os, sys
from pathlib import Path
from support.hostile_files import generators
sys.stdout.buffer.write(os.fsencode(generators()[sys.argv[1]](Path(sys.argv[2]))))
"""


def made_elsewhere(name, folder):
    """The hostile file, made in another process: its memory and its time are not those of the test."""
    path = os.pathsep.join((str(ROOT / "tests"), str(ROOT)))
    command = [sys.executable, "-c", MAKE, name, str(folder)]
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": path}, stdout=subprocess.PIPE, check=True)
    return Path(os.fsdecode(done.stdout))


class Health(threading.Thread):
    """Asks the server again and again whether it is well; `slowest` is the longest time until an answer."""

    def __init__(self, address):
        super().__init__(daemon=True)
        self.address, self.slowest, self.answers, self.ended = f"{address}/_stcore/health", 0.0, 0, threading.Event()

    def run(self):
        while not self.ended.wait(EVERY):
            start = time.monotonic()
            with suppress(OSError), urllib.request.urlopen(self.address, timeout=PATIENCE) as answer:
                self.answers += answer.status == 200
            self.slowest = max(self.slowest, time.monotonic() - start)


@contextmanager
def watched(address):
    health = Health(address)
    health.start()
    yield health
    health.ended.set()
    health.join()


@pytest.mark.parametrize("name", sorted(generators()) if ALL else IN_ORDINARY_RUN)
def test_a_hostile_upload_does_not_stop_the_server(name, address, browser, tmp_path):
    file = made_elsewhere(name, tmp_path)
    if not file.is_file() or file.stat().st_size > LARGEST:
        pytest.skip("too large to send through a browser")
    with watched(address) as health, browser.new_page() as page:
        visit(page, address)
        answer = page.locator("[data-testid=stFileChip]:visible, [class*=st-key-card_]:visible").first
        for _ in ("ground truth", "prediction"):
            drop(page, file, answer=answer)
            with suppress(TimeoutError):
                page.wait_for_selector(SETTLED, timeout=GIVEN_UP_AFTER)
        with suppress(TimeoutError):  # what the visitor sees is tested elsewhere
            page.wait_for_selector("[class*=st-key-card_], [data-testid=stAlert]", timeout=GIVEN_UP_AFTER)
            page.wait_for_selector(SETTLED, timeout=GIVEN_UP_AFTER)
    print(f"{name}: slowest of {health.answers} answers {health.slowest:.2f} s")
    assert health.answers and health.slowest < SLOWEST, f"the server did not answer for {health.slowest:.1f} s"
    file.unlink()


def test_the_dashboard_still_shows_the_sample(address, browser):
    """Runs after the uploads."""
    with browser.new_page() as page:
        visit(page, f"{address}/?load=sample")
        page.get_by_text("947 regions").first.wait_for()
        assert page.get_by_text("939 regions").first.is_visible()
