"""Tables as LaTeX (with booktabs) and as GitHub Markdown.

Labels can contain any text: every character with a special meaning in LaTeX or Markdown is escaped.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from layoutcm.lazy import pd
from layoutcm.tables.tables import SCORE_KINDS, Ends, Table, with_joined_ends
from layoutcm.wording import MISSING, escape_markdown, grouped, one_line, score_text

LATEX_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "%": r"\%",
        "_": r"\_",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"\symbol{34}",  # some babel languages make the plain character active
        "`": r"\textasciigrave{}",
        # After the end of a row, LaTeX would read these as an argument of the row break.
        "[": "{[}",
        "]": "{]}",
        "*": "{*}",
        "-": "-{}",  # two in a row would become a dash
    }
)
LATEX_NUMBER = str.maketrans({"<": "$<$", ">": "$>$", "-": "$-$"})
MARKDOWN_NUMBER = str.maketrans({"<": "&lt;", ">": "&gt;"})
# Column headings are rotated if a matrix has at least this many columns.
ROTATE_FROM = 7


def escape_latex(text: str) -> str:
    return one_line(text).translate(LATEX_ESCAPES)


def latex(table: Table) -> str:
    """A LaTeX tabular with booktabs rules; shares are written as everywhere (`score_text`), n/a is a dash."""
    table = with_joined_ends(table)
    headings = [escape_latex(heading) for heading in table.headings()]
    kinds = table.kinds()
    if len(headings) >= ROTATE_FROM and table.matrix:
        headings[1:] = [rf"\rotatebox{{90}}{{{heading}}}" for heading in headings[1:]]
    needs = "booktabs and graphicx" if len(headings) >= ROTATE_FROM and table.matrix else "booktabs"
    lines = [
        f"% {one_line(table.title)}. Needs {needs}; labels beyond Latin need XeLaTeX or LuaLaTeX and a font.",
        *([f"% {one_line(table.note)}"] if table.note else []),
        rf"\begin{{tabular}}{{{''.join('l' if kind == 'text' else 'r' for kind in kinds)}}}",
        r"\toprule",
        " & ".join(headings) + r" \\",
        r"\midrule",
        *(" & ".join(row) + r" \\" for row in _row_texts(table, escape_latex, LATEX_NUMBER, r"\,", "--")),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def markdown(table: Table) -> str:
    """A GitHub Markdown table; n/a is a dash."""
    table = with_joined_ends(table)
    rules = ["---" if kind == "text" else "---:" for kind in table.kinds()]
    rows = [
        [escape_markdown(heading) for heading in table.headings()],
        rules,
        *_row_texts(table, escape_markdown, MARKDOWN_NUMBER, ",", MISSING),
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"


def _row_texts(
    table: Table, escape: Callable[[str], str], number: dict[int, str], separator: str, missing: str
) -> list[list[str]]:
    """The cells as text: `escape` is for names and words, the characters of `number` are replaced in numbers.

    `separator` is between thousands.
    """

    def text(value: Any, kind: str) -> str:
        if isinstance(value, Ends):
            return value.text(lambda text: text.translate(number))
        if kind == "text":
            return escape(str(value))
        if pd.isna(value):  # a row number of a region that does not exist is not a float
            return missing
        return score_text(value).translate(number) if kind in SCORE_KINDS else grouped(value, separator)

    return [list(map(text, row, table.kinds())) for row in table.data.itertuples(index=False, name=None)]
