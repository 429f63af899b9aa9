"""Write the report of a comparison: all its files in one folder or in a zip."""

from __future__ import annotations

import io
import os
import re
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from layoutcm.comparison import Comparison
from layoutcm.drawing.page_images import PageImages, images_from_path
from layoutcm.drawing.paper import cause_charts, charts, matrix, score_charts, slice_chart
from layoutcm.drawing.paper.printing import FIGURE_FORMATS, figure_bytes
from layoutcm.errors import InputError
from layoutcm.layouts.stored_facts import DOCUMENTS_FILE
from layoutcm.metrics.confusion import Confusion, confusion_of
from layoutcm.metrics.family_confusion import FamilyConfusion
from layoutcm.metrics.family_trees import FamiliesLike
from layoutcm.metrics.intervals import Intervals
from layoutcm.metrics.objects.average_precision import HEADLINE_IOU
from layoutcm.metrics.objects.matched_objects import Objects
from layoutcm.models.cell_differences import cell_differences
from layoutcm.models.differences import on_common_pages
from layoutcm.outputs.folders import replace_folder
from layoutcm.report.html_page import report_html
from layoutcm.report.workbook import write_workbook
from layoutcm.tables.extras import NO_EXTRAS, Extras
from layoutcm.tables.interval_texts import resampling_text
from layoutcm.tables.latex_markdown import latex
from layoutcm.tables.leaderboard_tables import BOARD, BOARD_FILES, CLASSES
from layoutcm.tables.matrix_views import SHARE_VIEWS, TABLE_OF_VIEW, Selection, select
from layoutcm.tables.report_tables import LATEX_TABLES, all_tables
from layoutcm.tables.result_json import full_result, json_text
from layoutcm.tables.slice_tables import slice_table
from layoutcm.tables.tables import RANKED_PAIRS, Table, class_table, csv_text, matrix_table, write_parquet
from layoutcm.tables.why import Why

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ReportProgress = Callable[[str, float], None]  # called with the current step and the share that is done

# Called with a matrix, the labels to show and settings of the look.
FIGURES: dict[str, Callable[..., Figure]] = {
    **{
        name: lambda confusion, shown, view=view, **look: matrix.matrix_figure(confusion, view, selection=shown, **look)
        for view, name in TABLE_OF_VIEW.items()
    },
    "collapsed": lambda confusion, shown, **look: matrix.collapsed_figure(confusion, **look),
    "classes": lambda confusion, shown, **look: charts.class_bars(confusion, selection=shown, **look),
}
CURVES, SLICES = "curves", "slices"
WHY_FIGURES = ("causes", "forgiveness", "thresholds", "calibration")  # only if asked for
# {view: name of the figure} of the differences from the first of several predictions.
DIFFERENCES = {view: f"difference-{view}" for view in SHARE_VIEWS}
MODEL_CLASSES = "model-classes"  # of several predictions
# All files of a report, relative to its folder; with several predictions each has a subfolder.
REPORT_FILES = re.compile(
    rf"([^/]+/)?(report\.html|report\.xlsx|result\.json|pages\.parquet|(pages|{RANKED_PAIRS})\.csv"
    rf"|{re.escape(DOCUMENTS_FILE)}"
    rf"|figures/({'|'.join([*FIGURES, CURVES, SLICES, *WHY_FIGURES, *DIFFERENCES.values()])})"
    rf"\.({'|'.join(FIGURE_FORMATS)})"
    rf"|tables/({'|'.join(LATEX_TABLES)})\.tex)"
    rf"|{'|'.join(map(re.escape, BOARD_FILES))}|figures/{MODEL_CLASSES}\.({'|'.join(FIGURE_FORMATS)})"
    rf"|tables/({BOARD}|{CLASSES})\.tex"
)


