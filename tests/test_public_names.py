"""Importing the package stays light, and every public name can be had."""

import subprocess
import sys


def test_importing_the_package_loads_nothing_heavy():
    heavy = "{'numpy', 'numba', 'pandas', 'pyarrow', 'PIL', 'streamlit', 'plotly', 'matplotlib'}"
    code = f"import sys, layoutcm; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_everything_promised_can_be_had():
    import layoutcm

    for name in layoutcm.__all__:
        assert getattr(layoutcm, name) is not None
    assert set(layoutcm.__all__) <= set(dir(layoutcm))
