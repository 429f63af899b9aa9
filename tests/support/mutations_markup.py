"""Damage XML, HTML and DocTags: attributes, elements, entities, declarations, nesting."""

import re

_TAG = re.compile(rb"<[^<>]*>")
_ATTRIBUTE = re.compile(rb"""\s([\w:.-]+)\s*=\s*("[^"]*"|'[^']*')""")
VALUES = [
    *(
        b"",
        b"0",
        b"-1",
        b"nan",
        b"inf",
        b"1e999",
        b"1e308",
        b"9" * 400,
        b"1 2",
        b"1,2",
        b"x",
        b"&amp;",
        b"&#x41;",
        b"&#0;",
    ),
    *(b"&undefined;", b"0,0 1,1", b"0,0 1e9,1 1,1e9", b"1;2;3", b"bbox 0 0 -1 1e9", b"\xff", b"\xc2\xa0", b"a" * 5000),
    *(b"1,1 " * 2000, b"10%", b"true", b"0.5.5", b"+1", b"1_0"),
]
DECLARATIONS = [
    b"<!DOCTYPE x [<!ENTITY a 'b'>]>", b"<!DOCTYPE x [<!ATTLIST Page width CDATA '1'>]>",
    b"<!DOCTYPE x SYSTEM 'file:///etc/hostname'>", b"<!DOCTYPE html>", b'<?xml version="1.0" encoding="utf-16"?>',
    b'<?xml version="1.0" encoding="latin-1"?>', b'<?xml version="1.1"?>', b"<?pi ?>", b"<!-- -- -->", b"<!--",
    b"<![CDATA[", b"<![CDATA[x]]>", b"&a;", b"</x>",
]  # fmt: skip


def damaged_markup(data, rng):
    """The file with one to three changes of its tags."""
    for _ in range(rng.randint(1, 3)):
        tags = list(_TAG.finditer(data))
        if not tags:
            return data
        tag = rng.choice(tags)
        data = (change_attribute if rng.random() < 0.5 else change_element)(data, tag, rng)
    return data


def change_attribute(data, tag, rng):
    """Change, remove or repeat an attribute; of a tag without one, change the text that follows."""
    found = list(_ATTRIBUTE.finditer(data, tag.start(), tag.end()))
    if not found:
        end = data.find(b"<", tag.end())
        return data[: tag.end()] + rng.choice(VALUES) + (data[end:] if end >= 0 else b"")
    one = rng.choice(found)
    whole, name = one[0], one[1]
    match rng.randrange(5):
        case 0:
            new = b""
        case 1:
            new = whole + whole
        case 2:
            new = b" " + rng.choice([b"x", b"id", b"points", b"title", b"custom", b"label"]) + whole[len(name) + 1 :]
        case _:
            new = b" " + name + b'="' + rng.choice(VALUES) + b'"'
    return data[: one.start()] + new + data[one.end() :]


def change_element(data, tag, rng):
    """Remove, repeat, rename, nest or move tags, or insert a declaration."""
    start, end = tag.span()
    match rng.randrange(8):
        case 0:
            return data[:start] + data[end:]
        case 1:
            return data[:end] + tag[0] * rng.choice([1, 2, 500, 5000]) + data[end:]
        case 2:
            return (
                data[:start]
                + re.sub(rb"\w+", rng.choice([b"x", b"Page", b"div", b"a:b"]), tag[0], count=1)
                + data[end:]
            )
        case 3:
            depth = rng.choice([3, 399, 401, 20_000])
            return data[:end] + b"<a>" * depth + b"</a>" * rng.choice([depth, depth - 1]) + data[end:]
        case 4:
            at = rng.choice([0, start, end])
            return data[:at] + rng.choice(DECLARATIONS) + data[at:]
        case 5:
            other = rng.choice(list(_TAG.finditer(data)))
            return data[:start] + other[0] + data[end:]
        case 6:
            return data[:start] + rng.choice([tag[0].upper(), tag[0].lower(), tag[0][:-1]]) + data[end:]
        case _:
            again = element_at(data, tag) * rng.choice([1, 3, 60])
            return data[:start] + again[:500_000] + data[start:]


def element_at(data, tag):
    """The bytes from a tag to its end tag, or the tag alone."""
    name = re.match(rb"</?([\w:.-]+)", tag[0])
    end = data.find(b"</" + name[1] + b">", tag.end()) if name else -1
    return data[tag.start() : end + len(name[1]) + 3] if end >= 0 else tag[0]
