"""Tables as LaTeX and Markdown: the same numbers as the API, and labels escaped."""

import re

import numpy as np
import pandas as pd
import pytest

import layoutcm as lcm
from layoutcm.filling.result_of import result_of
from layoutcm.tables.matrix_views import select
from layoutcm.tables.tables import Table, average_table, class_table, collapsed_table, confusions_table, matrix_table
from layoutcm.tables.written_forms import LATEX_ESCAPES, escape_latex, latex, markdown
from support import hostile
from support.layouts import build


def read_tex(text):
    """The text that LaTeX would print, as headings and rows: every escape is reversed."""
    body = text[text.index(r"\toprule") + 8 : text.index(r"\bottomrule")].replace(r"\midrule", "")
    rows = [re.split(r"(?<!\\) & ", line) for line in body.strip().split(" \\\\\n") if line]
    return [[unescape(cell.strip().removesuffix(r" \\")) for cell in row] for row in rows]


def unescape(cell):
    cell = re.sub(r"^\\rotatebox\{90\}\{(.*)\}$", r"\1", cell)
    plain = {escaped: chr(character) for character, escaped in LATEX_ESCAPES.items()}
    pattern = "|".join(re.escape(escaped) for escaped in sorted(plain, key=len, reverse=True))
    return re.sub(pattern, lambda found: plain[found[0]], cell)


def number(text):
    return np.nan if text == "--" else float(text.replace(r"\,", ""))


def test_special_characters_become_latex_macros():
    escaped = {
        r"\input{x}": r"\textbackslash{}input\{x\}",
        "50% of a_b & c#1 ~ $x^2$": r"50\% of a\_b \& c\#1 \textasciitilde{} \$x\textasciicircum{}2\$",
        "[x]* --": "{[}x{]}{*} -{}-{}",
        '<"|"`>\n': r"\textless{}\symbol{34}\textbar{}\symbol{34}\textasciigrave{}\textgreater{} ",
    }
    assert {text: escape_latex(text) for text in escaped} == escaped


def test_hostile_labels_stay_text_in_latex():
    m = hostile.compared().confusion()
    for table in (matrix_table(m, "recall", select(m)), class_table(m)):
        text = latex(table)
        rows = read_tex(text)
        assert [row[0] for row in rows[1:]] == m.labels
        assert not re.search(r"\\(input|HYPERLINK)|(?<!\\)[$#]", text[text.index("\n") :])
        assert text.count("\n%") == 0 and text.startswith("% ")


def test_latex_has_the_numbers_of_the_api(two_pages):
    c = lcm.compare(*two_pages)
    m = c.confusion()
    rows = read_tex(latex(matrix_table(m, "recall", select(m))))
    found = np.array([[number(cell) for cell in row[1:]] for row in rows[1:]])
    np.testing.assert_allclose(found, m.recall, atol=5.1e-4)
    rows = read_tex(latex(class_table(m)))
    assert rows[0] == ["label", "gt pixels", "pred pixels", "precision", "recall", "F1", "IoU"]
    found = np.array([[number(cell) for cell in row[1:]] for row in rows[1:]])
    np.testing.assert_allclose(found, m.classes().iloc[:, 1:].to_numpy(float), atol=5e-3)
    np.testing.assert_allclose(found[:, 2:], m.classes().iloc[:, 3:].to_numpy(float), atol=5.1e-4)
    averages = {row[0]: [number(cell) for cell in row[1:]] for row in read_tex(latex(average_table(result_of(c))))[1:]}
    np.testing.assert_allclose(averages["micro, without Background"], list(m.average("micro").values()), atol=5.1e-4)


def test_headings_of_narrow_tables_are_not_rotated():
    m = lcm.label_sets_confusion(["a"], ["a"], "ab")
    assert "rotatebox" not in latex(matrix_table(m, "f1")) and "graphicx" not in latex(collapsed_table(m))


def test_markdown_is_a_table_with_escaped_labels():
    m = hostile.compared().confusion()
    lines = markdown(confusions_table(m)).splitlines()
    assert lines[0] == "| gt | pred | pixels | share of gt |" and lines[1] == "| --- | --- | ---: | ---: |"
    rows = [re.split(r" (?<!\\)\| ", line.strip("| ")) for line in lines[2:]]
    assert all(len(row) == 4 for row in rows)
    names = {re.sub(r"\\(.)", r"\1", cell) for row in rows for cell in row[:2]}
    assert names == {"Background", *hostile.LABELS}
    assert {row[2:] == ["100", "0.250"] or row[2:] == ["300", "0.750"] for row in map(list, rows)} == {True}


