"""Matplotlib figures for print: PNG, SVG and PDF that are the same bytes on every run."""
