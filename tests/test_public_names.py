"""Importing the package loads no large library, and every public name can be imported."""

import subprocess
import sys

import pytest

import layoutcm


def test_importing_the_package_loads_no_large_library():
    large = "{'numpy', 'numba', 'pandas', 'pyarrow', 'PIL', 'streamlit', 'plotly', 'matplotlib'}"
    code = f"import sys, layoutcm; print(sorted({large} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_can_be_imported():
    for name in layoutcm.__all__:
        assert getattr(layoutcm, name) is not None
    assert set(layoutcm.__all__) <= set(dir(layoutcm))


def test_deprecated_names_still_work_and_warn():
    finding = layoutcm.Finding("empty-side", values={"file": "a.json"}, repair="flip-y")
    with pytest.warns(DeprecationWarning, match=r"Finding\.hint"):
        assert finding.fix == "Check that this is the right file."
    with pytest.warns(DeprecationWarning, match=r"Finding\.repair"):
        assert finding.remedy == "flip-y"
    confusion = layoutcm.label_sets_confusion(["a"], ["b"], ["a", "b", "c"])
    with pytest.warns(DeprecationWarning, match=r"Confusion\.visible"):
        assert confusion.drawn == confusion.visible == ([0, 1, 2], [0, 1, 2])
    assert layoutcm.fix is layoutcm.repair
