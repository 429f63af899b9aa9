"""Regions as objects."""
