"""A matrix that one can count, for all drawings, and a browser."""

import pytest

import layoutcm as lcm
from support.browser import chromium


@pytest.fixture(scope="module")
def browser():
    with chromium() as running:
        yield running


@pytest.fixture
def small():
    """Background, a, b, c: 9 of 10 pixels of a are right and 1 is read as b; all 4 of b are right; c does not occur."""
    return lcm.label_sets_confusion(["a", "a", "b", ""], ["a", "b", "b", ""], "abc", weights=[9, 1, 4, 50])
