"""Write the report of a comparison: all its files in one folder or in a zip."""

from __future__ import annotations

import io
import re
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import UNSET, to_builtins

from layoutcm.alignment.recipe import Recipe
from layoutcm.comparison import Comparison
from layoutcm.diagnosis.score_curves import ALL_LABELS
from layoutcm.drawing.charts import LineChart, RowChart
from layoutcm.drawing.line_charts import (
    curve_of,
    forgiveness_lines,
    points_of,
    recall_curves,
    reliability_bars,
    reliability_of,
    threshold_curve,
)
from layoutcm.drawing.page_images import PageImages, images_from_path
from layoutcm.drawing.paper import matrix
from layoutcm.drawing.paper.charts import draw
from layoutcm.drawing.paper.figure_style import FIGURE_FORMATS, figure_bytes
from layoutcm.drawing.row_charts import cause_bars, class_bars, slice_dots
from layoutcm.drawing.web.matrix_data import matrices_on_common_pages
from layoutcm.errors import InputError, check_choice
from layoutcm.filling.level_records import write_documents
from layoutcm.filling.result_of import result_of, usual_asked
from layoutcm.layouts.model import Floats
from layoutcm.layouts.stored_facts import DOCUMENTS_FILE
from layoutcm.metrics.confusion import Confusion
from layoutcm.models.cell_differences import cell_differences
from layoutcm.outputs.files import open_whole
from layoutcm.outputs.folders import replace_folder
from layoutcm.report.html_page import report_html
from layoutcm.report.workbook import write_workbook
from layoutcm.results.result import AnyPath, Result, frame_of
from layoutcm.results.types import IntervalTables
from layoutcm.results.view_types import BestThreshold, CurveScores
from layoutcm.tables.interval_texts import resampling_of, resampling_text
from layoutcm.tables.leaderboard_tables import BOARD, BOARD_FILES, CLASSES
from layoutcm.tables.matrix_views import SHARE_VIEWS, TABLE_OF_VIEW, select
from layoutcm.tables.report_tables import CSV_TABLES, LATEX_TABLES, all_tables
from layoutcm.tables.slice_tables import slice_table
from layoutcm.tables.tables import RANKED_PAIRS, Table, matrix_table
from layoutcm.tables.why import causes_of
from layoutcm.tables.written_forms import csv_text, latex, write_parquet
from layoutcm.wording import iou_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ReportProgress = Callable[[str, float], None]  # called with the current step and the share that is done

CURVES, SLICES = "curves", "slices"
WHY_FIGURES = ("causes", "forgiveness", "thresholds", "calibration")  # only if asked for
HTML_FIGURES = (*WHY_FIGURES, SLICES)  # shown above the tables of the same names
MATRICES = {name: view for view, name in TABLE_OF_VIEW.items()}
FIGURES = (*MATRICES, "collapsed", "classes", CURVES, *HTML_FIGURES)
FIGURES_OF = {"scores": FIGURES, "agreement": ("confusion",)}  # by what is measured
# {view: name of the figure} of the differences from the first of several predictions.
DIFFERENCES = {view: f"difference-{view}" for view in SHARE_VIEWS}
MODEL_CLASSES = "model-classes"  # of several predictions
# All files of a report, relative to its folder; with several predictions each has a subfolder.
REPORT_FILES = re.compile(
    rf"([^/]+/)?(report\.html|report\.xlsx|result\.json|pages\.parquet|(pages|{RANKED_PAIRS})\.csv"
    rf"|{re.escape(DOCUMENTS_FILE)}"
    rf"|figures/({'|'.join([*FIGURES, *DIFFERENCES.values()])})"
    rf"\.({'|'.join(FIGURE_FORMATS)})"
    rf"|tables/({'|'.join(LATEX_TABLES)})\.tex)"
    rf"|{'|'.join(map(re.escape, BOARD_FILES))}|figures/{MODEL_CLASSES}\.({'|'.join(FIGURE_FORMATS)})"
    rf"|tables/({BOARD}|{CLASSES})\.(tex|md)"
)


