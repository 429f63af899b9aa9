"""What a JSON file or a report contains only if it was requested."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from layoutcm.metrics.family_confusion import FamilyConfusion
    from layoutcm.metrics.intervals import Intervals


@dataclass(frozen=True, eq=False)
class Extras:
    """Optional results that a JSON file or a report contains in addition to the comparison."""

    families: FamilyConfusion | None = None
    intervals: Intervals | None = None
    difference: Intervals | None = None  # from the first of several predictions


NO_EXTRAS = Extras()
