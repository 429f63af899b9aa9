"""All tests of the dashboard run in the folder of app.py, without files given at start."""

import pytest

from support.paths import ROOT


@pytest.fixture(autouse=True)
def in_the_repository(monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.delenv("LAYOUTCM_APP", raising=False)
