"""Numbers of JSON, compiled: exactly the doubles that Python's `float` returns.

A number of up to 19 digits that needs no rounding, or whose rounding is certain, is read here. On others the scanner
gives up.
"""

# Numba derives the types of compiled functions from their arguments. Positions are unsigned, as addresses are. Position
# 0 means "give up": no value ends there. The byte at `end` is 0, which is not part of JSON, so single bytes are read
# without a comparison with `end`. Eight bytes at once are read as a word, whose lowest byte is the first one.
# mypy: allow-untyped-defs

from __future__ import annotations

import math

import numpy as np
from numba import types
from numba.extending import intrinsic

from layoutcm.compiled import compiled_part, compiled_part_inlined

ZERO, ONE, TWO, THREE = (np.uint64(value) for value in range(4))
EIGHT, TEN, WORD_BITS = (np.uint64(value) for value in (8, 10, 64))
GIVE_UP = ZERO
MINUS, PLUS, POINT, LETTER_E = (np.uint8(ord(sign)) for sign in "-+.e")
LOWER_CASE = np.uint8(32)
DIGIT_0, DIGIT_9 = np.uint8(ord("0")), np.uint8(ord("9"))
MOST_DIGITS = 19  # any 19 digits fit into 64 bits


def in_every_byte(value: int) -> np.uint64:
    return np.uint64(value * 0x0101010101010101)


# Eight digits at once.
HIGH_BITS, DIGITS_0, OVERFLOW_ABOVE_9 = in_every_byte(0x80), in_every_byte(ord("0")), in_every_byte(0x80 - 10)
SIXTEEN = np.uint64(16)
EVERY_SECOND_BYTE, EVERY_SECOND_PAIR = np.uint64(0x00FF00FF00FF00FF), np.uint64(0x0000FFFF0000FFFF)
JOIN_DIGITS, JOIN_PAIRS, JOIN_FOURS = (
    np.uint64(1 + (base << bits)) for base, bits in ((10, 8), (100, 16), (10000, 32))
)
FIRST_BYTES = np.array([(1 << 8 * size) - 1 for size in range(9)], np.uint64)  # masks

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


@intrinsic
def word_at(typing_context, address, position):
    """The eight bytes from a position on."""

    def generate(context, builder, signature, arguments):
        pointer = builder.inttoptr(builder.add(*arguments), context.get_value_type(types.uint64).as_pointer())
        return builder.load(pointer, align=1)

    return types.uint64(types.uint64, types.uint64), generate


@intrinsic
def lowest_bit(typing_context, word):
    """The number of the lowest bit that is 1."""

    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], context.get_constant(types.boolean, False))

    return types.uint64(types.uint64), generate


@compiled_part_inlined
def is_digit(text, at):
    return DIGIT_0 <= byte_at(text, at) <= DIGIT_9


@compiled_part_inlined
def other_bytes(word):
    """A word whose high bits mark the bytes that are not digits, up to the first byte outside ASCII."""
    values = word ^ DIGITS_0  # at most 9 for a digit
    return (values + OVERFLOW_ABOVE_9 | values) & HIGH_BITS


@compiled_part
def digits_end(text, at, end):
    """The position after digits."""
    while at + EIGHT <= end:
        others = other_bytes(word_at(text, at))
        if others != ZERO:
            return at + (lowest_bit(others) >> THREE)
        at += EIGHT
    while is_digit(text, at):
        at += ONE
    return at


@compiled_part_inlined
def short_number(text, at, end):
    """The size of a number of up to seven digits and points, and of its part before the point; 0 if it is another one.

    Most numbers are like this. Both sizes come from one word: what follows does not wait for a second one.
    """
    if at + EIGHT > end:
        return ZERO, ZERO
    others = other_bytes(word_at(text, at))
    whole = lowest_bit(others) >> THREE  # 8 if there is none
    if not ZERO < whole < EIGHT or (whole > ONE and byte_at(text, at) == DIGIT_0):
        return ZERO, ZERO
    sign = byte_at(text, at + whole)
    if sign == POINT:
        size = lowest_bit(others & (others - ONE)) >> THREE
        if size == EIGHT or size == whole + ONE or byte_at(text, at + size) | LOWER_CASE == LETTER_E:
            return ZERO, ZERO
        return size, whole
    if sign | LOWER_CASE == LETTER_E:
        return ZERO, ZERO
    return whole, whole


