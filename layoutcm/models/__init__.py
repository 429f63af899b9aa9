"""Several predictions of the same pages: their paired differences.

May import comparison and everything below it.
"""
