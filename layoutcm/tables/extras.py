"""What a JSON file or a report contains only if it was requested."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from layoutcm.comparison import Comparison
    from layoutcm.metrics.family_confusion import FamilyConfusion
    from layoutcm.metrics.intervals import Intervals
    from layoutcm.tables.slice_views import SliceTable
    from layoutcm.tables.why import Why


@dataclass(frozen=True, eq=False)
class Extras:
    """Optional results that a JSON file or a report contains in addition to the comparison."""

    families: FamilyConfusion | None = None
    intervals: Intervals | None = None
    difference: Intervals | None = None  # from the baseline, the first of several predictions unless one is named
    slices: SliceTable | None = None
    standing: dict[str, Any] | None = None  # the place among several predictions
    why: Why | None = None
    models: Mapping[str, Comparison] = field(default_factory=dict)  # of the whole report, this one included


NO_EXTRAS = Extras()
