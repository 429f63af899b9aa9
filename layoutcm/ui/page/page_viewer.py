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
from layoutcm.tables.tables import TITLE_OF_2X2, words_table
from layoutcm.ui import screen_text
from layoutcm.ui.files.page_pictures import page_image_addresses, shrunk_picture
from layoutcm.ui.screen_text import as_typed, words_for
from layoutcm.ui.server.visitors import kept
from layoutcm.ui.shared import components, data_tables, downloads, lit_pages, matrix_panel, page_shell, sidebar
from layoutcm.ui.shared.downloads import Offer, file_name
from layoutcm.ui.shared.lit_pages import Lit, LitPages
from layoutcm.ui.state import choices, selection
from layoutcm.ui.state.chosen import Chosen, read_chosen
from layoutcm.wording import score_text, thin_spaced

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NOTHING_PICKED = "Scroll to zoom, drag to move, hover or click for details; digits switch layers."
MASKS = ("gt", "pred", "difference", "cell")
PICTURE_SIDE = 2000


def choose_page(chosen: Chosen) -> str:
    """The select box and the buttons that choose a page; returns the page."""
    compared, lit, current = chosen.compared, _lit_pages(chosen), chosen.now.page
    if current not in compared.alignment.pages.index:  # the worst page behind the cell or label, or the first page
        current = str(lit.table["page"].iloc[0]) if lit and len(lit.table) else compared.pages[0]
        choices.put(page=current)
    index = page_position(compared.levels.pages, current)
    places = np.flatnonzero(lit.table["page"] == current).tolist() if lit else []
    walk: Sequence[str] = lit.table["page"].array if lit and places else compared.pages
    place = places[0] if places else index
    with st.container(horizontal=True, vertical_alignment="bottom", key="choose_page"):
        sidebar.show_choice("page", "Page", compared.pages, place="viewer")
        for name, key, to in (("Previous", "Left", place - 1), ("Next", "Right", place + 1)):
            end = not 0 <= to < len(walk)
            page = {} if end else {"page": str(walk[to])}
            st.button(name, disabled=end, shortcut=key, on_click=choices.put, kwargs=page)
        word = "label" if len(_lit(chosen)) == 1 else "cell"
        st.button(f"Back to the {word}", disabled=lit is None, on_click=page_shell.go_to, args=("errors",))
    document = compared.alignment.pages.documents[index]
    if document != current:
        own = pages_of(compared.levels, document).tolist()
        number, count = thin_spaced(own.index(index) + 1), thin_spaced(len(own))
        of_all = f"page {thin_spaced(index + 1)} of {thin_spaced(len(compared.pages))}"
        st.caption(f"{of_all}; page {number} of {count} of document {screen_text.as_typed(document)}")
    return current


def show_viewer(page: str, chosen: Chosen) -> None:
    """The page with its layers, its packed words, and what was clicked on it."""
    data, problem = _page_data(chosen, page)
    if problem:
        st.error(problem)
    components.VIEWER(
        key="viewer", data=data, on_picked_change=_keep_picked, on_wanted_change=_add_wanted, on_mask_change=_keep_mask
    )
    offer_page(chosen, page)
    picked = st.session_state.get("viewer_picked") or {"page": None}
    is_here = picked["page"] == page
    st.caption(as_typed(_picked_text(data, picked, chosen.compared.vocabulary)) if is_here else NOTHING_PICKED)


def show_filmstrip(chosen: Chosen, page: str) -> None:
    """The pages behind the chosen cell or label, if there is one."""
    lit, compared = _lit_pages(chosen), chosen.compared
    if lit is None or not len(lit.table):
        return
    title = words_for(compared).lit.format(label=lit.lit[0])
    if len(lit.lit) == 2:
        title = cell_name(compared.vocabulary, *lit.lit, compared.space.shared)
    lit_pages.show_filmstrip(chosen.page_images, lit, title, page)


def _lit(chosen: Chosen) -> Lit:
    """The labels of the chosen cell, or the chosen label alone; labels that the sides do not share cannot be wrong."""
    labels = chosen.compared.labels
    label = chosen.label(labels) if chosen.compared.space.shared else ""
    return chosen.cell(labels) or ((label,) if label else ())


