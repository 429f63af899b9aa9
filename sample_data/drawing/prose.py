"""Read the texts in prose/ and turn them into blocks that flow into columns.

The paragraphs of a file are separated by empty lines. A paragraph may start with a mark: "#" or "##" for a heading,
"-" for a list item, "[" for a reference, "=" for the name of a formula; "@" starts a named part.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from .page import Paragraph

FOLDER = Path(__file__).parent / "prose"
MARKS = ("##", "#", "-", "=", "[")


def read_parts(name: str) -> dict[str, list[tuple[str, str]]]:
    """The parts of a text, each a list of (mark, text); the text before the first "@" is the part ""."""
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
    """Blocks of text and formulas; `sheet` has an empty paragraph for each mark, which defines its style."""
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
