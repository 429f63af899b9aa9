"""The report of the sample, written once; figures in one format; a browser that opens reports from disk."""

from pathlib import Path

import pytest

from layoutcm.report import report_files
from support.browser import chromium
from support.paths import SAMPLE


@pytest.fixture(scope="session")
def folder(sample, tmp_path_factory):
    """The report of the sample with page images, figures only as SVG; tests only read it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report_files, "FIGURE_FORMATS", ("svg",))
        return sample.write_report(tmp_path_factory.mktemp("reports") / "model-a", SAMPLE / "images")


@pytest.fixture
def svg_only(monkeypatch):
    """Figures in one format only."""
    monkeypatch.setattr(report_files, "FIGURE_FORMATS", ("svg",))


@pytest.fixture
def no_figures(monkeypatch):
    """Reports of one prediction without figures."""
    monkeypatch.setattr(report_files, "figure_names", lambda *_: [])


@pytest.fixture(scope="module")
def browser():
    with chromium() as running:
        yield running


@pytest.fixture
def opened(browser, tmp_path, quick):
    """A function that opens the report of a comparison, or a folder; nothing may be requested or go wrong."""
    problems, requested, pages = [], [], []

    def open_report(given, part="", scheme="light", **options):
        name = f"report {len(pages)}"
        place = given if isinstance(given, Path) else given.write_report(tmp_path / name, **options)
        page = browser.new_page(color_scheme=scheme, viewport={"width": 1400, "height": 900})
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        page.on("dialog", lambda dialog: problems.append(dialog.message))
        page.on("request", lambda request: requested.append(request.url))
        page.goto((place / "report.html").as_uri() + part)
        pages.append(page)
        return page

    yield open_report
    for page in pages:
        page.close()
    assert not problems and [url for url in requested if not url.startswith(("file:", "data:"))] == []
