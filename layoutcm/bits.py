"""Walking the bits of a 64-bit word, for compiled code."""

from __future__ import annotations

import numpy as np
from numba import njit

# Multiplying a single set bit by this (de Bruijn) constant leaves its number in the top six bits.
_DE_BRUIJN = 0x03F79D71B4CB0A89
_NUMBER = np.zeros(64, np.int64)
for _bit in range(64):
    _NUMBER[((_DE_BRUIJN << _bit) & (2**64 - 1)) >> 58] = _bit


@njit(nogil=True, cache=True)
def lowest_bit(word):
    """The number of the lowest bit that is set; `word & (word - 1)` goes on to the next."""
    single = word & (~word + np.uint64(1))
    return _NUMBER[(single * np.uint64(_DE_BRUIJN)) >> np.uint64(58)]