def write_report(
    comparison: Comparison,
    folder: AnyPath,
    images: PageImages | AnyPath | None = None,
    *,
    method: str = "matrix",
    progress: ReportProgress | None = None,
    **asked: Any,
) -> Path:
    """Write the report of one comparison into a folder; `images` is a folder of page images, a zip or a PDF.

    `asked` is what the result contains beside what every result has, as in `Comparison.result`. With intervals, class
    bars have whiskers.
    """
    pictures = images if images is None or isinstance(images, PageImages) else images_from_path(images)
    result = result_of(comparison, method, usual_asked(comparison, documents_file=DOCUMENTS_FILE, **asked))
    with replace_folder(folder, REPORT_FILES) as place:
        write_files(result, place, comparison, pictures, progress=progress)
    return Path(folder)


def write_result_report(result: Result, folder: AnyPath) -> Path:
    """Write what a report has without regions and page images into a folder, and return it."""
    with replace_folder(folder, REPORT_FILES) as place:
        write_files(result, place)
    return Path(folder)


def write_files(
    result: Result,
    folder: Path,
    comparison: Comparison | None = None,
    images: PageImages | None = None,
    *,
    models: Mapping[str, Comparison] | None = None,
    progress: ReportProgress | None = None,
) -> None:
    """Write the files of one report into a folder; existing files are overwritten.

    Only with the comparison are there ranked pairs, pages behind cells, and pages in the viewer. `models` are all
    predictions of a report of several.
    """
    notify = progress or (lambda step, share: None)
    for place in (folder, folder / "figures", folder / "tables"):
        place.mkdir(parents=True, exist_ok=True)
    notify("tables", 0.0)
    confusion, tables = result.confusion(), all_tables(result, comparison)
    for name in CSV_TABLES:
        if name in tables:
            (folder / f"{name}.csv").write_bytes(csv_text(tables[name]).encode("utf-8"))
    if "pages" in tables:
        write_parquet(tables["pages"], folder / "pages.parquet")
    (folder / "result.json").write_bytes(result.to_json())
    if comparison is not None and result.by_document is None:
        with open_whole(folder / DOCUMENTS_FILE) as file:
            write_documents(comparison, result.method, file)
    for name, text in paper_tables(confusion, tables).items():
        (folder / "tables" / f"{name}.tex").write_bytes(text.encode("utf-8"))
    notify("workbook", 0.15)
    with system_errors_of_xlsxwriter():
        write_workbook(result, confusion, tables, folder / "report.xlsx")
    names, drawings = figure_names(result), {}
    for k, name in enumerate(names):
        notify(f"figure {name}", 0.3 + 0.4 * k / len(names))
        figure = draw_figure(result, confusion, name)
        write_figure(figure, folder, name)
        if name in HTML_FIGURES:
            drawings[name] = figure_bytes(figure, "svg")
    notify("page", 0.7)
    page = report_html(result, tables, drawings, comparison, images, models)
    (folder / "report.html").write_bytes(page.encode("utf-8"))
    notify("done", 1.0)


@contextmanager
def system_errors_of_xlsxwriter() -> Iterator[None]:
    """Raise the error of the system itself, such as a full disk, which xlsxwriter wraps into one of its own."""
    from xlsxwriter.exceptions import FileCreateError

    try:
        yield
    except FileCreateError as error:
        raise error.args[0] from None


def write_differences(first: Comparison, second: Comparison, names: tuple[str, str], folder: Path, own: Result) -> str:
    """Write the difference figures (second prediction minus first) into the report folder of the second prediction.

    `own` is the result of the second one; its tests of classes are those of the diagonal. Returns the reason if there
    are none, else "".
    """
    more: dict[str, Any] = {"method": own.method, "tests": own.difference_from_first}
    try:
        for view, name in DIFFERENCES.items():
            write_figure(matrix_difference_figure(first, second, view, names, **more), folder, name)
    except InputError as error:
        return error.problem
    return ""


