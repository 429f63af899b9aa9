"""Damage valid files at random, by the structure that they have: JSON, markup, rows, Parquet, zip, image, words, bytes.

Every function takes the bytes of a file and a `random.Random`, and returns other bytes. Nothing here uses the package.
"""

import copy
import json
import random
import re

from support.mutations_binary import damaged_parquet, damaged_zip
from support.mutations_markup import damaged_markup

UNUSUAL_VALUES = [
    *(None, True, False, "", "x", "0", "-1", "1e400", "NaN", "\ud800", "<b>", "a\nb", "\0", "é" * 300),
    *([], {}, [[]], [None], [1, 2, 3], {"x": 1}, [0, 0, 0, 0], [1e9, -1e9, 1e9, -1e9]),
    *(0, -1, 0.5, 1e308, -1e308, 10**30, 2**31, 2**63, 1e-320, 10**6, float("nan"), float("inf")),
]
TOKENS = [
    *(b"", b"0", b"-1", b"1e999", b"nan", b"inf", b"9" * 400, b"0" * 50, b"1 2 3", b"null", b"%00", b"\x00", b"\xff"),
    *(b"<", b">", b"&amp;", b"&#0;", b"<!ENTITY a 'b'>", b"]]>", b"\xef\xbb\xbf", b'"', b"'", b",", b";", b"\n", b"\r"),
    *(
        b"{", b"}", b"[", b"]", b"!!python/none", b"*a", b"&a", b"\t", b"\\", b"1,5", b"1_000", b"1e308",
        b"\xf0\x9f\x98",
    ),
]  # fmt: skip
# Values that `json.dumps` cannot write: they stand in the text as these names until it is written.
RAW_VALUES = {
    "@huge@": "1" * 5000,
    "@exponent@": "1e99999",
    "@negative zero@": "-0.0",
    "@not json@": "01",
    "@escape@": '"\\ud83d"',
}
# Larger files than this are not made larger: the limits of `make fuzz` hold for inputs below 1 MB.
GROWN_TO = 900_000


def mutated(data: bytes, rng: random.Random) -> bytes:
    """The file with a few random changes that keep most of its structure, or with changed bytes."""
    if data[:4] == b"PAR1" and rng.random() < 0.6:
        return damaged_parquet(data, rng)
    if data[:4] == b"PK\x03\x04" and rng.random() < 0.8:
        return damaged_zip(data, rng, mutated)
    if data[:1] in (b"{", b"[") and rng.random() < 0.7:
        return damaged_json(data, rng)
    if data[:1] == b"<" and rng.random() < 0.7:
        return damaged_markup(data, rng)
    if b"\n" in data[:2000] and data[:1] not in b"{[<P\x89\xff" and rng.random() < 0.5:
        return damaged_rows(data, rng)
    if rng.random() < 0.4:
        return damaged_word(data, rng)
    return damaged_bytes(data, rng)


def damaged_json(data, rng):
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return damaged_bytes(data, rng)
    for _ in range(rng.randint(1, 3)):
        places = list(all_places(document))
        if not places:
            break
        change_value(*rng.choice(places), rng)
    text = json.dumps(document)
    for name, raw in RAW_VALUES.items():
        text = text.replace(f'"{name}"', raw)
    text = re.sub(r'"@nested (\d+)@"', lambda found: nested(int(found[1]), rng), text)
    return (with_a_repeated_key(text, rng) if rng.random() < 0.1 else text).encode("utf-8", "surrogatepass")


def change_value(holder, key, rng):
    """Replace, remove or repeat one value."""
    action = rng.random()
    if action < 0.55:
        holder[key] = copy.deepcopy(rng.choice(UNUSUAL_VALUES))
    elif action < 0.62:
        holder[key] = rng.choice(list(RAW_VALUES))
    elif action < 0.65:
        holder[key] = f"@nested {rng.choice([10, 400, 1100, 20_000])}@"
    elif action < 0.8:
        del holder[key]
    elif isinstance(holder, list):
        again = rng.choice([1, 1, 2, 50])
        if len(json.dumps(holder[key])) * again < GROWN_TO:
            holder[key:key] = [copy.deepcopy(holder[key]) for _ in range(again)]
    else:
        holder[rng.choice(["x", "id", "page", "bbox", "", *holder])] = copy.deepcopy(holder[key])


