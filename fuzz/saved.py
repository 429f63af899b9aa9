"""Where `make fuzz` saves the files that did harm: a folder for each, with what happened and how to repeat it."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

FAILED = Path(__file__).parent / "failed"


def save_failure(kind: str, name: str, files: Mapping[str, bytes], what: str) -> Path:
    """Write the files and a text; `kind` is the part of `make fuzz` that found them."""
    folder = FAILED / kind / name
    shutil.rmtree(folder, ignore_errors=True)
    for file, data in files.items():
        place = folder / "files" / file
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    (folder / "what.txt").write_text(what + "\n", "utf-8")
    print(f"  saved in {folder}: {what.strip().splitlines()[-1][:300]}", flush=True)
    return folder


def clear(kind: str) -> None:
    shutil.rmtree(FAILED / kind, ignore_errors=True)
