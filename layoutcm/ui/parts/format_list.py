"""The list of formats that are read: the rows of the tables in docs/formats.md, to search."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

import streamlit as st

from layoutcm.formats.registry import BY_NAME
from layoutcm.ui.settings import app_folder

_NAME = re.compile(r"`([a-z0-9-]+)`")
_BETWEEN_CELLS = re.compile(r"(?<!\\)\|")
_LINK = re.compile(r"\[([^\]\[]*)\]\([^()]*\)")
TITLES = ("format", "what it is", "page sizes", "notes")


class FormatRow(NamedTuple):
    name: str
    title: str
    sizes: str
    notes: str


@cache
def format_rows() -> tuple[FormatRow, ...]:
    """One row for each format that the documentation describes; a row of several formats is repeated for each."""
    header: list[str] = []
    found: list[FormatRow] = []
    for line in (app_folder() / "docs" / "formats.md").read_text("utf-8").splitlines():
        cells = [cell.strip().replace("\\|", "|") for cell in _BETWEEN_CELLS.split(line.strip("|"))]
        if cells[0] == "name":
            header = cells
        elif header and line.startswith("| `"):
            row = dict(zip(header, map(_plain, cells)))
            names = [name for name in _NAME.findall(cells[0]) if name in BY_NAME]
            titles = [row["what it is"]] if len(names) == 1 else [BY_NAME[name].title for name in names]
            found += [FormatRow(*pair, row["page sizes"], row["notes"]) for pair in zip(names, titles)]
        elif not line.startswith("|"):
            header = []
    return tuple(found)


def _plain(text: str) -> str:
    """A cell without the signs of Markdown."""
    return _LINK.sub(r"\1", text).replace("`", "")


def show_formats() -> None:
    rows = format_rows()
    with st.expander(f"Formats that are read ({len(rows)})"):
        wanted = st.text_input("Search", key="format_search", placeholder="a tool, a suffix, a word").casefold().split()
        shown = [row for row in rows if all(word in " ".join(row).casefold() for word in wanted)]
        if shown:
            columns = {title: [row[i] for row in shown] for i, title in enumerate(TITLES)}
            st.dataframe(columns, hide_index=True, key="formats")
        else:
            st.caption("No format has these words. A table in CSV can be read from any tool.")
