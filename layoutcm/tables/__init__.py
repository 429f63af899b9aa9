"""Every table once, as a DataFrame, and what is written from them: JSON, terminal text, LaTeX, Markdown, CSV.

`result_json` writes a result, `result_levels` and `result_objects` are parts of it, `loaded_result` reads it back.

May import comparison and everything below it, models and verification.
"""
