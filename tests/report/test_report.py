"""Reports: every file is read back and compared with the API; folders are replaced completely or not at all."""

import csv
import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pytest
from PIL import Image

import layoutcm as lcm
from layoutcm.cli.main import main
from layoutcm.drawing.page_images import images_from_path
from layoutcm.metrics.levels import largest_groups
from layoutcm.report import html_page, report_files
from layoutcm.report.folder_swap import check_target, replace_folder
from layoutcm.report.report_files import REPORT_FILES, all_tables
from support import hostile
from support.layouts import build
from support.paths import SAMPLE

GT, MODEL_A, MODEL_B = (str(SAMPLE / name) for name in ("gt.json", "model-a.json", "model-b.csv"))
FIGURES = ["classes", "collapsed", "confusion", "f1", "precision", "recall"]
PAPER = ["averages", "confusions", "objects", *FIGURES]
KINDS = ("png", "svg", "pdf")
FILES = ["pages.csv", "pages.parquet", "report.html", "report.xlsx", "result.json"]
FILES += [f"figures/{name}.{kind}" for name in (*FIGURES, "curves") for kind in KINDS]
FILES += [f"tables/{name}.tex" for name in PAPER]
FAMILIES = {"Words": ["Text", "List-item", "Caption"], "Floats": ["Picture", "Table"]}


@pytest.fixture(scope="module")
def sample():
    gt = lcm.read(GT)
    return lcm.compare(gt, lcm.read(MODEL_A, like=gt))


@pytest.fixture(scope="module")
def folder(sample, tmp_path_factory):
    """The report of the sample with page images; tests only read it."""
    return sample.write_report(tmp_path_factory.mktemp("reports") / "model-a", SAMPLE / "images")


@pytest.fixture
def quick(monkeypatch):
    """Reports without figures, for tests that do not need them."""
    monkeypatch.setattr(report_files, "figure_names", lambda *_: [])


@pytest.fixture
def svg_only(monkeypatch):
    """Figures in one format only."""
    monkeypatch.setattr(report_files, "FIGURE_FORMATS", ("svg",))


