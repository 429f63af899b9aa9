"""Build sdist and wheel, install them into empty environments, and use them there, in another folder.

    python tools/check_wheel.py [--pythons python3.11 python3.12 ...] [--dist FOLDER] [--links FOLDER]

It needs the package `build`. The wheel is built from the sdist, so that the sdist is complete. For each Python: the
wheel is installed with all that it needs into a new environment and used (wheel_uses.py); then it is replaced by the
sdist, which must install the same files. --dist takes files that were built before; --links installs from a folder of
wheels, without a network.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Neither another copy of layoutcm nor compiled code of one is found from the new environments.
HIDDEN = ("PYTHONPATH", "VIRTUAL_ENV", "NUMBA_CACHE_DIR")
FILES = """
import hashlib
from importlib import metadata
for file in sorted(metadata.files("layoutcm"), key=str):
    if file.suffix != ".pyc" and ".dist-info" not in str(file) and file.locate().exists():
        print(file, hashlib.sha256(file.locate().read_bytes()).hexdigest())
"""


def run(*command: str | Path, folder: str | Path) -> str:
    environment = {name: value for name, value in os.environ.items() if name not in HIDDEN}
    found = subprocess.run([str(part) for part in command], cwd=folder, env=environment, capture_output=True, text=True)
    if found.returncode:
        raise SystemExit(f"{' '.join(map(str, command[:4]))} ...\n{found.stdout}{found.stderr}")
    return found.stdout


def built(folder: Path) -> tuple[Path, Path]:
    """The sdist and the wheel in this folder, built if it is empty."""
    if not list(folder.glob("*.whl")):
        run(sys.executable, "-m", "build", "--outdir", folder, ROOT, folder=folder)
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return sdist, wheel


def check(python: str, sdist: Path, wheel: Path, links: str | None) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        run(python, "-m", "venv", "env", folder=folder)
        own = folder / "env" / "bin" / "python"
        print(run(own, "--version", folder=folder).strip(), flush=True)
        source = ("--no-index", "--find-links", links) if links else ()
        install = (own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *source)
        run(*install, wheel, folder=folder)
        print(run(own, ROOT / "tools" / "wheel_uses.py", folder=folder), end="", flush=True)
        files = run(own, "-c", FILES, folder=folder)
        run(own, "-m", "pip", "uninstall", "--quiet", "--yes", "layoutcm", folder=folder)
        run(*install, "--no-deps", sdist, folder=folder)
        if run(own, "-c", FILES, folder=folder) != files:
            raise SystemExit("the sdist installs other files than the wheel")
        print(f"  sdist      installs the same {files.count(chr(10))} files")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pythons", nargs="+", default=[sys.executable], metavar="PYTHON")
    parser.add_argument("--dist", type=Path, metavar="FOLDER")
    parser.add_argument("--links", metavar="FOLDER")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        sdist, wheel = built((options.dist or Path(place)).resolve())
        print(f"{sdist.name}, {wheel.name}, {wheel.stat().st_size / 1e6:.1f} MB")
        for python in options.pythons:
            check(python, sdist, wheel, options.links)


if __name__ == "__main__":
    main()
