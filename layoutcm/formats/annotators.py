"""Several annotators in one file: whose regions are read."""

from __future__ import annotations

from collections.abc import Iterable
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


def choose_annotator(file: str, names: Iterable[str], options: Options) -> Annotators:
    """The annotator that was asked for, else the first of the names."""
    known = tuple(dict.fromkeys(names))
    if options.annotator is not None and options.annotator not in known:
        shown = ", ".join(map(short_repr, known[:NAMES_SHOWN])) or "none"
        problem = f"there is no annotator {short_repr(options.annotator)}"
        raise InputError(file, "annotator", problem, f"Annotators in this file: {shown}.")
    chosen = options.annotator if options.annotator is not None else next(iter(known), "")
    others = [name for name in known if name != chosen]
    if not others:
        return Annotators(chosen, known)
    values = {"file": file, "chosen": chosen, "names": others[:NAMES_SHOWN]}
    return Annotators(chosen, known, (Finding("other-annotators", len(others), values),))


def no_annotators(file: str, options: Options) -> Annotators:
    """For a file that names none; asking for one is an error."""
    return choose_annotator(file, (), options)
