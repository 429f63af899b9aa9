"""From boxes to pair counts: how many pixels have which gt label set and which pred label set.

`shape_fill` turns outlines into rectangles, `grid` puts boxes on the pixel grid, `sweep` is the compiled kernel,
`counting` runs it on chunks of pages, `pair_counts` holds the result. May import alignment and everything below it.
"""
