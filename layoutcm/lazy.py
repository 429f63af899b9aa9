"""pandas, pyarrow, PyYAML and COCO's masks, imported at first use: importing takes longer than reading most files."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__all__ = ["coco_mask", "pa", "pc", "pd", "pq", "yaml"]


class LazyModule:
    """Stands for a module, and imports it when one of its names is asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        found = getattr(importlib.import_module(self._name), name)
        setattr(self, name, found)  # later uses skip this method
        return found


if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq
    import yaml
    from faster_coco_eval.core import mask as coco_mask
else:
    pa, pc, pq = map(LazyModule, ("pyarrow", "pyarrow.compute", "pyarrow.parquet"))
    pd, yaml, coco_mask = map(LazyModule, ("pandas", "yaml", "faster_coco_eval.core.mask"))