def files_in(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


class Scripts(HTMLParser):
    """The tags and scripts of an HTML page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.inside, self.scripts = [], None, {}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.inside = dict(attributes).get("id", "code") if tag == "script" else None

    def handle_data(self, text):
        if self.inside:
            self.scripts[self.inside] = self.scripts.get(self.inside, "") + text


def data_of(path):
    return json.loads(Scripts(path.read_text("utf-8")).scripts["data"])


def values(rows):
    return np.array(rows, float)


def test_the_report_has_all_files(folder):
    assert files_in(folder) == sorted(FILES)


def test_page_tables_in_csv_and_parquet_equal_the_api(sample, folder):
    wanted = sample.page_table()
    pd.testing.assert_frame_equal(pd.read_parquet(folder / "pages.parquet"), wanted)
    with (folder / "pages.csv").open(encoding="utf-8", newline="") as lines:
        head, *rows = csv.reader(lines)
    assert head == list(wanted) and [row[:2] for row in rows] == wanted.iloc[:, :2].to_numpy().tolist()
    found = [[float(text or "nan") for text in row[2:]] for row in rows]
    np.testing.assert_array_equal(found, wanted.iloc[:, 2:].to_numpy(float))


def test_the_json_equals_that_of_the_command_line(folder, tmp_path):
    assert main(["compare", GT, MODEL_A, "--json", str(tmp_path / "x.json")]) == 0
    assert (folder / "result.json").read_bytes() == (tmp_path / "x.json").read_bytes()


def test_a_report_with_intervals_has_whiskers_and_all_intervals(sample, folder, svg_only, monkeypatch, tmp_path):
    monkeypatch.setattr(report_files, "figure_names", lambda confusion, objects: ["classes"])
    by_api = sample.write_report(tmp_path / "api", intervals=40)
    found = json.loads((by_api / "result.json").read_text("utf-8"))
    assert found["intervals"]["n"] == 40 and found["intervals"]["recipe"] == sample.bootstrap(40).recipe
    known = sample.bootstrap(40).headline
    pd.testing.assert_frame_equal(pd.DataFrame(found["intervals"]["headline"]), known)
    bars = [(place / "figures" / "classes.svg").read_text("utf-8") for place in (folder, by_api)]
    classes = len(sample.confusion().visible[0]) - 1
    # A whisker is one line and two ends, drawn dark and white, for each class and score.
    assert bars[1].count("<path") - bars[0].count("<path") == 3 * 2 * 3 * classes
    assert main(["compare", GT, MODEL_A, "-o", str(tmp_path / "cli"), "--intervals", "40"]) == 0
    assert (tmp_path / "cli" / "result.json").read_bytes() == (by_api / "result.json").read_bytes()
    assert (tmp_path / "cli" / "figures" / "classes.svg").read_text("utf-8") == bars[1]
    # The caption of the figure describes the whiskers; HTML, workbook and LaTeX have the numbers.
    assert "resamples:40" in bars[1] and "resamples" not in bars[0]
    table = data_of(by_api / "report.html")["tables"]["intervals"]
    assert table["rows"][: len(known)] == known.to_numpy().tolist()
    sheet = openpyxl.load_workbook(by_api / "report.xlsx")["Intervals"]
    assert [cell.value for cell in sheet[2]] == table["rows"][0]
    assert (by_api / "tables" / "intervals.tex").is_file()


def test_the_report_of_the_second_prediction_has_the_difference(quick, tmp_path, capsys):
    arguments = ["compare", GT, MODEL_A, MODEL_A, "--intervals", "20", "-o", str(tmp_path / "two")]
    assert main(arguments) == 0 and main(arguments) == 0
    assert "F1 minus that of model-a\n" in capsys.readouterr().out.replace(" " * 5, "\n")
    first, second = (json.loads((tmp_path / "two" / name / "result.json").read_text("utf-8"))
                     for name in ("model-a", "model-a-2"))  # fmt: skip
    assert "difference_from_first" not in first
    assert all(row["value"] == 0 for row in second["difference_from_first"]["headline"])
    assert len(data_of(tmp_path / "two" / "model-a-2" / "report.html")["tables"]["difference"]["rows"]) > 20


def test_predictions_on_other_pages_have_no_difference_figure(quick, tmp_path, capsys):
    head = "page,label,x0,y0,x1,y1,width,height\n"
    (tmp_path / "gt.csv").write_text(head + "p,a,0,0,5,5,9,9\nq,a,0,0,5,5,9,9\n")
    (tmp_path / "more.csv").write_text(head + "r,a,0,0,5,5,9,9\n")
    gt, more = (str(tmp_path / name) for name in ("gt.csv", "more.csv"))
    assert main(["compare", gt, gt, more, "-o", str(tmp_path / "out")]) == 0
    assert "more minus gt: no figure, because 1 of 3 pages are not in the other" in capsys.readouterr().out
    assert not list((tmp_path / "out").rglob("difference-*"))


def test_a_closed_pipe_does_not_lose_the_json(tmp_path):
    command = (
        f'"{sys.executable}" -m layoutcm compare {GT} {" ".join([MODEL_A] * 4)} --json {tmp_path}/r.json | head -1'
    )
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True)
    assert done.stdout.startswith("gt:gt|pred:model-a") and done.stderr == ""
    assert len(json.loads((tmp_path / "r.json").read_text("utf-8"))) == 4


def test_a_label_can_have_the_name_of_the_family_margin(quick, tmp_path):
    pages, labels = {"p": (10, 10)}, ["out of family", "b"]
    gt = build(pages, [("p", labels[0], 0, 0, 5, 5), ("p", "b", 5, 5, 10, 10)], labels)
    pred = build(pages, [("p", "b", 0, 0, 5, 5), ("p", labels[0], 5, 5, 10, 10)], labels)
    place = lcm.compare(gt, pred).write_report(tmp_path / "r", families={"F": labels})
    visible = next(one for one in data_of(place / "report.html")["families"] if one["title"] == "Family F")
    found = np.array(visible["values"])[np.ix_(visible["rows"], visible["columns"])]
    assert found.tolist() == [[0, 25, 0], [25, 0, 0], [0, 0, 0]]


def test_html_numbers_equal_the_api(sample, folder):
    data, m = data_of(folder / "report.html"), sample.confusion()
    for view, wanted in (("pixels", m.values), ("recall", m.recall), ("precision", m.precision), ("f1", m.f1)):
        np.testing.assert_array_equal(values(data["views"][view]), wanted)
    np.testing.assert_array_equal(values(data["collapsed"]["views"]["f1"]), m.collapse().f1)
    for name, frame in (
        ("classes", m.classes()),
        ("pages", sample.page_table()),
        ("documents", sample.document_table()),
    ):
        rows = data["tables"][name]["rows"]
        assert [row[0] for row in rows] == frame.iloc[:, 0].tolist()
        np.testing.assert_array_equal(values([row[-4:] for row in rows]), frame.iloc[:, -4:].to_numpy(float))
    assert data["recipe"] == sample.recipe and data["labels"] == m.labels and data["pages"] == 16


def test_the_html_loads_no_other_resources(folder):
    text = (folder / "report.html").read_text("utf-8")
    assert len(text) < 15_000_000
    assert not re.search(r"(src|href)\s*=\s*[\"']?(https?:)?//", text) and "@import" not in text and "url(" not in text
    assert "default-src 'none'" in text and "http:" not in text.replace("http://www.w3.org/2000/svg", "")


def test_pictures_highlight_exactly_the_pixels_of_a_cell(sample, folder):
    data = data_of(folder / "report.html")
    i, j = sample.cell("Caption", "Text")
    wanted = sample.pages_behind("Caption", "Text").set_index("page")["pixels"]
    seen = {}
    for picture in data["pictures"]:
        shares = [sum(add[2] for add in pair if add[:2] == [i, j]) for pair in picture["pairs"]]
        lit = 0.0
        for r, row in enumerate(picture["runs"]):
            column = 0
            for length, pair in zip(row[::2], row[1::2]):
                wide = picture["x"][column + length] - picture["x"][column]
                lit += wide * (picture["y"][r + 1] - picture["y"][r]) * shares[pair]
                column += length
            assert column == len(picture["x"]) - 1
        if lit:
            seen[picture["page"]] = lit
    assert seen == pytest.approx(wanted.to_dict())
    cell = data["cells"][f"{i}-{j}"]
    assert cell["pages"] == 5 and dict(cell["worst"]) == pytest.approx(wanted.to_dict())
    assert all(picture["image"].startswith("data:image/webp;base64,") for picture in data["pictures"])


def test_largest_groups_equals_pages_behind_for_every_cell(sample, monkeypatch):
    monkeypatch.setattr("layoutcm.metrics.levels.BLOCK_VALUES", 5 * 12 * 12)  # four blocks of pages
    group, best, page_counts = largest_groups(sample.levels.page_matrices(), len(sample.labels), 3)
    for i, gt in enumerate(sample.labels):
        for j, pred in enumerate(sample.labels):
            wanted = sample.pages_behind(gt, pred)
            assert page_counts[i, j] == len(wanted)
            np.testing.assert_array_equal(best[i, j][: len(wanted)], wanted["pixels"][:3])
            found = [sample.pages[page] for page in group[i, j] if page >= 0]
            assert found == wanted["page"].tolist()[:3]


def test_the_worst_pages_of_the_largest_confusions_come_first(sample):
    m = sample.confusion()
    group, _, _ = largest_groups(sample.levels.page_matrices(), len(m.labels), 8)
    pages = html_page.pages_to_picture(m, group)
    assert len(set(pages)) == len(pages) == 16
    assert sample.pages[pages[0]] == sample.pages_behind("Table", "Picture")["page"][0]


def test_tile_runs_are_exact_and_coarser_only_above_the_limit(monkeypatch, sample):
    tiles = sample.page_tiles(sample.pages[0])
    x, y, runs = html_page.tile_runs(tiles)
    spread = np.array([np.repeat(row[1::2], row[::2]) for row in runs])
    np.testing.assert_array_equal(spread, tiles.pair_of_tile)
    assert (x[-1], y[-1]) == (850, 1100)
    monkeypatch.setattr(html_page, "MOST_RUNS", 300)
    x, y, runs = html_page.tile_runs(tiles)
    assert sum(len(row) for row in runs) / 2 <= 300 and (x[-1], y[-1]) == (850, 1100)


def test_image_uris_of_noise_have_a_limited_size():
    noise = Image.fromarray(np.random.default_rng(0).integers(0, 256, (900, 900, 3), np.uint8))
    assert len(html_page.image_uri(noise)) < 4 / 3 * html_page.IMAGE_BYTES + 100
    assert html_page.image_uri(None) is None


def test_tables_in_the_html_are_limited(sample, monkeypatch):
    monkeypatch.setattr(html_page, "MOST_TABLE_ROWS", {"pages": 3, "documents": 2})
    monkeypatch.setattr(html_page, "MOST_PICTURES", 2)
    m = sample.confusion()
    data = html_page.report_data(sample, m, all_tables(sample, m))
    assert len(data["tables"]["pages"]["rows"]) == 3 and data["tables"]["pages"]["of"] == 16
    assert len(data["pictures"]) == 2 and data["pictures"][0]["image"] is None


def test_hostile_labels_stay_text_in_every_file(tmp_path, quick):
    c = hostile.compared()
    c.write_report(tmp_path / "r")
    text = (tmp_path / "r/report.html").read_text("utf-8")
    page = Scripts(text)
    assert page.tags.count("script") == 2 and set(page.scripts) == {"data", "code"}
    data = json.loads(page.scripts["data"])
    assert data["labels"] == ["Background", *hostile.LABELS] and data["pictures"][0]["page"] == hostile.PAGE
    assert "innerHTML" not in page.scripts["code"] and "alert(1)<" not in text
    assert json.loads((tmp_path / "r/result.json").read_text("utf-8"))["labels"][1:] == hostile.LABELS
    assert pd.read_csv(tmp_path / "r/pages.csv")["page"].tolist() == [hostile.PAGE]
    assert pd.read_parquet(tmp_path / "r/pages.parquet")["page"].tolist() == [hostile.PAGE]
    assert "\\input" not in (tmp_path / "r/tables/confusion.tex").read_text("utf-8")


def test_equal_input_gives_equal_files_in_every_process(tmp_path):
    """The hash seed differs between processes and changes the order of sets of strings."""
    code = (
        "import sys, layoutcm as lcm; from layoutcm.report import report_files; report_files.FIGURE_FORMATS = ('svg',);"
        "gt = lcm.read(sys.argv[2]); c = lcm.compare(gt, lcm.read(sys.argv[3], like=gt));"
        f"c.write_report(sys.argv[1], families={FAMILIES})"
    )
    for name, seed in (("a", "1"), ("b", "2")):
        command = [sys.executable, "-c", code, str(tmp_path / name), GT, MODEL_A]
        subprocess.run(command, env=os.environ | {"PYTHONHASHSEED": seed}, check=True)
    names = files_in(tmp_path / "a")
    assert names == files_in(tmp_path / "b") and len(names) == len(FILES) - 2 * 7 + 2
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name


def test_different_taxonomies_leave_class_values_out(tmp_path, svg_only):
    assert main(["compare", GT, MODEL_B, "-o", str(tmp_path / "r")]) == 0
    kept = [name for name in sorted(FILES) if "/classes." not in name and "/curves." not in name]
    wanted = [name for name in kept if not name.endswith((".png", ".pdf"))]
    assert files_in(tmp_path / "r") == wanted
    data = data_of(tmp_path / "r/report.html")
    assert "classes" not in data["tables"] and not data["diagonal"]
    assert "different labels" in data["tables"]["objects"]["note"][0]
    assert data["tables"]["objects"]["columns"] == ["label", "gt", "pred"]
    assert len(data["rows"]) == 12 and {data["labels"][j] for j in data["columns"]} >= {"text", "figure"}
    # Without a diagonal the pictures show the largest cells, except Background read as Background.
    assert data["pictures"] and "0-0" in data["cells"]


def test_several_predictions_have_one_folder_each_and_can_be_replaced(tmp_path, quick, capsys):
    target = tmp_path / "out"
    assert main(["compare", GT, MODEL_A, MODEL_B, MODEL_A, "-o", str(target), "--method", "tensor"]) == 0
    assert sorted(path.name for path in target.iterdir()) == ["model-a", "model-a-2", "model-b"]
    assert json.loads((target / "model-a/result.json").read_text())["method"] == "tensor"
    assert f"report written to {target}" in capsys.readouterr().out
    assert main(["compare", GT, MODEL_A, "-o", str(target)]) == 0
    assert "report.html" in files_in(target) and not (target / "model-b").exists()


def test_several_predictions_have_figures_of_the_difference_from_the_first(tmp_path, svg_only, monkeypatch, capsys):
    monkeypatch.setattr(report_files, "figure_names", lambda *_: [])
    target = tmp_path / "out"
    command = ["compare", GT, MODEL_A, MODEL_A, MODEL_B, "-o", str(target)]
    for _ in range(2):  # the second run recognises the files of the first
        assert main(command) == 0
    visible = [name for name in files_in(target) if "figures/" in name]
    assert visible == [f"model-a-2/figures/difference-{view}.svg" for view in ("f1", "precision", "recall")]
    assert "recall: model-a-2 less model-a" in (target / visible[2]).read_text("utf-8")
    assert "model-b minus model-a: no figure, because the two models have different labels" in capsys.readouterr().out


def test_objects_equal_the_api_in_every_file(sample, folder):
    scores, ap = sample.objects().class_scores_at(0.5), sample.objects().per_class
    wanted = pd.concat([scores, ap[["ap", "ap50", "ap75", "ar"]]], axis=1)
    wanted = wanted[wanted["gt"] + wanted["pred"] > 0]
    tables = data_of(folder / "report.html")["tables"]
    assert [row[0] for row in tables["objects"]["rows"]] == wanted["label"].tolist()
    np.testing.assert_array_equal(values([row[1:] for row in tables["objects"]["rows"]]), wanted.iloc[:, 1:])
    whole = dict(tables["object_scores"]["rows"])
    assert whole["AP"] == sample.objects().ap and whole["F1 at IoU 0.50"] == sample.objects().scores_at(0.5)["f1"]
    book = openpyxl.load_workbook(folder / "report.xlsx")
    head, *rows = book["Objects"].iter_rows(values_only=True)
    assert head[:4] == ("label", "gt", "pred", "found") and head[-4:] == ("AP", "AP50", "AP75", "AR")
    np.testing.assert_allclose(values([row[1:] for row in rows]), wanted.iloc[:, 1:], rtol=1e-15)
    summary = {row[0]: row[1] for row in book["Summary"].iter_rows(values_only=True)}
    assert summary["AP"] == pytest.approx(sample.objects().ap, rel=1e-15)
    lines = [line for line in (folder / "tables/objects.tex").read_text("utf-8").splitlines() if " & " in line][1:]
    found = values([[cell.replace(r"\,", "") for cell in line[:-3].split(" & ")[1:]] for line in lines])
    np.testing.assert_allclose(found, wanted.iloc[:, 1:], atol=5e-5)


def test_without_scores_the_report_says_why_there_is_no_ap(tmp_path, quick):
    c = lcm.compare(*[build({"p": (9, 9)}, [("p", "a", 0, 0, 5, 5)])] * 2)
    place = c.write_report(tmp_path / "r")
    why = f"There is no AP. {c.objects().why_no_ap}"
    table = data_of(place / "report.html")["tables"]["objects"]
    assert table["note"] == [why] and "AP" not in table["columns"]
    book = openpyxl.load_workbook(place / "report.xlsx")
    for sheet in ("Objects", "Summary"):
        assert why in [row[0] for row in book[sheet].iter_rows(values_only=True)]


def test_families_are_in_every_file(sample, tmp_path, quick):
    (tmp_path / "families.json").write_text(json.dumps(FAMILIES))
    command = ["compare", GT, MODEL_A, "-o", str(tmp_path / "r"), "--json", str(tmp_path / "x.json")]
    command += ["--families", str(tmp_path / "families.json"), "--family-count", "gold"]
    assert main(command) == 0
    assert (tmp_path / "r/result.json").read_bytes() == (tmp_path / "x.json").read_bytes()
    f = sample.families(FAMILIES, count="gold")
    book, data = openpyxl.load_workbook(tmp_path / "r/report.xlsx"), data_of(tmp_path / "r/report.html")
    for sheet, name, wanted in (
        ("Families", "families", f.given_gt()),
        ("Families pred", "families_pred", f.given_pred()),
    ):
        rows = list(book[sheet].iter_rows(values_only=True, min_row=2))[: len(wanted)]
        assert [row[0] for row in rows] == wanted["label"].tolist()
        np.testing.assert_allclose(values([row[1:5] for row in rows]), wanted.iloc[:, 1:5].to_numpy(float), rtol=1e-15)
        text = data["tables"][name]["rows"]
        np.testing.assert_array_equal(values([row[1:5] for row in text]), wanted.iloc[:, 1:5].to_numpy(float))
        assert [row[5] for row in text] == [{None: "", "OOF": "out of family"}.get(p, p) for p in wanted["preferred"]]
    words = next(family for family in data["families"] if family["title"] == "Family Words")
    inside = values(words["values"])[np.ix_(words["rows"], words["columns"])]
    np.testing.assert_array_equal(inside, f.matrices["Words"].to_numpy())
    assert words["labels"] == [*FAMILIES["Words"], "out of family"]
    rows = [row[:5] for row in book["Family matrices"].iter_rows(values_only=True)]
    top = [row[0] for row in rows].index("Family Words")
    np.testing.assert_allclose(values([row[1:] for row in rows[top + 2 : top + 6]]), inside, rtol=1e-15)
    assert r"Text & " in (tmp_path / "r/tables/families.tex").read_text("utf-8")
    main(command)  # the next run recognises all these files
    sample.write_report(tmp_path / "r", families=FAMILIES)
    assert json.loads((tmp_path / "r/result.json").read_text("utf-8"))["families"]["count"] == "pairs"
    assert "families" not in data_of(sample.write_report(tmp_path / "r") / "report.html")["tables"]


def test_standard_output_has_only_json(tmp_path, quick, capsys):
    assert main(["compare", GT, MODEL_A, "-o", str(tmp_path / "r"), "--json", "-", "--per-page"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found == json.loads((tmp_path / "r/result.json").read_text("utf-8")) and len(found["by_page"]) == 16


def test_a_folder_with_other_files_is_refused(tmp_path, quick, capsys):
    other = tmp_path / "other"
    other.mkdir()
    (other / "notes.txt").write_text("text")
    assert main(["compare", GT, MODEL_A, "-o", str(other)]) == 2
    assert "notes.txt" in capsys.readouterr().err and files_in(other) == ["notes.txt"]


def test_a_report_with_an_added_file_is_refused(tmp_path, quick, two_pages):
    c = lcm.compare(*two_pages)
    place = c.write_report(tmp_path / "r")
    before = files_in(place)
    (place / "figures" / "my own.png").write_bytes(b"x")
    with pytest.raises(lcm.InputError, match="my own"):
        c.write_report(place)
    (place / "figures" / "my own.png").unlink()
    assert files_in(c.write_report(place)) == before


@pytest.mark.parametrize("name", ["pages.csv", "result.json"])
def test_a_file_with_only_the_name_of_a_report_file_is_refused(tmp_path, name):
    (tmp_path / name).write_text('{"recipe": "cake"}')
    with pytest.raises(lcm.InputError, match=name):
        check_target(tmp_path, REPORT_FILES)


def test_files_and_symlinks_are_refused(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(lcm.InputError, match="needs a folder"):
        check_target(tmp_path / "file", REPORT_FILES)
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "figures").symlink_to(tmp_path)
    with pytest.raises(lcm.InputError, match="figures"):
        check_target(tmp_path / "r", REPORT_FILES)


def test_an_interrupted_run_changes_nothing(tmp_path, quick, two_pages, monkeypatch):
    c = lcm.compare(*two_pages)
    place = c.write_report(tmp_path / "r")
    before = {name: (place / name).stat().st_mtime_ns for name in files_in(place)}

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(report_files, "report_html", stop)
    for name in ("r", "new"):
        with pytest.raises(KeyboardInterrupt):
            c.write_report(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["r"]
    assert {name: (place / name).stat().st_mtime_ns for name in files_in(place)} == before


def test_an_interrupted_replacement_restores_the_old_report(tmp_path, quick, two_pages, monkeypatch):
    place = lcm.compare(*two_pages).write_report(tmp_path / "r")
    before, move = files_in(place), Path.rename

    def stopped(self, target):
        if target == place and self.name == "new":
            raise KeyboardInterrupt
        return move(self, target)

    monkeypatch.setattr(Path, "rename", stopped)
    with pytest.raises(KeyboardInterrupt), replace_folder(place, REPORT_FILES) as new:
        (new / "report.html").write_text("new")
    assert files_in(place) == before and [path.name for path in tmp_path.iterdir()] == ["r"]


def test_hidden_folders_of_killed_runs_are_removed_after_a_day(tmp_path):
    left = [
        tmp_path / name
        for name in (".layoutcm-r-abcdefgh", ".layoutcm-r-ijklmnop", ".layoutcm-s-abcdefgh", ".r-abcdefgh")
    ]
    for folder in left:
        (folder / "new").mkdir(parents=True)
        os.utime(folder, (0, 0))
    os.utime(left[1])  # recent: another run may still use it
    with replace_folder(tmp_path / "r", REPORT_FILES) as new:
        (new / "report.html").write_text("new")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["r", *(folder.name for folder in left[1:])])


@pytest.mark.parametrize("letter", ["r", "表"])
def test_the_longest_possible_folder_name_works(tmp_path, letter):
    place = tmp_path / (letter * (255 // len(letter.encode())))
    left = tmp_path / f".layoutcm-{letter * 40}-abcdefgh"
    left.mkdir()
    os.utime(left, (0, 0))
    with replace_folder(place, REPORT_FILES) as new:
        (new / "report.html").write_text("new")
    assert list(tmp_path.iterdir()) == [place] and files_in(place) == ["report.html"]


def test_the_content_of_a_folder_that_cannot_be_moved_is_replaced(tmp_path, quick, two_pages, monkeypatch):
    place = lcm.compare(*two_pages).write_report(tmp_path / "r")
    move = Path.rename

    def mounted(self, target):
        if self == place:
            raise OSError(16, "busy")
        return move(self, target)

    monkeypatch.setattr(Path, "rename", mounted)
    with replace_folder(place, REPORT_FILES) as new:
        (new / "report.html").write_text("new")
    assert files_in(place) == ["report.html"] and [path.name for path in tmp_path.iterdir()] == ["r"]


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path, two_pages):
    (tmp_path / "file").write_text("x")
    with pytest.raises(lcm.InputError, match="cannot be written"):
        lcm.compare(*two_pages).write_report(tmp_path / "file" / "r")


def test_page_images_are_found_and_need_a_report(tmp_path, two_pages, capsys):
    with pytest.raises(lcm.InputError, match="no such folder"):
        lcm.compare(*two_pages).write_report(tmp_path / "r", tmp_path / "nowhere")
    assert main(["compare", GT, MODEL_A, "--images", str(tmp_path)]) == 2
    assert "-o" in capsys.readouterr().err
    Image.new("RGB", (20, 20), "red").save(tmp_path / "p1.png")
    images = images_from_path(tmp_path)
    assert images.find(lcm.compare(*two_pages), 0).path.endswith("p1.png")
    assert [picture.name for picture in images_from_path(tmp_path / "p1.png").pictures] == ["p1.png"]


def test_an_empty_comparison_has_a_report(tmp_path, svg_only):
    layout = build({}, [], labels=["a"])
    place = lcm.compare(layout, layout).write_report(tmp_path / "r")
    data = data_of(place / "report.html")
    assert data["pages"] == 0 and data["pictures"] == [] and data["rows"] == [0]


def test_progress_is_reported(tmp_path, quick, two_pages):
    shares = []
    report_files.write_report(
        lcm.compare(*two_pages), tmp_path / "r", progress=lambda step, share: shares.append(share)
    )
    assert shares == sorted(shares) and shares[0] == 0 and shares[-1] == 1


def test_pages_without_a_picture_are_reported_on_the_terminal(tmp_path, quick, capsys):
    (tmp_path / "pictures").mkdir()
    command = ["compare", GT, MODEL_A, "-o", str(tmp_path / "r"), "--images"]
    assert main([*command, str(tmp_path / "pictures")]) == 0
    assert (
        "0 of 16 pages have a picture in" in (out := capsys.readouterr().out)
        and "it contains no image that can be read" in out
    )
    Image.new("RGB", (4, 4)).save(tmp_path / "pictures" / "other.png")
    assert main([*command, str(tmp_path / "pictures")]) == 0
    out = capsys.readouterr().out
    assert "0 of 16 pages have a picture in" in out and "the first page without a picture is 'paper_p1.png'" in out
    assert "1 file belongs to no page (first: 'other.png')" in out
    assert main([*command, str(Path(GT).parent / "images")]) == 0
    assert "have a picture" not in capsys.readouterr().out
