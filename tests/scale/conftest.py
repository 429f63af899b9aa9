"""Workers are started as fresh processes, which run the main module of their parent again."""

import sys

import pytest

from support.parts import write_sets


@pytest.fixture(scope="module", autouse=True)
def no_main_script():
    """Tests of the dashboard in the same process leave app.py as the main module, and workers would run it."""
    with pytest.MonkeyPatch.context() as patch:
        main = sys.modules["__main__"]
        patch.delattr(main, "__file__", raising=False)
        patch.setattr(main, "__spec__", None, raising=False)
        yield


@pytest.fixture
def sets(tmp_path):
    """The folders of gt, in four parts, and of pred, in three."""
    return write_sets(tmp_path)
