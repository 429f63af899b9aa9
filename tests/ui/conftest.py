"""All tests of the dashboard run in the folder of app.py, without files given at start."""

import pytest

from support.browser import visitor
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
