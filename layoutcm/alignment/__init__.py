"""Two layouts on one list of pages and one list of labels.

`align` joins them, with `page_matching` and `taxonomy`; `checks` and `likely_mistakes` look for what may explain bad
numbers; `recipe` records the settings. May import layouts, errors and wording, but not formats.
"""