def write_report(
    comparison: Comparison,
    folder: str | os.PathLike[str],
    images: PageImages | str | os.PathLike[str] | None = None,
    *,
    method: str = "matrix",
    per_page: bool = False,
    families: FamilyConfusion | FamiliesLike | None = None,
    intervals: int | None = None,
    why: bool = False,
    slices: str | bool = False,
    progress: ReportProgress | None = None,
) -> Path:
    """Write the report of one comparison into a folder; `images` is a folder of page images, a zip or a PDF.

    `families` is an argument or a result of `Comparison.families`. `intervals` is a number of resamples; class bars
    then have whiskers, and result.json has all intervals. `why` adds causes and forgiveness. `slices` is an
    attribute of pages, or True for the worst slices of all attributes.
    """
    pictures = images if images is None or isinstance(images, PageImages) else images_from_path(Path(images))
    counted = families if families is None or isinstance(families, FamilyConfusion) else comparison.families(families)
    bootstrapped = None if intervals is None else comparison.bootstrap(intervals, method=method)
    sliced = slice_table(comparison, None if slices is True else slices, method) if slices else None
    extras = Extras(counted, bootstrapped, slices=sliced, why=Why(comparison) if why else None)
    chosen: dict[str, Any] = {"method": method, "per_page": per_page, "extras": extras}
    with replace_folder(folder, REPORT_FILES) as place:
        write_files(comparison, place, pictures, **chosen, progress=progress)
    return Path(folder)


def write_files(
    comparison: Comparison,
    folder: Path,
    images: PageImages | None = None,
    *,
    method: str = "matrix",
    per_page: bool = False,
    extras: Extras = NO_EXTRAS,
    progress: ReportProgress | None = None,
) -> dict[str, Any]:
    """Write the files of one report into a folder, and return its result; existing files are overwritten."""
    notify = progress or (lambda step, share: None)
    for place in (folder, folder / "figures", folder / "tables"):
        place.mkdir(parents=True, exist_ok=True)
    notify("tables", 0.0)
    confusion, objects = comparison.confusion(method=method), comparison.objects()
    tables = all_tables(comparison, confusion, objects, extras)
    for name in ("pages", RANKED_PAIRS):
        if name in tables:
            (folder / f"{name}.csv").write_bytes(csv_text(tables[name]).encode("utf-8"))
    write_parquet(tables["pages"], folder / "pages.parquet")
    result = full_result(comparison, method, per_page, extras, folder / DOCUMENTS_FILE)
    (folder / "result.json").write_bytes(json_text(result))
    for name, text in paper_tables(confusion, tables).items():
        (folder / "tables" / f"{name}.tex").write_bytes(text.encode("utf-8"))
    notify("workbook", 0.15)
    with system_errors_of_xlsxwriter():
        write_workbook(comparison, confusion, tables, folder / "report.xlsx")
    names = figure_names(confusion, objects) if comparison.has_truth else [TABLE_OF_VIEW["pixels"]]
    for k, name in enumerate(names):
        notify(f"figure {name}", 0.3 + 0.4 * k / len(names))
        write_figure(report_figure(name, comparison, confusion, objects, extras.intervals), folder, name)
    drawings = _write_why(extras.why, folder) if extras.why and extras.why.is_defined else {}
    if extras.slices and len(extras.slices.data):
        figure = slice_chart.slices_figure(extras.slices)
        write_figure(figure, folder, SLICES)
        drawings[SLICES] = figure_bytes(figure, "svg")
    notify("page", 0.7)
    page = report_html(comparison, confusion, tables, images, drawings, extras.models)
    (folder / "report.html").write_bytes(page.encode("utf-8"))
    notify("done", 1.0)
    return result


@contextmanager
def system_errors_of_xlsxwriter() -> Iterator[None]:
    """Raise the error of the system itself, such as a full disk, which xlsxwriter wraps into one of its own."""
    from xlsxwriter.exceptions import FileCreateError

    try:
        yield
    except FileCreateError as error:
        raise error.args[0] from None


def write_differences(first: Comparison, second: Comparison, names: tuple[str, str], folder: Path, method: str) -> str:
    """Write the difference figures (second prediction minus first) into the report folder of the second prediction.

    Returns the reason if there are none, else "".
    """
    try:
        for view, name in DIFFERENCES.items():
            write_figure(matrix_difference_figure(first, second, view, names, method=method), folder, name)
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
    **look: Any,
) -> Figure:
    """The second matrix minus the first, both counted on the same pages; cells within noise are grey."""
    level: dict[str, Any] = {"document": document, "page": page}
    before, after = (
        confusion_of(levels.counts_at(page, document), levels.space, method, comparison.recipe_for(method, **level))
        for comparison, levels in zip((first, second), on_common_pages({"c_a": first, "c_b": second}))
    )
    found = None
    if before.diagonal and after.diagonal:
        found = cell_differences(first, second, view, method=method, **level)
    return matrix.difference_figure(before, after, view, names=names, differences=found, **look)


def write_figure(figure: Figure, folder: Path, name: str) -> None:
    """Write a figure in all formats into the folder of figures of a report."""
    for format in FIGURE_FORMATS:
        (folder / "figures" / f"{name}.{format}").write_bytes(figure_bytes(figure, format))


