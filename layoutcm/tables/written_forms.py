"""Tables as CSV, Parquet, LaTeX (with booktabs) and GitHub Markdown, and the intervals of tables as text.

Labels can contain any text: every character with a special meaning in LaTeX or Markdown is escaped.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from layoutcm.lazy import pd
from layoutcm.tables.tables import SCORE_KINDS, Table, heading_of
from layoutcm.wording import MISSING, as_text_cell, difference_text, escape_markdown, grouped, one_line, score_text

OF_DIFFERENCE = {"difference": "the difference"}
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


class Ends(NamedTuple):
    """The two ends of an interval, for writers of text; the ends of a difference have a sign."""

    low: float
    high: float
    is_difference: bool

    def text(self, write: Callable[[str], str] = str) -> str:
        """'0.770 – 0.845' or '-0.221 to -0.099'; `write` escapes each number."""
        if math.isnan(self.low):
            return MISSING
        number, joint = (difference_text, "to") if self.is_difference else (score_text, "–")
        return f"{write(number(self.low))} {joint} {write(number(self.high))}"


def with_joined_ends(table: Table) -> Table:
    """The table for a writer of text: if it `joins_ends`, the ends of every interval are one column of `Ends`."""
    columns: dict[str, Any] = {}
    for name in map(str, table.data if table.joins_ends else ()):
        known, _, rest = name.partition(": ")
        of = known.removesuffix("_low")
        if of != known:
            heading = OF_DIFFERENCE.get(of) or table.titles.get(of) or heading_of(of)
            title = f"interval: {rest}" if rest else f"interval of {heading}"
            both = (table.data[end].astype(float) for end in (name, name.replace("_low", "_high", 1)))
            ends = [Ends(low, high, of in OF_DIFFERENCE) for low, high in zip(*both)]
            columns[title] = pd.Series(ends, table.data.index, dtype=object)
        elif not known.endswith("_high"):
            columns[name] = table.data[name]
    return replace(table, data=pd.DataFrame(columns)) if columns else table


def csv_text(table: Table) -> str:
    """The table as CSV: full precision, quoted text, n/a as an empty cell; equal bytes on every machine.

    A page or label can have any name, so text that a spreadsheet would take for a formula is marked as text.
    """
    data = _valid_text(table.data, as_text_cell)
    data.columns = data.columns.map(as_text_cell)
    return data.to_csv(index=False, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")


def write_parquet(table: Table, path: Path) -> None:
    _valid_text(table.data).to_parquet(path, index=False)


def _valid_text(data: pd.DataFrame, mark: Callable[[Any], Any] = lambda value: value) -> pd.DataFrame:
    """The data with text that UTF-8 can encode, marked by `mark`; a file name can contain lone surrogates."""
    columns = {name: data[name].tolist() for name, dtype in zip(data.columns, data.dtypes) if dtype.kind not in "iuf"}
    return data.assign(**{name: _encodable([str(mark(value)) for value in values]) for name, values in columns.items()})


def _encodable(texts: list[str]) -> list[str]:
    try:
        "".join(texts).encode()  # all at once, because nearly every text can be encoded
    except UnicodeEncodeError:
        return [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
    return texts


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
