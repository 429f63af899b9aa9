"""What the server was started with: files and folders to open, whether strangers visit, and the limits that follow."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import layoutcm

SETTINGS = "LAYOUTCM_APP"  # environment variable: the settings, as JSON
MB, GB = 1 << 20, 1 << 30


@dataclass(frozen=True)
class Limits:
    """Bytes: of one upload, of everything of one visitor, of all visitors together, and of a process that reads."""

    upload: int
    visitor: int
    all_visitors: int
    reading: int


# Two files of 80,000 pages have 280 and 90 MB; with their comparison and its objects they take about 1 GB. On one's own
# machine a visitor may use several times that much, and the files of the data folder may be larger than an upload.
# Strangers share the machine with others.
LOCAL = Limits(upload=1 * GB, visitor=4 * GB, all_visitors=8 * GB, reading=6 * GB)
PUBLIC = Limits(upload=500 * MB, visitor=2 * GB, all_visitors=4 * GB, reading=3 * GB)


def app_folder() -> Path:
    """Where pages, configuration and sample data are: in the package if installed from a wheel, else the repository."""
    package = Path(layoutcm.__file__).parent
    return package / "_app" if (package / "_app" / "pages").exists() else package.parent


def start_settings() -> dict[str, Any]:
    """The settings: files to open, a data folder, a folder of page images, whether the server is public."""
    return json.loads(os.environ.get(SETTINGS, "{}"))


def limits() -> Limits:
    return PUBLIC if start_settings().get("public") else LOCAL
