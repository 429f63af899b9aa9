"""The selection that the pages show: level, labels, cell, page and page images; and functions that change it."""

from __future__ import annotations

from layoutcm.comparison import Comparison
from layoutcm.drawing.page_images import PageImages
from layoutcm.errors import InputError
from layoutcm.metrics.confusion import Confusion
from layoutcm.tables.matrix_views import Selection, select
from layoutcm.ui import choices, image_uris, session
from layoutcm.ui.router import go_to
from layoutcm.ui.visitors import kept

WHOLE_SET = "the whole set"


def scope_text(compared: Comparison) -> str:
    """The chosen level in words, such as "page p1" or "the whole set"."""
    if choices.current().level == "document" and choices.current().document in compared.documents:
        return f"document {choices.current().document}"
    if choices.current().level == "page" and choices.current().page in compared.alignment.pages.index:
        return f"page {choices.current().page}"
    return WHOLE_SET


def chosen_labels(confusion: Confusion, unused: bool = False) -> Selection:
    """The labels of a matrix that are shown: those in use, or all with `unused`; if some are chosen, only those."""
    return select(confusion, choices.current().labels, unused)


def chosen_cell(compared: Comparison) -> tuple[int, int] | None:
    """Row and column of the chosen cell; None if no cell is chosen or its labels are unknown."""
    gt, pred = choices.current().gt_label, choices.current().pred_label
    if not gt or not pred:
        return None
    try:
        return compared.cell(gt, pred)
    except InputError:
        return None


def chosen_label(compared: Comparison) -> str:
    """The label that was chosen in the matrix; "" if there is none, or if a cell is chosen."""
    name = choices.current().class_name
    return name if chosen_cell(compared) is None and compared.space.shared and name in compared.labels else ""


def open_cell(gt_label: str, pred_label: str) -> None:
    """Go to the pages behind a cell; the 2x2 view, which has no labels, is left."""
    grouping = "" if choices.current().grouping == "2x2" else choices.current().grouping
    choices.put(gt_label=gt_label, pred_label=pred_label, grouping=grouping)
    go_to("errors")


def open_chosen() -> None:
    """Go back to the chosen cell or label."""
    go_to("errors")


def open_page(page: str, mask: str = "") -> None:
    choices.put(page=page, mask=mask)
    go_to("page")


def current_page_images() -> PageImages:
    """Uploaded page images if there are any, else those of the folder that belongs to the files."""
    uploaded = session.page_images()
    if uploaded is not None:
        return uploaded
    files = session.loaded_files()
    return _folder_images(files.images if files else "")


@kept("Looking through the page images …")
def _folder_images(folder: str) -> PageImages:
    return image_uris.images_of_folder(folder)
