"""Draws the pages of the sample documents and makes the mistakes of the sample models."""
