"""Small inputs need no numba and get the same numbers, and compiled code that cannot be stored is a sentence."""

import runpy
import subprocess
import sys
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import layoutcm as lcm
from layoutcm import compiled
from layoutcm.cli.main import UNSTORED, main
from support.generated_pages import layouts, page
from support.layouts import build
from support.paths import SAMPLE


def numbers_of(gt, pred, **options):
    """Everything that is counted by functions that may run without numba."""
    compared = lcm.compare(gt, pred, **options)
    counts = compared.counts()
    matrices = [compared.confusion(method=method) for method in ("matrix", "tensor")]
    return [
        *(getattr(counts, field.name) for field in fields(counts) if field.name in ("page", "words", "pixels")),
        *(array for one in matrices for array in (one.recall_mass, one.precision_mass, one.pred_pixels)),
        *(compared.soft(average=None) or {}).values(),
        *object_numbers(compared),
    ]


def object_numbers(compared):
    objects = compared.objects()
    yield np.array([getattr(objects, name) for name in ("ap", "ap50", "ap75", "ar")])
    for class_aware in (True, False):
        yield np.array(list(objects.counts_at(0.5, class_aware).values()))
    for one_to_one in (True, False):
        yield compared.centroids(one_to_one=one_to_one).matches["dx"].to_numpy()
    for pairing in ("coco", "ranked"):
        yield objects.ranked_pairs(pairing=pairing)["iou"].to_numpy()


def assert_equal_in_python(gt, pred, **options):
    """Equal to the last bit, with the same types."""
    expected = numbers_of(gt, pred, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled.Process, "steps", 0)
        patch.setattr(compiled, "MOST_STEPS", 10**9)
        found = numbers_of(gt, pred, **options)
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("rounding", ["outer", "nearest", "exact"])
@given(pages=st.lists(page, min_size=1, max_size=3))
@settings(max_examples=60)
def test_python_gets_the_numbers_of_compiled_functions(rounding, pages):
    assert_equal_in_python(*layouts(pages), rounding=rounding)


@pytest.mark.parametrize("labels", [5, 40, 300])
def test_python_gets_the_numbers_of_crowded_pages_with_many_labels(labels):
    """Boxes share edges, are empty or outside the page; the buffers for label sets have to grow."""
    rng = np.random.default_rng(labels)
    names = [f"label {i}" for i in range(labels)]
    corners = np.sort(rng.integers(-8, 150, (2, 90, 2, 2)) / 4, axis=2).reshape(2, 90, 4)
    sides = [
        build(
            {"p": (30, 30), "empty": (9, 9), "q": (31.5, 20)},
            [("pq"[i % 2], names[rng.integers(labels)], *box, rng.random()) for i, box in enumerate(side.tolist())],
            names,
        )
        for side in corners
    ]
    assert_equal_in_python(*sides)


def test_a_small_comparison_does_not_load_numba_and_a_large_one_does():
    code = (
        "import sys, layoutcm as lcm; from layoutcm import compiled;"
        f"gt = lcm.read({str(SAMPLE / 'gt.json')!r}); pred = lcm.read({str(SAMPLE / 'model-a.json')!r}, like=gt);"
        "lcm.compare(gt, pred).confusion(); print('numba' in sys.modules);"
        "compiled.compile_from_now_on(); lcm.compare(gt, pred); print('numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


def test_steps_of_several_calls_add_up(monkeypatch):
    monkeypatch.setattr(compiled.Process, "steps", 0)
    monkeypatch.setattr(compiled, "_with_numba", lambda function, **_: lambda x: "compiled")
    double = compiled.compiled_for_many(steps=lambda x: x)(lambda x: 2 * x)
    assert double(compiled.MOST_STEPS) == 2 * compiled.MOST_STEPS
    assert double(1) == "compiled"


def test_compiled_functions_call_each_other_and_their_parts():
    increase = compiled.compiled_part(lambda x: x + 1)
    double = compiled.compiled(lambda x: 2 * x)
    both = compiled.compiled(lambda x: double(increase(x)))
    assert both(3) == both.run_in_python(3) == 8


@pytest.mark.parametrize("problem", ["no folder", "full disk"])
def test_code_that_cannot_be_stored_is_compiled_without(monkeypatch, problem):
    def with_numba(function, cache=False):
        if cache and problem == "no folder":
            raise RuntimeError("no locator available")
        return full_disk if cache else function

    def full_disk(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(compiled, "_with_numba", with_numba)
    monkeypatch.setattr(compiled.Process, "unstored", False)
    double = compiled.compiled(lambda x: 2 * x)
    assert [double(2), double(3)] == [4, 6]
    assert compiled.Process.unstored


def test_the_command_says_once_that_code_is_not_stored(monkeypatch, capsys):
    monkeypatch.setattr(compiled.Process, "unstored", True)
    assert main(["compare", *(str(SAMPLE / name) for name in ("gt.json", "model-a.json", "model-b.csv"))]) == 0
    assert capsys.readouterr().err == UNSTORED + "\n"


def test_what_was_compiled_for_other_modules_is_not_read(monkeypatch):
    """The stored index names modules; after an update some of them may be gone."""
    from layoutcm import compiled
    from layoutcm.metrics.contributions import add_pairs

    files = []
    for digest in ("one", "other"):
        monkeypatch.setattr(compiled, "modules_digest", lambda digest=digest: digest)
        files.append(compiled.Compiled(add_pairs.py_func)._dispatcher._cache._cache_file)
    first, second = files
    assert first._version.endswith("one") and second._version == f"{first._version.removesuffix('one')}other"


def emptied(data):
    return b""


def cut(data):
    return data[: len(data) // 2]


def flipped(data):
    return data[:-40] + bytes([data[-40] ^ 4]) + data[-39:]


@pytest.mark.parametrize("damage", [emptied, cut, flipped])
@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
def test_damaged_compiled_code_is_compiled_again_and_not_run(tmp_path, monkeypatch, damage, suffix):
    """The function is compiled and stored, loaded, compiled again after the damage, and then loaded again."""
    import numba

    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "doubling.py").write_text("def double(x):\n    return 2 * x\n")
    monkeypatch.syspath_prepend(tmp_path)
    double = runpy.run_path(str(tmp_path / "doubling.py"))["double"]
    hits = []
    for number in range(4):
        stored = list((tmp_path / "cache").rglob(f"*.{suffix}"))
        if number == 2:
            assert len(stored) == 1
            stored[0].write_bytes(damage(stored[0].read_bytes()))
        function = compiled._with_numba(double, cache=True)
        assert function(21) == 42
        hits.append(sum(function.stats.cache_hits.values()))
    assert hits == [0, 1, 0, 1]
