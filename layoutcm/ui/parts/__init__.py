"""One module for each panel of the dashboard."""
