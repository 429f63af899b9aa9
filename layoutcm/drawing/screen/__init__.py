"""Plotly figures for the dashboard. Pure functions: data in, figure out."""
