"""Every table once, as a DataFrame, and what is written from them: JSON, terminal text, LaTeX, Markdown, CSV.

`result_json` writes a result, `result_levels` and `result_objects` are parts of it, `loaded_result` and
`loaded_leaderboard` read it back. `named_figures` names every figure, `headline` quotes them, `gate` checks them.

May import comparison and everything below it, models and verification.
"""
