"""Several predictions of the same pages: their paired differences, and a leaderboard.

May import comparison and everything below it.
"""