@pytest.mark.parametrize("label", ["f1", "gt", "pixels", "share"])
def test_a_label_named_like_a_column_keeps_its_name(label):
    layout = build({"p": (4, 4)}, [("p", label, 0, 0, 4, 2)])
    m = lcm.compare(layout, layout).confusion()
    assert matrix_table(m, "recall").headings() == ["gt", "Background", label]
    assert matrix_table(m, "recall").kinds() == ["text", "share", "share"]
    assert matrix_table(m, "pixels").kinds() == ["text", "pixels", "pixels"]


NEEDS_FONT = "labels beyond Latin need XeLaTeX or LuaLaTeX and a font."
MIXED = Table(
    "mixed",
    "Two\nlines",
    pd.DataFrame(
        {
            "label": ["a_b", "c|d"],
            "pixels": [1234567.5, 2000.0],
            "f1": [0.25, float("nan")],
            "gt": [1000, 2],
            "fix": ["e", "f"],
            **{f"text {k}": "-" for k in range(2)},
        }
    ),
)


def test_whole_latex_table():
    """Not a matrix, so that the headings are not rotated, although there are seven."""
    found = latex(MIXED)
    assert (
        found
        == rf"""% Two lines. Needs booktabs; {NEEDS_FONT}
\begin{{tabular}}{{lrrrlll}}
\toprule
label & pixels & F1 & gt & fix & text 0 & text 1 \\
\midrule
a\_b & 1\,234\,567.5 & 0.250 & 1\,000 & e & -{{}} & -{{}} \\
c\textbar{{}}d & 2\,000 & -- & 2 & f & -{{}} & -{{}} \\
\bottomrule
\end{{tabular}}
"""
    )


def test_whole_markdown_table():
    assert markdown(MIXED) == (
        "| label | pixels | F1 | gt | fix | text 0 | text 1 |\n"
        "| --- | ---: | ---: | ---: | --- | --- | --- |\n"
        "| a\\_b | 1,234,567.5 | 0.250 | 1,000 | e | \\- | \\- |\n"
        "| c\\|d | 2,000 | – | 2 | f | \\- | \\- |\n"
    )


@pytest.mark.parametrize(
    ("labels", "needs", "headings"),
    [
        ("abcde", "booktabs", "gt & a & b & c & d & e"),
        ("abcdef", "booktabs and graphicx", "gt & " + " & ".join(rf"\rotatebox{{90}}{{{x}}}" for x in "abcdef")),
    ],
)
def test_headings_of_a_matrix_are_rotated_from_seven_columns(labels, needs, headings):
    m = lcm.label_sets_confusion(["a"], ["a"], labels, background=None)
    lines = latex(matrix_table(m, "pixels")).split("\n")
    assert lines[0] == f"% Pixels, rows gt, columns pred. Needs {needs}; {NEEDS_FONT}"
    assert lines[3] == headings + r" \\" and lines[5] == "a & 1" + " & 0" * (len(labels) - 1) + r" \\"


def test_every_character_with_a_meaning_in_markdown_is_escaped():
    assert markdown(Table("n", "t", pd.DataFrame({"a": ["\\`*_{}[]()#+-.!|~<>$:&@=^ x\ny1"]}))).split("\n")[2] == (
        r"| \\\`\*\_\{\}\[\]\(\)\#\+\-\.\!\|\~\<\>\$\:\&\@\=\^ x y1 |"
    )


def test_a_sum_of_fractions_that_is_whole_is_written_as_a_whole_number():
    """Each of 2 pixels adds seven sevenths to the row of a, which is 4.999999999999999 in floating point."""
    labels = list("abcdefg")
    m = lcm.label_sets_confusion([["a"], ["a"]], [labels, ["b", "c", "d"]], labels, weights=[2, 3])
    assert m.gt_pixels[1] != 5 and m.gt_pixels[1] == pytest.approx(5)
    assert markdown(class_table(m)).splitlines()[3].startswith("| a | 5 | 2 |")
    assert read_tex(latex(class_table(m)))[2][:3] == ["a", "5", "2"]


def test_numbers_below_0_are_not_shown_as_exact():
    values = [-0.00000001, -0.99999, -0.25, 0.25, 0.0]
    table = Table("difference", "Difference", pd.DataFrame({"of": list("abcde"), "value": values}))
    cells = [line.split(" & ")[1].removesuffix(r" \\") for line in latex(table).splitlines() if line[1:4] == " & "]
    assert cells == ["$>$$-$0.001", "$-$0.999", "$-$0.250", "0.250", "0.000"]
    assert [line.split(" | ")[1].removesuffix(" |") for line in markdown(table).splitlines()[2:]] == [
        *("&gt;-0.001", "-0.999", "-0.250", "0.250", "0.000"),
    ]
