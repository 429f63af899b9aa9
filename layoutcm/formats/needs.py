"""What a file of a format needs to have: the kind of file, its outermost keys or its root element, names inside it.

Recognition uses these values, and the message for a file of no known format explains with them what is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from layoutcm.formats.content import HEAD, FileContent
from layoutcm.formats.markup import root_name

KINDS = {"object": "a JSON object", "array": "a JSON list", "json": "JSON", "xml": "XML"}
Likeness = tuple[bool, float, bool]


@dataclass(frozen=True)
class Needs:
    """What a file needs to have. Called with a file, it tells whether the file has all of it.

    `Needs | Needs` recognises a file that has all of one of them.
    """

    kind: str  # of KINDS
    names: tuple[str, ...] = ()  # outermost keys, or those of the first object in a list; in XML, the root element
    inside: tuple[str, ...] = ()  # keys or elements anywhere in the file
    words: tuple[str, ...] = ()  # other texts anywhere in the file, such as values
    typical: tuple[str, ...] = ()  # keys or elements that are usual but not needed, to find the likeliest format
    also: Callable[[FileContent], bool] | None = None  # what else must be true, if names are not enough

    def __call__(self, content: FileContent) -> bool:
        has_names = self._is_of_kind(content) and self._names_of(content).issuperset(self.names)
        # In a large file, only the first text that is missing is searched for.
        has_all = has_names and next(self._missing_inside(content), None) is None
        return has_all and (self.also is None or self.also(content))

    def __or__(self, other: Needs | OneOf) -> OneOf:
        return OneOf((self,)) | other

    def missing(self, content: FileContent) -> list[str]:
        """What the file lacks, in words."""
        kind = [] if self._is_of_kind(content) else [f"{KINDS[self.kind]} around it"]
        quoted = [f"<{name}>" if self.kind == "xml" else repr(name) for name in self._missing_names(content)]
        names = [f"the root element {quoted[0]}" if self.kind == "xml" else f"the key {name}" for name in quoted]
        return [*kind, *names, *(f"{name!r} inside" for name in self._missing_inside(content))]

    def likeness(self, content: FileContent) -> Likeness:
        """How like its format a file is, to sort by.

        First whether both are XML or both JSON, then the share of all names that the file has, then whether the kind
        is the same.
        """
        if (self.kind == "xml") != bool(root_name(content)):
            return False, 0.0, False
        absent = [*self._missing_names(content), *self._missing_inside(content)]
        head = content.head[:HEAD]
        absent += [name for name in self.typical if self._mark(name).encode() not in head]
        share = 1 - len(absent) / len((*self.names, *self.inside, *self.words, *self.typical))
        return True, share, self._is_of_kind(content)

    def _is_of_kind(self, content: FileContent) -> bool:
        if self.kind == "xml":
            return bool(root_name(content))
        return content.json_root == self.kind or (self.kind == "json" and content.json_root != "")

    def _names_of(self, content: FileContent) -> frozenset[str]:
        return frozenset([root_name(content)]) if self.kind == "xml" else content.json_keys

    def _missing_names(self, content: FileContent) -> list[str]:
        found = self._names_of(content)
        return [name for name in self.names if name not in found]

    def _missing_inside(self, content: FileContent) -> Iterator[str]:
        yield from (name for name in self.inside if not content.holds(self._mark(name)))
        yield from (word for word in self.words if not content.holds(word))

    def _mark(self, name: str) -> str:
        """How a key or an element is written in a file."""
        return f"<{name}" if self.kind == "xml" else f'"{name}"'


@dataclass(frozen=True)
class OneOf:
    """Files of a format are of several kinds, and one that has all of one kind is recognised."""

    choices: tuple[Needs, ...]

    def __call__(self, content: FileContent) -> bool:
        return any(needs(content) for needs in self.choices)

    def __or__(self, other: Needs | OneOf) -> OneOf:
        return OneOf((*self.choices, *(other.choices if isinstance(other, OneOf) else (other,))))

    def with_check(self, also: Callable[[FileContent], bool]) -> OneOf:
        """The same choices, each with a further condition."""
        return OneOf(tuple(replace(needs, also=also) for needs in self.choices))

    def missing(self, content: FileContent) -> list[str]:
        """What the file lacks of the kind that it is most like."""
        return self._nearest(content).missing(content)

    def likeness(self, content: FileContent) -> Likeness:
        return self._nearest(content).likeness(content)

    def _nearest(self, content: FileContent) -> Needs:
        # A kind that lacks nothing, but is refused for another reason, explains nothing.
        lacking = [needs for needs in self.choices if needs.missing(content)]
        return max(lacking or self.choices, key=lambda needs: needs.likeness(content))
