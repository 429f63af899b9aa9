"""The table of formats on the page Data: all of them, and those with the words that one searches."""

import pytest

from layoutcm.formats.registry import BY_NAME
from layoutcm.ui.data.drop_zone import format_rows, formats_with
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


@pytest.mark.parametrize(
    ("words", "found"),
    [("DocLayNet", "coco"), ("pascal", "voc"), ("ULTRALYTICS results", "coco-results"), ("textract", "textract")],
)
def test_formats_are_found_by_words(words, found):
    names = [row.name for row in formats_with(words)]
    assert found in names and len(names) < len(BY_NAME) / 2


def test_the_page_lists_all_formats_and_searches_them():
    app = opened()
    assert sorted(names(app)) == sorted(BY_NAME) and not app.exception
    app.text_input(key="format_search").input("textract").run()
    assert names(app) == [row.name for row in formats_with("textract")]
    app.text_input(key="format_search").input("abracadabra").run()
    assert "No format has these words" in texts(app) and not any("format" in frame.value for frame in app.dataframe)