def _lit_pages(chosen: Chosen) -> LitPages | None:
    """The pages with pixels of the chosen cell, or wrong pixels of the chosen label, the worst first."""
    scope, lit = selection.whole_scope(chosen), _lit(chosen)
    if len(lit) == 2:
        return LitPages(scope, lit_pages.pages_behind(scope, (lit[0], lit[1])), lit)
    return LitPages(scope, lit_pages.pages_of_label(scope, *lit), lit) if lit else None


def _place_of_lit(chosen: Chosen) -> tuple[int, int | None] | None:
    """Row and column of the chosen cell in the matrix; a label has no column."""
    lit, compared = _lit(chosen), chosen.compared
    if len(lit) == 2:
        return compared.cell(*lit)
    return (compared.labels.index(lit[0]), None) if lit else None


def _page_data(chosen: Chosen, page: str) -> tuple[dict[str, Any], str]:
    """The data of the viewer, and why the page has no tiles, or ""."""
    compared, others, wanted, cell = chosen.compared, chosen.others, _wanted_layers(chosen), _place_of_lit(chosen)
    tiles, problem = _tile_data(chosen, page)
    index = page_position(compared.levels.pages, page)
    frame = compared.alignment.pages
    width, height = float(frame.widths[index]), float(frame.heights[index])
    if tiles:
        width, height = tiles["x"][-1], tiles["y"][-1]
    data = _region_data(chosen, page, wanted) | tiles
    labels, only = data["labels"], chosen.now.labels  # the last label is that of what is not judged
    data |= {
        "page": page,
        "width": width,
        "height": height,
        "images": page_image_addresses(chosen.page_images.find(compared, index), max(width, height)),
        "sides": _side_names(chosen),
        "shown": [k for k, label in enumerate(labels) if label in only or k == len(labels) - 1] if only else None,
        "offered": _offered_layers(compared, others, wanted),
        "causes": _causes_or_none(compared, page) if "causes" in wanted and tiles else None,
        "centres": _centres(chosen, page) if "centres" in wanted else None,
        "panes": _panes(chosen.now.mask, tiles, cell),
        "cell": cell,
    }
    return data, problem


def _wanted_layers(chosen: Chosen) -> tuple[str, ...]:
    """The layers that take time to compute, and that the reader switched on here or by the link."""
    in_link = ("causes",) if chosen.now.mask == "causes" else ()
    return (*st.session_state.get("viewer_wanted", ()), *in_link)


def _offered_layers(compared: Comparison, others: list[int], wanted: tuple[str, ...]) -> list[str]:
    """The layers that are computed when the reader asks for them."""
    sides = [f"side-{number}" for number, other in enumerate(others, start=2) if f"pred-{other}" not in wanted]
    more = ("causes", "centres") if selection.has_causes(compared) else ("centres",)
    return [*sides, *(name for name in more if name not in wanted)]


def _region_data(chosen: Chosen, page: str, wanted: tuple[str, ...]) -> dict[str, Any]:
    """The labels, and the regions of gt, the chosen prediction and the others that are wanted."""
    compared = chosen.compared
    found = {i: chosen.compare_or_error(i) for i in chosen.others if f"pred-{i}" in wanted}
    shown = {i: one for i, one in found.items() if isinstance(one, Comparison) and page in one.alignment.pages.index}
    data = page_data.label_data(compared, [label for one in shown.values() for label in one.labels[1:]])
    boxes = page_data.region_data(compared, page, data["labels"], {"gt": 0, "pred": 1})
    for number, position in enumerate(chosen.others, start=2):
        if position in shown:
            boxes += page_data.region_data(shown[position], page, data["labels"], {"pred": number})
    return data | {"boxes": boxes}


def _causes_or_none(compared: Comparison, page: str) -> dict[str, Any] | None:
    """The causes; None on a page with too many regions for them."""
    try:
        return page_data.cause_data(compared, page)
    except InputError:
        return None


def _tile_data(chosen: Chosen, page: str) -> tuple[dict[str, Any], str]:
    try:
        return _kept_tiles(chosen.key(), page, chosen.now.method, chosen.compared), ""
    except InputError as error:
        return {}, screen_text.error_text(error)