def matrix_difference_figure(
    first: Comparison,
    second: Comparison,
    view: str,
    names: tuple[str, str],
    *,
    method: str = "matrix",
    page: str | None = None,
    document: str | None = None,
    tests: IntervalTables | None = None,
    **look: Any,
) -> Figure:
    """The second matrix minus the first, both counted on the same pages; what the tests do not show is grey.

    `tests` has the tests of the class scores, which are those of the diagonal.
    """
    before, after = matrices_on_common_pages(first, second, method, page, document)
    found = None
    if before.diagonal and after.diagonal:
        found = cell_differences(first, second, view, method=method, document=document, page=page)
        found = found.with_class_tests(view, tests.classes) if tests else found
    return matrix.difference_figure(before, after, view, names=names, differences=found, **look)


def write_figure(figure: Figure, folder: Path, name: str) -> None:
    """Write a figure in all formats into the folder of figures of a report."""
    for format in FIGURE_FORMATS:
        (folder / "figures" / f"{name}.{format}").write_bytes(figure_bytes(figure, format))


def report_zip(
    comparison: Comparison, result: Result, images: PageImages | None = None, progress: ReportProgress | None = None
) -> bytes:
    """All files of a report as a zip; equal comparisons give equal bytes."""
    with tempfile.TemporaryDirectory() as place:
        write_files(result, Path(place), comparison, images, progress=progress)
        return zip_of(Path(place))


