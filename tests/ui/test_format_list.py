"""The table of formats on the page Data: all of them, and those with the words that one searches."""

import pytest

from layoutcm.formats.registry import BY_NAME
from layoutcm.ui.data.loading import format_rows
from support.app_runner import opened, texts


def names(app):
    (table,) = (frame for frame in app.dataframe if "format" in frame.value)
    return table.value["format"].tolist()


def test_each_format_is_described_once():
    assert sorted(row.name for row in format_rows()) == sorted(BY_NAME)
    assert all(row.title and row.sizes for row in format_rows())
    assert not any(sign in " ".join(row) for row in format_rows() for sign in ("`", "]("))
    (deepseek,) = (row for row in format_rows() if row.name == "deepseek-ocr")
    assert "<|ref|>" in deepseek.notes


def test_the_page_compare_lists_all_formats():
    app = opened()
    assert sorted(names(app)) == sorted(BY_NAME) and not app.exception


@pytest.mark.parametrize(
    ("words", "found"),
    [("DocLayNet", "coco"), ("pascal", "voc"), ("ULTRALYTICS results", "coco-results"), ("textract", "textract")],
)
def test_formats_are_found_by_words(words, found):
    app = opened()
    app.text_input(key="format_search").input(words).run()
    assert found in names(app) and len(names(app)) < len(BY_NAME) / 2


def test_words_that_no_format_has():
    app = opened()
    app.text_input(key="format_search").input("abracadabra").run()
    assert "No format has these words" in texts(app) and not any("format" in frame.value for frame in app.dataframe)
