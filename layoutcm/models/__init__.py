"""Several predictions of the same pages: their paired differences, and what they contradict in the ground truth.

May import comparison and everything below it.
"""
