"""Regions as objects: matching, average precision, the object confusion matrix, centroids.

`instances` brings the regions into the common frame, `grouping` sorts them into pages, `overlaps`, `matching` and
`centre_matching` are compiled, `matched_objects` is what `Comparison.objects` returns.
"""
