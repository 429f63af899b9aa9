"""The text of every finding, and the hints that differ between the dashboard and Python or the command line."""

import re

import pytest

import layoutcm as lcm
from layoutcm import hints, messages
from layoutcm.errors import Hint, InputError, short_repr
from layoutcm.layouts.model import Finding
from layoutcm.layouts.page_maps import parse_page_map
from support.paths import ROOT
from support.stored import stored_rows

# [code, count, values, message]: one of each code, and both forms where the number of a word changes.
MESSAGES = stored_rows("finding_messages.jsonl")
# [code, what is unusual]: findings of readers that have no values but file and place.
ALIKE = stored_rows("reader_findings.jsonl")


@pytest.mark.parametrize(("code", "count", "values", "message"), MESSAGES)
def test_messages(code, count, values, message):
    finding = Finding(code, count, values)
    assert finding.message == message
    assert finding.as_dict()["message"] == message and finding.as_dict()["count"] == count


@pytest.mark.parametrize(("code", "what"), ALIKE)
def test_messages_of_readers(code, what):
    assert Finding(code, 3, {"file": "f", "place": "x"}).message == f"f: {what} (3 times, first at x)."


def test_every_text_is_tested_and_every_finding_has_a_text():
    assert {code for code, *_ in MESSAGES} | {code for code, _ in ALIKE} == set(messages.TEXTS)
    sources = "".join(path.read_text("utf-8") for path in (ROOT / "layoutcm").rglob("*.py"))
    made = set(re.findall(r'(?:Finding|note_unusual)\(\s*"([a-z-]+)"', sources))
    assert len(made) > 40 and made <= set(messages.TEXTS)


@pytest.mark.parametrize(("finding", "hint", "on_screen"), stored_rows("finding_hints.jsonl"))
def test_hints_for_the_command_line_and_for_the_screen(finding, hint, on_screen):
    found = Finding(**finding)
    assert (found.hint, found.advice.on_screen) == (hint, on_screen)


def test_no_hint_on_the_screen_names_an_option():
    for text in messages.TEXTS.values():
        values = {"pages": 3, "names": ["a"], "ignored": False, "regions": 1, "first": "a", "meant": "b", "side": "a"}
        shown = messages.hint_of(text.hint, n=1, repair="flip-y", **values).on_screen
        assert not re.search(r"--\w|\w=", shown), shown


def test_severities():
    assert Finding("empty-side").severity == "error" and Finding("scaled-page").severity == "info"
    assert Finding("clipped-box", severity="info").severity == "info"


def test_an_error_has_a_text_for_the_screen():
    error = InputError("f", "row 1", "the size is not known", Hint("Use --sizes.", "Write the size."))
    assert str(error) == "f, row 1: the size is not known. Use --sizes." and error.hint == "Use --sizes."
    assert error.on_screen == "f, row 1: the size is not known. Write the size."
    assert InputError("", "", "no file", "Give one.").on_screen == "no file. Give one."
    for hint in (hints.MISSING_SIZE, hints.RESULTS_WITHOUT_PAGES, hints.SEVERAL_FORMATS, hints.AMBIGUOUS_FORMAT,
                 hints.missing_size_with(["a", "b"]), hints.missing_size_with([]),
                 hints.unknown_format({"coco": "it"})):  # fmt: skip
        assert re.search(r"\w=", hint.text) and "=" not in hint.on_screen and hint.on_screen


def test_hints_of_errors_in_full():
    sizes = (
        "a folder of page images (sizes=FOLDER, --sizes FOLDER), or one size for all pages (sizes=(1025, 1025), "
        "--sizes 1025x1025)."
    )
    on_screen = (
        "Write the page size on the page Data, or drop page images with the names of the pages together with the files."
    )
    named = "Its pages are named like 'a' and 'b'. "
    assert hints.missing_size_with(["a", "b", "c"]) == Hint(
        f"{named}Say which page is which (pages=, --pages), or give {sizes}", f"{named}{on_screen}"
    )
    assert hints.missing_size_with([]) == Hint(
        f"It has no pages. Say which page is which (pages=, --pages), or give {sizes}", f"It has no pages. {on_screen}"
    )
    lacking = "For coco it lacks the key 'images'; for yolo it lacks lines. "
    assert hints.unknown_format({"coco": "the key 'images'", "yolo": "lines"}) == Hint(
        f"{lacking}Name the format with format= or --format if it has one; `layoutcm formats` lists all.",
        f"{lacking}The page Data lists all formats.",
    )
    size_of_gt = (
        "Give a ground truth that has the page sizes (like=; in `compare` it goes first, in `inspect`, `convert` and "
        f"`compare --no-truth` after --like), {sizes}"
    )
    assert Hint(size_of_gt, on_screen) == hints.MISSING_SIZE


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


def test_a_value_that_python_cannot_show_is_described():
    assert short_repr(nested(100_000)) == "a deeply nested list"
    assert short_repr("x" * 99) == "'" + "x" * 57 + "…'" and short_repr([1]) == "[1]"


def test_a_page_map_with_a_nested_value_is_refused():
    text = b'{"p1": ' + b"[" * 900 + b"]" * 900 + b"}"
    with pytest.raises(lcm.InputError, match="is not a page's name"):
        parse_page_map("pages.json", text)
