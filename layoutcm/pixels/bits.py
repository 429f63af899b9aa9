"""Walking the bits of a 64-bit word, for compiled code.

Everything is unsigned, for numba makes an int64 and a uint64 together a float64.
"""

from __future__ import annotations

import numpy as np
from numba import njit

ONE, TWO = np.uint64(1), np.uint64(2)
# Multiplying a single set bit by this (de Bruijn) constant leaves its number in the top six bits.
_DE_BRUIJN = 0x03F79D71B4CB0A89
_NUMBER = np.zeros(64, np.uint64)
for _bit in range(64):
    _NUMBER[((_DE_BRUIJN << _bit) & (2**64 - 1)) >> 58] = _bit


@njit(nogil=True, cache=True, inline="always")
def lowest_bit(word):
    """The number of the lowest bit that is set; `word & (word - 1)` goes on to the next."""
    single = word & (~word + ONE)
    return _NUMBER[(single * np.uint64(_DE_BRUIJN)) >> np.uint64(58)]


@njit(nogil=True, cache=True, inline="always")
def bits_in(word):
    """How many bits are set. The compiler knows this loop and puts one instruction in its place."""
    n = 0
    while word != 0:
        n += 1
        word &= word - ONE
    return n
