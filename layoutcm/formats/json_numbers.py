"""Numbers of JSON, compiled: exactly the doubles that Python's `float` returns.

A number of up to 19 digits that needs no rounding, or whose rounding is certain, is read here. On others the scanner
gives up.
"""

# Numba derives the types of compiled functions from their arguments. Positions are unsigned, as addresses are. Position
# 0 means "give up": no value ends there. A function that reads the byte at `at` without a comparison needs at < end.
# mypy: allow-untyped-defs

from __future__ import annotations

import math

import numpy as np
from numba import types
from numba.extending import intrinsic

from layoutcm.compiled import compiled_part

ZERO, ONE, TWO, THREE = (np.uint64(value) for value in range(4))
TEN = np.uint64(10)
GIVE_UP = ZERO
MINUS, PLUS, POINT, LETTER_E = (np.uint8(ord(sign)) for sign in "-+.e")
LOWER_CASE = np.uint8(32)
DIGIT_0, DIGIT_9 = np.uint8(ord("0")), np.uint8(ord("9"))
MOST_DIGITS = 19  # any 19 digits fit into 64 bits

# Powers of ten: exact doubles for small exponents, and the leading 128 bits for larger ones.
EXACT_POWERS = np.array([10.0**q for q in range(23)])
EXACT_INTEGER = np.uint64(1 << 53)
LARGEST_POWER = 60


def _leading_bits(q: int) -> tuple[int, int]:
    """The 128 leading bits of 10**q, as two words; of a negative power, rounded up."""
    if q >= 0:
        power = 5**q
        bits = power << max(0, 128 - power.bit_length()) >> max(0, power.bit_length() - 128)
    else:
        power = 5**-q
        bits = (1 << (power.bit_length() + 127)) // power + 1
        bits >>= bits.bit_length() - 128
    return bits >> 64, bits & (1 << 64) - 1


POWER_BITS = np.array([_leading_bits(q) for q in range(-LARGEST_POWER, LARGEST_POWER + 1)], np.uint64)
HALF_WORD = np.uint64(32)
LOW_HALF = np.uint64(0xFFFFFFFF)
ALL_BITS = np.uint64(0xFFFFFFFFFFFFFFFF)
TOP_BIT = np.uint64(63)
BELOW_MANTISSA = np.uint64(64 - 52 - 3)
ROUNDING_MASK = np.uint64((1 << 9) - 1)


@intrinsic
def byte_at(typing_context, address, position):
    """The byte at a position of the text at an address. An array would be passed as seven values to each function."""

    def generate(context, builder, signature, arguments):
        pointer = builder.inttoptr(builder.add(*arguments), context.get_value_type(types.uint8).as_pointer())
        return builder.load(pointer)

    return types.uint8(types.uint64, types.uint64), generate


@compiled_part
def is_digit(text, at, end):
    return at < end and DIGIT_0 <= byte_at(text, at) <= DIGIT_9


@compiled_part
def skip_number(text, at, end):
    if byte_at(text, at) == MINUS:
        at += ONE
    if not is_digit(text, at, end):
        return GIVE_UP
    starts_with_zero = byte_at(text, at) == DIGIT_0
    at += ONE
    if starts_with_zero and is_digit(text, at, end):
        return GIVE_UP
    while is_digit(text, at, end):
        at += ONE
    if at < end and byte_at(text, at) == POINT:
        at += ONE
        if not is_digit(text, at, end):
            return GIVE_UP
        while is_digit(text, at, end):
            at += ONE
    if at < end and byte_at(text, at) | LOWER_CASE == LETTER_E:
        at += ONE
        if at < end and (byte_at(text, at) == MINUS or byte_at(text, at) == PLUS):
            at += ONE
        if not is_digit(text, at, end):
            return GIVE_UP
        while is_digit(text, at, end):
            at += ONE
    return at


@compiled_part
def multiply_words(a, b):
    """The high and the low word of a product of two words."""
    a_low, a_high, b_low, b_high = a & LOW_HALF, a >> HALF_WORD, b & LOW_HALF, b >> HALF_WORD
    low, middle = a_low * b_low, a_high * b_low
    carried = (low >> HALF_WORD) + (middle & LOW_HALF) + a_low * b_high
    high = a_high * b_high + (middle >> HALF_WORD) + (carried >> HALF_WORD)
    return high, (carried << HALF_WORD) | (low & LOW_HALF)


