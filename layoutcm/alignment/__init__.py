"""Two layouts on one list of pages and labels."""
