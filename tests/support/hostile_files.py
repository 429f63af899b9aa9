"""All hostile files: the lists HOSTILE of the modules `support.hostile_*`, which are found by their names."""

import importlib
import os
from collections.abc import Callable, Iterable
from pathlib import Path

HERE = Path(__file__).parent
# `make fuzz` sets it: all files instead of those that take a second or two.
ALL = os.environ.get("LAYOUTCM_HOSTILE") == "all"
HEAD = "page,width,height,label,x0,y0,x1,y1"


def generators() -> dict[str, Callable[[Path], Path]]:
    """{name: function that writes the file into a folder}."""
    modules = sorted(path.stem for path in HERE.glob("hostile_*.py") if path.stem != Path(__file__).stem)
    lists = [importlib.import_module(f"support.{name}").HOSTILE for name in modules]
    found = {name: make for one in lists for name, make in one.items()}
    assert len(found) == sum(map(len, lists)), "two hostile files have the same name"
    return found


def write(folder: Path, name: str, data: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def rows_file(name: str, rows: Callable[[], Iterable[str]]) -> Callable[[Path], Path]:
    """A function that writes a CSV file; the rows are texts with the columns of HEAD."""
    return lambda folder: write(folder, name, "\n".join([HEAD, *rows()]) + "\n")
