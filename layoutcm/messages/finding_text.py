"""How a finding is worded, and parts of sentences that several texts share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from layoutcm.errors import Hint, short_repr
from layoutcm.wording import plural

HintOf = str | Hint | Callable[..., str | Hint]


class FindingText(NamedTuple):
    """How a finding is worded: functions of its values, or a hint that is always the same."""

    message: Callable[..., str]
    hint: HintOf = ""
    severity: str = "warning"  # or "info", or "error": see `layouts.findings.SEVERE`


note = partial(FindingText, severity="info")


def hint_of(hint: HintOf, **values: Any) -> Hint:
    worded = hint if isinstance(hint, str | Hint) else hint(**values)
    return worded if isinstance(worded, Hint) else Hint(worded, worded)


def first_names(n: int, names: Sequence[str]) -> str:
    return ", ".join(map(short_repr, names)) + (" …" if n > len(names) else "")


def size_text(width: float, height: float) -> str:
    return f"{width:g} x {height:g}"


def regions_are(n: int) -> str:
    return plural(n, "region is", "regions are")


def pages_were(n: int) -> str:
    return plural(n, "page was", "pages were")


def repair_hint(repair: str, side: str = "pred", earlier: Sequence[str] = (), **_: Any) -> Hint:
    """How to make a repair with Python or an option; on the screen there is a button. `earlier` are those of pred."""
    if side == "pred":
        repairs = ",".join((*earlier, repair))
        option = f"--fix {repairs} (of several predictions: --fix FILE={repairs})"
    else:
        option = f"--fix {repair} (--fix-gt for the ground truth)"
    return Hint(f"Repair it: lcm.repair({side}, {repair!r}) or {option}.", "")


def option(name: str, value: str) -> str:
    """A setting as it is written in Python and on the command line."""
    return f'{name}="{value}", --{name.replace("_", "-")} {value}'


def repeated(n: int, text: str, file: str, place: str, **values: Any) -> str:
    """Something that a reader finds again and again; `text` is in the plural, and may name a value."""
    return f"{file}: {text.format(**values)} ({'1 time, at' if n == 1 else f'{n:,} times, first at'} {place or file})."


# Called when the module is imported, before a mutant of it could be active.
def unusual(what: str, hint: HintOf = "", severity: str = "warning") -> FindingText:  # pragma: no mutate
    return FindingText(partial(repeated, text=what), hint, severity)  # pragma: no mutate
