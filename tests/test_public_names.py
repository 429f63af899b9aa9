"""The public names of the package, and that no test replaces parts of other packages."""

import ast
import subprocess
import sys
from pathlib import Path

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


WRITING_METHODS = {"update", "setdefault", "pop", "popitem", "clear", "__setitem__", "__delitem__", "__ior__"}


def writes_to_dict(source):
    """The lines in which a `__dict__`, or `vars()` of an object, is written to."""
    return sorted(node.lineno for node in ast.walk(ast.parse(source)) if any(map(_is_dict, _written(node))))


def _written(node):
    """The expressions that a statement or a call changes."""
    if isinstance(node, ast.Assign | ast.Delete):
        targets = node.targets
    elif isinstance(node, ast.AugAssign | ast.AnnAssign):
        targets = [node.target]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in WRITING_METHODS:
        return [node.func.value]
    else:
        return []
    return [inner for target in targets for inner in (target, getattr(target, "value", None))]


def _is_dict(node):
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id == "vars"
    return isinstance(node, ast.Attribute) and node.attr == "__dict__"


WRITES = ["a.__dict__ = {}", "a.__dict__['b'] = 1", "a.__dict__ |= b", "a.__dict__.update(b=1)", "a.__dict__.pop('b')",
          "del a.__dict__['b']", "vars(a)['b'] = 1", "vars(a).update(b=1)"]  # fmt: skip
READS = ["b = a.__dict__ | {}", "b = dict(a.__dict__)", "a.__dict__.values()", "vars(a)"]


@pytest.mark.parametrize(("text", "lines"), [*((text, [2]) for text in WRITES), *((text, []) for text in READS)])
def test_a_write_is_found_and_reading_is_allowed(text, lines):
    assert writes_to_dict(f"a = b\n{text}\n") == lines


def test_no_module_writes_into_a_dict_of_attributes():
    root = Path(layoutcm.__file__).parent
    found = {str(path.relative_to(root)): writes_to_dict(path.read_text("utf-8")) for path in root.rglob("*.py")}
    assert len(found) > 100
    assert {path: lines for path, lines in found.items() if lines} == {}
