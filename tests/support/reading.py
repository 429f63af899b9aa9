"""Read small texts as files, and return the result as plain values."""

import pytest

import layoutcm as lcm


def read(text, name="scan.xml", **options):
    return lcm.read((name, text.encode() if isinstance(text, str) else text), **options)


def regions(layout):
    """[(label, x0, y0, x1, y1)] as plain numbers."""
    columns = layout.region_columns
    return [(layout.labels[i], *box) for i, box in zip(columns.label, columns.boxes.tolist())]


def pages(layout):
    columns = layout.page_columns
    return list(zip(columns.names, columns.widths.tolist(), columns.heights.tolist()))


def codes(layout):
    return {finding.code: finding.count for finding in layout.findings}


def refusal(text, *words, name="scan.xml", **options):
    """Assert that reading fails with an InputError that contains all words."""
    with pytest.raises(lcm.InputError) as caught:
        read(text, name, **options)
    for word in words:
        assert word in str(caught.value)
