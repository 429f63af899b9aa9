"""Read small texts as files, and return the result as plain values."""

import json

import pytest

import layoutcm as lcm


def as_bytes(value):
    """Bytes and text as they are, any other value as JSON."""
    text = value if isinstance(value, str | bytes) else json.dumps(value)
    return text if isinstance(text, bytes) else text.encode()


def read(value, name="scan.xml", **options):
    return lcm.read((name, as_bytes(value)), **options)


def reader(name, **defaults):
    """`read` for files that have another name and options if nothing else is said."""
    return lambda value, name=name, **options: read(value, name, **defaults | options)


def regions(layout):
    """[(label, x0, y0, x1, y1)] as plain numbers."""
    columns = layout.region_columns
    return [(layout.labels[i], *box) for i, box in zip(columns.label, columns.boxes.tolist())]


def labels(layout):
    """The label of each region."""
    return [layout.labels[i] for i in layout.region_columns.label]


def boxes(layout):
    """[[x0, y0, x1, y1]] of each region, up to rounding."""
    return layout.region_columns.boxes.round(6).tolist()


def pages(layout):
    columns = layout.page_columns
    return list(zip(columns.names, columns.widths.tolist(), columns.heights.tolist()))


def codes(layout):
    return {finding.code: finding.count for finding in layout.findings}


def attributes(layout):
    """{attribute: its text for each page}."""
    return {name: list(texts) for name, texts in layout.page_columns.attributes.items()}


# What rows of `read_as` may say about a layout, beside `says` (words of its findings) and `some` (some of its codes).
FACTS = {
    "regions": regions, "labels": labels, "boxes": boxes, "pages": pages, "codes": codes,
    "declared": lambda layout: layout.labels,
    "format": lambda layout: layout.format,
    "names": lambda layout: layout.page_columns.names,
    "numbers": lambda layout: layout.page_columns.numbers.tolist(),
    "documents": lambda layout: layout.page_columns.documents,
    "places": lambda layout: [layout.page_columns.names[i] for i in layout.region_columns.page],
    "scores": lambda layout: [None if score != score else score for score in layout.region_columns.scores.tolist()],
    "scored": lambda layout: layout.has_scores,
    "shapes": lambda layout: set(layout.region_columns.shapes),
    "annotator": lambda layout: layout.annotator,
    "annotators": lambda layout: layout.annotators,
    "severities": lambda layout: [finding.severity for finding in layout.findings],
    "dropped": lambda layout: layout.dropped.boxes.tolist(),
    "attributes": attributes,
    "marked": lambda layout: layout.region_columns.ignored.tolist(),
    "crowds": lambda layout: layout.region_columns.coco.crowd.tolist(),
    "keys": lambda layout: layout.keys,
    "count": lambda layout: len(layout.region_columns),
}  # fmt: skip


def reads(what, value, *where, **expected):
    """A row of `read_as`: what is read, the file, its name and options if they are not the usual ones, and facts."""
    name = [one for one in where if isinstance(one, str)]
    options = next((one for one in where if isinstance(one, dict)), {})
    return pytest.param(value, name, options, expected, id=what)


def read_as(*rows, read=read):
    """A test of a table of files: each is read as its row says."""

    @pytest.mark.parametrize(("value", "name", "options", "expected"), rows)
    def test(value, name, options, expected):
        layout = read(value, *name, **options)
        found = {fact: FACTS[fact](layout) for fact in expected if fact in FACTS}
        if "some" in expected:
            found["some"] = {code: codes(layout).get(code) for code in expected["some"]}
        if "says" in expected:
            text = " ".join(finding.message for finding in layout.findings)
            found["says"] = [word for word in expected["says"] if word in text]
        assert found == expected, found

    return test


def refuses(what, value, *words, **options):
    """A row of `refused_as`: what is wrong, the file, the words of the message, and options."""
    return pytest.param(value, words, options, id=what)


def refused_as(*rows, refuse=None):
    """A test of a table of wrong files: each is refused with the words of its row."""

    @pytest.mark.parametrize(("value", "words", "options"), rows)
    def test(value, words, options):
        (refuse or refusal)(value, *words, **options)

    return test


def refused(source, *words, **options):
    """Assert that reading fails with an InputError that contains all words, and return its text."""
    with pytest.raises(lcm.InputError) as caught:
        lcm.read(source, **options)
    assert [word for word in words if word not in str(caught.value)] == [], str(caught.value)
    return str(caught.value)


def refusal(value, *words, name="scan.xml", **options):
    return refused((name, as_bytes(value)), *words, **options)


def refuser(name, **defaults):
    return lambda value, *words, name=name, **options: refusal(value, *words, name=name, **defaults | options)


def fails(match, action, *arguments, **options):
    """Assert that a call fails with an InputError whose text matches a pattern."""
    with pytest.raises(lcm.InputError, match=match):
        action(*arguments, **options)