def nested(depth, rng):
    """JSON text of lists or objects within each other."""
    opening, closing = rng.choice([("[", "]"), ('{"a":', "}"), ('{"children":[', "]}")])
    return opening * depth + rng.choice(["0", "null"]) + closing * depth


def with_a_repeated_key(text, rng):
    """The text with one `"key": value` written twice."""
    pairs = list(re.finditer(r'[{,]\s*("[^"\\]*": (?:[\d.+-]+|"[^"\\]*"|null))(?=[,}])', text))
    if not pairs:
        return text
    pair = rng.choice(pairs)
    return f"{text[: pair.end()]}, {pair[1]}{text[pair.end() :]}"


def all_places(item):
    """(container, key) of every value in a JSON tree."""
    keys = range(len(item)) if isinstance(item, list) else list(item) if isinstance(item, dict) else ()
    for key in keys:
        yield item, key
        yield from all_places(item[key])


def damaged_rows(data, rng):
    """Change the rows and cells of a table, or the lines and words of another text."""
    sign = max((b",", b";", b"\t", b" "), key=data.split(b"\n", 1)[0].count)
    rows = [row.split(sign) for row in data.split(b"\n")]
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(rows))
        change_row(rows, at, rng)
        rows = rows or [[b""]]
    ends = rng.choice([b"\n", b"\n", b"\n", b"\r\n", b"\r"])
    return ends.join((sign if rng.random() < 0.98 else b";").join(row) for row in rows)


def change_row(rows, at, rng):
    row = rows[at]
    cell = rng.randrange(len(row)) if row else 0
    match rng.randrange(10):
        case 0:
            del rows[at]
        case 1:
            rows[at:at] = [list(row) for _ in range(rng.choice([1, 2, 300]))]
        case 2:
            rng.shuffle(rows)
        case 3:
            row[cell : cell + 1] = []
        case 4:
            row.insert(cell, rng.choice(TOKENS))
        case 5 if row:
            row[cell] = b'"' + row[cell]  # a quote that does not end
        case 6 if row:
            row[cell] = b'"' + row[cell].replace(b'"', b'""') + rng.choice([b"\n", b",", b'""', b"x" * 3000]) + b'"'
        case 7:
            rng.shuffle(row)
        case 8:
            row.extend([rng.choice(TOKENS)] * rng.choice([1, 2, 2000]))
        case _ if row:
            row[cell] = rng.choice(TOKENS)


def damaged_word(data, rng):
    """Replace one number or name. The structure of the file stays the same."""
    words = list(re.finditer(rb"[\w.+-]+", data))
    if not words:
        return damaged_bytes(data, rng)
    word = rng.choice(words)
    new = rng.choice(TOKENS) if rng.random() < 0.7 else word[0] * rng.choice([2, 30, 5000])
    return data[: word.start()] + new + data[word.end() :]


def damaged_bytes(data, rng):
    damaged = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(damaged) + 1)
        length = rng.choice([1, 1, 2, 8, 64])
        match rng.randrange(6):
            case 0:
                damaged[at : at + length] = b""
            case 1:
                damaged[at:at] = damaged[at : at + length] * rng.choice([1, 1, 100])
            case 2:
                damaged[at : at + 1] = bytes([rng.randrange(256)])
            case 3:
                damaged[at:at] = rng.choice(TOKENS)
            case 4:
                del damaged[rng.randrange(len(damaged) + 1) :]
            case 5 if at < len(damaged):
                damaged[at] ^= 1 << rng.randrange(8)
    return bytes(damaged)
