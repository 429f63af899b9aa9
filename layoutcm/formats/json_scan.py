"""The compiled scanner of JSON: numbers of the wanted keys of many objects, as columns, without Python objects.

The scanner accepts less than JSON allows. It gives up on anything unusual (a key with an escape, a number of more than
19 digits, deep nesting) and on anything that may be wrong. Then the caller decodes the text with msgspec, which accepts
or explains it. So what the scanner accepts must be exactly what msgspec accepts, with equal values.
"""

# Numba derives the types of compiled functions from their arguments. Positions are unsigned, because numba checks
# signed indices for negative values. Position 0 means "give up": no value ends there. Every read of a byte is guarded
# by a comparison with `end`.
# mypy: allow-untyped-defs

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import intrinsic

from layoutcm.compiled import compiled, compiled_part

ZERO, ONE, TWO, THREE, FOUR = (np.uint64(value) for value in range(5))
GIVE_UP = ZERO
QUOTE, BACKSLASH, COMMA, COLON, MINUS, POINT = (np.uint8(ord(sign)) for sign in '"\\,:-.')
OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT = (np.uint8(ord(sign)) for sign in "[]{}")
SPACE = np.uint8(ord(" "))
DIGIT_0, DIGIT_9 = np.uint8(ord("0")), np.uint8(ord("9"))
SIX, TEN = np.uint64(6), np.uint64(10)
PLUS, LETTER_E, LETTER_U, LOWER_CASE = np.uint8(ord("+")), np.uint8(ord("e")), np.uint8(ord("u")), np.uint8(32)
TRUE, FALSE, NULL = (np.frombuffer(word, np.uint8) for word in (b"true", b"false", b"null"))
HEX_DIGITS = np.full(256, -1)
for _digit in "0123456789abcdefABCDEF":
    HEX_DIGITS[ord(_digit)] = int(_digit, 16)
MOST_INTEGER = 2.0**53 - 1  # larger ones are not exact as doubles
MOST_DIGITS = 19  # any 19 digits fit into 64 bits
MOST_NESTING = np.uint64(60)  # bits of a word tell lists from objects

# Kinds of fields.
NUMBER, INTEGER, TRUTH, BOX = 0, 1, 2, 3

# Bytes of strings that need no attention.
IS_PLAIN = np.ones(256, np.bool_)
IS_PLAIN[:32] = IS_PLAIN[128:] = False
IS_PLAIN[[ord('"'), ord("\\")]] = False
IS_SPACE = np.zeros(256, np.bool_)
IS_SPACE[[ord(sign) for sign in " \t\n\r"]] = True
IS_ESCAPED = np.zeros(256, np.bool_)  # after a backslash; \u is left to msgspec
IS_ESCAPED[[ord(sign) for sign in '"\\/bfnrt']] = True

# Powers of ten: exact doubles for small exponents, and the leading 128 bits for larger ones.
EXACT_POWERS = np.array([10.0**q for q in range(23)])
EXACT_INTEGER = np.uint64(1 << 53)
MOST_POWER = 60


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


POWER_BITS = np.array([_leading_bits(q) for q in range(-MOST_POWER, MOST_POWER + 1)], np.uint64)
HALF_WORD = np.uint64(32)
LOW_HALF = np.uint64(0xFFFFFFFF)
ALL_BITS = np.uint64(0xFFFFFFFFFFFFFFFF)
TOP_BIT = np.uint64(63)
BELOW_MANTISSA = np.uint64(64 - 52 - 3)
ROUNDING_MASK = np.uint64((1 << 9) - 1)


class Fields(NamedTuple):
    """The wanted keys: uint8[fields, bytes], their lengths and kinds, and the first column of each."""

    names: Any
    lengths: Any
    kinds: Any
    columns: Any


@intrinsic
def byte_at(typing_context, address, position):
    """The byte at a position of the text at an address. An array would be passed as seven values to each function."""

    def generate(context, builder, signature, arguments):
        pointer = builder.inttoptr(builder.add(*arguments), context.get_value_type(types.uint8).as_pointer())
        return builder.load(pointer)

    return types.uint8(types.uint64, types.uint64), generate


