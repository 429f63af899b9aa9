"""Every table once, as rows and columns of a result, and its text forms: terminal, LaTeX, Markdown, CSV.

May import comparison and everything below it, filling, models and verification.
"""
