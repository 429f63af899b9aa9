"""Paper figures: readable at every size, reproducible, text stays text, Matplotlib settings are not changed."""

import io
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice, pairwise

import matplotlib
import numpy as np
import pypdfium2 as pdfium
import pytest
from PIL import Image

import layoutcm as lcm
from layoutcm.drawing.line_charts import curve_of, recall_curves
from layoutcm.drawing.palette import LIGHT, rgb, scale_colour
from layoutcm.drawing.paper import charts, figure_style, matrix, pages
from layoutcm.drawing.row_charts import class_bars
from layoutcm.metrics.confusion import Confusion
from layoutcm.tables.matrix_views import Selection, select, view_title
from layoutcm.tables.tables import difference_table, pair_table
from support import hostile
from support.drawn_figures import drawn_texts, luminance, svg_texts, text_boxes
from support.layouts import build
from support.matrix_page import known_differences

SIZES = (2, 11, 40, 74)
RECIPE = "gt:a|pred:b|pages:12|rounding:outer|taxonomy:same|method:matrix|v0"


def confusion(labels, diagonal=True):
    """A matrix of Background and `labels` labels: most pixels are right, some wrong; the last label is not in gt."""
    n = labels + 1
    rng = np.random.default_rng(labels)
    values = rng.integers(0, 90, (n, n)) * (rng.random((n, n)) < 0.3) + np.diag(rng.integers(100, 4000, n))
    values[-1] = 0
    names = ["Background", *(f"a rather long label {i}" if i % 3 else f"l{i}" for i in range(labels))]
    mass = values.astype(float)
    return Confusion(names, "matrix", mass, mass, mass.sum(axis=0), diagonal=diagonal, recipe=RECIPE)


def curves_of(labels):
    """A curve for each label, at random."""
    found = [np.cumsum(np.random.default_rng(seed).random(50) < 0.7) for seed in range(len(labels))]
    columns = [{"precision": one / np.arange(1, 51), "recall": one / 50} for one in found]
    return recall_curves([curve_of(*one) for one in zip(labels, columns)])


def figures(labels, width=None):
    m = confusion(labels)
    low = {"f1": np.stack([m.class_values()["f1"] - 0.1, m.class_values()["f1"] + 0.1], axis=1)}
    yield "recall", matrix.matrix_figure(m, "recall", width=width)
    yield "pixels", matrix.matrix_figure(m, "pixels", width=width, caption=False)
    yield "collapsed", matrix.collapsed_figure(m, width=width)
    yield "difference", matrix.difference_figure(m, confusion(labels), width=width)
    yield "classes", charts.draw(class_bars(m, intervals=low), width=width)
    yield "curves", charts.draw(curves_of(m.labels[1:]), width=width)


@pytest.mark.parametrize("labels", SIZES)
@pytest.mark.parametrize("width", ["one", "two"])
def test_text_stays_on_the_sheet_and_labels_do_not_touch(labels, width):
    for name, figure in figures(labels, width):
        wide, high = figure.get_size_inches() * 72
        assert wide == pytest.approx(figure_style.COLUMN_WIDTHS[width]) and high <= 9.3 * 72, name
        boxes = text_boxes(figure)
        for text, box in boxes:
            inside = box.x0 > -1 and box.x1 < wide + 1 and box.y0 > -1 and box.y1 < high + 1
            assert inside, (name, text.get_text(), box)
        upright = [box for text, box in boxes if text.get_rotation() == 90 and text.get_text() != "gt"]
        upright.sort(key=lambda box: box.x0)
        assert all(b.x0 - a.x0 > 0.6 * a.width for a, b in pairwise(upright)), name


def test_one_column_is_used_if_the_matrix_fits():
    widths = [matrix.matrix_figure(confusion(n)).get_size_inches()[0] * 72 for n in SIZES]
    assert [round(width) for width in widths] == [241, 241, 504, 504]


