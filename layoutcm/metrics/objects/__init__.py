"""Regions as objects: matching, average precision, the object confusion matrix, centroids.

`instances` brings the regions into the common frame, `overlaps` and `matching` sort them into pages and are
compiled, `matched_objects` is what `Comparison.objects` returns.
"""
