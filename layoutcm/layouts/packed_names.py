"""Columns of texts that stay packed, as Arrow holds them: the names of a million pages take a tenth of Python's memory.

A text becomes a str when it is asked for. A name is found by a search through all of them, which takes milliseconds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from layoutcm.layouts.page_names import REMOVED_SUFFIXES
from layoutcm.lazy import pa, pc

MOST_KNOWN = 10_000  # positions of names that were asked for


class PackedTexts(Sequence[str]):
    """A column of texts; "" where there is none."""

    def __init__(self, column: pa.ChunkedArray) -> None:
        self.column = column

    def __len__(self) -> int:
        return len(self.column)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return [text or "" for text in self.column[at].to_pylist()]
        return self.column[int(at)].as_py() or ""

    def __iter__(self) -> Iterator[str]:
        for chunk in self.column.chunks:
            for text in chunk.to_pylist():
                yield text or ""

    def __contains__(self, text: object) -> bool:
        return isinstance(text, str) and self._find(text) >= 0

    def __eq__(self, other: object) -> bool:
        if isinstance(other, PackedTexts):
            return self.column.equals(other.column)
        return isinstance(other, Sequence) and len(other) == len(self) and all(a == b for a, b in zip(self, other))

    __hash__ = None  # type: ignore[assignment]

    def index(self, text: str, *_: Any) -> int:
        found = self._find(text)
        if found < 0:
            raise ValueError(f"{text!r} is not in the column")
        return found

    def _find(self, text: str) -> int:
        try:
            return int(pc.index(self.column.cast(pa.string()), pa.scalar(text)).as_py())
        except UnicodeEncodeError:  # half a character, which no file has
            return -1

    @cached_property
    def by_text(self) -> TextPositions:
        """{text: its position}"""
        return TextPositions(self)

    def take(self, at: NDArray[np.integer]) -> PackedTexts:
        """The texts at these positions."""
        return PackedTexts(self.column.take(at))

    def positions(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """int64[texts]: the position of each of these texts, -1 if there is no such text; none may be there twice."""
        wanted = texts.column.combine_chunks() if isinstance(texts, PackedTexts) else pa.array(texts, pa.string())
        number = pc.index_in(self.column, value_set=wanted).fill_null(-1).to_numpy()
        rows, found = np.flatnonzero(number >= 0), np.full(len(wanted), -1)
        found[number[rows]] = rows
        return found

    def have_stem(self, stems: Collection[str]) -> NDArray[np.bool_]:
        """bool[texts]: whether the stem of a text, as `page_names.stem` has it, is one of these."""
        suffixes = "|".join(sorted(REMOVED_SUFFIXES))
        own = pc.replace_substring_regex(self.column.cast(pa.string()), rf"(?i)^.*[/\\]|\.(?:{suffixes})$", "")
        return pc.is_in(own, value_set=pa.array(sorted(stems), pa.string())).to_numpy()

    def as_column(self) -> Any:
        """The texts as a column of a DataFrame, packed as well."""
        return self.column.cast(pa.string()).fill_null("").to_pandas()


class TextPositions(Mapping[str, int]):
    """{text: its position}, as `Pages.index` is; positions that were asked for are known without another search."""

    def __init__(self, texts: PackedTexts) -> None:
        self.texts = texts
        self.known: dict[str, int] = {}  # mutable

    def __getitem__(self, text: str) -> int:
        found = self.known.get(text)
        if found is None:
            found = self.texts.index(text) if isinstance(text, str) and text in self.texts else -1
            self.remember([text], [found])
        if found < 0:
            raise KeyError(text)
        return found

    def remember(self, texts: Sequence[str], positions: Sequence[int]) -> None:
        if len(self.known) > MOST_KNOWN:
            self.known.clear()
        self.known.update(zip(texts, positions))

    def __iter__(self) -> Iterator[str]:
        return iter(self.texts)

    def __len__(self) -> int:
        return len(self.texts)