def test_cells_show_the_counted_numbers():
    m = lcm.label_sets_confusion(["a", "a", "b", ""], ["a", "b", "b", ""], "ab", weights=[3, 1, 4, 50])
    shown = svg_texts(matrix.matrix_figure(m, "recall"))
    assert [text for text in shown if re.fullmatch(r"[\d.]+", text)][:4] == ["100", "75", "25", "100"]
    shown = svg_texts(matrix.matrix_figure(m, "pixels"))
    assert [text for text in shown if re.fullmatch(r"\d+", text)][:4] == ["50", "3", "1", "4"]
    shown = svg_texts(charts.draw(class_bars(m)))
    # F1 of a is 2 x 3 / (4 + 3), of b 2 x 4 / (4 + 5)
    assert shown.index("b") < shown.index("a") and shown.index("89") < shown.index("86")


def test_ticks_of_the_colour_bars_have_the_unit_of_the_cells():
    """The ends of a bar: 0 to 100 % on the diagonal, 0 to 50 % off it; the largest values for pixels."""
    m = lcm.label_sets_confusion(["a", "a", "b", ""], ["a", "b", "b", ""], "ab", weights=[3000, 1000, 4000, 50000])
    expected = {
        "recall": ["0", "50 %", "100 %", "0", "25 %", "≥ 50 %"],
        "pixels": ["0", "25k", "50k", "0", "500", "1.0k"],
    }
    for view, ticks in expected.items():
        bars = matrix.matrix_figure(m, view, log=False).axes[1:]
        assert [bar.get_title(loc="left") for bar in bars] == [f"{view}, diagonal", f"{view}, off it"]
        assert [tick.get_text() for bar in bars for tick in bar.get_xticklabels()] == ticks


def test_a_difference_has_signs():
    few = lcm.label_sets_confusion(["a", "b"], ["a", "b"], "ab", weights=[4, 4])
    less = lcm.label_sets_confusion(["a", "a", "b"], ["a", "b", "b"], "ab", weights=[3, 1, 4])
    shown = svg_texts(matrix.difference_figure(few, less, names=("x_1", "$y$")))
    assert {"−25", "+25", "recall: $y$ less x_1, % points", "less ≥ 20", "≥ 20 more"} <= set(shown)
    with pytest.raises(lcm.InputError, match="different labels"):
        matrix.difference_figure(few, replace(less, diagonal=False))


def test_a_difference_is_blue_where_it_is_better_and_grey_within_noise():
    """As on the screen: more on the diagonal is better, more off it is worse; 20 points have the last colour."""
    before = lcm.label_sets_confusion(["a", "a", "b", "b"], ["a", "b", "b", "a"], "ab", weights=[60, 40, 90, 10])
    after = lcm.label_sets_confusion(["a", "a", "b", "b"], ["a", "b", "b", "a"], "ab", weights=[90, 10, 80, 20])
    values = after.recall - before.recall
    low, high = values - 0.01, values + 0.01
    low[2, 2], high[2, 2] = -0.3, 0.1  # includes 0
    found = replace(known_differences(values, low, high), labels=list(before.labels))
    figure = matrix.difference_figure(before, after, "recall", differences=found, caption=False)
    faces = figure.axes[0].collections[0].get_array().reshape(-1, 4)
    shown = {tuple(round(255 * part) for part in face[:3]) for face in faces}
    ends = [tuple(map(round, rgb(colour))) for _, colour in (LIGHT.diverging[0], LIGHT.diverging[-1])]
    ten_worse = rgb(scale_colour(LIGHT.diverging, 0.5 - 0.5 * (0.15 + 0.85 * 0.1 / 0.2)))
    assert ends[1] in shown and ends[0] not in shown  # +30 on the diagonal and -30 off it are both better
    assert tuple(map(round, ten_worse)) in shown and tuple(map(round, rgb(matrix.NOISE))) in shown
    assert {"worse ≥ 20", "≥ 20 better"} <= set(svg_texts(figure))
    swapped = replace(found, verdicts=np.where(found.verdicts == "better", "worse", "better"))
    figure = matrix.difference_figure(before, after, "recall", differences=swapped, caption=False)
    faces = figure.axes[0].collections[0].get_array().reshape(-1, 4)
    shown = {tuple(round(255 * part) for part in face[:3]) for face in faces}
    assert ends[0] in shown and ends[1] not in shown  # the verdicts decide, whatever the numbers are


