"""Plotly figures for the screen."""
