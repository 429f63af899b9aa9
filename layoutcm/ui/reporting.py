"""The parts of the report page: one figure or table to look at and take, and everything as a zip."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.confusion import Confusion
from layoutcm.errors import InputError
from layoutcm.frames import Table, csv_text, object_tables
from layoutcm.markup import latex, markdown
from layoutcm.page_images import Picture, shrunk
from layoutcm.print_figures import VIEW_NAMES, difference
from layoutcm.report import CURVES, all_tables, figure_names, figure_of, zipped
from layoutcm.ui import family_choice, objects, panels, state
from layoutcm.ui.inputs import Request, comparison_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from layoutcm.objects import Objects

FIGURE_NAMES = {
    "confusion": "Confusion (pixels)",
    "recall": "Recall",
    "precision": "Precision",
    "f1": "F1",
    "collapsed": "Background against Content (2x2)",
    "classes": "Classes",
    CURVES: "Precision over recall (objects)",
    "models": "Difference to another prediction",
    "overlay": "Page with both layouts",
    "gt": "Page, label sets of gt",
    "pred": "Page, label sets of pred",
    "difference": "Page, difference",
    "cell": "Page, pixels behind the chosen cell",
}
OF_A_PAGE = ("overlay", "gt", "pred", "difference", "cell")
TWO_MODELS = "models"
WIDTHS = {"": "as it fits", "one": "one column (85 mm)", "two": "two columns (178 mm)"}
TYPES = {"png": "image/png", "svg": "image/svg+xml", "pdf": "application/pdf"}
PICTURE_SIDE = 2000
PREVIEW_ROWS = 200
# Made when they are chosen, because matching objects takes its time.
OBJECT_TABLES = {"object_scores": "Objects", "objects": "Objects by class"}


def figures(compared: Comparison, confusion: Confusion) -> None:
    """Choose a figure, see it as it will be printed, take it in one of three formats."""
    left, right = st.columns([1, 2], gap="medium")
    with left:
        names = [name for name in FIGURE_NAMES if name in _possible(compared, confusion)]
        name = str(st.selectbox("Figure", names, format_func=FIGURE_NAMES.__getitem__, key="report_figure"))
        page = _chosen_page(compared) if name in OF_A_PAGE else ""
        other = _other_prediction() if name == TWO_MODELS else ("", None)
        width = str(st.selectbox("Width", list(WIDTHS), format_func=WIDTHS.__getitem__, key="report_width"))
        caption = st.toggle("Recipe as a small caption", value=True, key="report_caption")
        file = f"difference-{other[0]}" if name == TWO_MODELS else name
        make = _figure_maker(compared, confusion, name, page, other, width, caption)
    with right, st.spinner("Drawing …"):
        seen = _preview(make)
    with left:
        for place, (format, kind) in zip(st.columns(len(TYPES)), TYPES.items() if seen else ()):
            # Drawn when somebody asks for it; the preview needs the PNG alone.
            place.download_button(
                format.upper(), partial(make, format), f"{file}.{format}", kind, key=f"take_{format}",
                on_click="ignore", width="stretch",
            )  # fmt: skip
        scope = panels.typed(f"page {page}" if page else panels.scope(compared))
        st.caption(f"Of {scope}. PNG at 300 dpi, SVG with text as text, PDF with its fonts.")


def _preview(make: Callable[[str], bytes]) -> bool:
    """The figure as it will be printed, or why there is none."""
    try:
        st.image(make("png"))
    except InputError as error:
        st.info(panels.typed(f"There is no such figure: {error.problem}. {error.hint}"))
        return False
    return True


def _possible(compared: Comparison, confusion: Confusion) -> list[str]:
    """The figures of a report, those of two models when there are two, those of a page."""
    files = state.loaded()
    models = [TWO_MODELS] if files and len(files.preds) > 1 else []
    pages = [name for name in OF_A_PAGE if compared.pages and (name != "cell" or panels.chosen_cell(compared))]
    return [*figure_names(confusion, objects.of_level(compared)), *models, *pages]


def _other_prediction() -> tuple[str, Request | None]:
    """Which view, and the comparison of another prediction with the same gt."""
    files = state.loaded()
    assert files is not None
    own = int(state.chosen_side("pred"))
    others = [k for k in range(len(files.preds)) if k != own]
    other = int(
        st.selectbox("Less which prediction", others, format_func=lambda k: files.preds[k].name, key="report_other")
    )
    views = ("recall", "precision", "f1")
    view = str(st.selectbox("View", views, format_func=lambda name: VIEW_NAMES[name].capitalize(), key="report_view"))
    return view, state.request(other)


def _chosen_page(compared: Comparison) -> str:
    if state.get("page") not in compared.alignment.pages.index:
        state.put(page=compared.pages[0])
    return str(st.selectbox("Page", list(compared.pages), **state.bound("page", "report")))


def _figure_maker(
    compared: Comparison,
    confusion: Confusion,
    name: str,
    page: str,
    other: tuple[str, Request | None],
    width: str,
    caption: bool,
) -> Callable[[str], bytes]:
    picture = panels.images().find(compared, compared.page_index(page)) if page else None
    level = [state.get(choice) for choice in ("level", "document", "page", "method", "gt_label", "pred_label")]
    view, asked = other
    # The recipe names the files, which equal content may have under other names.
    names = (asked.key, asked.pred.name, view) if asked else ()
    key = (
        state.content_key(),
        confusion.recipe,
        *level,
        name,
        page,
        *names,
        width,
        caption,
        picture and picture.digest,
    )
    look = {"width": width or None, "caption": caption}
    if asked:
        draw = partial(_of_two, compared, confusion, asked, view)
    elif page:
        draw = partial(_of_page, compared, confusion, name, page, picture)
    else:
        draw = partial(figure_of, name, compared, confusion, objects.of_level(compared))
    return lambda format: _figure_file((*key, format), partial(draw, **look))


@st.cache_data(max_entries=48, show_spinner=False)
def _figure_file(key: tuple[Any, ...], _draw: Callable[[], Figure]) -> bytes:
    from layoutcm.paper import file_of

    return file_of(_draw(), key[-1])


def _of_two(compared: Comparison, confusion: Confusion, asked: Request, view: str, **look: Any) -> Figure:
    """The chosen prediction less another one."""
    other = comparison_of(asked, state.options())
    part = state.part(compared)
    theirs = other.confusion(part.get("page"), part.get("document"), confusion.method)
    names = (PurePath(asked.pred.name).stem, PurePath(state.chosen_pred().name).stem)
    return difference(theirs, confusion, view, names=names, **look)


def _of_page(
    compared: Comparison, confusion: Confusion, name: str, page: str, picture: Picture | None, **look: Any
) -> Figure:
    from layoutcm.print_pages import overlay, page_figure

    image = shrunk(picture, PICTURE_SIDE)
    if name == "overlay":
        return overlay(compared, page, image=image, **look)
    cell = (state.get("gt_label"), state.get("pred_label")) if name == "cell" else None
    return page_figure(compared, page, name, cell=cell, method=confusion.method, image=image, **look)


def tables(compared: Comparison, confusion: Confusion) -> None:
    """Choose a table, see it, take it as CSV or LaTeX, copy it as Markdown."""
    key = (state.content_key(), confusion.recipe, state.get("level"), _scope_name())
    known = _tables(key, compared, confusion)
    titles = {name: table.title for name, table in known.items() if name != "classes" or confusion.diagonal}
    titles |= OBJECT_TABLES
    left, right = st.columns([1, 2], gap="medium")
    with left:
        name = str(st.selectbox("Table", list(titles), format_func=titles.__getitem__, key="report_table"))
        table = _object_tables(key, objects.of_level(compared))[name] if name in OBJECT_TABLES else known[name]
        csv_place, tex_place = st.columns(2)
        csv_place.download_button(
            "CSV", csv_text(table), f"{name}.csv", "text/csv", key="take_csv", on_click="ignore", width="stretch"
        )
        tex_place.download_button(
            "LaTeX", latex(table), f"{name}.tex", "text/x-tex", key="take_tex", on_click="ignore", width="stretch"
        )
        st.caption("CSV has every digit; LaTeX needs booktabs. A spreadsheet with all tables is in the whole report.")
    with right:
        shown = table.frame.head(PREVIEW_ROWS)
        st.dataframe(_numbered(shown), hide_index=True, key="report_preview", height=38 + 35 * min(len(shown), 10))
        if table.note:
            st.caption(panels.typed(table.note))
        if len(table.frame) > len(shown):
            st.caption(f"The first {len(shown):,} of {len(table.frame):,} rows; the file has all of them.")
        with st.expander("Markdown, to copy"):
            st.code(markdown(Table(table.name, table.title, shown, table.matrix, table.pixels)), language=None)


def _numbered(frame: Any) -> Any:
    """Column names that are unique, which the widget asks for; labels of two taxonomies may coincide."""
    seen: dict[str, int] = {}
    names = []
    for name in map(str, frame.columns):
        seen[name] = seen.get(name, 0) + 1
        names.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return frame.set_axis(names, axis="columns")


def _scope_name() -> str:
    return str(state.get(state.get("level"))) if state.get("level") in ("document", "page") else ""


@st.cache_resource(max_entries=8, show_spinner="Making tables …")
def _tables(key: tuple[str, ...], _compared: Comparison, _confusion: Confusion) -> dict[str, Table]:
    return all_tables(_compared, _confusion)


@st.cache_resource(max_entries=8, show_spinner="Matching objects …")
def _object_tables(key: tuple[str, ...], _objects: Objects) -> dict[str, Table]:
    return {table.name: table for table in object_tables(_objects)}


def everything(compared: Comparison) -> None:
    """The whole report of the set: made on demand, kept for this visitor until the comparison changes."""
    families = [state.get(f"family_{choice}") for choice in ("sample", "count", "depth")]
    key = (state.content_key(), state.get("method"), state.get("families"), *families, *_picture_names())
    made = st.session_state.get("report_made")
    if made is None or made[0] != key:
        st.caption("HTML that opens offline, a spreadsheet, JSON, pages as CSV and Parquet, figures, LaTeX tables.")
        if not st.button("Make the report of the whole set", type="primary", key="make_report"):
            return
        st.session_state["report_made"] = (key, _made(compared))
        st.rerun()
    _take(made[1])


def _picture_names() -> list[str]:
    """What stands for the page images in use."""
    files = state.loaded()
    return [files.images if files else "", *(given.digest for given in st.session_state.get("pictures_given", ()))]


def _made(compared: Comparison) -> bytes:
    bar = st.progress(0.0, "Starting …")

    def tell(what: str, share: float) -> None:
        bar.progress(share, f"Making the {what} …")

    # Of the families that somebody has chosen; the best guess at them is no part of a report.
    families = None
    if state.get("families"):
        tree = family_choice.chosen_tree(compared)
        sample, count, depth = (state.get(f"family_{choice}") for choice in ("sample", "count", "depth"))
        families = compared.families(tree, sample, count, depth=depth)
    archive = zipped(compared, panels.images(), method=state.get("method"), families=families, progress=tell)
    bar.empty()
    return archive


def _take(archive: bytes) -> None:
    """The zip, or one file of it."""
    name = PurePath(state.chosen_pred().name).stem or "prediction"
    whole, one, button = st.columns([2, 3, 2], vertical_alignment="bottom")
    whole.download_button(
        f"Everything as a zip ({len(archive) / 1e6:.1f} MB)", archive, f"{name}-report.zip", "application/zip",
        type="primary", key="take_zip", on_click="ignore", width="stretch",
    )  # fmt: skip
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        members = files.namelist()
        first = members.index("report.html")
        member = str(one.selectbox("or one file of it", members, index=first, key="report_member"))
        data = files.read(member)
    file = PurePath(member).name
    button.download_button(f"Take {file}", data, file, key="take_one", on_click="ignore", width="stretch")
