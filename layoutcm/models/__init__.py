"""Several predictions of the same pages: differences, a leaderboard, and what they contradict in the ground truth.

May import comparison and everything below it.
"""
