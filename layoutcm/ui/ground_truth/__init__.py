"""Ground truth: its regions that are probably wrong, and how far layouts agree."""
