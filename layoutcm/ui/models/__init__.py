"""Models: which prediction is best, and whether the difference is real."""
