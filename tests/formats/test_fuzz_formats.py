"""Damaged files of every format, and the files that `make fuzz` kept, raise nothing but InputError.

`make fuzz` runs many more of them, each in a process with limits (fuzz/mutations.py).
"""

import warnings

import pytest

from support.fuzz_cases import make_case, missing_writers, run_case, slots, targets
from support.fuzz_corpus import CORPUS, LARGEST, WHOLE, Kept, pack_corpus, read_corpus, unpacked

TRIES = 150
MEGABYTE = 1_000_000


@pytest.fixture(autouse=True)
def no_warnings_of_image_readers():
    """Pillow warns of damaged images."""
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        yield


def test_every_registered_format_is_fuzzed():
    assert missing_writers() == []


@pytest.mark.parametrize("target", targets())
def test_damaged_files_raise_nothing_but_input_errors(target):
    cases = [make_case(target, number) for number in range(TRIES)]
    read = sum(run_case(case) for case in cases)
    assert 0 < read < TRIES  # some are refused, some can still be read


@pytest.mark.parametrize("target", targets())
def test_damaged_files_differ_and_are_small(target):
    """A case is the same each time it is made, because a failure must be repeatable."""
    cases = [make_case(target, number) for number in range(30)]
    assert cases == [make_case(target, number) for number in range(30)]
    assert len({tuple(case.files.items()) for case in cases}) > 15
    assert max(sum(map(len, case.files.values())) for case in cases) < MEGABYTE


def test_files_that_reached_new_code_raise_nothing_but_input_errors():
    kept = list(read_corpus())
    assert len(kept) > 200 and CORPUS.stat().st_size < 500_000
    assert {one.target for one in kept} == set(targets())
    for one in kept:
        run_case(one.case)


def test_the_corpus_is_packed_and_read_back_and_stays_small(tmp_path):
    target, name = slots()[3]
    given = [Kept(target, name, i % 16, bytes([i]) * i) for i in range(60)]
    assert pack_corpus([*given, *given], tmp_path / "a.zip") == (60, 60)
    assert set(read_corpus(tmp_path / "a.zip")) == set(given)
    assert {unpacked(one.packed()) for one in given} == set(given)
    assert unpacked(b"").data == b""
    many = [Kept(target, name, 0, i.to_bytes(2, "big") * 4000) for i in range(60_000)]
    fitted, _ = pack_corpus(many[::20], tmp_path / "b.zip")
    assert fitted > 100 and (tmp_path / "b.zip").stat().st_size < WHOLE + LARGEST
