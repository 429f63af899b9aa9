"""`layoutcm` and `python -m layoutcm`: the command, which can be interrupted before its modules are loaded, too."""

import os
import sys


def run() -> None:
    """Entry point of the `layoutcm` command."""
    try:
        from layoutcm.cli.main import run as run_command

        run_command()
    except KeyboardInterrupt:
        print("layoutcm: stopped", file=sys.stderr, flush=True)
        os._exit(130)


if __name__ == "__main__":
    run()