def test_a_difference_has_the_labels_of_both_models():
    some = lcm.label_sets_confusion(["a", "b", "b"], ["a", "b", "a"], "ba", weights=[4, 3, 1])
    more = lcm.label_sets_confusion(["a", "b", "b"], ["a", "b", "c"], "abc", weights=[4, 2, 2])
    shown = svg_texts(matrix.difference_figure(some, more))
    # b: 75 % found and 25 % read as a; then 50 % found and 50 % read as c, which the first model does not have.
    assert [text for text in shown if re.fullmatch(r"[+−]\d+", text)][:3] == ["−25", "−25", "+50"]
    assert shown[:4] == ["Background", "b", "a", "c"]


def test_undefined_is_a_dot_and_zero_is_not_drawn():
    m = lcm.label_sets_confusion(["a"], ["b"], "ab")
    lines = matrix.matrix_figure(m, "recall").axes[0].lines
    # Rows of Background and b have no pixels: six undefined cells. The row of a has two zeros.
    assert sum(len(line.get_xdata()) for line in lines) == 6


@pytest.mark.parametrize("format", figure_style.FIGURE_FORMATS)
def test_equal_input_makes_equal_files(format):
    count = 2 if format == "pdf" else 6  # embedding fonts makes PDFs slow
    for (name, once), (_, again) in islice(zip(figures(2), figures(2)), count):
        assert figure_style.figure_bytes(once, format) == figure_style.figure_bytes(again, format), name


def test_files_have_their_format():
    figure = matrix.matrix_figure(confusion(11))
    image = Image.open(io.BytesIO(figure_style.figure_bytes(figure, "png")))
    assert image.format == "PNG" and round(image.info["dpi"][0]) == 300 and image.width == round(241 / 72 * 300)
    assert image.convert("RGB").getpixel((0, 0)) == (255, 255, 255)
    pdf = figure_style.figure_bytes(figure, "pdf")
    assert pdf.startswith(b"%PDF") and b"/FontFile2" in pdf and b"/Type3" not in pdf and b"CreationDate" not in pdf
    assert b"dc:date" not in figure_style.figure_bytes(figure, "svg") and "a rather long label 1" in svg_texts(figure)
    with pytest.raises(lcm.InputError, match="jpeg"):
        figure_style.figure_bytes(figure, "jpeg")


@pytest.mark.parametrize("format", ["svg", "pdf"])
def test_hostile_labels_are_text(format):
    c = hostile.compared()
    figures = [
        matrix.matrix_figure(c.confusion(), width="two"),
        charts.draw(class_bars(c.confusion()), width="two"),
        charts.draw(curves_of(hostile.LABELS[:6]), width="two"),
        pages.page_overlay(c, hostile.PAGE, width="two"),
        pages.page_figure(c, hostile.PAGE, "gt", width="two"),
    ]
    for figure in figures:
        if format == "svg":
            found = svg_texts(figure)
        else:
            with pdfium.PdfDocument(figure_style.figure_bytes(figure, format)) as document:
                found = document[0].get_textpage().get_text_range()
        for label in hostile.LABELS[:6] if figure is figures[2] else hostile.LABELS:
            # A PDF stores Arabic letters in drawing order, so only their presence is checked.
            named = label in found or f"{label}, AP –" in found
            assert named or (format == "pdf" and not label.isascii() and set(label) <= set(found)), label


def test_characters_without_a_font_give_no_warning():
    unknown = "\U00012000\ue000"
    figure = matrix.matrix_figure(lcm.label_sets_confusion([{unknown}], [{unknown}], [unknown]))
    assert unknown in svg_texts(figure) and figure_style.figure_bytes(figure, "png")


def test_settings_of_the_process_have_no_effect_and_are_kept():
    expected = figure_style.figure_bytes(matrix.matrix_figure(confusion(2)), "svg")
    settings = {"font.size": 30.0, "text.usetex": True, "svg.fonttype": "path", "lines.linewidth": 9.0}
    with matplotlib.rc_context(settings):
        assert figure_style.figure_bytes(matrix.matrix_figure(confusion(2)), "svg") == expected
        assert {name: matplotlib.rcParams[name] for name in settings} == settings


