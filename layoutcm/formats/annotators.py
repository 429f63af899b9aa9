"""Several annotators in one file: whose regions are read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.content import Options
from layoutcm.layouts.model import Finding

NAMES_SHOWN = 12


class Annotators(NamedTuple):
    """The annotators that a file names, the chosen one, and a finding about the others."""

    chosen: str = ""
    known: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def names(self) -> dict[str, Any]:
        """The fields of a layout."""
        return {"annotator": self.chosen, "annotators": self.known}


class AnnotatorNames:
    """The annotators of all files that one reader reads. Mutable; the reader adds names as it finds them.

    For formats that by default read one annotation of each page, by any annotator.
    """

    def __init__(self, options: Options) -> None:
        self._options = options
        self._known: dict[str, None] = {}
        self._used: dict[str, None] = {}
        self.pages: dict[str, tuple[int, set[str]]] = {}  # {name: (page, its annotators)}, for pages that several have

    @property
    def wanted(self) -> str | None:
        """The annotator that was asked for."""
        return self._options.annotator

    def add(self, names: Iterable[str], used: Iterable[str] = ()) -> None:
        """Add the annotators of a page, and those whose regions are read; "" is an unknown one."""
        self._known.update((name, None) for name in names if name)
        self._used.update((name, None) for name in used)

    def choose_last(self, names: Sequence[str]) -> int | None:
        """The position of the last annotation of a page by the annotator who was asked for, else of the last."""
        fitting = [i for i, name in enumerate(names) if self.wanted is None or name == self.wanted]
        self.add(names, [names[fitting[-1]]] if fitting else [])
        return fitting[-1] if fitting else None

    def result(self, file: str) -> Annotators:
        """The chosen annotator is "" if the regions of several are read."""
        if self.wanted is not None:
            return choose_annotator(file, self._known, self._options)
        return _with_others(file, next(iter(self._used)) if len(self._used) == 1 else "", tuple(self._known))


class UnknownAnnotator(InputError):
    """A file does not have the annotator that was asked for."""

    known: tuple[str, ...] = ()


def unknown_annotator(file: str, wanted: str, known: Sequence[str]) -> UnknownAnnotator:
    shown = ", ".join(map(short_repr, known[:NAMES_SHOWN])) or "none"
    problem = f"there is no annotator {short_repr(wanted)}"
    error = UnknownAnnotator(file, "annotator", problem, f"Annotators in this file: {shown}.")
    error.known = tuple(known)
    return error


def choose_annotator(file: str, names: Iterable[str], options: Options) -> Annotators:
    """The annotator that was asked for, else the first of the names."""
    known = tuple(dict.fromkeys(names))
    if options.annotator is not None and options.annotator not in known:
        raise unknown_annotator(file, options.annotator, known)
    return _with_others(file, options.annotator if options.annotator is not None else next(iter(known), ""), known)


def _with_others(file: str, chosen: str, known: tuple[str, ...]) -> Annotators:
    return Annotators(chosen, known, others_found(file, chosen, known))


def others_found(file: str, chosen: str, known: Sequence[str]) -> tuple[Finding, ...]:
    """A finding about the annotators that are not the chosen one, if there are any."""
    others = [name for name in known if name != chosen]
    if not others:
        return ()
    return (Finding("other-annotators", len(others), {"file": file, "chosen": chosen, "names": others[:NAMES_SHOWN]}),)
