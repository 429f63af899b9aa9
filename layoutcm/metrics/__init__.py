"""Numbers from pair counts and regions.

`contributions` is the rule of the multi-label confusion matrix, `scores` decides when a score is undefined, `confusion`
is the matrix with its recall, precision, F1 and averages, `levels` the same for pages and documents. Then bootstrap
intervals, families, soft scores, and `objects/` for boxes instead of pixels. May import pixels and everything below it.
"""
