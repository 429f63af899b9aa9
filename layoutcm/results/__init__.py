"""The contract of a result: its types, the list of measures, the verdict on a difference, the words for the two sides.

Values of this package compute nothing from pixels, so every package above may use them.
"""
