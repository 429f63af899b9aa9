"""The packed words of a page: the label sets of both sides as bits, with their names, agreement and pixels."""

from __future__ import annotations

from layoutcm.diagnosis.page_tiles import PageTiles
from layoutcm.layouts.model import GT, PRED
from layoutcm.results.vocabulary import WITH_TRUTH, Vocabulary
from layoutcm.tables.tables import Table


def words_table(tiles: PageTiles, vocabulary: Vocabulary = WITH_TRUTH) -> Table:
    """One row per pair of label sets, the largest first: words as binary numbers, labels, agreement, pixels."""
    import pandas as pd

    rows, sides = [], vocabulary.sides
    bits = [len(positions) for positions in (tiles.space.gt_positions, tiles.space.pred_positions)]
    kinds, pixels = tiles.agreement().tolist(), tiles.pairs.pixels.tolist()
    for pair in sorted(range(len(pixels)), key=lambda k: -pixels[k]):
        words = {f"{sides[side]} word": f"0b{tiles.word(side, pair):0{bits[side]}b}" for side in (GT, PRED)}
        names = {sides[side]: " + ".join(sorted(tiles.set_names(side, pair))) for side in (GT, PRED)}
        rows.append(words | names | {"agreement": vocabulary.kinds[kinds[pair]], "pixels": pixels[pair]})
    note = "bit 0 of a word, the last digit, is Background"
    return Table("words", "Packed words", pd.DataFrame(rows), note=note)
