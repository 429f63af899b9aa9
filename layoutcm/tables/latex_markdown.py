"""Tables as text for a paper (LaTeX with booktabs) and for a note or an issue (Markdown).

Labels are somebody's text: every character that means something to the target is written so that it means itself.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from layoutcm.tables.tables import Table
from layoutcm.wording import one_line

LATEX_ESCAPES = {
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
    '"': r"\symbol{34}",  # babel may have given the plain character a meaning
    "`": r"\textasciigrave{}",
    # After the end of a row these would be read as an argument of it.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "-": "-{}",  # two in a row would become a dash
}
# Turned headings, from so many columns on.
ROTATE_FROM = 7


def escape_latex(text: str) -> str:
    return "".join(LATEX_ESCAPES.get(character, character) for character in one_line(text))


def latex(table: Table) -> str:
    """A tabular with booktabs rules; shares with four digits, n/a as a dash."""
    headings = [escape_latex(heading) for heading in table.headings()]
    kinds = table.kinds()
    if len(headings) >= ROTATE_FROM and table.matrix:
        headings[1:] = [rf"\rotatebox{{90}}{{{heading}}}" for heading in headings[1:]]
    needs = "booktabs and graphicx" if len(headings) >= ROTATE_FROM and table.matrix else "booktabs"
    lines = [
        f"% {one_line(table.title)}. Needs {needs}; labels beyond Latin need XeLaTeX or LuaLaTeX and a font.",
        rf"\begin{{tabular}}{{{''.join('l' if kind == 'text' else 'r' for kind in kinds)}}}",
        r"\toprule",
        " & ".join(headings) + r" \\",
        r"\midrule",
        *(" & ".join(row) + r" \\" for row in _row_texts(table, escape_latex, _tex_number)),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def markdown(table: Table) -> str:
    """A table in GitHub's Markdown; shares with three digits, n/a as a dash."""
    rules = ["---" if kind == "text" else "---:" for kind in table.kinds()]
    rows = [
        [escape_markdown(heading) for heading in table.headings()],
        rules,
        *_row_texts(table, escape_markdown, _md_number),
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"


def _row_texts(table: Table, text: Callable[[str], str], number: Callable[[float, str], str]) -> list[list[str]]:
    kinds = table.kinds()
    return [
        [text(str(value)) if kind == "text" else number(float(value), kind) for value, kind in zip(row, kinds)]
        for row in table.frame.itertuples(index=False, name=None)
    ]


def _tex_number(value: float, kind: str) -> str:
    if math.isnan(value):
        return "--"
    return f"{value:.4f}" if kind == "share" else _grouped(value, r"\,")


def escape_markdown(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|~<>$:&@=^])", r"\\\1", one_line(text))


def _md_number(value: float, kind: str) -> str:
    if math.isnan(value):
        return "–"
    return f"{value:.3f}" if kind == "share" else _grouped(value, ",")


def _grouped(value: float, mark: str) -> str:
    return (f"{value:,.0f}" if value.is_integer() else f"{value:,.2f}").replace(",", mark)
