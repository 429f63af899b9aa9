"""Importing the package loads no large library, and every public name can be imported."""

import subprocess
import sys


def test_importing_the_package_loads_no_large_library():
    large = "{'numpy', 'numba', 'pandas', 'pyarrow', 'PIL', 'streamlit', 'plotly', 'matplotlib'}"
    code = f"import sys, layoutcm; print(sorted({large} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_can_be_imported():
    import layoutcm

    for name in layoutcm.__all__:
        assert getattr(layoutcm, name) is not None
    assert set(layoutcm.__all__) <= set(dir(layoutcm))
