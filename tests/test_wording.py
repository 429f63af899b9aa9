"""Numbers as short texts: pixels and per cent."""

import pytest

from layoutcm import wording
from layoutcm.wording import percent


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (0.004, "<0.01"),
        (1 / 3, "0.33"),
        (0.5, "0.5"),
        (9.5, "9.5"),
        (10.4, "10"),
        (812, "812"),
        (999.7, "1.0k"),
        (1234, "1.2k"),
        (34_000, "34k"),
        (999_600, "1.0M"),
        (1.2e6, "1.2M"),
    ],
)
def test_brief_pixels(value, text):
    assert wording.pixels_brief(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(1, "100"), (0.99996, "99.9"), (0.4123, "41"), (0.0327, "3.3"), (0.0042, "0.4"), (0.0002, "<0.1"), (0.0996, "10")],
)
def test_per_cent_in_cells(value, text):
    assert wording.percent_brief(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.43612, "43.6 %"), (0.0523, "5.23 %"), (1, "100 %"), (0.99996, "100 %"), (0.005, "0.500 %"), (0, "0 %"),
     (0.09996, "10.0 %"), (1e-9, "<0.001 %"), (float("nan"), "–")],
)  # fmt: skip
def test_shares_have_three_significant_digits(value, text):
    assert percent(value) == text
