"""What a file of a format needs to have: the kind of file, its outermost keys or its root element, names inside it.

Recognition uses these values, and the message for a file of no known format explains with them what is missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from layoutcm.formats.content import HEAD, FileContent
from layoutcm.formats.xml import root_name

KINDS = {"object": "a JSON object", "array": "a JSON list", "json": "JSON", "xml": "XML"}


@dataclass(frozen=True)
class Needs:
    """Called with a file, it says whether the file has all that is needed."""

    kind: str  # of KINDS
    names: tuple[str, ...]  # outermost keys, or those of the first object in a list; in XML, the root element
    inside: tuple[str, ...] = ()  # keys or elements anywhere in the file
    typical: tuple[str, ...] = ()  # further ones that are usual but not needed, to find the likeliest format

    def __call__(self, content: FileContent) -> bool:
        return self._is_of_kind(content) and not self._missing_names(content) and not self._missing_inside(content)

    def missing(self, content: FileContent) -> list[str]:
        """What the file lacks, in words."""
        kind = [] if self._is_of_kind(content) else [f"{KINDS[self.kind]} around it"]
        quoted = [f"<{name}>" if self.kind == "xml" else repr(name) for name in self._missing_names(content)]
        names = [f"the root element {quoted[0]}" if self.kind == "xml" else f"the key {name}" for name in quoted]
        return [*kind, *names, *(f"{name!r} inside" for name in self._missing_inside(content))]

    def likeness(self, content: FileContent) -> tuple[bool, float, bool]:
        """How like it a file is, for sorting: both are XML or JSON, the share of names that it has, the same kind."""
        absent = [*self._missing_names(content), *self._missing_inside(content)]
        absent += self._not_in(content, self.typical)
        share = 1 - len(absent) / len((*self.names, *self.inside, *self.typical))
        return (self.kind == "xml") == bool(root_name(content)), share, self._is_of_kind(content)

    def _is_of_kind(self, content: FileContent) -> bool:
        if self.kind == "xml":
            return bool(root_name(content))
        return content.json_root == self.kind or (self.kind == "json" and content.json_root != "")

    def _missing_names(self, content: FileContent) -> list[str]:
        found = {root_name(content)} if self.kind == "xml" else content.json_keys
        return [name for name in self.names if name not in found]

    def _missing_inside(self, content: FileContent) -> list[str]:
        return self._not_in(content, self.inside)

    def _not_in(self, content: FileContent, names: Sequence[str]) -> list[str]:
        marks = [f"<{name}" if self.kind == "xml" else f'"{name}"' for name in names]
        text = content.data if names is self.inside else content.data[:HEAD]
        return [name for name, mark in zip(names, marks) if mark.encode() not in text]
