"""Settings and fixtures for all tests."""

import pytest
from hypothesis import HealthCheck, settings

from layoutcm.cli.main import main
from layoutcm.compiled import compile_from_now_on
from support.comparisons import compare_sample
from support.layouts import build

# Tests run on shared machines, so the time of an example is not a sign of slow code.
settings.register_profile("shared machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared machine")

# Compiled functions are tested compiled, as large inputs use them; test_compiled compares them with Python.
compile_from_now_on()


def pytest_collection_modifyitems(items):
    """Mix the files of the dashboard, which take long, with the others, and start the last of them before the end.

    Three browsers at once would wait for each other.
    """
    place = {}
    for is_ui in (True, False):
        files = list(dict.fromkeys(item.path for item in items if ("ui" in item.path.parts) == is_ui))
        place |= {file: i / len(files) * (0.85 if is_ui else 1) for i, file in enumerate(files)}
    items.sort(key=lambda item: place[item.path])


@pytest.fixture
def two_pages():
    """The two-page example: gt and pred with hits, a split, a double label, a missed and an invented region."""
    pages = {"p1": (20, 20), "p2": (10, 10)}
    labels = ["title", "paragraph", "list_item", "picture", "table", "caption"]
    gt = [
        ("p1", "title", 0, 0, 20, 4), ("p1", "paragraph", 0, 4, 10, 12), ("p1", "list_item", 0, 12, 10, 20),
        ("p1", "picture", 10, 4, 20, 20), ("p2", "table", 0, 0, 10, 5),
    ]  # fmt: skip
    pred = [
        ("p1", "title", 0, 0, 20, 4, 0.95), ("p1", "paragraph", 0, 4, 10, 14, 0.9),
        ("p1", "paragraph", 0, 14, 10, 20, 0.6), ("p1", "table", 10, 4, 20, 20, 0.8),
        ("p1", "picture", 10, 4, 20, 12, 0.5), ("p2", "table", 0, 0, 10, 4, 0.7), ("p2", "caption", 0, 6, 10, 8, 0.4),
    ]  # fmt: skip
    return build(pages, gt, labels, name="gt"), build(pages, pred, labels, name="pred")


@pytest.fixture(scope="session")
def sample():
    """The first model of the sample data, compared with the ground truth."""
    return compare_sample()


@pytest.fixture
def quick(monkeypatch):
    """Reports without files of figures, for tests that do not need them."""
    monkeypatch.setattr("layoutcm.report.report_files.FIGURE_FORMATS", ())


@pytest.fixture
def printed(capsys):
    """A function that runs a command, given as its arguments, and returns what it prints."""

    def run(arguments):
        assert main(arguments) == 0
        return capsys.readouterr().out

    return run


@pytest.fixture
def refusal(capsys):
    """A function that runs a command, which must be refused, and returns its message."""

    def run(arguments):
        assert main(arguments) == 2
        return capsys.readouterr().err

    return run
