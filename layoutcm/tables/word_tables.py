"""The packed words of a page: the label sets of both sides as bits, with their names, agreement and pixels."""

from __future__ import annotations

from layoutcm.diagnosis.page_tiles import AGREEMENT, PageTiles
from layoutcm.layouts.model import GT, PRED, SIDES
from layoutcm.tables.tables import Table


def words_table(tiles: PageTiles) -> Table:
    """One row per pair of label sets, the largest first: words as binary numbers, labels, agreement, pixels."""
    import pandas as pd

    rows = []
    kinds, pixels = tiles.agreement().tolist(), tiles.pairs.pixels.tolist()
    for pair in sorted(range(len(pixels)), key=lambda k: -pixels[k]):
        words = {f"{SIDES[side]} word": f"{tiles.word(side, pair):b}" for side in (GT, PRED)}
        names = {SIDES[side]: " + ".join(sorted(tiles.set_names(side, pair))) for side in (GT, PRED)}
        rows.append(words | names | {"agreement": AGREEMENT[kinds[pair]], "pixels": pixels[pair]})
    note = "bit 0 of a word, the last digit, is Background"
    return Table("words", "Packed words", pd.DataFrame(rows), note=note)
