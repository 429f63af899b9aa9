"""Why a number is bad, and where: a page through its tiles, causes of a wrong cell, labels that mean the same, slices.

May import metrics and everything below it. Knows neither Comparison nor colours.
"""
