"""Several predictions of the same pages: their differences."""
