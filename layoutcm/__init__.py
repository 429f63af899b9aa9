"""layoutcm: how good a document layout model is, and where it goes wrong, pixel by pixel.

`read` two layouts, `compare` them, look at `confusion`. Names are loaded when first used: importing this package
must stay fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from layoutcm.centroids import centroid_match as centroid_match
    from layoutcm.comparison import Comparison as Comparison
    from layoutcm.comparison import compare as compare
    from layoutcm.confusion import Confusion as Confusion
    from layoutcm.confusion import label_sets_confusion as label_sets_confusion
    from layoutcm.counts import PairCounts as PairCounts
    from layoutcm.errors import InputError as InputError
    from layoutcm.families import FamilyConfusion as FamilyConfusion
    from layoutcm.families import label_sets_families as label_sets_families
    from layoutcm.family_trees import suggest_families as suggest_families
    from layoutcm.fixes import fix as fix
    from layoutcm.formats import read as read
    from layoutcm.model import Finding as Finding
    from layoutcm.model import Layout as Layout
    from layoutcm.resample import Intervals as Intervals
    from layoutcm.resample import difference as difference
    from layoutcm.scores import accuracy as accuracy
    from layoutcm.scores import averages as averages
    from layoutcm.soft import soft_scores as soft_scores
    from layoutcm.writers import write as write

_ROOM = {
    "Comparison": "comparison",
    "Confusion": "confusion",
    "FamilyConfusion": "families",
    "Finding": "model",
    "InputError": "errors",
    "Intervals": "resample",
    "Layout": "model",
    "PairCounts": "counts",
    "accuracy": "scores",
    "averages": "scores",
    "centroid_match": "centroids",
    "compare": "comparison",
    "difference": "resample",
    "fix": "fixes",
    "label_sets_confusion": "confusion",
    "label_sets_families": "families",
    "read": "formats",
    "write": "writers",
    "suggest_families": "family_trees",
    "soft_scores": "soft",
}
__all__ = ["__version__", *sorted(_ROOM)]


def __getattr__(name: str) -> Any:
    if name not in _ROOM:
        raise AttributeError(f"module 'layoutcm' has no attribute {name!r}")
    value = getattr(import_module(f"layoutcm.{_ROOM[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
