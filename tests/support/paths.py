"""Paths in the repository."""

from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
SAMPLE = ROOT / "sample_data"
