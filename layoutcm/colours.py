"""Colours that notebook tables and figures share; `drawing.palette` makes the scales and themes from them."""

# The strong steps of the scales for right and wrong cells; warning and error text on light and on dark paper.
RIGHT, WRONG = "#3b83bf", "#e4602c"
WARNING, WARNING_ON_DARK = "#b45309", "#d97706"
ERROR, ERROR_ON_DARK = "#b91c1c", "#f87171"
