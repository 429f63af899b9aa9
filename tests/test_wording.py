"""Short texts for numbers, shares, counts and labels."""

import ast
import math
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from layoutcm import wording
from layoutcm.wording import as_text_cell, threshold_text, without_text_mark

NAN = math.nan
# What each function writes for some values.
TEXTS = {
    wording.pixels_brief: [
        (0.0, "0"), (0.004, "<0.01"), (0.01, "0.01"), (1 / 3, "0.33"), (0.5, "0.5"), (1, "1"), (9.5, "9.5"),
        (9.94, "9.9"), (9.95, "10"), (10.4, "10"), (812, "812"), (999.4, "999"), (999.5, "1.0k"), (1000, "1.0k"),
        (1234, "1.2k"), (9949, "9.9k"), (9950, "10k"), (34_000, "34k"), (999_400, "999k"), (999_499, "999k"),
        (999_500, "1.0M"), (1.2e6, "1.2M"), (3.4e9, "3.4G"), (5.6e12, "5.6T"), (7.8e15, "7800T"),
    ],
    # per cent in cells
    wording.percent_brief: [
        (1, "100"), (0.99996, "99.9"), (0.9962, "99.6"), (0.995, "99.5"), (0.9949, "99"), (0.4123, "41"),
        (0.0996, "10"), (0.0995, "10"), (0.0994, "9.9"), (0.0327, "3.3"), (0.0042, "0.4"), (0.0005, "0.1"),
        (0.00049, "<0.1"), (0.0002, "<0.1"),
    ],
    # three significant digits
    wording.percent: [
        (0.43612, "43.6 %"), (0.0523, "5.23 %"), (1, "100 %"), (0.99996, "99.9 %"), (0.005, "0.500 %"), (0, "0 %"),
        (0.09996, "10.0 %"), (0.01, "1.00 %"), (0.0000123, "0.00123 %"), (0.00001, "0.00100 %"),
        (0.00000999, "<0.001 %"), (1e-9, "<0.001 %"), (12.3456, "1230 %"), (NAN, "–"),
    ],
    # three decimals; 0 and 1 are written only if they are exact
    wording.score_text: [
        (0, "0.000"), (0.0004, "<0.001"), (0.0006, "0.001"), (0.12345, "0.123"), (0.43649, "0.436"), (0.9994, "0.999"),
        (0.99999, "0.999"), (1, "1.000"), (-0.0004, ">-0.001"), (-0.9999, "-0.999"), (-0.4, "-0.400"), (-0.0, "0.000"),
        (NAN, "–"),
    ],
    # a sign, and 0 only if it is exact
    wording.difference_text: [
        (0.4361, "+0.436"), (-0.4361, "-0.436"), (0, "0.000"), (0.0004, "<+0.001"), (-0.0004, ">-0.001"),
        (0.9997, "+0.999"), (-0.9997, "-0.999"), (1, "+1.000"), (-1, "-1.000"), (NAN, "–"),
    ],
    # rounded down
    wording.threshold_text: [
        (0.71996, "0.7199"), (0.72, "0.72"), (0.5, "0.5"), (1.0, "1"), (0.99999, "0.9999"), (1.23456e-5, "1.234e-05"),
        (NAN, "–"),
    ],
    # shares and numbers that somebody has chosen keep their own digits
    wording.plain_percent: [
        (0.95, "95 %"), (0.005, "0.5 %"), (0.07, "7 %"), (1, "100 %"), (0.9999, "99.99 %"), (0, "0 %"),
        (1 / 3, "33.3333 %"),
    ],
    wording.percent_tick: [
        (0.95, "95"), (0.005, "0.5"), (0.07, "7"), (1, "100"), (0.9999, "99.99"), (0, "0"), (1 / 3, "33.3333"),
    ],
    wording.plain_number: [(0.5, "0.5"), (20.0, "20"), (1 / 3, "0.333333")],
    # changes have a sign
    wording.points_text: [(0.0202, "+2.02"), (-0.00001, ">-0.01"), (0, "0.00"), (1234.4, "+123440.00")],
    wording.pixel_change_text: [(0.0202, "+0.02"), (-0.00001, "-0.00"), (0, "0"), (1234.4, "+1\u202f234.4")],
}  # fmt: skip


@pytest.mark.parametrize(
    ("write", "value", "text"),
    [pytest.param(write, *row, id=f"{write.__name__}-{row[0]}") for write, rows in TEXTS.items() for row in rows],
)
def test_the_text_of_a_number(write, value, text):
    assert write(value) == text


@pytest.mark.parametrize(
    ("value", "in_full", "thin_spaced"),
    [
        (0, "0", "0"),
        (1.5, "1.5", "1.5"),
        (0.25, "0.25", "0.25"),
        (1234567, "1,234,567", "1\u202f234\u202f567"),
        (1234.5, "1,234.5", "1\u202f234.5"),
        (10 * (0.1 + 0.2), "3", "3"),
        # The rounding error of a sum is at most a billionth of it, and of 1 if it is smaller.
        (2e9 + 1, "2,000,000,001", "2\u202f000\u202f000\u202f001"),
        (1 + 0.9e-9, "1", "1"),
        (1 + 2.5e-9, "1.0", "1.0"),
        (1e-9, "0", "0"),
        (1.5e-9, "0.00", "0.00"),
        (1000 + 0.9e-6, "1,000", "1\u202f000"),
        (1000 + 1.1e-6, "1,000.0", "1\u202f000.0"),
        (-1000.5, "-1,000.5", "-1\u202f000.5"),
    ],
)
def test_pixels_in_full(value, in_full, thin_spaced):
    assert (wording.pixels_in_full(value), wording.thin_spaced(value)) == (in_full, thin_spaced)