@kept()
def _kept_tiles(content: str, page: str, method: str, _compared: Comparison) -> dict[str, Any]:
    return page_data.tile_data(_compared.page_tiles(page), method)


def _side_names(chosen: Chosen) -> list[str]:
    """The titles of the two sides; of several predictions that are compared with one truth, their names."""
    words, names = chosen.compared.vocabulary, chosen.names
    if not chosen.others or "models" not in words.parts:
        return list(words.titles)
    return [words.titles[GT], *(names[position] for position in (chosen.position, *chosen.others))]


def _panes(mask: str, tiles: Mapping[str, Any], cell: tuple[int, int | None] | None) -> list[dict[str, Any]]:
    """The canvases: the regions, with the pixels of the chosen cell if the page has some; and the chosen mask."""
    places = [add[:2] for pair in tiles.get("pairs", ()) for add in pair["adds"]]
    if cell is not None and cell[1] is None:
        lit = any((place[0] == cell[0]) != (place[1] == cell[0]) for place in places)
    else:
        lit = cell is not None and [*cell] in places
    first: dict[str, Any] = {"mask": "cell" if lit and not mask else "", "boxes": True}
    usable = mask and tiles and not (mask == "cell" and cell is None)
    return [first, {"mask": mask, "boxes": False}] if usable else [first]


def _centres(chosen: Chosen, page: str) -> list[list[float]]:
    now, compared = chosen.now, chosen.compared
    rules = {"one_to_one": now.one_to_one, "class_aware": compared.space.shared and now.class_aware}
    return page_data.centre_data(compared, page, (now.tolerance_x, now.tolerance_y), **rules)


def _keep_picked() -> None:
    picked = st.session_state["viewer"].get("picked")
    if picked:
        st.session_state["viewer_picked"] = dict(picked) | {"page": choices.current().page}


def _add_wanted() -> None:
    """Note that the reader has switched on a layer that is computed on demand."""
    wanted = (st.session_state["viewer"].get("wanted") or {}).get("layer", "")
    if wanted.startswith("side-"):
        others = read_chosen().others
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


def show_numbers(chosen: Chosen, page: str) -> None:
    """The page's own matrix, class values and 2x2."""
    now, compared = chosen.now, chosen.compared
    confusion = compared.confusion(page=page, method=now.method)
    left, right = page_shell.columns(1, 1, key="numbers")
    with left:
        st.subheader("This page's matrix", anchor=False)
        folded = fold_others(confusion, now.labels)
        ordered = order_labels(folded, select(folded), now.order)
        matrix_panel.show_plain_matrix(chosen, folded, now.view, ordered, f"page_matrix_{page}", log=now.log)
        offer = matrix_panel.matrix_offer(chosen, folded, now.view, ordered, PurePath(page).stem)
        downloads.offer("page_matrix", offer)
    with right:
        st.subheader(TITLE_OF_2X2, anchor=False)
        data_tables.show_collapsed(compared, confusion, key="page_collapsed")
        if confusion.diagonal:
            st.subheader("Classes on this page", anchor=False)
            classes = confusion.classes().iloc[chosen.labels_of(confusion).rows].drop(columns=["pred_pixels", "iou"])
            classes = classes.rename(columns=compared.vocabulary.columns)
            data_tables.show_table(classes, data_tables.CLASS_COLUMNS, key="page_classes")


def offer_page(chosen: Chosen, page: str) -> None:
    """Offer the page with both layouts, the mask beside it if there is one, else the difference, and the words."""
    compared, mask, method = chosen.compared, chosen.now.mask, chosen.now.method
    picture = chosen.page_images.find(compared, page_position(compared.levels.pages, page))
    cell = chosen.cell(compared.labels)
    kind = mask if mask in MASKS and (mask != "cell" or cell) else "cell" if cell and not mask else "difference"
    names = cell if kind == "cell" else None
    draw_mask = partial(_draw, pages.page_figure, compared, page, picture, kind=kind, cell=names, method=method)
    of = lambda *names: file_name(*names, PurePath(chosen.pred.name).stem, PurePath(page).stem)
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
