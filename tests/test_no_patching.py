"""Values are complete when they are made: no module of the package writes into the `__dict__` of an object."""

import ast
from pathlib import Path

import pytest

import layoutcm

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
