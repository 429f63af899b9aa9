"""From boxes to pair counts."""
