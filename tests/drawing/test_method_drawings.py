"""The drawings: valid SVG, the expected words and numbers, and up-to-date committed files."""

import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.diagnosis.cause_kernel import CAUSES
from layoutcm.drawing import method_drawings, svg_canvas
from layoutcm.metrics.confusion import Confusion, collapse_mass
from support.drawn_figures import contrast
from support.paths import ROOT

COMMITTED = ROOT / "docs" / "drawings"
SVG = "{http://www.w3.org/2000/svg}"
FILES = {
    f"{name}{'-dark' * dark}.svg": (draw, dark)
    for name, draw in method_drawings.DRAWINGS.items()
    for dark in (False, True)
}
BOTH = pytest.mark.parametrize("dark", [False, True])
ALL = pytest.mark.parametrize("file", FILES)


def parsed(file):
    draw, dark = FILES[file]
    return ElementTree.fromstring(draw(dark))


def texts(svg):
    """The lines of text in a drawing, without title and description."""
    return ["".join(element.itertext()) for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


@ALL
def test_svg_is_well_formed_and_has_a_description(file):
    root = parsed(file)
    assert root.tag == f"{SVG}svg" and root.get("role") == "img"
    assert [child.tag for child in root[:3]] == [f"{SVG}title", f"{SVG}desc", f"{SVG}rect"]
    assert root[0].text and root[1].text
    assert (root[2].get("fill") == svg_canvas.DRAWING_COLOURS["paper"][0]) == ("dark" not in file)


@ALL
def test_svg_has_no_ids_and_no_references(file):
    for element in parsed(file).iter():
        assert element.tag.removeprefix(SVG) in {
            "svg", "title", "desc", "rect", "text", "tspan", "path", "polygon", "circle"
        }  # fmt: skip
        assert not {"id", "style", "href", "class"} & set(element.attrib)
        assert not any("url(" in value or "http" in value for value in element.attrib.values())


@ALL
def test_text_is_large_enough_and_inside_the_drawing(file):
    root = parsed(file)
    height = float(root.get("height"))
    for element in root.iter(f"{SVG}text"):
        assert "".join(element.itertext()).strip()
        assert float(element.get("font-size", root.get("font-size"))) >= 12
        assert 12 < float(element.get("x")) < svg_canvas.WIDTH - 12 and 12 < float(element.get("y")) < height - 8


@BOTH
def test_text_has_enough_contrast(dark):
    colours = {name: pair[dark] for name, pair in svg_canvas.DRAWING_COLOURS.items() if name != "none"}
    on_paper = [(name, "paper") for name in colours if name.endswith("ink") or name in ("soft", "accent")]
    for text, ground in on_paper + [("ink", fill) for fill in svg_canvas.FILLS.values()]:
        assert contrast(colours[text], colours[ground]) >= 4.5, (text, ground)


@BOTH
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("matrix-structure", "Same taxonomy|Different taxonomies|mistakes|is the diagonal|is a block|always empty"),
        ("matrix-structure", "gt ↓|pred →|Background|gt's labels|pred's labels"),
        ("collapse", "C₀₀|sum of row 0|sum of column 0|sum of the rest|recall|precision|F1|Content"),
        ("bit-packing", "63|0b…0110 = 6|0b…0010 = 2|Picture + Caption|gt set|pred set|pixels|T contains P and more:"),
    ],
)
def test_drawings_contain_the_expected_words(name, words, dark):
    assert set(words.split("|")) <= set(texts(method_drawings.DRAWINGS[name](dark)))


def test_collapse_drawing_has_the_computed_numbers():
    example = np.array(method_drawings.EXAMPLE, float)
    whole = Confusion(method_drawings.EXAMPLE_LABELS, "matrix", example, example, example.sum(axis=0))
    two = whole.collapse()
    np.testing.assert_array_equal(two.values, collapse_mass(example))
    np.testing.assert_array_equal(two.values.ravel(), method_drawings.collapsed_example())
    content = two.average("micro")  # without Background, so only Content
    shown = texts(method_drawings.collapse())
    for name, label in (("recall", "recall"), ("precision", "precision"), ("f1", "F1")):
        assert shown[shown.index(label) + 1] == f"{100 * content[name]:.1f} %"
        assert content[name] == pytest.approx(getattr(two, name)[1, 1])
    (_, invented), (missed, found) = two.values.astype(int).tolist()
    for formula in (
        f"{found} / ({missed} + {found})",
        f"{found} / ({invented} + {found})",
        f"2 × {found} / (2 × {found} + {missed} + {invented})",
    ):
        assert formula in shown
    assert {str(value) for value in example.astype(int).ravel()} <= set(shown)


