"""Every hostile file on the command line: under 1 GB, exit code 0 or 2, no traceback.

`make fuzz` also allows only 10 s of CPU time, writes the report of every file, and gives archives and images as page
images.
"""

import shutil
import sys
from pathlib import Path

import pytest

from support.hostile_files import ALL, generators
from support.hostile_shapes import COSTLY
from support.limits import run_limited
from support.paths import SAMPLE

SECONDS = 10 if ALL else 60  # of CPU time; a busy machine may need several times as much
MEMORY = 1 << 30
# Of address space, most of which is never used; it protects the machine that runs the tests.
ADDRESS_SPACE = 6 << 30
READING = ("--shapes", "polygon", "--sizes", "1000x1000")
IMAGES = (".tif", ".tiff", ".png", ".jpg", ".gif", ".webp", ".bmp", ".pdf", ".zip")


# SECURITY.md names this: 80 Chinese labels in six figures of three formats each.
MORE_SECONDS = {"long labels of many characters": 15}
# These take more than three seconds each; `make fuzz` runs them, too.
SLOW = {"many polygons", "random polygon", "polygon of 1,000,000 points", "1,000 labels", *COSTLY}
# Close to the limit of memory: 0.95 to 1.1 GB, most of it in Arrow.
SLOW |= {"Parquet attributes"}
SLOW |= {"many labels of one outline", "20,000 pages of 10^12 pixels", "long labels", "3,000 crossing boxes"}
SLOW |= {"300,000 empty files in a zip", "Parquet prefixes", "Parquet page keys", "Parquet metadata of labels"}
SLOW |= {"many labels and Background", "deep tree"}
SLOW |= {"zigzag polygon", "many pages", "many documents", "equal boxes on pages", "polygon of 1,500 points"}


@pytest.fixture(params=sorted(generators() if ALL else generators().keys() - SLOW))
def hostile(request, tmp_path):
    """The path of one hostile file, and the seconds it may take. It is removed at once: some are large."""
    seconds = max(SECONDS, MORE_SECONDS.get(request.param, 0))
    yield generators()[request.param](tmp_path), seconds
    shutil.rmtree(tmp_path, ignore_errors=True)


def check(folder: Path, seconds: int, *arguments: str) -> None:
    ended = run_limited([sys.executable, "-m", "layoutcm", *arguments], seconds, ADDRESS_SPACE, folder)
    figures = f"{arguments[0]}: exit code {ended.code}, {ended.cpu:.1f} s, {ended.memory >> 20} MB"
    print(figures)
    assert ended.code in (0, 2), f"{figures}\n{ended.errors[-2000:]}"
    assert "Traceback" not in ended.errors and "internal error" not in ended.errors, ended.errors[-2000:]
    assert ended.memory < MEMORY, figures


def test_a_hostile_file_is_compared_or_refused_within_limits(hostile, tmp_path):
    """Comparing reads the file twice, recognises it and counts its pixels."""
    path, seconds = hostile
    check(tmp_path, seconds, "compare", str(path), str(path), *READING, "--json", "out.json")


if ALL:  # a report takes seconds

    def test_a_hostile_file_is_inspected_reported_and_used_as_page_images_within_limits(hostile, tmp_path):
        path, seconds = hostile
        check(tmp_path, seconds, "inspect", str(path), *READING)
        check(tmp_path, seconds, "compare", str(path), str(path), *READING, "--json", "out.json", "-o", "report")
        if path.suffix.lower() in IMAGES:
            sample = [str(SAMPLE / name) for name in ("gt.json", "model-a.json")]
            check(tmp_path, seconds, "compare", *sample, "--images", str(path), "-o", "of_images")
