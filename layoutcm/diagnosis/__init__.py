"""Why a number is bad, and where: a page through its tiles, the causes of a wrong cell, labels that mean the same.

May import metrics and everything below it. Knows neither Comparison nor colours.
"""
