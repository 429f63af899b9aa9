"""Damage valid files at random: change, remove or repeat bytes, replace values of JSON or markup."""

import copy
import json
import random
import re

UNUSUAL_VALUES = [
    *(
        None,
        True,
        "",
        "x",
        "0",
        "-1",
        "1e400",
        "NaN",
        "\ud800",
        "<b>",
        "a\nb",
        [],
        {},
        [[]],
        [None],
        [1, 2, 3],
        {"x": 1},
    ),
    *(0, -1, 0.5, 1e308, -1e308, 10**30, 2**31, 2**63, float("nan"), float("inf")),
]
TOKENS = [
    *(b"", b"0", b"-1", b"1e999", b"nan", b"inf", b"9" * 400, b"0" * 50, b"1 2 3", b"null", b"%00", b"\x00", b"\xff"),
    *(b"<", b">", b"&amp;", b"&#0;", b"<!ENTITY a 'b'>", b"]]>", b"\xef\xbb\xbf", b'"', b"'", b",", b";", b"\n", b"\r"),
    *(b"{", b"}", b"[", b"]"),
]


def mutated(data: bytes, rng: random.Random) -> bytes:
    """The file with a few random changes."""
    if data[:1] in (b"{", b"[") and rng.random() < 0.6:
        return damaged_json(data, rng)
    if rng.random() < 0.4:
        return damaged_word(data, rng)
    return damaged_bytes(data, rng)


def damaged_json(data, rng):
    document = json.loads(data)
    for _ in range(rng.randint(1, 3)):
        places = list(all_places(document))
        if not places:
            break
        holder, key = rng.choice(places)
        action = rng.random()
        if action < 0.7:
            holder[key] = copy.deepcopy(rng.choice(UNUSUAL_VALUES))
        elif action < 0.85:
            del holder[key]
        elif isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        else:
            holder[rng.choice(["x", "id", "page", "bbox", ""])] = copy.deepcopy(holder[key])
    return json.dumps(document).encode("utf-8", "surrogatepass")


def all_places(item):
    """(container, key) of every value in a JSON tree."""
    keys = range(len(item)) if isinstance(item, list) else list(item) if isinstance(item, dict) else ()
    for key in keys:
        yield item, key
        yield from all_places(item[key])


def damaged_word(data, rng):
    """Replace one number or name, so that the structure of the file stays the same."""
    words = list(re.finditer(rb"[\w.+-]+", data))
    if not words:
        return damaged_bytes(data, rng)
    word = rng.choice(words)
    return data[: word.start()] + rng.choice(TOKENS) + data[word.end() :]


def damaged_bytes(data, rng):
    damaged = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(damaged) + 1)
        length = rng.choice([1, 1, 2, 8, 64])
        match rng.randrange(5):
            case 0:
                damaged[at : at + length] = b""
            case 1:
                damaged[at:at] = damaged[at : at + length]
            case 2:
                damaged[at : at + 1] = bytes([rng.randrange(256)])
            case 3:
                damaged[at:at] = rng.choice(TOKENS)
            case 4:
                del damaged[rng.randrange(len(damaged) + 1) :]
    return bytes(damaged)