def test_threads_do_not_disturb_each_other():
    work = [(n, format) for n in (2, 3) for format in ("svg", "pdf")] * 2
    draw = lambda job: figure_style.figure_bytes(matrix.matrix_figure(confusion(job[0])), job[1])
    expected = {job: draw(job) for job in set(work)}
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(draw, work)) == [expected[job] for job in work]


def test_pyplot_is_never_loaded():
    code = (
        "import sys, layoutcm as lcm; from layoutcm.drawing.paper import matrix, figure_style;"
        "figure_style.figure_bytes(matrix.matrix_figure(lcm.label_sets_confusion(['a'], ['a'], 'a')), 'png');"
        "print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False" and not done.stderr


def test_scales_and_fills_differ_in_greyscale():
    for scale in (LIGHT.hit, LIGHT.miss):
        steps = [luminance(colour) for _, colour in scale]
        assert all(a > b for a, b in pairwise(steps))
    fills = sorted(luminance(fill) for fill in charts.FILLS.values())
    assert all(b - a > 0.15 for a, b in pairwise(fills))


def test_different_taxonomies_have_a_block():
    gt = build({"p": (10, 10)}, [("p", "a", 0, 0, 5, 10), ("p", "b", 5, 0, 10, 10)])
    pred = build({"p": (10, 10)}, [("p", "y", 0, 0, 5, 10), ("p", "z", 5, 0, 10, 10)])
    m = lcm.compare(gt, pred).confusion()
    shown = svg_texts(matrix.matrix_figure(m))
    assert [text for text in shown if text in ("Background", "a", "b", "y", "z")] == [
        *("Background", "y", "z"),
        *("Background", "a", "b"),
    ]
    assert "recall" in shown


def page_pixels(figure):
    """The page in a figure: the largest of its images."""
    return max((image.get_array() for image in figure.axes[0].images), key=lambda pixels: pixels.size)


def test_page_maps_colour_the_right_pixels():
    c = lcm.compare(
        build({"p": (10, 10)}, [("p", "a", 0, 0, 10, 4), ("p", "b", 0, 6, 10, 10)], "ab"),
        build({"p": (10, 10)}, [("p", "a", 0, 0, 10, 4), ("p", "a", 0, 6, 5, 10)], "ab"),
    )
    lit = page_pixels(pages.page_figure(c, "p", "cell", cell=("b", "a")))
    red = (lit == lit[-3, 3]).all(axis=2)
    assert red.mean() == pytest.approx(0.2, abs=0.01)  # 5 x 4 of 100 pixels
    gt = page_pixels(pages.page_figure(c, "p", "gt"))
    assert (gt == gt[3, 3]).all(axis=2).mean() == pytest.approx(0.4, abs=0.01)
    names = svg_texts(pages.page_figure(c, "p", "difference"))
    assert names[:3] == ["same labels", "missed", "other labels"]
    with pytest.raises(lcm.InputError, match="cell"):
        pages.page_figure(c, "p", "cell")


def test_an_overlay_has_both_sides_and_the_page_image():
    c = hostile.compared()
    image = Image.new("RGB", (80, 240), "#ff0000")
    figure = pages.page_overlay(c, hostile.PAGE, image=image)
    assert page_pixels(figure)[0, 0].tolist() == [255, 0, 0]
    boxes = [len(part.get_paths()) for part in figure.axes[0].collections[:2]]
    assert boxes == [len(hostile.LABELS)] * 2


def test_an_unknown_width_is_named_in_the_error():
    with pytest.raises(lcm.InputError, match="three"):
        matrix.matrix_figure(confusion(2), width="three")


PAGES = {"p": (100, 100)}
HALVES = [("p", "a", 0, 0, 50, 100), ("p", "b", 50, 0, 100, 100)]


@pytest.fixture
def pair():
    """a is half b in the first prediction, and right in the second."""
    gt = build(PAGES, HALVES)
    first = build(PAGES, [("p", "a", 0, 0, 25, 100), ("p", "b", 25, 0, 100, 100)])
    return {name: lcm.compare(gt, pred).confusion() for name, pred in (("one", first), ("two", gt))}


def test_two_matrices_are_beside_or_below_each_other(pair):
    shown = select(pair["one"])
    figures = {
        width: matrix.pair_figure(pair, "recall", selection=shown, width=width, caption=False)
        for width in (None, "one", "two")
    }
    for width, figure in figures.items():
        assert {"one", "two"} <= set(drawn_texts(figure)) and drawn_texts(figure).count("50") == 2
        assert figure.get_figwidth() * 72 == figure_style.COLUMN_WIDTHS["one" if width == "one" else "two"]
    assert figures["one"].get_figheight() > 1.5 * figures["two"].get_figheight() / 2
    table = pair_table(pair, "recall", shown).data
    assert table.loc[table["gt"] == "a", ["model", "a", "b"]].values.tolist() == [["one", 0.5, 0.5], ["two", 1, 0]]


def test_a_difference_has_only_the_selected_labels(pair):
    rows = Selection([1], [1, 2])
    figure = matrix.difference_figure(*pair.values(), "recall", selection=rows)
    assert {"+50", "−50"} <= set(drawn_texts(figure))
    table = difference_table(*pair.values(), "recall", rows, ("one", "two"))
    assert table.data.values.tolist() == [["a", 0.5, -0.5]] and table.title.endswith("two minus one")


def test_without_a_truth_views_are_shares_of_a_and_b():
    gt = build(PAGES, HALVES)
    confusion = lcm.compare(gt, gt, truth=False).confusion()
    assert [view_title(view, confusion) for view in ("pixels", "recall")] == ["pixels", "share of A"]
    assert "share of A, diagonal" in drawn_texts(matrix.matrix_figure(confusion, "recall"))


def strips(labels):
    boxes = [
        ("p", name, 5 * (i % 20), 5 * (i // 20), 5 * (i % 20) + 4, 5 * (i // 20) + 4) for i, name in enumerate(labels)
    ]
    layout = build({"p": (100, 100)}, boxes)
    return lcm.compare(layout, layout)


@pytest.mark.parametrize("length", [50, 990])
def test_the_characters_of_all_labels_are_limited(length):
    figure = matrix.matrix_figure(strips([f"{i} {'x' * length}" for i in range(140)]).confusion(), caption=False)
    labels = [text for text in drawn_texts(figure) if "x" in text]
    assert 100 < sum(map(len, labels)) <= 2 * figure_style.MOST_LABEL_CHARACTERS


def test_a_long_text_is_never_measured_whole(monkeypatch):
    measured = []
    monkeypatch.setattr(figure_style, "text_width", lambda text, size: measured.append(text) or size * len(text) / 2)
    assert len(figure_style.shorten_to_width("x" * 1000, 1, 1e6)) == figure_style.MOST_CHARACTERS
    assert len(figure_style.shorten_to_width("\u4e00" * 1000, 1, 1e6)) == figure_style.MOST_CHARACTERS // 3
    assert figure_style.shorten_to_width("x" * 60, 1, 1e6) == "x" * 60
    assert max(map(len, measured)) == figure_style.MOST_CHARACTERS


@pytest.mark.parametrize(("rows", "every"), [(100, 1), (150, 2)])
def test_row_labels_are_large_enough_or_every_second_is_left_out(rows, every):
    names = [f"label {i}" for i in range(rows)]
    grid = matrix.plan_grid(names, names, 504)
    assert grid.every_row == every and grid.row_font >= matrix.SMALLEST_FONT


def test_a_pdf_with_many_different_characters_has_outlines():
    def figure_of(text):
        figure = figure_style.new_figure(200, 200)
        figure_style.draw_text(figure, 1, 1, text, 5)
        return figure

    many = "".join(map(chr, range(0x4E00, 0x4E00 + 300)))
    assert figure_style._needs_outlines(figure_of(many)) and not figure_style._needs_outlines(figure_of("abc"))