@compiled_part
def round_decimal(digits, power):
    """The double nearest to `digits * 10**power`, by Lemire's method; nan where the method cannot decide.

    The product with the leading bits of the power of ten has more bits than a double needs, so it can be rounded,
    unless the bits that are left out could change the result.
    """
    shift = ZERO
    while digits >> TOP_BIT == ZERO:
        digits = digits << ONE
        shift += ONE
    row = power + LARGEST_POWER
    high, low = multiply_words(digits, POWER_BITS[row, 0])
    if high & ROUNDING_MASK == ROUNDING_MASK:
        more, _ = multiply_words(digits, POWER_BITS[row, 1])
        low = low + more
        if low < more:
            high += ONE
    if low == ALL_BITS and (power < -27 or power > 55):
        return math.nan
    top = high >> TOP_BIT
    below = top + BELOW_MANTISSA
    mantissa = high >> below
    exponent = ((217706 * power) >> 16) + 63 + np.int64(top) - np.int64(shift)
    if low <= ONE and -4 <= power <= 23 and mantissa & THREE == ONE and mantissa << below == high:
        mantissa -= ONE  # exactly between two doubles: round to even
    mantissa = (mantissa + (mantissa & ONE)) >> ONE
    return math.ldexp(np.float64(mantissa), exponent - 52)


@compiled_part
def to_double(digits, power):
    if digits <= EXACT_INTEGER and -22 <= power <= 22:
        # Both numbers are exact doubles, so one operation rounds once.
        return np.float64(digits) / EXACT_POWERS[-power] if power < 0 else np.float64(digits) * EXACT_POWERS[power]
    if digits == ZERO or power < -LARGEST_POWER or power > LARGEST_POWER:
        return math.nan
    return round_decimal(digits, power)


@compiled_part
def parse_digits(text, at, end, digits):
    """Digits appended to a number, and the position after them. More than 19 do not fit and give any number."""
    while is_digit(text, at, end):
        digits = digits * TEN + np.uint64(byte_at(text, at) - DIGIT_0)
        at += ONE
    return digits, at


@compiled_part
def parse_exponent(text, at, stop):
    """The exponent between a letter e and the end of a number; too large if it has more than three digits."""
    is_small = byte_at(text, at) == MINUS
    if is_small or byte_at(text, at) == PLUS:
        at += ONE
    if stop - at > THREE:
        return 10 * LARGEST_POWER
    exponent = np.int64(parse_digits(text, at, stop, ZERO)[0])
    return -exponent if is_small else exponent


@compiled_part
def parse_number(text, at, end):
    """A number, the position after it, and whether it is written without a point and an exponent."""
    start = at
    is_negative = at < end and byte_at(text, at) == MINUS
    if is_negative:
        at += ONE
    first = at
    digits, at = parse_digits(text, first, end, ZERO)
    count, power = np.int64(at - first), 0
    if count == 0 or (count > 1 and byte_at(text, first) == DIGIT_0):
        return 0.0, GIVE_UP, False
    if count == 1 and digits == ZERO:
        count = 0  # the 0 of 0.5
    if at < end and byte_at(text, at) == POINT:
        first = at + ONE
        digits, at = parse_digits(text, first, end, digits)
        power = -np.int64(at - first)
        if power == 0:
            return 0.0, GIVE_UP, False
    if count - power > MOST_DIGITS:
        return 0.0, GIVE_UP, False
    is_integer = power == 0
    if at < end and byte_at(text, at) | LOWER_CASE == LETTER_E:
        is_integer = False
        after_e, at = at + ONE, skip_number(text, start, end)
        if at == GIVE_UP:
            return 0.0, GIVE_UP, False
        power += parse_exponent(text, after_e, at)
    value = to_double(digits, power)
    if math.isnan(value) or (is_integer and is_negative and digits == ZERO):
        return 0.0, GIVE_UP, False
    return -value if is_negative else value, at, is_integer
