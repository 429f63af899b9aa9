"""Start the dashboard from the command line: check what it should open, then run the server."""

from __future__ import annotations

import argparse
from pathlib import Path

from layoutcm.errors import InputError
from layoutcm.scale.storage import is_remote
from layoutcm.scale.stored_comparison import is_result, open_comparison
from layoutcm.ui.files.session_files import is_session_file
from layoutcm.ui.server.serving import serve

START_SCRIPT = Path(__file__).parent / "script" / "start.py"


def launch(options: argparse.Namespace) -> None:
    """Run the server of the dashboard until it is stopped."""
    from layoutcm.ui.shared.warm_up import start_warm_up

    serve(options, START_SCRIPT, start_warm_up)


def check_files(files: list[str]) -> None:
    """Refuse a single file that is not a saved session, and a session or a result of parts among other files."""
    results = [file for file in files if is_result(file)]
    for file in files:
        if is_remote(file) and file not in results:
            raise InputError(file, "", "this is not a result of compare-parts", "Name a file of this machine.")
    if results and len(results) < len(files):
        problem = "a result of compare-parts has both sides"
        raise InputError(results[0], "", problem, "Name only results, or only layouts.")
    for folder in results:
        open_comparison(folder)
    if results:
        return
    sessions = [file for file in files if is_session_file(file)]
    if len(files) == 1 and not sessions:
        hint = "Name a ground truth and a prediction, or a saved session."
        raise InputError(files[0], "", "one file alone cannot be compared", hint)
    if len(files) > 1 and sessions:
        raise InputError(sessions[0], "", "a saved session has all its files", "Name it alone.")