def _write_why(why: Why, folder: Path) -> dict[str, bytes]:
    """Write the figures of causes, forgiveness and scores; returns {name: SVG} for the HTML page."""
    draw = {"causes": cause_figure, "forgiveness": forgiveness_figure}
    draw |= {"thresholds": threshold_figure, "calibration": calibration_figure} if why.has_scores else {}
    figures = {name: draw[name](why) for name in WHY_FIGURES if name in draw}
    for name, figure in figures.items():
        write_figure(figure, folder, name)
    return {name: figure_bytes(figure, "svg") for name, figure in figures.items()}


def cause_figure(why: Why, **look: Any) -> Figure:
    """Stacked causes of each label; they are those of method matrix, whatever the method of the report."""
    return cause_charts.cause_bars(why.causes, why.comparison.confusion(), **look)


def forgiveness_figure(why: Why, **look: Any) -> Figure:
    return cause_charts.forgiveness_figure(why.forgiveness, recipe=why.comparison.recipe, **look)


def threshold_figure(why: Why, **look: Any) -> Figure:
    """The curve of all labels together."""
    return score_charts.threshold_curve_figure(why.score_curves, recipe=why.comparison.recipe, **look)


def calibration_figure(why: Why, **look: Any) -> Figure:
    """The reliability of the label whose scores are farthest from their meaning."""
    ece = {label: value for label, value in why.score_curves.ece.items() if value == value}
    return score_charts.reliability_figure(
        why.score_curves,
        max(ece, key=ece.__getitem__),
        reason="largest calibration error" if len(ece) > 1 else "",
        recipe=why.comparison.recipe,
        **look,
    )


def report_zip(
    comparison: Comparison,
    images: PageImages | None = None,
    *,
    method: str = "matrix",
    extras: Extras = NO_EXTRAS,
    progress: ReportProgress | None = None,
) -> bytes:
    """All files of a report as a zip; equal comparisons give equal bytes."""
    with tempfile.TemporaryDirectory() as place:
        write_files(comparison, Path(place), images, method=method, extras=extras, progress=progress)
        return zip_of(Path(place))


def zip_of(folder: Path) -> bytes:
    """The files of a folder as a zip, in the order of their names and with a fixed date instead of the present time."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            member = zipfile.ZipInfo(path.relative_to(folder).as_posix(), date_time=(1980, 1, 1, 0, 0, 0))
            archive.writestr(member, path.read_bytes(), zipfile.ZIP_DEFLATED)
    return out.getvalue()


def figure_names(confusion: Confusion, objects: Objects) -> list[str]:
    """The figures that can be drawn: no class bars without a meaningful diagonal, no curves without AP."""
    names = [name for name in FIGURES if name != "classes" or confusion.diagonal]
    ranked = not objects.why_no_ap and objects.per_class["ap50"].notna().any()
    return [*names, CURVES] if ranked else names


def report_figure(
    name: str,
    comparison: Comparison,
    confusion: Confusion,
    objects: Objects,
    intervals: Intervals | None = None,
    selection: Selection | None = None,
    **look: Any,
) -> Figure:
    """One of the figures of a report; by default of the labels in use. `look` is width and caption."""
    if name == CURVES:
        recipe = comparison.recipe_for(None, objects=objects.shapes, iou=f"{HEADLINE_IOU:.2f}", rule="coco")
        return charts.object_curves_figure(objects, HEADLINE_IOU, recipe=recipe, **look)
    if name == "classes" and intervals:
        few = f"; {resampling_text(intervals)}" if intervals.resampling.few else ""
        look |= {"intervals": intervals.whiskers(), "recipe": intervals.recipe + few}
    return FIGURES[name](confusion, selection, **look)


def paper_tables(confusion: Confusion, tables: dict[str, Table]) -> dict[str, str]:
    """{name: LaTeX text}; matrices and classes have only labels in use."""
    selection = select(confusion)
    in_use = {name: matrix_table(confusion, view, selection) for view, name in TABLE_OF_VIEW.items()}
    in_use["classes"] = class_table(confusion, selection)
    chosen = {name: in_use.get(name, tables[name]) for name in LATEX_TABLES if name in tables}
    if not confusion.diagonal:
        chosen.pop("classes", None)
    return {
        name: f"% {table.recipe or confusion.recipe}\n".encode("utf-8", "replace").decode("utf-8") + latex(table)
        for name, table in sorted(chosen.items())
    }
