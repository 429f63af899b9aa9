"""The wheel, unpacked into a folder of its own, has all files and works. `make check-wheel` does more."""

import os
import re
import subprocess
import sys
import zipfile

import pytest

import layoutcm
from support.paths import ROOT

APP = "layoutcm/_app/"
OF_THE_APP = ("app.py", "pages/*.py", ".streamlit/config.toml", "sample_data/**/*", "docs/formats.md")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (found,) = folder.glob("*.whl")
    return found


def test_the_wheel_has_the_version_and_everything_that_the_dashboard_needs(wheel):
    assert wheel.name == f"layoutcm-{layoutcm.__version__}-py3-none-any.whl"
    names = set(zipfile.ZipFile(wheel).namelist())
    files = {path for pattern in OF_THE_APP for path in ROOT.glob(pattern) if path.is_file() and path.suffix != ".pyc"}
    assert len(files) > 80 and {f"{APP}{path.relative_to(ROOT).as_posix()}" for path in files} <= names
    assert {"layoutcm/py.typed", "layoutcm/__init__.pyi"} <= names
    assert not [name for name in names if re.match(r"(tests|benchmarks|tools|docs)/", name)]


def test_the_unpacked_wheel_works_in_another_folder(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    command = [sys.executable, str(ROOT / "tools" / "wheel_uses.py"), "package", "compare"]
    found = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout + found.stderr
    assert "macro F1 0.8101" in found.stdout
