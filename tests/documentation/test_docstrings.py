"""The docstrings of public names: in the style of numpydoc, complete, and with examples that run."""

import ast
import doctest
import importlib
import inspect
import re

import pytest

import layoutcm
from support.paths import ROOT

PACKAGE = ROOT / "layoutcm"

FUNCTIONS = {name: one for name in layoutcm.__all__ if inspect.isfunction(one := getattr(layoutcm, name))}
CLASSES = {name: one for name in layoutcm.__all__ if inspect.isclass(one := getattr(layoutcm, name))}
# They need files of a run that was planned before; docs/scale.md shows and runs them.
WITHOUT_EXAMPLE = {
    "make_manifest", "plan_partitions", "finish_partitions", "count_part", "merge_counts", "open_comparison",
    "load_result", "write_label_errors",
}  # fmt: skip


def shown_members():
    """(name of a class, its members) of all pages of the reference."""
    pages = "".join(path.read_text("utf-8") for path in (ROOT / "docs" / "api").glob("*.md"))
    found = re.findall(r"^::: (\S+)\n    options:\n      members: \[(.*)\]$", pages, re.MULTILINE)
    return [(path, [name for name in members.split(", ") if name]) for path, members in found]


def section(doc, title):
    return re.split(rf"^{title}\n-+\n", doc, flags=re.MULTILINE)[1:]


def documented_parameters(doc):
    """The names before the colon, of all lines that are not indented."""
    (text,) = section(doc, "Parameters")
    lines = re.split(r"^\w+\n-+$", text, flags=re.MULTILINE)[0].splitlines()
    return [name.strip("* ") for line in lines if line[:1].strip() for name in line.partition(" : ")[0].split(",")]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_parameter_is_documented(name):
    doc = inspect.getdoc(FUNCTIONS[name])
    assert sorted(documented_parameters(doc)) == sorted(inspect.signature(FUNCTIONS[name]).parameters)
    assert len(section(doc, "Returns")) == 1
    assert (">>>" in doc) == (name not in WITHOUT_EXAMPLE)


@pytest.mark.parametrize(("path", "members"), shown_members())
def test_every_member_of_the_reference_has_a_docstring(path, members):
    module, _, name = path.rpartition(".")
    shown = getattr(importlib.import_module(module), name)
    fields = getattr(shown, "__struct_fields__", ())  # a comment beside each of them describes it
    for member in (one for one in members if one not in fields):
        found = inspect.getattr_static(shown, member)
        doc = getattr(getattr(found, "func", None) or getattr(found, "fget", None) or found, "__doc__", None)
        assert doc, f"{name}.{member}"


@pytest.mark.parametrize("name", {**FUNCTIONS, **CLASSES})
def test_examples_run(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    finder = doctest.DocTestFinder(recurse=False, exclude_empty=True)
    for example in finder.find(getattr(layoutcm, name), name, globs={}):
        runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
        failures = []
        runner.run(example, out=failures.append)
        assert not failures, "".join(failures)


def test_the_reference_has_every_public_name_once():
    pages = "".join(path.read_text("utf-8") for path in (ROOT / "docs" / "api").glob("*.md"))
    shown = re.findall(r"^::: layoutcm\.(\w+)$", pages, re.MULTILINE)
    assert sorted(shown) == sorted(set(layoutcm.__all__) - {"fix", "MEASURES"})  # which is a list
    assert set(CLASSES) <= {path.rpartition(".")[2] for path, _ in shown_members()}


# Names of other tools and of the files that are read.
FOREIGN_NAMES = {"__init__.pyi", "mallopt", "nohup", "page_0", "pdf_cells", "sha256sum", "z_order"}


def docstrings(tree):
    """The docstrings of a module, its classes and its functions, as nodes."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node, clean=False):
            yield node.body[0].value


def words_in(tree):
    """All names of a module, and the words of its texts other than docstrings."""
    left_out = {id(node) for node in docstrings(tree)}
    for node in ast.walk(tree):
        for field in ("name", "id", "attr", "arg", "asname", "module"):
            yield from re.findall(r"\w+", getattr(node, field, None) or "")
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in left_out:
            yield from re.findall(r"\w+", node.value)


def quoted_names(text):
    """The names between backticks, such as `a`, `a.b` and `a()`; not expressions and not options like `--a`."""
    return re.findall(r"`([A-Za-z_][\w.]*)(?:\(\))?`", text)


def names_that_do_not_exist(sources):
    """(module, name) of docstrings and comments in {module: source}: `a.b` of a module `a` must be a name in it."""
    trees = {path: ast.parse(source) for path, source in sources.items()}
    words = {path.removesuffix(".py"): set(words_in(tree)) for path, tree in trees.items()}
    known = set.union(*words.values()) | {word for path in words for word in path.split("/")}
    for path, tree in trees.items():
        comments = re.findall(r"#.*", sources[path])
        for name in quoted_names("\n".join([*comments, *(doc.value for doc in docstrings(tree))])):
            parts = name.split(".")
            last = parts[-1]
            owners = [own for module, own in words.items() if f"/{module}".endswith("/" + "/".join(parts[:-1]))]
            is_file = last in ("js", "json", "py")
            if not is_file and not (set(parts) <= known and (not owners or any(last in own for own in owners))):
                yield path, name


def test_a_name_that_does_not_exist_is_found():
    sources = {"x/a.py": '"""See `b.two`, `b.one` and `three()`."""', "x/b.py": "def one():  # as `gone`\n    two = 2"}
    sources["x/c.py"] = "four = 4  # not `b.four`, but `c.four`"
    assert list(names_that_do_not_exist(sources)) == [("x/a.py", "three"), ("x/b.py", "gone"), ("x/c.py", "b.four")]


def test_names_in_docstrings_and_comments_exist():
    sources = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in PACKAGE.rglob("*.py")}
    assert [found for found in names_that_do_not_exist(sources) if found[1] not in FOREIGN_NAMES] == []