def layout(boxes):
    """The example page as a table of regions."""
    head = "page,document,width,height,label,x0,y0,x1,y1,score\n"
    rows = [f"p,d,{method_drawings.PAGE[0]},{method_drawings.PAGE[1]},{','.join(map(str, box))},\n" for box in boxes]
    return head + "".join(rows)


def test_pair_counts_equal_those_of_a_comparison(tmp_path):
    for side, boxes in (("gt", method_drawings.GT_BOXES), ("pred", method_drawings.PRED_BOXES)):
        (tmp_path / f"{side}.csv").write_text(layout(boxes), "utf-8")
    compared = lcm.compare(lcm.read(tmp_path / "gt.csv"), lcm.read(tmp_path / "pred.csv")).confusion()
    pairs = method_drawings.count_example_pairs()
    gt, pred = zip(*pairs)
    counted = lcm.label_sets_confusion(gt, pred, compared.labels, weights=list(pairs.values()))
    np.testing.assert_allclose(counted.values, compared.values)
    assert compared.labels == counted.labels
    assert {f"{pixels:,}" for pixels in pairs.values()} <= set(texts(method_drawings.bit_packing()))


def test_contribution_follows_the_rule():
    sets = [
        method_drawings.labels_at(boxes, *method_drawings.PIXEL)
        for boxes in (method_drawings.GT_BOXES, method_drawings.PRED_BOXES)
    ]
    assert sets == [("Picture", "Caption"), ("Picture",)]
    labels = method_drawings.PAGE_LABELS[:3]
    one = lcm.label_sets_confusion([sets[0]], [sets[1]], labels)
    shown = texts(method_drawings.bit_packing())
    cells = [text for text in shown[: shown.index("T contains P and more:")] if text in "01"][-9:]
    np.testing.assert_array_equal(np.array(cells, float).reshape(3, 3), one.values)


def test_labels_are_escaped():
    canvas = method_drawings.Canvas("a < b", "c & d", 100, False)
    canvas.text(20, 20, "<b>&</b>")
    root = ElementTree.fromstring(canvas.svg())
    assert [root[0].text, root[1].text, root[-1].text] == ["a < b", "c & d", "<b>&</b>"]


def test_committed_files_are_current(tmp_path):
    method_drawings.write_drawings(tmp_path / "new" / "folder")
    written = {path.name: path.read_bytes() for path in (tmp_path / "new" / "folder").iterdir()}
    assert set(written) == set(FILES)
    assert written == {path.name: path.read_bytes() for path in COMMITTED.glob("*.svg")}, (
        "run python -m layoutcm.drawing.method_drawings docs/drawings"
    )


def test_command_writes_the_drawings(tmp_path):
    command = [sys.executable, "-m", "layoutcm.drawing.method_drawings"]
    subprocess.run([*command, str(tmp_path)], check=True)
    assert {path.name for path in tmp_path.iterdir()} == set(FILES)
    without = subprocess.run(command, capture_output=True, text=True, check=False)
    assert without.returncode == 1 and "usage" in without.stderr


def test_every_example_of_the_causes_is_named_by_the_library():
    found, shown = method_drawings.found_causes(), texts(method_drawings.causes_on_a_page())
    names = [name for name in shown if name in CAUSES]
    assert names == [*CAUSES, *CAUSES]  # below the eight examples, and in the list
    # The gap of the split region and its two halves: 100 x 20 pixels but for the corners near its borders.
    assert found.pixels["missed"] == 100 * 50 and found.pixels["invented"] == 100 * 80
    assert found.pixels["label"] == 100 * 80 and 0.9 * 2000 < found.pixels["split"] <= 2000
    assert all(f"{pixels:,.0f}".replace(",", "\u202f") in shown for pixels in found.pixels.values())
