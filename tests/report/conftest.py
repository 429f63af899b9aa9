"""The report of the sample, written once, and figures in one format."""

import pytest

from layoutcm.report import report_files
from support.paths import SAMPLE


@pytest.fixture(scope="session")
def folder(sample, tmp_path_factory):
    """The report of the sample with page images; tests only read it."""
    return sample.write_report(tmp_path_factory.mktemp("reports") / "model-a", SAMPLE / "images")


@pytest.fixture
def svg_only(monkeypatch):
    """Figures in one format only."""
    monkeypatch.setattr(report_files, "FIGURE_FORMATS", ("svg",))
