"""Every table once, as a DataFrame, and what is written from them: JSON, terminal text, LaTeX, Markdown, CSV.

May import comparison and everything below it, models and verification.
"""
