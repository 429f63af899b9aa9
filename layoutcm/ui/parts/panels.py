"""Pieces that several pages share: empty states, messages, the matrix with its cell, tables, the recipe."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from layoutcm.comparison import Comparison
from layoutcm.drawing.label_order import ordered
from layoutcm.drawing.page_images import PageImages
from layoutcm.drawing.screen.charts import collapsed_figure
from layoutcm.drawing.screen.matrix import CONFIG, matrix_figure
from layoutcm.errors import InputError
from layoutcm.formats.page_sizes import BY_SIZES, THREE_WAYS
from layoutcm.layouts.model import Finding
from layoutcm.metrics.confusion import Confusion
from layoutcm.tables.tables import collapsed_table, csv_text, matrix_table
from layoutcm.ui import choices, family_choice, image_uris, link, session
from layoutcm.ui.router import go
from layoutcm.wording import MISSING, spaced

if TYPE_CHECKING:
    import pandas as pd

TABLE_ROWS = 20
LABELS_BESIDE = 31  # Background among them
STYLED_ROWS = 300
WHOLE_SET = "the whole set"
_SIZE_HERE = "Write the page size on the page Compare, or drop page images of the same names beside the files."
HINTS_HERE = {
    THREE_WAYS: _SIZE_HERE,
    f"Say which page is which (pages=, --pages), or give {BY_SIZES}": _SIZE_HERE,
    "Say which with format= or --format.": "Drop files of one kind.",
    " Name one with format= or --format if this is one of them.": "",
}
PIXELS = {
    "pixels": "pixels", "gt_pixels": "gt pixels", "pred_pixels": "pred pixels",
    "background": "as Background", "content": "as Content",
}  # fmt: skip
VIEW_NAMES = {"recall": "Recall", "precision": "Precision", "f1": "F1", "pixels": "Pixels", "collapsed": "2x2"}


def typed(text: str) -> str:
    """Somebody's text inside Markdown, shown as typed."""
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|~<>$:&@])", r"\\\1", text).replace("\n", " ")


def told(error: InputError) -> str:
    """The error with what can be done about it here, where its hint speaks to people at a keyboard."""
    text = str(error)
    for at_a_keyboard, here in HINTS_HERE.items():
        text = text.replace(at_a_keyboard, here)
    return typed(text)


def counted(count: int, word: str) -> str:
    """'1 page', '1 234 pages', with a thin space."""
    return f"{spaced(count)} {word}{'' if count == 1 else 's'}"


def unbroken(parts: list[str]) -> str:
    """Parts of a legend in a line that breaks between them only."""
    return " &ensp; ".join(part.replace(" ", "\u00a0") for part in parts)


def style() -> None:
    st.html(
        "<style>.block-container{padding:2.6rem 3rem 2rem 3rem}:has(>.st-key-unseen){display:none}"
        # A button says all it has to say, if need be on two lines.
        "[data-testid=stMain] .stButton button *{white-space:normal;overflow:visible}"
        # What stands side by side stands one above the other where there is no room for both.
        "@media(max-width:1200px){[class*=st-key-beside]>*>[data-testid=stHorizontalBlock]{flex-wrap:wrap}"
        "[class*=st-key-beside]>*>[data-testid=stHorizontalBlock]>[data-testid=stColumn]{min-width:100%}}"
        "h1{font-size:1.6rem!important;padding:0 0 .3rem 0!important}"
        "h2{font-size:1.2rem!important}h3{font-size:1.05rem!important}</style>"
    )


def beside(*widths: int, key: str = "", labels: int = 0) -> list[DeltaGenerator]:
    """Columns that become rows on a narrow screen, or where a matrix of so many labels needs the whole width."""
    if labels > LABELS_BESIDE:
        return [st.container() for _ in widths]
    return st.container(key=f"beside{key}").columns(widths, gap="medium")


def guarded(work: Callable[[], None]) -> None:
    """Run a part of the app; whatever goes wrong becomes a message, and the rest goes on."""
    try:
        work()
    except InputError as error:
        st.error(told(error))
    except Exception as error:
        logging.getLogger("layoutcm").exception("a page failed")
        st.error(typed(f"This page could not be shown ({type(error).__name__}). The server's log says where."))


