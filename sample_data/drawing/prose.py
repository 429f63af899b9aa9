"""Reads the texts under prose/ and turns them into blocks that flow into columns.

A file is a row of paragraphs between empty lines. A paragraph may start with a mark: "#" or "##" for a
heading, "-" for a list item, "[" for a reference, "=" for a formula by name, and "@" opens a named part.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from .page import Paragraph

FOLDER = Path(__file__).parent / "prose"
MARKS = ("##", "#", "-", "=", "[")


def read_parts(name: str) -> dict[str, list[tuple[str, str]]]:
    """The parts of a text, each a list of (mark, text); what stands before any "@" is the part ""."""
    parts: dict[str, list[tuple[str, str]]] = {"": []}
    part = ""
    for chunk in (FOLDER / f"{name}.txt").read_text(encoding="utf-8").split("\n\n"):
        text = chunk.strip().replace("'", "’")
        if text.startswith("@"):
            part = text[1:].strip()
            parts[part] = []
        elif text:
            mark = next((mark for mark in MARKS if text.startswith(mark)), "")
            parts[part].append((mark, text if mark == "[" else text[len(mark) :].strip()))
    return parts


def make_blocks(
    entries: list[tuple[str, str]], sheet: Mapping[str, Paragraph], formulas: Mapping | None = None
) -> list:
    """Blocks in the styles of a sheet, which holds one empty paragraph for each mark."""
    blocks = []
    for mark, text in entries:
        if mark == "=":
            blocks.append((formulas or {})[text])
        elif mark == "[":
            number, _, rest = text.partition(" ")
            blocks.append(replace(sheet[mark], text=rest, marker=number))
        else:
            blocks.append(replace(sheet[mark], text=text))
    return blocks
