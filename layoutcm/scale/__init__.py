"""More pages than memory, more than one machine: partitions of two layouts become the same numbers as in memory.

`partitions` writes a layout as parts, and `manifest` describes any folder of parts. `planning` decides once, for all
parts, how two sides are compared; `part_comparison` compares one part or a few pages in memory, `part_counts` counts a
part and merges the counts of many; `engines` runs this on threads or with Dask. `stored_comparison` reads the result as
a `Comparison`: `part_levels` has what comes from pair counts. `storage` has
local and remote files, `kernel_cache` the compiled code. May import comparison and everything below it.
"""