def by_itself(work: Callable[[], None]) -> Callable[[], None]:
    """A part of a page that answers its own widgets without a run of the whole page; the link follows."""

    @st.fragment
    def run() -> None:
        guarded(work)
        link.write_link()

    return run


def need_comparison() -> Comparison:
    """The comparison, or an empty state that says what to do."""
    compared = session.comparison()
    if isinstance(compared, Comparison):
        return compared
    if isinstance(compared, InputError):
        st.error(told(compared))
        if st.button("Choose other files"):
            go("compare")
    else:
        st.info("Nothing to show yet: load a ground truth and a prediction, or the sample.")
        left, right, _ = st.columns([1, 1, 4])
        if left.button("Load files", type="primary"):
            go("compare")
        if right.button("Try the sample"):
            session.open_named("sample")
            st.rerun()
    st.stop()
    raise AssertionError("unreachable")


def recipe(text: str) -> None:
    st.caption(typed(text))


def findings(found: tuple[Finding, ...]) -> None:
    for finding in found:
        show = st.warning if finding.severity == "warning" else st.info
        show(typed(finding.message) + (f"  \n{typed(finding.fix)}" if finding.fix else ""))


def scope(compared: Comparison) -> str:
    """What the numbers on the page are of."""
    if choices.get("level") == "document" and choices.get("document") in compared.documents:
        return f"document {choices.get('document')}"
    if choices.get("level") == "page" and choices.get("page") in compared.alignment.pages.index:
        return f"page {choices.get('page')}"
    return WHOLE_SET


def shown(confusion: Confusion) -> Confusion:
    """The same numbers, of which only the labels chosen in the bar are drawn."""
    return confusion.drawing_only(choices.get("labels")) if choices.get("labels") else confusion


def matrix(compared: Comparison, confusion: Confusion, view: str, key: str) -> None:
    """The matrix; a click on a cell makes it the chosen one."""
    by_family = family_choice.label_order(compared)
    rows, columns = ordered(confusion, choices.get("order"), choices.get("empty"), by_family)
    figure = matrix_figure(
        confusion, view, rows=rows, columns=columns, theme=session.theme(), log=choices.get("log"),
        selected=chosen_cell(compared), clickable=True,
    )  # fmt: skip

    def choose() -> None:
        # Before the page runs, so that one run answers a click. No cell: the chosen one was clicked again, and stays.
        cell = clicked(st.session_state.get(key))
        if cell:
            choices.put(gt_label=confusion.labels[cell[0]], pred_label=confusion.labels[cell[1]])

    st.plotly_chart(figure, key=key, on_select=choose, selection_mode="points", config=CONFIG, theme=None)


def take_matrix(confusion: Confusion, view: str) -> None:
    """The numbers of the view as a file, made when somebody asks for it."""

    def made() -> str:
        return csv_text(collapsed_table(confusion) if view == "collapsed" else matrix_table(confusion, view))

    level = choices.get("level")
    part = f"-{PurePath(choices.get(level)).stem}" if level != "set" and choices.get(level) else ""
    st.download_button(
        "CSV", made, f"{view}{part}.csv", "text/csv", key="take_matrix", on_click="ignore", icon=":material/download:",
        help="All labels, every digit. Figures for a paper are on the page Report.",
    )  # fmt: skip


def ways_on(compared: Comparison) -> None:
    """From a first look to the whole of it, and to the pages behind a cell that was clicked."""
    with st.container(horizontal=True):
        icon = ":material/arrow_forward:"
        st.button("See how good it is", type="primary", icon=icon, on_click=go, args=("overview",))
        chosen = chosen_cell(compared) is not None
        st.button("Pages behind the chosen cell", disabled=not chosen, on_click=open_chosen_cell)


def width_of(confusion: Confusion) -> int:
    """How many columns the matrix has on the screen."""
    return len(ordered(confusion, choices.get("order"), choices.get("empty"))[1])


def clicked(event: Any) -> tuple[int, int] | None:
    """The matrix positions of the clicked cell; Streamlit hands customdata over as a list or as a dict."""
    points = (event or {}).get("selection", {}).get("points", [])
    data = points[0].get("customdata") if points else None
    if isinstance(data, dict):
        data = [data[key] for key in sorted(data, key=int)]
    return (int(data[0]), int(data[1])) if data else None