def zip_of(folder: Path) -> bytes:
    """The files of a folder as a zip, in the order of their names and with a fixed date instead of the present time."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            member = zipfile.ZipInfo(path.relative_to(folder).as_posix(), date_time=(1980, 1, 1, 0, 0, 0))
            archive.writestr(member, path.read_bytes(), zipfile.ZIP_DEFLATED)
    return out.getvalue()


def figure_names(result: Result) -> list[str]:
    """The figures that the result has the numbers for: no class bars without a meaningful diagonal, and so on."""
    is_there = {
        "classes": result.has_classes,
        CURVES: bool(result.objects and result.objects.curves),
        "causes": bool(result.causes),
        "forgiveness": any(row.micro_f1 is not None for row in result.forgiveness or ()),
        "thresholds": bool(result.score_curves and result.score_curves.overall.curve),
        "calibration": bool(result.score_curves and _calibrated(result.score_curves)),
        SLICES: bool(result.slices and result.slices.rows),
    }
    return [name for name in FIGURES_OF[result.vocabulary.measured] if is_there.get(name, True)]


def result_figure(result: Result, name: str, **look: Any) -> Figure:
    """One of these figures; `look` is width and caption."""
    check_choice("name", name, figure_names(result))
    return draw_figure(result, result.confusion(), name, **look)


def draw_figure(result: Result, confusion: Confusion, name: str, **look: Any) -> Figure:
    """A figure of the labels in use; causes and forgiveness always have method matrix."""
    if name in MATRICES:
        return matrix.matrix_figure(confusion, MATRICES[name], **look)
    if name == "collapsed":
        return matrix.collapsed_figure(confusion, **look)
    return draw(CHARTS[name](result), **look)


def _class_chart(result: Result) -> RowChart:
    if not result.intervals:
        return class_bars(result.confusion())
    used = resampling_of(result.intervals)
    few = f"; {resampling_text(used)}" if used.few else ""
    return class_bars(result.confusion(), intervals=whiskers(result), recipe=result.intervals.recipe + few)


def whiskers(result: Result) -> dict[str, Floats]:
    """{score: float64[labels, low high]} of the intervals of a result."""
    rows = result.intervals.classes if result.intervals else []
    ends = {(row.label, row.score): [row.low, row.high] for row in reversed(rows)}
    scores = dict.fromkeys(str(row.score) for row in rows)
    return {score: np.array([ends[label, score] for label in result.labels], float) for score in scores}


def _matrix_recipe(result: Result) -> str:
    """The recipe with method matrix, which causes and score curves always have."""
    fields = {name: value for name, value in result.recipe_fields.items() if name != "version"}
    return Recipe({**fields, "method": "matrix"}, result.version).line()


def _matrix_confusion(result: Result) -> Confusion:
    """The matrix of method matrix: the causes add up to what is off its diagonal; its rows have the same sums."""
    confusion = result.confusion()
    if result.method == "matrix":
        return confusion
    wrong = causes_of(result).values.sum(axis=0)
    values = wrong + np.diag(confusion.gt_pixels - wrong.sum(axis=1))
    return replace(confusion, method="matrix", recall_mass=values, precision_mass=values, recipe=_matrix_recipe(result))


def _curve_chart(result: Result) -> LineChart:
    objects = result.objects
    assert objects and objects.curves
    at = objects.at_iou
    recipe = f"{result.recipe_of('objects.ap').rpartition('|')[0]}|iou:{iou_text(at.iou)}|rule:coco|v{result.version}"
    ap = (at.ap or {})["coco"]
    columns = {label: {"recall": one.recall, "precision": one.precision} for label, one in objects.curves.items()}
    return recall_curves([curve_of(label, of, ap.get(label)) for label, of in columns.items()], recipe=recipe)


def _threshold_chart(result: Result) -> LineChart:
    """The curve of all labels together."""
    assert result.score_curves
    return threshold_curve(points_of(ALL_LABELS, result.score_curves.overall.curve), _matrix_recipe(result))


def _calibrated(curves: CurveScores) -> list[BestThreshold]:
    """The labels with a calibration error and its bins, which results of the first schema do not have."""
    return [row for row in curves.classes if row.ece not in (None, UNSET) and row.reliability]


def _calibration_chart(result: Result) -> LineChart:
    """The reliability of the label whose scores are farthest from their meaning."""
    assert result.score_curves
    known = _calibrated(result.score_curves)
    worst = max(known, key=lambda row: row["ece"])
    reason = "largest calibration error" if len(known) > 1 else ""
    table = reliability_of(worst.reliability)
    return reliability_bars(table, str(worst.label), worst["ece"], reason, _matrix_recipe(result))


def _slice_chart(result: Result) -> RowChart:
    assert result.slices
    return slice_dots(slice_table(result.slices))


CHARTS: dict[str, Callable[[Result], RowChart | LineChart]] = {
    "classes": _class_chart,
    CURVES: _curve_chart,
    "causes": lambda result: cause_bars(causes_of(result), _matrix_confusion(result)),
    "forgiveness": lambda result: forgiveness_lines(frame_of(to_builtins(result.forgiveness)), _matrix_recipe(result)),
    "thresholds": _threshold_chart,
    "calibration": _calibration_chart,
    SLICES: _slice_chart,
}


def paper_tables(confusion: Confusion, tables: dict[str, Table]) -> dict[str, str]:
    """{name: LaTeX text}; matrices and classes have only labels in use."""
    selection = select(confusion)
    in_use = {name: matrix_table(confusion, view, selection) for view, name in TABLE_OF_VIEW.items()}
    if "classes" in tables:
        in_use["classes"] = replace(tables["classes"], data=tables["classes"].data.iloc[selection.rows])
    chosen = {name: in_use.get(name, tables[name]) for name in LATEX_TABLES if name in tables}
    if not confusion.diagonal:
        chosen.pop("classes", None)
    return {
        name: f"% {table.recipe or confusion.recipe}\n".encode("utf-8", "replace").decode("utf-8") + latex(table)
        for name, table in sorted(chosen.items())
    }