@compiled_part
def skip_long_number(text, at, end):
    first = at + ONE if byte_at(text, at) == MINUS else at
    at = digits_end(text, first, end)
    if at == first or (at - first > ONE and byte_at(text, first) == DIGIT_0):
        return GIVE_UP
    if byte_at(text, at) == POINT:
        first = at + ONE
        at = digits_end(text, first, end)
        if at == first:
            return GIVE_UP
    if byte_at(text, at) | LOWER_CASE == LETTER_E:
        first = at + ONE
        if byte_at(text, first) == MINUS or byte_at(text, first) == PLUS:
            first += ONE
        at = digits_end(text, first, end)
        if at == first:
            return GIVE_UP
    return at


@compiled_part_inlined
def skip_number(text, at, end):
    size, _ = short_number(text, at, end)
    return at + size if size != ZERO else skip_long_number(text, at, end)


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


@compiled_part_inlined
def join_digits(values, size):
    """The number whose digits are the first bytes of a word, at most eight."""
    # Neighbours are joined in three steps: digits, pairs, groups of four.
    word = values << (WORD_BITS - EIGHT * size)
    word = (word * JOIN_DIGITS) >> EIGHT & EVERY_SECOND_BYTE
    word = (word * JOIN_PAIRS) >> SIXTEEN & EVERY_SECOND_PAIR
    return (word * JOIN_FOURS) >> HALF_WORD


@compiled_part
def parse_digits(text, at, stop, digits):
    """Append the digits between two positions to a number. More than 19 do not fit; the result is then undefined."""
    while at < stop:
        digits = digits * TEN + np.uint64(byte_at(text, at) - DIGIT_0)
        at += ONE
    return digits


@compiled_part
def parse_exponent(text, at, stop):
    """The exponent between a letter e and the end of a number; too large if it has more than three digits."""
    is_small = byte_at(text, at) == MINUS
    if is_small or byte_at(text, at) == PLUS:
        at += ONE
    if stop - at > THREE:
        return 10 * LARGEST_POWER
    exponent = np.int64(parse_digits(text, at, stop, ZERO))
    return -exponent if is_small else exponent


@compiled_part
def parse_long_number(text, at, end):
    start = at
    is_negative = byte_at(text, at) == MINUS
    first = at + ONE if is_negative else at
    at = digits_end(text, first, end)
    digits = parse_digits(text, first, at, ZERO)
    count, power = np.int64(at - first), np.int64(0)
    if count == 0 or (count > 1 and byte_at(text, first) == DIGIT_0):
        return 0.0, GIVE_UP, False
    if count == 1 and digits == ZERO:
        count = 0  # the 0 of 0.5
    if byte_at(text, at) == POINT:
        first = at + ONE
        at = digits_end(text, first, end)
        digits = parse_digits(text, first, at, digits)
        power = -np.int64(at - first)
        if power == 0:
            return 0.0, GIVE_UP, False
        while count == 0 and byte_at(text, first) == DIGIT_0:
            first += ONE  # the zeros of 0.0005
        count += np.int64(at - first)
    if count > MOST_DIGITS:
        return 0.0, GIVE_UP, False
    is_integer = power == 0
    if byte_at(text, at) | LOWER_CASE == LETTER_E:
        is_integer = False
        after_e, at = at + ONE, skip_long_number(text, start, end)
        if at == GIVE_UP:
            return 0.0, GIVE_UP, False
        power += parse_exponent(text, after_e, at)
    value = to_double(digits, power)
    if math.isnan(value) or (is_integer and is_negative and digits == ZERO):
        return 0.0, GIVE_UP, False
    return -value if is_negative else value, at, is_integer


@compiled_part_inlined
def parse_number(text, at, end):
    """A number, the position after it, and whether it is written without a point and an exponent."""
    size, whole = short_number(text, at, end)
    if size == ZERO:
        return parse_long_number(text, at, end)
    values = word_at(text, at) ^ DIGITS_0
    if size == whole:
        return np.float64(np.int64(join_digits(values, size))), at + size, True
    values = (values & FIRST_BYTES[whole]) | (values >> EIGHT & ~FIRST_BYTES[whole])  # without the point
    digits = np.float64(np.int64(join_digits(values, size - ONE)))
    return digits / EXACT_POWERS[size - whole - ONE], at + size, False