def chosen_cell(compared: Comparison) -> tuple[int, int] | None:
    gt, pred = choices.get("gt_label"), choices.get("pred_label")
    if not gt or not pred:
        return None
    try:
        return compared.cell(gt, pred)
    except InputError:
        return None


def collapsed(confusion: Confusion) -> None:
    """Background against everything else: all four views, because each has but four numbers."""
    columns = [column for _ in range(2) for column in st.columns(2, gap="medium")]
    for column, view in zip(columns, ("pixels", "recall", "precision", "f1")):
        column.subheader(VIEW_NAMES[view], anchor=False)
        column.plotly_chart(
            collapsed_figure(confusion, view, session.theme()), key=f"collapsed_{view}", config=CONFIG, theme=None
        )


def table(rows: Any, columns: dict[str, Any], key: str) -> None:
    """A table to read, as high as its rows up to a limit."""
    height = 38 + 35 * min(len(rows), TABLE_ROWS)
    st.dataframe(**_grid(rows, columns), height=height, key=key)


def page_picker(table: Any, key: str, column: str = "page") -> None:
    """A table of pages (or documents); choosing a row opens it."""

    def choose() -> None:
        rows = st.session_state[key]["selection"]["rows"]
        if rows and column == "page":
            open_page(str(table["page"].iloc[rows[0]]))
        elif rows:
            choices.put(level="document", document=str(table["document"].iloc[rows[0]]))

    st.dataframe(**_grid(table, COLUMNS), key=key, on_select=choose, selection_mode="single-row")


def _grid(table: pd.DataFrame, columns: dict[str, Any]) -> dict[str, Any]:
    """What all tables have in common: n/a is a dash, pixel counts have thin spaces between thousands.

    Styling takes time, so in long tables the browser separates thousands, in its own way.
    """
    data: Any = table
    if 0 < len(table) <= STYLED_ROWS:
        formats: dict[Any, Any] = {name: spaced for name in table if name in PIXELS}
        data = table.style.format(formats, na_rep=MISSING)
    else:
        pixels = {name: st.column_config.NumberColumn(title, format="localized") for name, title in PIXELS.items()}
        columns = columns | pixels
    return {"data": data, "column_config": columns, "hide_index": True, "placeholder": MISSING}


def _score(label: str) -> Any:
    return st.column_config.ProgressColumn(label, min_value=0, max_value=1, format="%.3f", width=110)


def plain_number(label: str) -> Any:
    return st.column_config.NumberColumn(label, format="%.3f")


COLUMNS = {
    **{name: st.column_config.NumberColumn(title) for name, title in PIXELS.items()},
    "share": st.column_config.NumberColumn("share of the cell", format="percent"),
    "f1": _score("F1 (macro)"),
    "micro_f1": _score("F1 (micro)"),
    "content_f1": _score("F1 of content"),
    **{name: plain_number(name.replace("_", " "))
       for name in ("precision", "recall", "iou", "content_precision", "content_recall")},
}  # fmt: skip
CLASS_COLUMNS = COLUMNS | {"f1": _score("F1"), "iou": plain_number("IoU")}


def open_cell(gt_label: str, pred_label: str) -> None:
    """The pages behind a cell; the 2x2, which has no cells of labels, gives way to recall."""
    view = "recall" if choices.get("view") == "collapsed" else choices.get("view")
    choices.put(gt_label=gt_label, pred_label=pred_label, view=view)
    go("matrices")


def open_chosen_cell() -> None:
    open_cell(choices.get("gt_label"), choices.get("pred_label"))


def open_page(page: str) -> None:
    choices.put(page=page, mask="")
    go("viewer")


def images() -> PageImages:
    """Uploaded pictures if there are any, else those of the folder that came with the files."""
    uploaded = st.session_state.get("page_images")
    if uploaded is not None:
        return uploaded
    files = session.loaded()
    return _folder_images(files.images if files else "")


@st.cache_resource(max_entries=4, show_spinner="Looking through the page images …")
def _folder_images(folder: str) -> PageImages:
    return image_uris.from_folder(folder)
