"""Files of a release: packaging and the wheel."""

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
import zipfile

import pytest
import yaml

import layoutcm
from layoutcm.cli.arguments import argument_parser
from support.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PACKAGING = ROOT / "packaging"
RECIPE = yaml.safe_load((PACKAGING / "conda" / "recipe.yaml").read_text("utf-8"))
DOCKERFILES = sorted(PACKAGING.glob("*/Dockerfile"))
CONDA_NAMES = {"matplotlib": "matplotlib-base"}  # others have the same name there
INSTRUCTIONS = {"FROM", "WORKDIR", "COPY", "RUN", "USER", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT", "CMD"}


def conda_requirement(requirement):
    name, bound = re.fullmatch(r"([\w-]+)(>=[\d.]+)", requirement).groups()
    return f"{CONDA_NAMES.get(name, name)} {bound}"


def instructions(path):
    """[(instruction, argument)] of a Dockerfile."""
    text = re.sub(r"^#.*\n", "", path.read_text("utf-8"), flags=re.MULTILINE).replace("\\\n", "")
    return [tuple(line.split(None, 1)) for line in text.splitlines() if line.strip()]


def started(path):
    """The words of the command that a container runs."""
    found = dict(instructions(path))  # of several, the last counts
    words = json.loads(found.get("ENTRYPOINT", "[]")) + json.loads(found["CMD"])
    return shlex.split(words[2].removeprefix("exec ")) if words[:2] == ["sh", "-c"] else words


def test_the_recipe_has_the_version_and_the_dependencies_of_the_package():
    minimum = RECIPE["context"]["python_min"]
    assert RECIPE["context"]["version"] == layoutcm.__version__
    assert PROJECT["project"]["requires-python"] == f">={minimum}"
    needed = [conda_requirement(one) for one in PROJECT["project"]["dependencies"]]
    assert RECIPE["requirements"]["run"] == ["python >=${{ python_min }}", *needed]
    built_with = [conda_requirement(one) for one in PROJECT["build-system"]["requires"]]
    assert RECIPE["requirements"]["host"][2:] == built_with


def test_the_recipe_has_the_command_and_the_words_of_the_package():
    commands = [f"{name} = {target}" for name, target in PROJECT["project"]["scripts"].items()]
    assert RECIPE["build"]["python"]["entry_points"] == commands
    assert RECIPE["about"]["summary"] == PROJECT["project"]["description"]
    assert RECIPE["about"]["license"] == PROJECT["project"]["license"]
    assert (PACKAGING / "conda" / RECIPE["source"]["path"] / RECIPE["about"]["license_file"]).is_file()


@pytest.mark.parametrize("path", DOCKERFILES, ids=lambda path: path.parent.name)
def test_a_container_does_not_run_as_root_and_starts_a_command_that_exists(path):
    found = instructions(path)
    assert {name for name, _ in found} <= INSTRUCTIONS
    assert [value for name, value in found if name == "USER"] == ["1000"]
    command, *arguments = started(path)
    options = argument_parser().parse_args(arguments)
    assert command == "layoutcm" and str(options.port) == dict(found)["EXPOSE"]
    assert options.public or options.address == "0.0.0.0"


def test_the_image_is_built_from_files_that_are_there_and_are_not_ignored():
    path = PACKAGING / "docker" / "Dockerfile"
    kept = re.findall(r"^!(.+)$", path.with_name("Dockerfile.dockerignore").read_text("utf-8"), re.MULTILINE)
    assert all((ROOT / name).exists() for name in kept)
    included = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {
        *included["force-include"],
        *included["packages"],
        "pyproject.toml",
        "constraints.txt",
        "README.md",
        "LICENSE",
    }
    assert needed <= set(kept)


def test_the_space_has_the_port_and_the_wheel_of_its_container():
    folder = PACKAGING / "huggingface-space"
    settings = yaml.safe_load((folder / "README.md").read_text("utf-8").split("---")[1])
    found = dict(instructions(folder / "Dockerfile"))
    assert settings["sdk"] == "docker" and str(settings["app_port"]) == found["EXPOSE"]
    assert len(settings["short_description"]) <= 60  # more is refused
    assert found["COPY"].split()[0] == f"layoutcm-{layoutcm.__version__}-py3-none-any.whl"


def test_the_changelog_begins_with_the_present_version():
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    released = [heading for heading in headings if not heading.endswith(" (unreleased)")]
    assert released[0] == layoutcm.__version__ and len(headings) - len(released) <= 1


APP = "layoutcm/_app/"
OF_THE_APP = ("app.py", "pages/*.py", ".streamlit/config.toml", "sample_data/**/*", "docs/formats.md")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (found,) = folder.glob("*.whl")
    return found


def test_the_wheel_has_the_version_and_everything_that_the_dashboard_needs(wheel):
    assert wheel.name == f"layoutcm-{layoutcm.__version__}-py3-none-any.whl"
    names = set(zipfile.ZipFile(wheel).namelist())
    files = {path for pattern in OF_THE_APP for path in ROOT.glob(pattern) if path.is_file() and path.suffix != ".pyc"}
    assert len(files) > 80 and {f"{APP}{path.relative_to(ROOT).as_posix()}" for path in files} <= names
    assert {"layoutcm/py.typed", "layoutcm/__init__.pyi"} <= names
    assert not [name for name in names if re.match(r"(tests|benchmarks|tools|docs)/", name)]


def test_the_unpacked_wheel_works_in_another_folder(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    command = [sys.executable, str(ROOT / "tools" / "wheel_uses.py"), "package", "compare"]
    found = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout + found.stderr
    assert "macro F1 0.8101" in found.stdout
