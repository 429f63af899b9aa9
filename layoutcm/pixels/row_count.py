"""The compiled kernel of `raster`: go through the rows of a strip and add areas to pairs of label sets.

Labels are bits of tiles here. The set changes at the tiles where the bit of a label differs from the bit to its left;
64 tiles are compared at once.
"""

# Numba derives the types of compiled functions from their arguments.
# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from layoutcm.compiled import compiled, compiled_part, inlined
from layoutcm.pixels.bits import ONE, lowest_bit
from layoutcm.pixels.sweep import SET, search_set

# Words of 8 bytes for the distinct label sets of a page: 256 MB.
MOST_SET_WORDS = 1 << 25
_SERIAL = ONE  # the hash table is used for one page only


@compiled
def count_rows(painted, used, slot_codes, edges, n_sets, set_buffers, set_of_tile):
    """Add the tiles of a strip to the sets of the page. Return the number of sets, 0 if they need too much memory.

    `painted` is uint64[slots, rows, words] and `used` bool[slots, rows], as `paint_labels` returns them; `slot_codes`
    has the word, bit and hash of the label of each slot; `edges` are those of the columns and rows. `set_of_tile` is
    int32[rows, columns] for the set of every tile, or empty. Return also the buffers, which may have grown.
    """
    hash_table, sets, bits = set_buffers
    x_edges, y_edges = edges
    n_slots, n_rows, n_columns = painted.shape[0], painted.shape[1], x_edges.size - 1
    active, before = np.empty(n_slots, np.int64), np.empty(n_slots, np.uint64)
    first_change, next_change = np.full(64, -1, np.int64), np.empty(64 * n_slots, np.int64)
    current, n_words = np.zeros(bits.shape[1], np.uint64), bits.shape[1]
    n_sets = np.uint64(n_sets)
    for row in range(n_rows):
        height, n_active = y_edges[row + 1] - y_edges[row], _list_active(used, row, active)
        before[:n_active] = 0
        current[:] = 0
        set_hash, set_index, since = np.uint64(0), np.uint64(0), 0
        for word in range(painted.shape[2] if n_active else 0):
            changed = _list_changes(painted, row, word, active, n_active, before, first_change, next_change)
            while changed != 0:
                bit = lowest_bit(changed)
                changed &= changed - ONE
                column = 64 * word + np.int64(bit)
                _add_tiles(set_index, since, column, height, row, x_edges, sets, set_of_tile)
                set_hash = _apply_changes(bit, set_hash, active, first_change, next_change, slot_codes, current)
                if n_sets + ONE >= np.uint64(sets.size):
                    if 2 * sets.size * n_words > MOST_SET_WORDS:
                        return np.uint64(0), (hash_table, sets, bits)
                    hash_table, sets, bits = _grow(n_sets, hash_table, sets, bits)
                for k in range(n_words):
                    bits[n_sets, k] = current[k]
                set_index = search_set(set_hash, n_sets, _SERIAL, n_words, hash_table, sets, bits)
                n_sets, since = max(n_sets, set_index + ONE), column
        _add_tiles(set_index, since, n_columns, height, row, x_edges, sets, set_of_tile)
    return n_sets, (hash_table, sets, bits)


@inlined
def _list_active(used, row, active):
    """List the slots of the labels that a row has, and return their number."""
    n_active = 0
    for slot in range(used.shape[0]):
        if used[slot, row]:
            active[n_active] = slot
            n_active += 1
    return n_active


@inlined
def _list_changes(painted, row, word, active, n_active, before, first_change, next_change):
    """Return the tiles of a word at which any label changes, and list the labels of each tile.

    `first_change` of a tile is 64 x active label + tile, or -1; `next_change` has the next one of the same tile.
    """
    changed = np.uint64(0)
    for k in range(n_active):
        bits = painted[active[k], row, word]
        changes = bits ^ ((bits << ONE) | before[k])
        before[k] = bits >> np.uint64(63)
        changed |= changes
        while changes != 0:
            bit = lowest_bit(changes)
            changes &= changes - ONE
            number = 64 * k + np.int64(bit)
            next_change[number], first_change[bit] = first_change[bit], number
    return changed


@inlined
def _apply_changes(bit, set_hash, active, first_change, next_change, slot_codes, current):
    """Change all labels that change at a tile in the set `current`. Return its hash."""
    number = first_change[bit]
    while number >= 0:
        code = slot_codes[active[number // 64]]
        current[code.word] ^= code.bit
        set_hash ^= code.hash
        number = next_change[number]
    first_change[bit] = -1
    return set_hash


@inlined
def _add_tiles(set_index, since, column, height, row, x_edges, sets, set_of_tile):
    sets[set_index].area += height * (x_edges[column] - x_edges[since])
    if set_of_tile.size:
        set_of_tile[row, since:column] = set_index


@compiled_part
def _grow(n_sets, hash_table, sets, bits):
    """The buffers with room for twice as many sets."""
    new_table = np.zeros(2 * hash_table.size, hash_table.dtype)
    new_sets = np.empty(2 * sets.size, SET)
    new_bits = np.empty((2 * sets.size, bits.shape[1]), np.uint64)
    new_sets[: sets.size] = sets
    new_bits[: sets.size] = bits
    mask = np.uint64(new_table.size - 1)
    for k in range(n_sets):
        slot = new_sets[k].hash & mask
        while new_table[slot] != 0:
            slot = (slot + ONE) & mask
        new_table[slot] = np.uint64(k) + _SERIAL
    return new_table, new_sets, new_bits