@compiled_part
def skip_space(text, at, end):
    while at < end and byte_at(text, at) <= SPACE and IS_SPACE[byte_at(text, at)]:
        at += ONE
    return at


@compiled_part
def skip_character(text, at, end):
    """The position after a character of several bytes in UTF-8."""
    first = byte_at(text, at)
    if first < 0xC2 or first > 0xF4:
        return GIVE_UP
    more = ONE if first < 0xE0 else TWO if first < 0xF0 else THREE
    if end - at <= more:
        return GIVE_UP
    second = byte_at(text, at + ONE)
    # Overlong forms, surrogates, and code points above the last one.
    low = 0xA0 if first == 0xE0 else 0x90 if first == 0xF0 else 0x80
    high = 0x9F if first == 0xED else 0x8F if first == 0xF4 else 0xBF
    if second < low or second > high:
        return GIVE_UP
    for i in range(TWO, more + ONE):
        if byte_at(text, at + i) & 0xC0 != 0x80:
            return GIVE_UP
    return at + more + ONE


@compiled_part
def skip_escape(text, at, end):
    """The position after a backslash and what it escapes; half a surrogate pair is left to msgspec."""
    if end - at < TWO:
        return GIVE_UP
    if IS_ESCAPED[byte_at(text, at + ONE)]:
        return at + TWO
    if byte_at(text, at + ONE) != LETTER_U or end - at < SIX:
        return GIVE_UP
    code = 0
    for i in range(TWO, SIX):
        digit = HEX_DIGITS[byte_at(text, at + i)]
        if digit < 0:
            return GIVE_UP
        code = 16 * code + digit
    return GIVE_UP if 0xD800 <= code < 0xE000 else at + SIX


@compiled_part
def skip_string(text, at, end):
    """The position after a string whose opening quote is before `at`."""
    while at < end:
        byte = byte_at(text, at)
        if IS_PLAIN[byte]:
            at += ONE
        elif byte == QUOTE:
            return at + ONE
        else:
            at = skip_escape(text, at, end) if byte == BACKSLASH else skip_character(text, at, end)
            if at == GIVE_UP:
                return GIVE_UP
    return GIVE_UP


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
def skip_word(text, at, end, word):
    """The position after one of true, false and null."""
    size = np.uint64(word.size)
    if end - at < size:
        return GIVE_UP
    for i in range(size):
        if byte_at(text, at + i) != word[i]:
            return GIVE_UP
    return at + size


@compiled_part
def skip_scalar(text, at, end):
    byte = byte_at(text, at)
    if byte == QUOTE:
        return skip_string(text, at + ONE, end)
    if byte == MINUS or DIGIT_0 <= byte <= DIGIT_9:
        return skip_number(text, at, end)
    if byte == TRUE[0]:
        return skip_word(text, at, end, TRUE)
    if byte == FALSE[0]:
        return skip_word(text, at, end, FALSE)
    return skip_word(text, at, end, NULL)


@compiled_part
def skip_colon(text, at, end):
    """The position of the value after a key."""
    at = skip_space(text, at, end)
    if at >= end or byte_at(text, at) != COLON:
        return GIVE_UP
    at = skip_space(text, at + ONE, end)
    return at if at < end else GIVE_UP


@compiled_part
def skip_key(text, at, end):
    """The position of the value of the next key."""
    at = skip_space(text, at, end)
    if at >= end or byte_at(text, at) != QUOTE:
        return GIVE_UP
    at = skip_string(text, at + ONE, end)
    return GIVE_UP if at == GIVE_UP else skip_colon(text, at, end)


