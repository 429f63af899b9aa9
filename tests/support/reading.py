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


def refused(source, *words, **options):
    """Assert that reading fails with an InputError that contains all words."""
    with pytest.raises(lcm.InputError) as caught:
        lcm.read(source, **options)
    assert [word for word in words if word not in str(caught.value)] == [], str(caught.value)


def refusal(value, *words, name="scan.xml", **options):
    refused((name, as_bytes(value)), *words, **options)


def refuser(name, **defaults):
    return lambda value, *words, name=name, **options: refusal(value, *words, name=name, **defaults | options)


def fails(match, action, *arguments, **options):
    """Assert that a call fails with an InputError whose text matches a pattern."""
    with pytest.raises(lcm.InputError, match=match):
        action(*arguments, **options)
