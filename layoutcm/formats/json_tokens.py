"""Compiled functions that step over spaces, strings, words, numbers and nested values of JSON."""

# See `json_numbers` for what holds for positions.
# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from layoutcm.compiled import compiled_part, compiled_part_inlined
from layoutcm.formats.json_numbers import (
    EIGHT,
    GIVE_UP,
    HIGH_BITS,
    MINUS,
    ONE,
    THREE,
    TWO,
    ZERO,
    byte_at,
    in_every_byte,
    is_digit,
    lowest_bit,
    skip_long_number,
    skip_number,
    word_at,
)

QUOTE, BACKSLASH, COMMA, COLON, SPACE, LETTER_U = (np.uint8(ord(sign)) for sign in '"\\,: u')
OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT = (np.uint8(ord(sign)) for sign in "[]{}")
SIX = np.uint64(6)
TRUE, FALSE, NULL = (np.frombuffer(word, np.uint8) for word in (b"true", b"false", b"null"))
HEX_DIGITS = np.full(256, -1)
for _digit in "0123456789abcdefABCDEF":
    HEX_DIGITS[ord(_digit)] = int(_digit, 16)
MOST_NESTING = np.uint64(1 << 60)  # a bit for each list or object that is open

IS_PLAIN = np.ones(256, np.bool_)  # bytes of strings that need no attention
IS_PLAIN[:32] = IS_PLAIN[128:] = False
IS_PLAIN[[ord('"'), ord("\\")]] = False
ONES, QUOTES, BACKSLASHES, SPACES = (in_every_byte(value) for value in (1, *b'"\\ '))
IS_SPACE = np.zeros(256, np.bool_)
IS_SPACE[[ord(sign) for sign in " \t\n\r"]] = True
IS_ESCAPED = np.zeros(256, np.bool_)  # after a backslash; \u is not among them
IS_ESCAPED[[ord(sign) for sign in '"\\/bfnrt']] = True


@compiled_part_inlined
def skip_space(text, at):
    while byte_at(text, at) <= SPACE and IS_SPACE[byte_at(text, at)]:
        at += ONE
    return at


@compiled_part
def plain_end(text, at, end):
    """The position of the next byte of a string that needs attention."""
    while at + EIGHT <= end:
        word = word_at(text, at)
        # A difference below 0 sets the high bit of its byte, and possibly others after it.
        signs = ((word ^ QUOTES) - ONES) | ((word ^ BACKSLASHES) - ONES) | (word - SPACES) | word
        if signs & HIGH_BITS != ZERO:
            return at + (lowest_bit(signs & HIGH_BITS) >> THREE)
        at += EIGHT
    while IS_PLAIN[byte_at(text, at)]:
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
    while True:
        at = plain_end(text, at, end)
        byte = byte_at(text, at)
        if byte == QUOTE:
            return at + ONE
        at = skip_escape(text, at, end) if byte == BACKSLASH else skip_character(text, at, end)
        if at == GIVE_UP:
            return GIVE_UP


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
    if byte == MINUS or is_digit(text, at):
        return skip_long_number(text, at, end)
    if byte == TRUE[0]:
        return skip_word(text, at, end, TRUE)
    if byte == FALSE[0]:
        return skip_word(text, at, end, FALSE)
    return skip_word(text, at, end, NULL)


@compiled_part
def skip_numbers(text, at, end):
    """The position after a number, and after those that follow it behind commas."""
    while True:
        at = skip_number(text, at, end)
        if at == GIVE_UP or byte_at(text, at) != COMMA:
            return at
        following = skip_space(text, at + ONE)
        if byte_at(text, following) != MINUS and not is_digit(text, following):
            return at
        at = following


@compiled_part
def skip_colon(text, at):
    """The position of the value after a key."""
    at = skip_space(text, at)
    return skip_space(text, at + ONE) if byte_at(text, at) == COLON else GIVE_UP


@compiled_part
def skip_key(text, at, end):
    """The position of the value of the next key."""
    at = skip_space(text, at)
    if byte_at(text, at) != QUOTE:
        return GIVE_UP
    at = skip_string(text, at + ONE, end)
    return GIVE_UP if at == GIVE_UP else skip_colon(text, at)


@compiled_part
def open_nested(text, at, end, kinds):
    """The position of the first value in a list or object, and the bits of what is open with its bit added.

    The position is after the list or object if that is empty; then no bit is added.
    """
    is_object = byte_at(text, at) == OPEN_OBJECT
    at = skip_space(text, at + ONE)
    if kinds >= MOST_NESTING:
        return GIVE_UP, kinds
    if byte_at(text, at) == (CLOSE_OBJECT if is_object else CLOSE_LIST):
        return at + ONE, kinds
    kinds = kinds << ONE
    if is_object:
        return skip_key(text, at, end), kinds | ONE
    return at, kinds


@compiled_part
def close_nested(text, at, end, kinds):
    """Skip the closing brackets after a value; return the position of the next value, or the end."""
    while kinds > ONE:
        at = skip_space(text, at)
        byte = byte_at(text, at)
        at += ONE
        if byte == COMMA:
            return (skip_key(text, at, end) if kinds & ONE else at), kinds
        if byte != (CLOSE_OBJECT if kinds & ONE else CLOSE_LIST):
            return GIVE_UP, kinds
        kinds = kinds >> ONE
    return at, kinds


@compiled_part
def skip_value(text, at, end):
    """The position after a value of any kind."""
    kinds = ONE  # then a bit for each list or object around, the innermost last; 1 is an object
    while True:
        at = skip_space(text, at)
        before, byte = kinds, byte_at(text, at)
        if byte in (OPEN_LIST, OPEN_OBJECT):
            at, kinds = open_nested(text, at, end, kinds)
        elif kinds & ONE == ZERO and (byte == MINUS or is_digit(text, at)):
            at = skip_numbers(text, at, end)
        else:
            at = skip_scalar(text, at, end)
        if at != GIVE_UP and kinds == before:
            at, kinds = close_nested(text, at, end, kinds)
            if kinds == ONE:
                return at
        if at == GIVE_UP:
            return GIVE_UP
