"""All tests of the dashboard run in the folder of app.py, without files given at start."""

import pytest

from support.browser import tab, visitor
from support.paths import ROOT
from support.servers import server


@pytest.fixture(autouse=True)
def in_the_repository(monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.delenv("LAYOUTCM_APP", raising=False)


@pytest.fixture(scope="session")
def address():
    """The address of a server for all files: what it has compared and compiled serves all visitors."""
    with server() as running:
        yield running


@pytest.fixture(scope="module")
def browser():
    with visitor() as running:
        yield running


@pytest.fixture(scope="module")
def context(browser):
    """Tests of a file share the browser's cache, which saves seconds per test."""
    with browser.new_context(viewport={"width": 1400, "height": 1000}) as shared:
        yield shared


@pytest.fixture
def page(context):
    """A page with its own session of the app."""
    with tab(context) as opened:
        yield opened
