"""The parts of the page viewer: the choice of a page, its regions on its image, its masks, its numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.diagnosis.page_tiles import AGREEMENT
from layoutcm.drawing.label_order import order_labels
from layoutcm.drawing.web import page_data
from layoutcm.errors import InputError
from layoutcm.layouts.model import GT, PRED
from layoutcm.tables.matrix_views import COLLAPSED
from layoutcm.ui import choices, components, input_files, page_shell, screen_text, selection, session, sidebar
from layoutcm.ui.image_uris import page_image_addresses
from layoutcm.ui.parts import data_tables, matrix_panel, sentences
from layoutcm.ui.screen_text import SIDE_TITLES, as_typed
from layoutcm.ui.visitors import kept
from layoutcm.wording import score_text, thin_spaced

NOTHING_PICKED = "Scroll to zoom, drag to move, hover or click for details; digits switch layers."


def choose_page(compared: Comparison) -> str:
    """The select box and the buttons that choose a page; returns the page."""
    current = choices.current().page if choices.current().page in compared.alignment.pages.index else compared.pages[0]
    index = compared.levels.page_index(current)
    choices.put(page=current)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        sidebar.show_choice("page", "Page", compared.pages, place="viewer")
        for name, key, to in (("Previous", "Left", index - 1), ("Next", "Right", index + 1)):
            end = not 0 <= to < len(compared.pages)
            st.button(name, disabled=end, shortcut=key, on_click=_turn_to, args=(compared, to))
        chosen = selection.chosen_cell(compared) is not None
        st.button("Back to the cell", disabled=not chosen, on_click=selection.open_chosen_cell)
    document = compared.alignment.pages.documents[index]
    if document != current:
        st.caption(
            f"document {screen_text.as_typed(document)}, "
            f"page {thin_spaced(index + 1)} of {thin_spaced(len(compared.pages))}"
        )
    return current


def _turn_to(compared: Comparison, index: int) -> None:
    choices.put(page=compared.pages[index])


def show_viewer(compared: Comparison, page: str) -> None:
    """The page with its layers, its packed words, and what was clicked on it."""
    data, problem = _page_data(compared, page)
    if problem:
        st.error(problem)
    components.VIEWER(
        key="viewer", data=data, on_picked_change=_keep_picked, on_wanted_change=_add_wanted, on_mask_change=_keep_mask
    )
    picked = st.session_state.get("viewer_picked")
    st.caption(as_typed(_picked_text(data, picked)) if picked and picked["page"] == page else NOTHING_PICKED)


def _page_data(compared: Comparison, page: str) -> tuple[dict[str, Any], str]:
    """The data of the viewer, and why the page has no tiles, or ""."""
    others = _other_predictions(page)
    wanted = st.session_state.get("viewer_wanted", ())
    shown = {position: other for position, other in others.items() if f"pred-{position}" in wanted}
    more = [label for other in shown.values() for label in other().labels[1:]]
    common = page_data.label_data(compared, more)
    index, pages = compared.levels.page_index(page), compared.alignment.pages
    width, height = float(pages.widths[index]), float(pages.heights[index])
    tiles, problem = _tile_data(compared, page)
    if tiles:
        width, height = tiles["x"][-1], tiles["y"][-1]
    boxes = page_data.region_data(compared, page, common["labels"], {"gt": 0, "pred": 1})
    for number, (position, other) in enumerate(others.items(), start=2):
        if position in shown:
            boxes += page_data.region_data(other(), page, common["labels"], {"pred": number})
    offered = [f"side-{number}" for number, position in enumerate(others, start=2) if position not in shown]
    offered += [name for name in ("causes", "centres") if name not in wanted]
    if not compared.space.shared:
        offered = [name for name in offered if name != "causes"]
    cell = selection.chosen_cell(compared)
    data = common | tiles | {
        "page": page,
        "width": width,
        "height": height,
        "images": page_image_addresses(selection.current_page_images().find(compared, index), max(width, height)),
        "sides": _side_names(compared, others),
        "boxes": boxes,
        "shown": _shown_labels(common["labels"]),
        "offered": offered,
        "causes": page_data.cause_data(compared, page) if "causes" in wanted and tiles else None,
        "centres": _centres(compared, page) if "centres" in wanted else None,
        "panes": _panes(tiles, cell),
        "cell": cell,
    }  # fmt: skip
    return data, problem


def _tile_data(compared: Comparison, page: str) -> tuple[dict[str, Any], str]:
    try:
        return _kept_tiles(session.comparison_key(), page, choices.current().method, compared), ""
    except InputError as error:
        return {}, screen_text.error_text(error)


@kept()
def _kept_tiles(content: str, page: str, method: str, _compared: Comparison) -> dict[str, Any]:
    return page_data.tile_data(_compared.page_tiles(page), method)


def _other_predictions(page: str) -> dict[int, Callable[[], Comparison]]:
    """{position: its comparison, computed when it is asked for} of the predictions that are not chosen."""
    files = session.loaded_files()
    if files is None:
        return {}
    get = lambda position: input_files.comparison_of(
        session.comparison_request(position), session.compare_options(position)
    )
    return {i: partial(_with_page, get, i, page) for i in range(len(files.preds)) if i != session.chosen_index()}


def _with_page(get: Callable[[int], Comparison], position: int, page: str) -> Comparison:
    compared = get(position)
    if page not in compared.alignment.pages.index:
        raise InputError("", "a page", f"{session.pred_names()[position]} has no page {page}", "")
    return compared


def _side_names(compared: Comparison, others: Mapping[int, object]) -> list[str]:
    """Ground truth and prediction; if there are several predictions, their names."""
    if not compared.has_truth:
        return list(compared.side_names)
    names = session.pred_names()
    if not others:
        return list(SIDE_TITLES.values())
    return [SIDE_TITLES["gt"], names[session.chosen_index()], *(names[position] for position in others)]


def _shown_labels(labels: list[str]) -> list[int] | None:
    """The positions of the labels chosen in the sidebar and of what is not judged; None: all are shown."""
    chosen = choices.current().labels
    return [k for k, label in enumerate(labels) if label in chosen or k == len(labels) - 1] if chosen else None


def _panes(tiles: Mapping[str, Any], cell: tuple[int, int] | None) -> list[dict[str, Any]]:
    """The canvases: the regions, with the pixels of the chosen cell if the page has some; and the chosen mask."""
    lit = cell is not None and any(add[:2] == [*cell] for pair in tiles.get("pairs", ()) for add in pair["adds"])
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
    if wanted:
        st.session_state["viewer_wanted"] = (*st.session_state.get("viewer_wanted", ()), wanted)


def _keep_mask() -> None:
    mask = (st.session_state["viewer"].get("mask") or {}).get("mask", "")
    if mask in choices.CHOICES["mask"]:
        choices.put(mask=mask)


def _picked_text(data: Mapping[str, Any], picked: Mapping[str, Any]) -> str:
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
        return f"{sides}: {AGREEMENT[pair['kind']]}, {thin_spaced(pair['pixels'])} px"
    return ""


def show_numbers(compared: Comparison, page: str) -> None:
    """The page's own matrix, class values and 2x2."""
    confusion = compared.confusion(page=page, method=choices.current().method)
    shown = selection.chosen_labels(confusion)
    left, right = page_shell.columns(1, 1, key="numbers")
    with left:
        st.subheader("This page's matrix", anchor=False)
        view = choices.current().view if choices.current().view != COLLAPSED else "recall"
        ordered = order_labels(confusion, shown, choices.current().order)
        matrix_panel.show_plain_matrix(confusion, view, ordered, f"page_matrix_{page}", log=choices.current().log)
    with right:
        st.subheader("Content against Background", anchor=False)
        data_tables.show_table(
            sentences.collapsed_on_screen(confusion.collapse()), sentences.COLLAPSED_COLUMNS, key="page_collapsed"
        )
        if confusion.diagonal:
            st.subheader("Classes on this page", anchor=False)
            classes = confusion.classes().iloc[shown.rows].drop(columns=["pred_pixels", "iou"])
            data_tables.show_table(classes, data_tables.CLASS_COLUMNS, key="page_classes")
