"""From boxes to pair counts: how many pixels have which gt label set and which pred label set.

`grid` puts boxes and shapes on the pixel grid, `sweep` is the compiled kernel for boxes. `shape_fill` finds the spans
of outlines and masks, `raster` draws them on strips of rows and counts these. `counting` runs both on chunks
of pages, `pair_counts` holds the result. May import alignment and everything below it.
"""
