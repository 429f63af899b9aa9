"""Iterate over the set bits of a 64-bit word, in compiled code.

All integers are unsigned, because numba converts a mix of int64 and uint64 to float64.
"""

from __future__ import annotations

import numpy as np

from layoutcm.compiled import inlined

ONE, TWO = np.uint64(1), np.uint64(2)
# A word with a single set bit, multiplied by this de Bruijn constant, has different top six bits for every bit number.
_DE_BRUIJN = 0x03F79D71B4CB0A89
_BIT_NUMBER = np.zeros(64, np.uint64)  # by the top six bits
for _bit in range(64):
    _BIT_NUMBER[((_DE_BRUIJN << _bit) & (2**64 - 1)) >> 58] = _bit


@inlined
def lowest_bit(word):
    """Return the number of the lowest set bit; `word & (word - 1)` clears this bit."""
    single = word & (~word + ONE)
    return _BIT_NUMBER[(single * np.uint64(_DE_BRUIJN)) >> np.uint64(58)]


@inlined
def bits_in(word):
    """Return the number of set bits. The compiler replaces this loop by one instruction."""
    n = 0
    while word != 0:
        n += 1
        word &= word - ONE
    return n
