"""Page: one page with both layouts."""
