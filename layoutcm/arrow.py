"""Arrow, which is imported when it is first used: it takes longer to load than most files take to read."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__all__ = ["pa", "pc", "pq"]


class LazyModule:
    """Stands for a module, and imports it when one of its names is asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        found = getattr(importlib.import_module(self._name), name)
        setattr(self, name, found)  # so the next use does not come here
        return found


if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq
else:
    pa, pc, pq = map(LazyModule, ("pyarrow", "pyarrow.compute", "pyarrow.parquet"))
