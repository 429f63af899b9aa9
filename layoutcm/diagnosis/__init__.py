"""Why a number is bad, and where: a page through its tiles, and the causes of a wrong cell.

May import metrics and everything below it. Knows neither Comparison nor colours.
"""