@pytest.mark.parametrize(("value", "number", "kind"), [(3.0, 3, int), (3.5, 3.5, float), (4, 4, int)])
def test_whole_pixels_are_integers(value, number, kind):
    found = wording.pixels_as_number(value)
    assert found == number and type(found) is kind


@pytest.mark.parametrize(
    ("text", "limit", "short"),
    [
        ("Section-header", 14, "Section-header"), ("Section-header", 13, "Section-…ader"),
        ("Section-header", 10, "Sectio…der"), ("Section-header", 4, "Se…r"), ("Section-header", 3, "Se…"),
        ("Section-header", 1, "…"),
    ],
)  # fmt: skip
def test_long_text_is_cut_in_the_middle(text, limit, short):
    assert wording.shorten(text, limit) == short and len(short) <= limit


def test_text_on_one_line_has_no_control_characters():
    given = "a\x00b\tc\nd\x1fe f\x7fg\x80h\x9fi\xa0j\u2028k\u2029l\ufffem\uffffn\ud800o~éX"
    assert wording.one_line(given) == "a b c d e f g h i\xa0j k l m n?o~éX"


@pytest.mark.parametrize("mark", [*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C, 0xFEFF])
def test_marks_of_direction_and_invisible_marks_become_blanks(mark):
    assert wording.one_line(f"a{chr(mark)}b\nc") == "a b c"
    assert wording.without_control_characters(f"a{chr(mark)}b\nc") == "a b\nc"


@pytest.mark.parametrize(
    ("count", "default", "given"),
    [(0, "0 pages", "0 have"), (1, "1 page", "1 has"), (2, "2 pages", "2 have"), (1234, "1,234 pages", "1,234 have")],
)
def test_words_agree_with_a_count(count, default, given):
    assert (wording.plural(count, "page"), wording.plural(count, "has", "have")) == (default, given)
    assert wording.agree(count, "is", "are") == ("is" if count == 1 else "are")


def test_repeated_names_are_numbered():
    assert wording.make_unique(["a", "b", "a", "a", "b"]) == ["a", "b", "a (2)", "a (3)", "b (2)"]
    assert wording.make_unique(["a", "a", "a (2)", "a"]) == ["a", "a (3)", "a (2)", "a (4)"]


@given(st.floats(0, 1))
def test_a_shown_threshold_is_never_above_the_true_one(value):
    assert value * 0.999 - 1e-300 <= float(threshold_text(value)) <= value


@pytest.mark.parametrize("text", ["=1+1", "+x", "-x", "@x", "  =1", "\tx"])
def test_text_that_a_spreadsheet_would_compute_is_marked_and_unmarked(text):
    assert as_text_cell(text) == f"'{text}" and without_text_mark(f"'{text}") == text
    assert as_text_cell("x=1") == "x=1" and without_text_mark("'x") == "'x" and as_text_cell(-1) == -1


def test_the_digits_of_a_number_can_be_chosen():
    assert wording.score_text(0.12345, digits=1) == "0.1" and wording.iou_text(0.5) == "0.50"
    assert wording.plain_percent(1 / 3, 3) == "33.3 %"


# Numbers that are not shares: a file whose numbers are per cent, steps of a progress bar, a column that the browser
# writes, lengths in pixels, sizes in MB, expected counts, and the comparison of a text with its plain form.
NOT_SHARES = {
    "cli/compare_command.py", "layouts/writing/label_studio.py", "report/workbook.py", "tables/command_texts.py",
    "ui/measures/object_view.py", "ui/data/label_mapping.py", "ui/shared/lit_pages.py", "ui/shared/take_away.py",
}  # fmt: skip


def rounded_by_hand(source):
    """The lines that multiply with 100, write decimals or put % after a number in a format of their own."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            found = any(isinstance(side, ast.Constant) and side.value == 100 for side in (node.left, node.right))
        elif isinstance(node, ast.FormattedValue) and node.format_spec:
            found = re.search(r"\.([1-9]|\{.*\})f'|%'", ast.unparse(node.format_spec))
        elif isinstance(node, ast.JoinedStr):
            after = [text for text in node.values[1:] if isinstance(text, ast.Constant)]
            found = any(text.value.lstrip("\u00a0 ").startswith("%") for text in after)
        else:
            continue
        if found:
            yield node.lineno


@pytest.mark.parametrize("line", ['f"{100 * x:g}"', "x * 100", 'f"{x:.2f}"', 'f"{x:.{n}f}"', 'f"{x:.1%}"', 'f"{x} %"'])
def test_rounding_by_hand_is_found(line):
    assert set(rounded_by_hand(line)) == {1}


def test_shares_and_scores_are_rounded_in_one_place():
    package = Path(wording.__file__).parent
    files = {path.relative_to(package).as_posix(): path for path in package.rglob("*.py")}
    found = {name: list(rounded_by_hand(path.read_text("utf-8"))) for name, path in files.items()}
    assert {name: lines for name, lines in found.items() if lines}.keys() - {"wording.py"} == NOT_SHARES
