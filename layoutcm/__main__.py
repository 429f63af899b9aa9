"""`python -m layoutcm`: the same as the `layoutcm` command."""

from layoutcm.cli.main import run

run()
