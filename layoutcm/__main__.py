"""`python -m layoutcm`: the same as the `layoutcm` command."""

from layoutcm.cli import run

run()
