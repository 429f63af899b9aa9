"""Pages with some of their pixels lit: a grid of thumbnails, the list of all of them, and the causes of the pixels."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any
from weakref import ref

import numpy as np
import streamlit as st
from PIL import Image, ImageDraw

from layoutcm.comparison import Comparison
from layoutcm.diagnosis.cause_kernel import CAUSES
from layoutcm.diagnosis.causes import TOLERANCE
from layoutcm.diagnosis.page_tiles import AGREEMENT, PageTiles
from layoutcm.drawing.page_images import PageImages
from layoutcm.drawing.page_raster import page_with_lit_pixels
from layoutcm.drawing.palette import CAUSE_COLOURS
from layoutcm.errors import InputError
from layoutcm.layouts.model import Floats
from layoutcm.lazy import pd
from layoutcm.metrics.levels import page_position
from layoutcm.metrics.objects.ranked_pairs import ObjectConfusion
from layoutcm.metrics.pages_behind import pages_by_pixels, pages_wrong_in
from layoutcm.ui import screen_text
from layoutcm.ui.files.page_pictures import shrunk_picture
from layoutcm.ui.server.pictures import picture_address
from layoutcm.ui.server.visitors import kept
from layoutcm.ui.shared import components, data_tables, page_shell
from layoutcm.ui.state.selection import Scope
from layoutcm.wording import percent, percent_brief, plain_percent, thin_spaced

THUMBNAILS = 6
FRAMES = 8  # of the filmstrip
MOST_LISTED = 100_000  # pages; the browser gets the whole table, some 100 bytes a page
CAUSES_PAGES, CAUSES_PAGES_OF_PARTS = 200, 24  # more would take too long after a click
COLOUR_OF_CAUSE = dict(zip(CAUSES, CAUSE_COLOURS, strict=True))
CAUSES_HELP = (
    "**Slack**: only the position of a border differs, by no more than "
    f"{plain_percent(TOLERANCE)} of the page's longer side. **Label**: a region was found with another label. "
    "**Size**: a region reaches too far or not far enough. **Split** and **merge**: one region became several, or "
    "several became one. **Duplicate**: a second region on a found one. **Missed** and **invented**: regions of one "
    "side only."
)
THUMBNAIL, SMALL = 420, 160  # px, the longer side
EDGE = (160, 160, 160)
Lit = tuple[str, ...]  # (gt label, pred label) of a cell, (label,) for its wrong pixels, () for all wrong pixels


@dataclass(frozen=True, eq=False)
class LitPages:
    """The pages behind a cell or a label, the worst first, and what is lit on them."""

    scope: Scope
    table: pd.DataFrame  # page, document, pixels or objects
    lit: Lit
    unit: str = "px"
    mask: str = ""  # the layer that the page viewer opens with

    @property
    def column(self) -> str:
        """The column of the table with the amount of each page."""
        return "objects" if self.unit == "objects" else "pixels"

    @property
    def total(self) -> float:
        return float(self.table[self.column].sum())


@kept("Looking for pages …")
def pages_behind(scope: Scope, names: tuple[str, str]) -> pd.DataFrame:
    """The chosen pages with pixels of the cell. A label of the other side has none."""
    try:
        return scope.compared.pages_behind(*names, scope.method)
    except InputError:
        return _no_pages(scope)


@kept("Looking for pages …")
def pages_of_label(scope: Scope, name: str) -> pd.DataFrame:
    """The pages with wrong pixels of a label, the worst first. A label of the other side has none."""
    compared = scope.compared
    known = name in compared.labels
    return pages_wrong_in(compared.levels, compared.alignment, name, scope.method) if known else _no_pages(scope)


def pages_with_objects(compared: Comparison, found: ObjectConfusion, cell: tuple[int, int]) -> pd.DataFrame:
    """The pages with objects of a cell of the matrix of objects: page, document, objects."""
    numbers, counts = found.pages_behind(*cell)
    return pd.DataFrame({**compared.levels.names_at(numbers), "objects": counts})


def _no_pages(scope: Scope) -> pd.DataFrame:
    return pages_by_pixels(scope.compared.levels, 0 * scope.compared.levels.page_pixels)


def show_thumbnails(images: PageImages, pages: LitPages, across: int) -> None:
    """The worst pages, `across` in a row, as buttons that open them, and all of them as a table."""
    data = {"pages": _pictures(images, pages, 0, THUMBNAILS), "across": across, "unit": pages.unit}
    components.THUMBNAILS(key="thumbnails", data=data, on_picked_change=lambda: _open_picked("thumbnails", pages.mask))
    _offer_all(pages)


def _pictures(images: PageImages, pages: LitPages, first: int, count: int) -> list[list[Any]]:
    """[page, amount, address of its picture] of some of the pages."""
    rows = pages.table.iloc[first : first + count]
    return [
        [page, round(amount), thumbnail_address(images, pages.scope, page, pages.lit)]
        for page, amount in zip(rows["page"], rows[pages.column])
    ]


def _open_picked(key: str, mask: str) -> None:
    picked = st.session_state[key].get("picked")
    if picked:
        page_shell.open_page(picked["page"], mask)


def show_filmstrip(images: PageImages, pages: LitPages, title: str, page: str) -> None:
    """A row of the pages behind the chosen cell, with the present one among them if it is one of them."""
    places, count = np.flatnonzero(pages.table["page"] == page), len(pages.table)
    place = int(places[0]) if len(places) else 0
    first = max(min(place - FRAMES // 2, count - FRAMES), 0)
    shown = f"{thin_spaced(first + 1)} to {thin_spaced(min(first + FRAMES, count))} of {thin_spaced(count)}"
    st.caption(screen_text.as_typed(f"Pages behind {title}, worst first: {shown}"))
    data = {"pages": _pictures(images, pages, first, FRAMES), "across": FRAMES, "unit": pages.unit, "current": page}
    components.THUMBNAILS(key="filmstrip", data=data, on_picked_change=lambda: _open_picked("filmstrip", pages.mask))


def _offer_all(pages: LitPages) -> None:
    """Put the table of all pages into an expander; the table is made only if that is open."""
    count = len(pages.table)
    title = f"All {screen_text.plural_spaced(count, 'page')}" if count > 1 else "The page"
    all_pages = st.expander(title, key="behind_all", on_change="rerun")
    if all_pages.open:
        with all_pages:
            data_tables.show_page_picker(pages.table.head(MOST_LISTED), key="behind")
            if count > MOST_LISTED:
                st.caption(f"The first {MOST_LISTED:,} of {count:,}; the file in Take it away has all.")


def show_causes(pages: LitPages) -> None:
    """A bar such as [ slack 22 % | label 64 % | missed 14 % ]."""
    compared = pages.scope.compared
    looked_at = pages.table.head(CAUSES_PAGES)
    if not compared.levels.has_regions:
        counted = bool(compared.sources.causes.kept)  # by the parts
        looked_at = pages.table.head(len(pages.table) if counted else CAUSES_PAGES_OF_PARTS)
    found = _cached_causes((pages.scope.key, *pages.lit), compared, looked_at["page"])
    _show_bar([(name, COLOUR_OF_CAUSE[name], pixels) for name, pixels in found.items() if pixels])
    if len(looked_at) < len(pages.table):
        covered = percent(float(looked_at["share"].sum() / pages.table["share"].sum()))
        st.caption(f"Counted on the {len(looked_at)} pages with the most pixels of the cell, {covered} of it.")


def _show_bar(parts: list[tuple[str, str, float]]) -> None:
    """Parts, (name, colour, pixels), as a bar with its legend."""
    total = sum(pixels for _, _, pixels in parts)
    pieces, legend = "", []
    for name, colour, pixels in parts:
        exact = f"{name}: {thin_spaced(pixels)} px, {percent(pixels / total)}"
        pieces += f"<i title='{exact}' style='flex:{pixels:.3f};background:{colour}'></i>"
        legend.append(f":color[■]{{foreground={colour}}} {name} {percent_brief(pixels / total) if pixels else 0} %")
    st.html(f"<div style='display:flex;height:12px;border-radius:6px;overflow:hidden'>{pieces}</div>")
    st.markdown(screen_text.join_unbroken(legend), help=CAUSES_HELP)


@st.cache_data(max_entries=200, show_spinner="Looking for causes …", scope="session")
def _cached_causes(key: tuple[str, ...], _compared: Comparison, _pages: pd.Series[str]) -> dict[str, float]:
    """{cause: pixels of the cell, or of the row and column of the label, on these pages}."""
    _, *names = key
    causes = _compared.sources.causes
    counted = not _compared.levels.has_regions and bool(causes.kept)
    numbers = None if counted else [page_position(_compared.levels.pages, page) for page in _pages]
    values = causes.of_pages(numbers).total.values
    if len(names) == 2:
        row, column = _compared.cell(*names)
        found = values[:, row, column]
    else:
        row, column = _compared.cell(names[0], names[0])
        found = np.asarray(values[:, row].sum(axis=1) + values[:, :, column].sum(axis=1))  # the diagonal has no cause
    return dict(zip(CAUSES, found.tolist()))


def thumbnail_address(images: PageImages, scope: Scope, page: str, lit: Lit) -> str | None:
    """The address of a JPEG of the faded page with some pixels lit; it is small if all wrong pixels are.

    The picture is drawn when the browser asks for it, unless the comparison is no longer held then.
    """
    picture = images.find(scope.compared, page_position(scope.compared.levels.pages, page))
    key = repr((scope.key, page, *lit, scope.method, picture.digest if picture else ""))
    held, method, side = ref(scope.compared), scope.method, THUMBNAIL if lit else SMALL

    def make() -> bytes | None:
        still = held()
        return draw_thumbnail(still, page, lit, method, shrunk_picture(picture, side)) if still else None

    return picture_address(key, make)


def draw_thumbnail(compared: Comparison, page: str, lit: Lit, method: str, image: Image.Image | None) -> bytes:
    """The JPEG; `image` is the picture of the page."""
    tiles = compared.page_tiles(page)
    scale = (THUMBNAIL if lit else SMALL) / max(tiles.x_edges[-1], tiles.y_edges[-1])
    page_image = Image.fromarray(page_with_lit_pixels(tiles, _share(compared, tiles, lit, method), scale, image))
    ImageDraw.Draw(page_image).rectangle((0, 0, page_image.width - 1, page_image.height - 1), outline=EDGE)
    out = io.BytesIO()
    page_image.save(out, "JPEG", quality=85, subsampling=0)  # much quicker than a PNG; colours stay sharp
    return out.getvalue()


def _share(compared: Comparison, tiles: PageTiles, lit: Lit, method: str) -> Floats:
    """float64[pairs]: how strongly the pixels of each pair are lit."""
    if len(lit) == 2:
        return tiles.share_of(compared.cell(*lit), method)
    if lit:
        return tiles.share_in_label(compared.cell(lit[0], lit[0]), method)
    wrong = AGREEMENT[2:5] if compared.space.shared else AGREEMENT[2:4]  # another label is not wrong if all differ
    return np.isin(tiles.agreement(), [AGREEMENT.index(kind) for kind in wrong]).astype(float)
