"""The parts of the page viewer: the choice of a page, its regions on its image, its masks, its numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.drawing.label_order import order_labels
from layoutcm.drawing.page_images import Picture
from layoutcm.drawing.paper import pages
from layoutcm.drawing.web import page_data
from layoutcm.errors import InputError
from layoutcm.layouts.model import GT, PRED, SIDES
from layoutcm.metrics.levels import page_position, pages_of
from layoutcm.results.vocabulary import Vocabulary
from layoutcm.tables.label_folding import fold_others
from layoutcm.tables.matrix_views import cell_name, select
from layoutcm.tables.tables import words_table
from layoutcm.ui import screen_text
from layoutcm.ui.files import input_files
from layoutcm.ui.files.page_pictures import page_image_addresses, shrunk_picture
from layoutcm.ui.screen_text import as_typed, words_for
from layoutcm.ui.server.visitors import kept
from layoutcm.ui.shared import components, data_tables, downloads, lit_pages, matrix_panel, page_shell, sidebar
from layoutcm.ui.shared.downloads import Offer, file_name
from layoutcm.ui.state import choices, selection, session
from layoutcm.wording import score_text, thin_spaced

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NOTHING_PICKED = "Scroll to zoom, drag to move, hover or click for details; digits switch layers."
MASKS = ("gt", "pred", "difference", "cell")
PICTURE_SIDE = 2000


def choose_page(compared: Comparison) -> str:
    """The select box and the buttons that choose a page; returns the page."""
    current = choices.current().page
    if current not in compared.alignment.pages.index:
        current = _first_page(compared)
    index, lit = page_position(compared.levels.pages, current), _lit_pages(compared)
    choices.put(page=current)
    places = np.flatnonzero(lit.table["page"] == current).tolist() if lit else []
    walk: Sequence[str] = lit.table["page"].array if lit and places else compared.pages
    place = places[0] if places else index
    with st.container(horizontal=True, vertical_alignment="bottom", key="choose_page"):
        sidebar.show_choice("page", "Page", compared.pages, place="viewer")
        for name, key, to in (("Previous", "Left", place - 1), ("Next", "Right", place + 1)):
            end = not 0 <= to < len(walk)
            page = {} if end else {"page": str(walk[to])}
            st.button(name, disabled=end, shortcut=key, on_click=choices.put, kwargs=page)
        word = "label" if selection.chosen_label(compared) else "cell"
        st.button(f"Back to the {word}", disabled=lit is None, on_click=page_shell.open_chosen)
    document = compared.alignment.pages.documents[index]
    if document != current:
        own = pages_of(compared.levels, document).tolist()
        number, count = thin_spaced(own.index(index) + 1), thin_spaced(len(own))
        of_all = f"page {thin_spaced(index + 1)} of {thin_spaced(len(compared.pages))}"
        st.caption(f"{of_all}; page {number} of {count} of document {screen_text.as_typed(document)}")
    return current


def _first_page(compared: Comparison) -> str:
    """The worst page behind the chosen cell or label, if there is one, else the first page."""
    lit = _lit_pages(compared)
    return str(lit.table["page"].iloc[0]) if lit and len(lit.table) else compared.pages[0]


def show_viewer(compared: Comparison, page: str) -> None:
    """The page with its layers, its packed words, and what was clicked on it."""
    data, problem = _page_data(compared, page)
    if problem:
        st.error(problem)
    components.VIEWER(
        key="viewer", data=data, on_picked_change=_keep_picked, on_wanted_change=_add_wanted, on_mask_change=_keep_mask
    )
    offer_page(compared, page)
    picked = st.session_state.get("viewer_picked")
    st.caption(
        as_typed(_picked_text(data, picked, compared.vocabulary))
        if picked and picked["page"] == page
        else NOTHING_PICKED
    )


def show_filmstrip(compared: Comparison, page: str) -> None:
    """The pages behind the chosen cell or label, if there is one."""
    lit = _lit_pages(compared)
    if lit is None or not len(lit.table):
        return
    title = words_for(compared).lit.format(label=lit.lit[0])
    if len(lit.lit) == 2:
        title = cell_name(compared.vocabulary, *lit.lit, compared.space.shared)
    lit_pages.show_filmstrip(lit, title, page)


def _lit_pages(compared: Comparison) -> lit_pages.LitPages | None:
    """The pages with pixels of the chosen cell, or wrong pixels of the chosen label, the worst first."""
    whole = selection.scope_of(compared, session.chosen_index(), selection.Filters())
    label = selection.chosen_label(compared)
    if selection.chosen_cell(compared) is not None:
        names = choices.current().gt_label, choices.current().pred_label
        return lit_pages.LitPages(whole, lit_pages.pages_behind(whole, names), names)
    return lit_pages.LitPages(whole, lit_pages.pages_of_label(whole, label), (label,)) if label else None


def _lit_cell(compared: Comparison) -> tuple[int, int | None] | None:
    """The place of the chosen cell in the matrix; that of a label has no column."""
    label = selection.chosen_label(compared)
    return (compared.labels.index(label), None) if label else selection.chosen_cell(compared)


def _page_data(compared: Comparison, page: str) -> tuple[dict[str, Any], str]:
    """The data of the viewer, and why the page has no tiles, or ""."""
    others = [i for i in range(len(session.pred_names())) if i != session.chosen_index()]
    wanted = _wanted_layers()
    tiles, problem = _tile_data(compared, page)
    index, cell = page_position(compared.levels.pages, page), _lit_cell(compared)
    frame = compared.alignment.pages
    width, height = float(frame.widths[index]), float(frame.heights[index])
    if tiles:
        width, height = tiles["x"][-1], tiles["y"][-1]
    data = _region_data(compared, page, others, wanted) | tiles
    data |= {
        "page": page,
        "width": width,
        "height": height,
        "images": page_image_addresses(selection.current_page_images().find(compared, index), max(width, height)),
        "sides": _side_names(compared, others),
        "shown": _shown_labels(data["labels"]),
        "offered": _offered_layers(compared, others, wanted),
        "causes": _causes_or_none(compared, page) if "causes" in wanted and tiles else None,
        "centres": _centres(compared, page) if "centres" in wanted else None,
        "panes": _panes(tiles, cell),
        "cell": cell,
    }
    return data, problem


def _wanted_layers() -> tuple[str, ...]:
    """The layers that take time to compute, and that the reader switched on here or by the link."""
    in_link = ("causes",) if choices.current().mask == "causes" else ()
    return (*st.session_state.get("viewer_wanted", ()), *in_link)


def _offered_layers(compared: Comparison, others: list[int], wanted: tuple[str, ...]) -> list[str]:
    """The layers that are computed when the reader asks for them."""
    sides = [f"side-{number}" for number, other in enumerate(others, start=2) if f"pred-{other}" not in wanted]
    more = ("causes", "centres") if selection.has_causes(compared) else ("centres",)
    return [*sides, *(name for name in more if name not in wanted)]


def _region_data(compared: Comparison, page: str, others: list[int], wanted: tuple[str, ...]) -> dict[str, Any]:
    """The labels, and the regions of gt, the chosen prediction and the others that are wanted."""
    shown = {i: _compared_or_none(i, page) for i in others if f"pred-{i}" in wanted}
    data = page_data.label_data(compared, [label for one in shown.values() if one for label in one.labels[1:]])
    boxes = page_data.region_data(compared, page, data["labels"], {"gt": 0, "pred": 1})
    for number, position in enumerate(others, start=2):
        if other := shown.get(position):
            boxes += page_data.region_data(other, page, data["labels"], {"pred": number})
    return data | {"boxes": boxes}


def _causes_or_none(compared: Comparison, page: str) -> dict[str, Any] | None:
    """The causes; None on a page with too many regions for them."""
    try:
        return page_data.cause_data(compared, page)
    except InputError:
        return None


def _tile_data(compared: Comparison, page: str) -> tuple[dict[str, Any], str]:
    try:
        return _kept_tiles(session.comparison_key(), page, choices.current().method, compared), ""
    except InputError as error:
        return {}, screen_text.error_text(error)


@kept()
def _kept_tiles(content: str, page: str, method: str, _compared: Comparison) -> dict[str, Any]:
    return page_data.tile_data(_compared.page_tiles(page), method)


def _compared_or_none(position: int, page: str) -> Comparison | None:
    """The comparison of another prediction; None if it cannot be compared, or does not have the page."""
    try:
        found = input_files.comparison_of(session.comparison_request(position), session.compare_options(position))
    except InputError:
        return None
    return found if page in found.alignment.pages.index else None


def _side_names(compared: Comparison, others: list[int]) -> list[str]:
    """The titles of the two sides; of several predictions that are compared with one truth, their names."""
    words, names = compared.vocabulary, session.pred_names()
    if not others or "models" not in words.parts:
        return list(words.titles)
    return [words.titles[GT], names[session.chosen_index()], *(names[position] for position in others)]


def _shown_labels(labels: list[str]) -> list[int] | None:
    """The positions of the labels chosen in Filter and of what is not judged; None: all are shown."""
    chosen = choices.current().labels
    return [k for k, label in enumerate(labels) if label in chosen or k == len(labels) - 1] if chosen else None


def _panes(tiles: Mapping[str, Any], cell: tuple[int, int | None] | None) -> list[dict[str, Any]]:
    """The canvases: the regions, with the pixels of the chosen cell if the page has some; and the chosen mask."""
    places = [add[:2] for pair in tiles.get("pairs", ()) for add in pair["adds"]]
    if cell is not None and cell[1] is None:
        lit = any((place[0] == cell[0]) != (place[1] == cell[0]) for place in places)
    else:
        lit = cell is not None and [*cell] in places
    mask = choices.current().mask
    first: dict[str, Any] = {"mask": "cell" if lit and not mask else "", "boxes": True}
    usable = mask and tiles and not (mask == "cell" and cell is None)
    return [first, {"mask": mask, "boxes": False}] if usable else [first]


def _centres(compared: Comparison, page: str) -> list[list[float]]:
    chosen = choices.current()
    rules = {"one_to_one": chosen.one_to_one, "class_aware": compared.space.shared and chosen.class_aware}
    return page_data.centre_data(compared, page, (chosen.tolerance_x, chosen.tolerance_y), **rules)


def _keep_picked() -> None:
    picked = st.session_state["viewer"].get("picked")
    if picked:
        st.session_state["viewer_picked"] = dict(picked) | {"page": choices.current().page}


def _add_wanted() -> None:
    """The reader switched a layer on that is computed only then."""
    wanted = (st.session_state["viewer"].get("wanted") or {}).get("layer", "")
    if wanted.startswith("side-"):
        others = [i for i in range(len(session.pred_names())) if i != session.chosen_index()]
        number = int(wanted.removeprefix("side-")) - 2
        wanted = f"pred-{others[number]}" if 0 <= number < len(others) else ""
    before = st.session_state.get("viewer_wanted", ())
    if wanted and wanted not in before:
        st.session_state["viewer_wanted"] = (*before, wanted)


def _keep_mask() -> None:
    mask = (st.session_state["viewer"].get("mask") or {}).get("mask", "")
    if mask in choices.CHOICES["mask"]:
        choices.put(mask=mask)


def _picked_text(data: Mapping[str, Any], picked: Mapping[str, Any], vocabulary: Vocabulary) -> str:
    """What was clicked: a region with its label, box and score, or the label sets of a pixel."""
    labels = data["labels"]
    if picked["kind"] == "region":
        for side, label, x0, y0, x1, y1, score, number in data["boxes"]:
            if (side, number) == (picked["side"], picked["number"]):
                scored = "" if score is None else f", score {score_text(score)}"
                where = f"x {x0:g} to {x1:g}, y {y0:g} to {y1:g}"
                return f"{data['sides'][side]}, region {number}: {labels[label]}, {where}{scored}"
    elif 0 <= picked["pair"] < len(data.get("pairs", ())):
        pair = data["pairs"][picked["pair"]]
        names = [" + ".join(labels[data["bits"][side][bit]] for bit in pair["words"][side]) for side in (GT, PRED)]
        sides = ", ".join(f"{data['sides'][side]}: {names[side] or 'not judged'}" for side in (GT, PRED))
        return f"{sides}: {vocabulary.kinds[pair['kind']]}, {thin_spaced(pair['pixels'])} px"
    return ""


def show_numbers(compared: Comparison, page: str) -> None:
    """The page's own matrix, class values and 2x2."""
    confusion = compared.confusion(page=page, method=choices.current().method)
    shown = selection.chosen_labels(confusion)
    left, right = page_shell.columns(1, 1, key="numbers")
    with left:
        st.subheader("This page's matrix", anchor=False)
        view = choices.current().view
        folded = fold_others(confusion, choices.current().labels)
        ordered = order_labels(folded, select(folded), choices.current().order)
        matrix_panel.show_plain_matrix(folded, view, ordered, f"page_matrix_{page}", log=choices.current().log)
        downloads.offer("page_matrix", matrix_panel.matrix_offer(folded, view, ordered, PurePath(page).stem))
    with right:
        st.subheader("Content against Background", anchor=False)
        data_tables.show_collapsed(compared, confusion, key="page_collapsed")
        if confusion.diagonal:
            st.subheader("Classes on this page", anchor=False)
            classes = confusion.classes().iloc[shown.rows].drop(columns=["pred_pixels", "iou"])
            classes = classes.rename(columns=compared.vocabulary.columns)
            data_tables.show_table(classes, data_tables.CLASS_COLUMNS, key="page_classes")


