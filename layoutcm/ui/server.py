"""Start the dashboard: find app.py in the repository or in the installed package and run it with Streamlit."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import layoutcm

SETTINGS = "LAYOUTCM_APP"  # environment variable: the files and folders to open, as JSON


def app_folder() -> Path:
    """Where app.py, pages and sample data are: in the package when installed from a wheel, else in the repository."""
    package = Path(layoutcm.__file__).parent
    return package / "_app" if (package / "_app" / "app.py").exists() else package.parent


def serve(options: argparse.Namespace) -> None:
    """Run the server in the folder of app.py, where its configuration is; exit with its return code."""
    opened = {
        "files": [str(Path(file).resolve()) for file in options.files],
        "data": str(Path(options.data).resolve()) if options.data else "",
        "images": str(Path(options.images).resolve()) if options.images else "",
    }
    command = [sys.executable, "-m", "streamlit", "run", "app.py"]
    command += [f"--server.port={options.port}", f"--server.address={options.address}"]
    command += [f"--server.headless={'false' if options.browser else 'true'}"]
    print(f"layoutcm: open http://{'localhost' if options.address == '127.0.0.1' else options.address}:{options.port}")
    environment = os.environ | {SETTINGS: json.dumps(opened)}
    raise SystemExit(subprocess.call(command, cwd=app_folder(), env=environment))
