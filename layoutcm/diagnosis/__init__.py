"""Why a number is bad, and where: tiles, causes of a wrong cell, score curves, labels that mean the same, slices.

May import metrics and everything below it. Knows neither Comparison nor colours.
"""