def offer_page(compared: Comparison, page: str) -> None:
    """Offer the page with both layouts, the mask beside it if there is one, else the difference, and the words."""
    picture = selection.current_page_images().find(compared, page_position(compared.levels.pages, page))
    cell, mask = selection.chosen_cell(compared), choices.current().mask
    kind = mask if mask in MASKS and (mask != "cell" or cell) else "cell" if cell and not mask else "difference"
    names = (choices.current().gt_label, choices.current().pred_label) if kind == "cell" else None
    method = choices.current().method
    draw_mask = partial(_draw, pages.page_figure, compared, page, picture, kind=kind, cell=names, method=method)
    of = lambda *names: file_name(*names, PurePath(session.chosen_pred().name).stem, PurePath(page).stem)
    downloads.offer(
        "page",
        Offer(of("overlay"), "Page with both layouts", partial(_draw, pages.page_overlay, compared, page, picture)),
        Offer(of(kind, *(names or ())), _mask_title(compared, kind, names), draw_mask),
        Offer(of("words"), "Packed words", table=lambda: words_table(compared.page_tiles(page), compared.vocabulary)),
    )


def _mask_title(compared: Comparison, kind: str, names: tuple[str, str] | None) -> str:
    words = compared.vocabulary
    if names:
        return f"Pixels of {cell_name(words, *names, compared.space.shared)}"
    return f"Label sets of {words.named[SIDES.index(kind)]}" if kind in SIDES else "Difference"


def _draw(draw: Any, compared: Comparison, page: str, picture: Picture | None, **look: Any) -> Figure:
    return draw(compared, page, image=shrunk_picture(picture, PICTURE_SIDE), **look)
