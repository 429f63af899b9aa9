"""Files of a release: packaging, the wheel and the public benchmark."""

import json
import os
import re
import runpy
import shlex
import subprocess
import sys
import tomllib
import zipfile

import pyarrow.parquet as pq
import pytest
import yaml

import layoutcm
import layoutcm as lcm
from layoutcm.cli.arguments import argument_parser
from support.code_blocks import blocks_of
from support.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PACKAGING = ROOT / "packaging"
RECIPE = yaml.safe_load((PACKAGING / "conda" / "recipe.yaml").read_text("utf-8"))
DOCKERFILES = sorted(PACKAGING.glob("*/Dockerfile"))
CONDA_NAMES = {"matplotlib": "matplotlib-base"}  # others have the same name there
INSTRUCTIONS = {"FROM", "WORKDIR", "COPY", "RUN", "USER", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT", "CMD"}


def conda_requirement(requirement):
    name, bound = re.fullmatch(r"([\w-]+)(>=[\d.]+(?:,<[\d.]+)?)", requirement).groups()
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
    assert argument_parser().parse_args(started(folder / "Dockerfile")[1:]).embed_in == ["https://huggingface.co"]
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


FOLDER = ROOT / "benchmarks" / "public"
SCRIPT = runpy.run_path(str(FOLDER / "leaderboard.py"))
COLUMNS = ["image", "bboxes", "category_id", "segmentation", "area", "pdf_cells", "metadata", "pdf"]
PAGES = 120


@pytest.fixture(scope="module")
def stand_ins(tmp_path_factory):
    folder = tmp_path_factory.mktemp("public")
    runpy.run_path(str(FOLDER / "stand_ins.py"))["write_stand_ins"](folder, PAGES)
    return folder


def test_stand_ins_have_the_columns_and_splits_of_doclaynet(stand_ins):
    shards = {path.name.partition("-")[0]: pq.ParquetFile(path) for path in (stand_ins / "data").iterdir()}
    assert {name: shard.metadata.num_rows for name, shard in shards.items()} == {"train": 102, "val": 10, "test": 8}
    assert all(shard.schema_arrow.names == COLUMNS for shard in shards.values())
    gt = lcm.read(stand_ins / "data")
    assert gt.format == "hf-doclaynet" and len(gt.pages) == PAGES and len(gt.labels) == 11
    assert gt.pages["document"].nunique() == 10


@pytest.fixture(scope="module")
def chosen(stand_ins):
    return SCRIPT["load_models"](stand_ins / "models.yaml")


def test_every_form_of_predictions_is_read_and_compared(chosen):
    gt = lcm.read(chosen["ground_truth"])
    for name, settings in chosen["models"].items():
        c = SCRIPT["compare_model"](gt, settings)
        assert c.taxonomy == ("mapped" if name == "other-labels" else "same") and len(c.pages) == PAGES
        assert 0.7 < c.confusion().average("macro")["f1"] < 0.95, name


def test_the_page_has_all_models_on_the_pages_of_the_split(chosen, tmp_path, capsys, quick):
    both = {name: chosen["models"][name] for name in ("ultralytics-like", "detectron-like")}
    out = tmp_path / "out"
    board = SCRIPT["make_leaderboard"](chosen | {"split": "test", "models": both}, out, why=False)
    assert board.models == ["detectron-like", "ultralytics-like"] and board.baseline == "ultralytics-like"
    page = (out / "index.html").read_text("utf-8")
    assert all(name in page and (out / name / "report.html").exists() for name in both)
    stored = json.loads((out / "leaderboard.json").read_text("utf-8"))
    assert stored["pages"] == 8 and [row["model"] for row in stored["models"]] == board.models
    assert "ground truth: 8 pages" in capsys.readouterr().out


def test_pages_outside_the_split_are_left_out(chosen):
    gt = SCRIPT["read_ground_truth"](chosen["ground_truth"], "test")
    compared = SCRIPT["compare_model"](gt, chosen["models"]["table"])
    assert len(compared.pages) == len(gt.pages) == 8
    assert [one.count for one in compared.findings if one.code == "page-only-in-pred"] == [112]


def test_the_documented_file_has_keys_that_the_script_knows(tmp_path):
    (block,) = [block for block in blocks_of(ROOT / "docs" / "public-benchmark.md") if block.language == "yaml"]
    (tmp_path / "models.yaml").write_text(block.text, "utf-8")
    chosen = SCRIPT["load_models"](tmp_path / "models.yaml")
    assert list(chosen["models"]) == ["detector", "yolo", "other-labels"]
    assert chosen["models"]["detector"]["file"] == tmp_path / "predictions" / "coco_instances_results.json"


@pytest.mark.parametrize("wrong", [{"models": {}}, {"ground_truth": "data", "models": {"a": {"fil": "x"}}}])
def test_a_wrong_key_is_named(wrong, tmp_path):
    (tmp_path / "models.yaml").write_text(yaml.safe_dump(wrong))
    with pytest.raises(SystemExit, match="keys"):
        SCRIPT["load_models"](tmp_path / "models.yaml")
