"""The text of every finding, and the hints that differ between the dashboard and Python or the command line."""

import re

import pytest

import layoutcm as lcm
from layoutcm import hints, messages
from layoutcm.errors import Hint, InputError, short_repr
from layoutcm.layouts.model import Finding
from layoutcm.layouts.page_maps import parse_page_map
from support.finding_examples import ALIKE, MESSAGES
from support.paths import ROOT


@pytest.mark.parametrize(("code", "count", "values", "message"), MESSAGES)
def test_messages(code, count, values, message):
    finding = Finding(code, count, values)
    assert finding.message == message
    assert finding.as_dict()["message"] == message and finding.as_dict()["count"] == count


@pytest.mark.parametrize(("code", "what"), ALIKE.items())
def test_messages_of_readers(code, what):
    assert Finding(code, 3, {"file": "f", "place": "x"}).message == f"f: {what} (3 times, first at x)."


def test_every_text_is_tested_and_every_finding_has_a_text():
    assert {code for code, *_ in MESSAGES} | set(ALIKE) == set(messages.TEXTS)
    sources = "".join(path.read_text("utf-8") for path in (ROOT / "layoutcm").rglob("*.py"))
    made = set(re.findall(r'(?:Finding|note_unusual)\(\s*"([a-z-]+)"', sources))
    assert len(made) > 40 and made <= set(messages.TEXTS)


MAP = "Drop a page map on the page Data"
PAGES = {"pages": 3, "names": ["a"]}
MAP_LABELS = ["Map labels (mapping=, --mapping) if they mean the same; layoutcm suggest-mapping (suggest_mapping in "
              "Python) suggests one.", "Map labels to each other if they mean the same."]  # fmt: skip