@compiled_part
def skip_value(text, at, end):
    """The position after a value of any kind."""
    depth = ZERO
    kinds = ZERO  # a bit for each list or object around, the innermost last; 1 is an object
    while True:
        at = skip_space(text, at, end)
        if at >= end:
            return GIVE_UP
        byte = byte_at(text, at)
        if byte in (OPEN_LIST, OPEN_OBJECT):
            is_object = byte == OPEN_OBJECT
            at = skip_space(text, at + ONE, end)
            if at >= end or depth == MOST_NESTING:
                return GIVE_UP
            if byte_at(text, at) == (CLOSE_OBJECT if is_object else CLOSE_LIST):
                at += ONE
            else:
                depth += ONE
                kinds = kinds << ONE
                if is_object:
                    kinds |= ONE
                    at = skip_key(text, at, end)
                    if at == GIVE_UP:
                        return GIVE_UP
                continue
        else:
            at = skip_scalar(text, at, end)
            if at == GIVE_UP:
                return GIVE_UP
        while depth > ZERO:  # what follows a value
            at = skip_space(text, at, end)
            if at >= end:
                return GIVE_UP
            byte = byte_at(text, at)
            at += ONE
            if byte == COMMA:
                if kinds & ONE:
                    at = skip_key(text, at, end)
                    if at == GIVE_UP:
                        return GIVE_UP
                break
            if byte != (CLOSE_OBJECT if kinds & ONE else CLOSE_LIST):
                return GIVE_UP
            kinds = kinds >> ONE
            depth -= ONE
        else:
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
    row = power + MOST_POWER
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
    if digits == ZERO or power < -MOST_POWER or power > MOST_POWER:
        return math.nan
    return round_decimal(digits, power)


@compiled_part
def parse_number(text, at, end):
    """A number, the position after it, and whether it is written without a point and an exponent."""
    start = at
    is_negative = at < end and byte_at(text, at) == MINUS
    if is_negative:
        at += ONE
    digits = ZERO
    first = at
    while is_digit(text, at, end):
        digits = digits * TEN + np.uint64(byte_at(text, at) - DIGIT_0)
        at += ONE
    count = np.int64(at - first)
    if count == 0 or (count > 1 and byte_at(text, first) == DIGIT_0):
        return 0.0, GIVE_UP, False
    if count == 1 and digits == ZERO:
        count = 0  # the 0 of 0.5
    power = 0
    is_integer = True
    if at < end and byte_at(text, at) == POINT:
        is_integer = False
        at += ONE
        first = at
        while is_digit(text, at, end):
            digits = digits * TEN + np.uint64(byte_at(text, at) - DIGIT_0)
            at += ONE
        power = -np.int64(at - first)
        count -= power
        if power == 0:
            return 0.0, GIVE_UP, False
    if count > MOST_DIGITS:
        return 0.0, GIVE_UP, False
    if at < end and byte_at(text, at) | LOWER_CASE == LETTER_E:
        is_integer = False
        stop = skip_number(text, start, end)
        if stop == GIVE_UP:
            return 0.0, GIVE_UP, False
        at += ONE
        is_small = byte_at(text, at) == MINUS
        if byte_at(text, at) == MINUS or byte_at(text, at) == PLUS:
            at += ONE
        if stop - at > THREE:
            return 0.0, GIVE_UP, False
        exponent = 0
        while at < stop:
            exponent = 10 * exponent + np.int64(byte_at(text, at) - DIGIT_0)
            at += ONE
        power = power - exponent if is_small else power + exponent
    value = to_double(digits, power)
    if math.isnan(value) or (is_integer and is_negative and digits == ZERO):
        return 0.0, GIVE_UP, False
    return -value if is_negative else value, at, is_integer


@compiled_part
def find_field(text, start, stop, fields):
    """The number of the field whose name is at these positions, or -1."""
    for field in range(fields.lengths.size):
        if fields.lengths[field] == stop - start:
            same = True
            for i in range(stop - start):
                if byte_at(text, start + i) != fields.names[field, i]:
                    same = False
                    break
            if same:
                return field
    return -1


@compiled_part
def scan_box(text, at, end, values, column, row):
    """The position after a list of four numbers."""
    at += ONE
    for i in range(4):
        at = skip_space(text, at, end)
        value, at, _ = parse_number(text, at, end)
        if at == GIVE_UP:
            return GIVE_UP
        values[row, column + i] = value
        at = skip_space(text, at, end)
        if at >= end or byte_at(text, at) != (COMMA if i < 3 else CLOSE_LIST):
            return GIVE_UP
        at += ONE
    return at


