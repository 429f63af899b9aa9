"""Why a number is bad, and where: tiles of a page, causes of a wrong cell, score curves.

May import metrics and everything below it. Knows neither Comparison nor colours.
"""
