"""Data, the start page: the drop zone, one card for each file, how pages and labels were matched."""