@compiled_part
def scan_value(text, at, end, kind, values, column, row):
    """The position after the value of a field, which goes into its column (nan for null)."""
    byte = byte_at(text, at)
    if byte == NULL[0]:
        for i in range(4 if kind == BOX else 1):
            values[row, column + i] = math.nan
        return skip_word(text, at, end, NULL)
    if kind == BOX:
        return scan_box(text, at, end, values, column, row) if byte == OPEN_LIST else GIVE_UP
    if kind == TRUTH and (byte == TRUE[0] or byte == FALSE[0]):
        values[row, column] = 1.0 if byte == TRUE[0] else 0.0
        return skip_word(text, at, end, TRUE if byte == TRUE[0] else FALSE)
    value, at, is_integer = parse_number(text, at, end)
    if kind == INTEGER and (not is_integer or abs(value) > MOST_INTEGER):
        return GIVE_UP
    values[row, column] = value
    return at


@compiled_part
def scan_object(text, at, end, fields, values, row):
    """The position after an object whose opening brace is before `at`; its fields go into a row of all columns."""
    values[row, :] = math.nan
    at = skip_space(text, at, end)
    if at < end and byte_at(text, at) == CLOSE_OBJECT:
        return at + ONE
    while True:
        if at >= end or byte_at(text, at) != QUOTE:
            return GIVE_UP
        at += ONE
        start = at
        while at < end and IS_PLAIN[byte_at(text, at)]:
            at += ONE
        if at >= end or byte_at(text, at) != QUOTE:
            return GIVE_UP  # a key with an escape could be a wanted one
        field = find_field(text, start, at, fields)
        at = skip_colon(text, at + ONE, end)
        if at == GIVE_UP:
            return GIVE_UP
        if field < 0:
            at = skip_value(text, at, end)
        else:
            at = scan_value(text, at, end, fields.kinds[field], values, fields.columns[field], row)
        if at == GIVE_UP:
            return GIVE_UP
        at = skip_space(text, at, end)
        if at >= end:
            return GIVE_UP
        if byte_at(text, at) == CLOSE_OBJECT:
            return at + ONE
        if byte_at(text, at) != COMMA:
            return GIVE_UP
        at = skip_space(text, at + ONE, end)


@compiled
def scan_objects(text, at, end, stop, fields, values):
    """Scan the objects of a list from the one at `at` to the last one that begins before `stop` and has a row.

    Return the position of the next object, or after the list; the number of objects; and whether the list ended.
    """
    row = np.int64(0)  # a literal would be compiled as a type of its own
    while True:
        if at >= end or byte_at(text, at) != OPEN_OBJECT:
            return GIVE_UP, row, False
        at = scan_object(text, at + ONE, end, fields, values, row)
        if at == GIVE_UP:
            return GIVE_UP, row, False
        row += 1
        at = skip_space(text, at, end)
        if at >= end:
            return GIVE_UP, row, False
        if byte_at(text, at) == CLOSE_LIST:
            return at + ONE, row, True
        if byte_at(text, at) != COMMA:
            return GIVE_UP, row, False
        at = skip_space(text, at + ONE, end)
        if at >= stop or row == values.shape[0]:
            return at, row, False


@compiled
def find_member(text, at, end, name):
    """Walk over members of the outermost object from the key at `at` on.

    Return the position of the value under the key `name` and True, or the position after the object and False.
    """
    while True:
        at = skip_space(text, at, end)
        if at >= end or byte_at(text, at) != QUOTE:
            return GIVE_UP, False
        at += ONE
        start = at
        at = skip_string(text, at, end)
        if at == GIVE_UP:
            return GIVE_UP, False
        size = at - ONE - start
        is_wanted = size == np.uint64(name.size)
        for i in range(size):
            if byte_at(text, start + i) == BACKSLASH:
                return GIVE_UP, False
            is_wanted = is_wanted and byte_at(text, start + i) == name[i]
        at = skip_colon(text, at, end)
        if at == GIVE_UP or is_wanted:
            return at, True
        at = skip_value(text, at, end)
        if at == GIVE_UP:
            return GIVE_UP, False
        at = skip_space(text, at, end)
        if at >= end:
            return GIVE_UP, False
        if byte_at(text, at) == CLOSE_OBJECT:
            return at + ONE, False
        if byte_at(text, at) != COMMA:
            return GIVE_UP, False
        at += ONE
