"""Invented texts: sentences are put together from the parts in prose/, with the words of a topic in their gaps.

A file of prose/ has named parts, each started by a line "@ name"; every other line is one entry. `{thing}` is a gap.
"""

import random
import re
from functools import cache
from pathlib import Path

from .documents import Document

FOLDER = Path(__file__).parent / "prose"
GAP = re.compile(r"\{(\w+)\}")
WITHOUT_COMMA = ("because", "if", "until", "for", "with", "even")
REFERENCES = 9  # the most references of a paper


@cache
def read_parts(name: str) -> dict[str, tuple[str, ...]]:
    """{part: its entries} of a file of prose/."""
    parts: dict[str, list[str]] = {}
    for line in (FOLDER / f"{name}.txt").read_text(encoding="utf-8").replace("'", "’").splitlines():
        if line.startswith("@"):
            entries = parts.setdefault(line[1:].strip(), [])
        elif line.strip():
            entries.append(line.strip())
    return {part: tuple(entries) for part, entries in parts.items()}


@cache
def word_lists(topic: str) -> dict[str, tuple[str, ...]]:
    """{gap: the words for it}: those of the topic, and those common to all topics."""
    common = {"place": "places", "given": "given", "family": "family", "firm": "firms", "journal": "journals"}
    lists = {gap: ", ".join(read_parts("common")[part]) for gap, part in common.items()}
    lists |= dict(line.split(": ") for line in read_parts("topics")[topic])
    return {gap: tuple(words.split(", ")) for gap, words in lists.items()}


def capitalise(text: str) -> str:
    return text[:1].upper() + text[1:]


class Writer:
    """Writes the texts of one document; an entry is used again only after all others of its part."""

    def __init__(self, document: Document):
        self.document = document
        self.rng: random.Random = document.rng("text")
        self.parts = read_parts(document.category)
        self.words = word_lists(document.topic)
        self.unused: dict[str, list[str]] = {}

    def next_of(self, name: str, entries: tuple[str, ...]) -> str:
        if not self.unused.get(name):
            self.unused[name] = self.rng.sample(entries, len(entries))
        return self.unused[name].pop()

    def word(self, gap: str) -> str:
        """A word for a gap."""
        if gap == "n":
            return str(self.rng.randint(3, 28))
        if gap == "ref":
            return str(self.rng.randint(1, REFERENCES))
        if gap == "year":
            return str(self.document.year - self.rng.randint(1, 9))
        return self.next_of(f"word {gap}", self.words[gap])

    def entry(self, part: str) -> str:
        """An entry of a part, with its gaps filled."""
        template = self.next_of(part, self.parts[part])
        return capitalise(GAP.sub(lambda gap: self.word(gap[1]), template))

    def title(self) -> str:
        """The title: the words in its gaps begin with capitals, its year is that of the document.

        The number of the document chooses the entry, so that no two documents of a type have the same.
        """
        words = {"year": str(self.document.year)}
        template = self.parts["titles"][int(self.document.name.rpartition("-")[2]) - 1]
        return GAP.sub(lambda gap: words.get(gap[1]) or self.word(gap[1]).title(), template)

    def sentence(self) -> str:
        text = self.entry("mains")
        if self.rng.random() < 0.6:
            text = f"{self.entry('openings')}, {text[0].lower() if text[:2] != 'I ' else 'I'}{text[1:]}"
        if self.rng.random() < 0.55:
            ending = self.entry("endings")
            ending = ending[0].lower() + ending[1:]
            text += f" {ending}" if ending.startswith(WITHOUT_COMMA) else f", {ending}"
        return f"{text}."

    def paragraph(self, least: int = 3, most: int = 6) -> str:
        return " ".join(self.sentence() for _ in range(self.rng.randint(least, most)))

    def person(self) -> str:
        return f"{self.word('given')} {self.word('family')}"

    def reference(self) -> str:
        """A line of a list of references."""
        author, other = self.word("family"), self.word("family")
        start = self.rng.randint(3, 300)
        pages = f"{start}-{start + self.rng.randint(5, 20)}"
        subject = f"The {self.word('thing')} and its {self.word('part')}"
        journal = f"{self.word('journal')}, {pages}, {self.word('year')}"
        return f"{author[0]}. {author} and {other[0]}. {other}. {subject}. {journal}."
