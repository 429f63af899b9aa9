"""Recount pages of a comparison without the code that computed it, and compare all numbers.

`drawn_pixels` reads the regions of a page, draws them and counts pixels, `plain_scores` computes matrices and scores
in plain Python, `peer_objects` asks pycocotools. `deviations` compares numbers, and `recount` does it all.

May import alignment and layouts; the numbers to check come from a `Comparison`. Imports neither pixels nor metrics.
"""

PAGES = 20  # that are recounted unless another number is given; here, because the command line loads no more
