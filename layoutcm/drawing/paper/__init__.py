"""Matplotlib figures for paper."""