@pytest.mark.parametrize(
    ("finding", "hint", "on_screen"),
    [
        (Finding("page-only-in-gt", 1, {**PAGES, "ignored": False}),
         "Check the page names of both files, say which belong together (pages=, --pages), or leave such pages out "
         '(missing_pages="ignore", --missing-pages ignore).',
         f"Check the page names of both files. {MAP}, or set Missing pages to ignore in Settings."),
        (Finding("page-only-in-gt", 1, {**PAGES, "ignored": True}),
         "Check the page names of both files, or say which belong together (pages=, --pages).",
         f"Check the page names of both files. {MAP}."),
        (Finding("page-numbers-shifted"),
         "Give a page map (pages=, --pages) if this is wrong.", f"{MAP} if this is wrong."),
        (Finding("page-numbers-suspect"),
         "If pages are off by one, give a page map (pages=, --pages).", f"{MAP} if pages are off by one."),
        (Finding("page-numbers-ambiguous"), "Give a page map (pages=, --pages).", f"{MAP}."),
        (Finding("documents-from-names"), "Give a pattern (documents=, --documents) if this is wrong.", ""),
        (Finding("equal-label-names"),
         'Use one list of all names (taxonomy="same", --taxonomy same), join similar names, too '
         '(taxonomy="match-names", --taxonomy match-names), or map these labels (mapping=, --mapping; '
         'layoutcm suggest-mapping (suggest_mapping in Python) suggests one).',
         "Match equal names, or map labels below."),
        (Finding("coarse-page"),
         'Count exact areas (rounding="exact", --rounding exact), or make the side with pixels the ground truth.',
         "Use the rounding exact, or make the side with pixels the ground truth."),
        (Finding("label-only-in-gt"), *MAP_LABELS),
        (Finding("documents-left-out", values={"limit": 3, "file": "documents.parquet"}), "", ""),
        (Finding("documents-left-out", values={"limit": 3, "file": ""}),
         *["Write the result to a file: the documents are then written beside it."] * 2),
        (Finding("two-documents", values={"file": "f", "side": "prediction"}), "", ""),
        (Finding("two-documents", values={"file": "f", "side": "ground truth"}),
         'To read the prediction: format="docling-eval-pred", --format docling-eval-pred.',
         "Drop the file as the prediction too: there the prediction is read."),
        (Finding("document-without-side", values={"file": "f", "side": "x", "first": "d", "status": ""}),
         "Missing pages are compared with an empty page, or left out "
         '(missing_pages="ignore", --missing-pages ignore).',
         "Missing pages are compared with an empty page, or left out: see Missing pages in Settings."),
        (Finding("failed-answer", values={"file": "f", "names": ["a"]}),
         "Run the model on these pages again. Missing pages are compared with an empty page, or left out "
         '(missing_pages="ignore", --missing-pages ignore).',
         "Run the model on these pages again. Missing pages are compared with an empty page, or left out: see Missing "
         "pages in Settings."),
        (Finding("two-sides", values={"file": "f", "side": "b"}), "", ""),
        (Finding("two-sides", values={"file": "f", "side": "a"}),
         'To read b: format="docling-metrics-b", --format docling-metrics-b.',
         "Drop the file as the prediction too: there it is read as b."),
        (Finding("unnamed-classes"),
         "Put data.yaml, classes.txt or obj.names beside the label files.",
         "Drop data.yaml, classes.txt or obj.names together with the label files."),
        (Finding("y-flipped", repair="flip-y"),
         "Repair it: lcm.repair(pred, 'flip-y') or --fix flip-y (of several predictions: --fix FILE=flip-y).", ""),
        (Finding("y-flipped", values={"earlier": ["scale:2"]}, repair="flip-y"),
         "Repair it: lcm.repair(pred, 'flip-y') or --fix scale:2,flip-y "
         "(of several predictions: --fix FILE=scale:2,flip-y).",
         ""),
        (Finding("page-off-by-one", values={"mapped": True}, repair="images:-1"),
         "Check the page map first: it may name the wrong pages. "
         "Repair it: lcm.repair(pred, 'images:-1') or --fix images:-1 (of several predictions: --fix FILE=images:-1).",
         "Check the page map first: it may name the wrong pages."),
        (Finding("label-only-in-gt", values={"names": ["a"], "declared": True}), "", ""),
        (Finding("label-only-in-gt", values={"names": ["a"]}), *MAP_LABELS),
        (Finding("wrong-page-size", repair="scale:2"),
         "If you gave the size, give the right one (sizes=, --sizes), or none if gt's is right. "
         "Otherwise repair it, approximately: lcm.repair(pred, 'scale:2') or --fix scale:2 "
         "(of several predictions: --fix FILE=scale:2).",
         "If you gave the size, give the right one, or none if gt's is right."),
        (Finding("other-scale", values={"side": "layout"}, repair="unit:1"),
         "Repair it: lcm.repair(layout, 'unit:1') or --fix unit:1 (--fix-gt for the ground truth).", ""),
        (Finding("mapping-target-misspelt", 1, {"side": "pred", "other": "gt", "first": "Txt", "meant": "Text"}),
         *["Write 'Text' for 'Txt' if that is meant."] * 2),
        (Finding("mapping-misspelt", 1, {"side": "gt", "file": "f", "first": "Txt", "meant": "Text"}),
         *["Write 'Text' for 'Txt' if that is meant."] * 2),
        (Finding("empty-side"), "Check that this is the right file.", "Check that this is the right file."),
        (Finding("below-min-score", 8, {"regions": 8, "min_score": 2.0}), *["Use a lower minimum score."] * 2),
        (Finding("below-min-score", 7, {"regions": 8, "min_score": 0.5}), "", ""),
        (Finding("score-missing"), "Objects need all scores or none.", "Objects need all scores or none."),
    ],
)  # fmt: skip
def test_hints_for_the_command_line_and_for_the_screen(finding, hint, on_screen):
    assert (finding.hint, finding.advice.on_screen) == (hint, on_screen)


def test_no_hint_on_the_screen_names_an_option():
    for text in messages.TEXTS.values():
        values = {**PAGES, "ignored": False, "regions": 1, "first": "a", "meant": "b", "side": "a"}
        shown = messages.hint_of(text.hint, n=1, repair="flip-y", **values).on_screen
        assert not re.search(r"--\w|\w=", shown), shown


def test_severities():
    assert Finding("empty-side").severity == "warning" and Finding("scaled-page").severity == "info"
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
