"""One candidate on its page: the region, the suggestion, and what each prediction has there."""

from __future__ import annotations

import io
import math
from base64 import b64encode
from html import escape
from typing import Any

import streamlit as st

from layoutcm.drawing.candidate_picture import Box, MarkedBox, draw_part_of_page, overlap, surroundings
from layoutcm.drawing.page_boxes import page_boxes
from layoutcm.drawing.page_images import Picture
from layoutcm.drawing.palette import label_colours
from layoutcm.models.suggestions import CHANGES
from layoutcm.ui import selection
from layoutcm.ui.image_uris import shrunk_picture
from layoutcm.ui.parts.evidence import Evidence
from layoutcm.ui.screen_text import as_typed
from layoutcm.wording import score_text

GT_BOX = ("x0", "y0", "x1", "y1")
SUGGESTED_BOX = tuple(f"suggested_{name}" for name in GT_BOX)
PICTURE_SIDE = 1600  # px, the longest side of the picture that a part is cut from
LINES_TEXT = (
    "Thick: the region; thick and dashed: the suggestion; thin: predictions; hairlines: other regions of the truth."
)


def show_candidate(evidence: Evidence, key: str, record: Any) -> None:
    """What is probably wrong, in words and on a part of the page."""
    change = CHANGES[record["kind"]].format(**record)
    st.markdown(f"**{as_typed(change)}**, evidence {score_text(record['evidence'])}")
    region = "" if record["kind"] == "missing" else f", region {record['region']}"
    st.caption(f"page {as_typed(record['page'])}{region}")
    picture = _picture_of_page(evidence, record["page"])
    identity = (picture.digest, picture.member, picture.row, picture.page_index) if picture else ()
    address, wide, high = _draw((evidence.content, key, *identity), evidence, record, picture)
    # With its size the browser keeps the place free before it has the picture.
    shown_as = escape(f"{change}, on a part of page {record['page']}")
    st.html(f'<img src="{address}" width="{wide}" height="{high}" style="width:100%;height:auto" alt="{shown_as}">')
    st.caption(LINES_TEXT)
    st.markdown("  \n".join(_prediction_lines(evidence, record)))


def _prediction_lines(evidence: Evidence, record: Any) -> list[str]:
    """The label that each prediction has there, and what the evidence would be without the others."""
    lines = []
    for file, name in zip(evidence.compared, evidence.columns):
        label = record[f"{name}_label"]
        has = as_typed(label) if isinstance(label, str) else "none"
        lines.append(f"{as_typed(file)}: {has} ({score_text(record[f'{name}_evidence'])} by itself)")
    return lines


def _picture_of_page(evidence: Evidence, page: str) -> Picture | None:
    compared = evidence.comparisons[0]
    return selection.current_page_images().find(compared, compared.levels.page_index(page))


@st.cache_data(max_entries=50, show_spinner=False, scope="session")
def _draw(key: tuple[Any, ...], _evidence: Evidence, _record: Any, _picture: Picture | None) -> tuple[str, int, int]:
    """The picture as a data address, with its width and height."""
    compared = _evidence.comparisons[0]
    page = compared.levels.page_index(_record["page"])
    size = float(compared.alignment.pages.widths[page]), float(compared.alignment.pages.heights[page])
    focus = [box for names in (GT_BOX, SUGGESTED_BOX) if (box := _box(_record, names))]
    view = surroundings(focus, *size)
    image = shrunk_picture(_picture, PICTURE_SIDE)
    drawn = draw_part_of_page(image, size, view, candidate_marks(_evidence, _record, view))
    out = io.BytesIO()
    drawn.save(out, "JPEG", quality=90, subsampling=0)  # much quicker than a PNG; colours stay sharp
    return f"data:image/jpeg;base64,{b64encode(out.getvalue()).decode()}", *drawn.size


def candidate_marks(evidence: Evidence, record: Any, view: Box) -> list[MarkedBox]:
    """The boxes to draw, the most important ones last: regions of gt around, predictions there, suggestion, region."""
    known = list(dict.fromkeys(label for c in evidence.comparisons for label in c.labels[1:]))
    colours = label_colours(known)
    gt, suggested = _box(record, GT_BOX), _box(record, SUGGESTED_BOX)
    focus = [box for box in (gt, suggested) if box]
    marks = []
    for k, (name, compared) in enumerate(zip(evidence.columns, evidence.comparisons)):
        for one in page_boxes(compared, record["page"]):
            box = (one["x0"], one["y0"], one["x1"], one["y1"])
            if one["side"] == "pred" and any(overlap(box, other) for other in focus):
                marks.append(MarkedBox(box, f"{name}: {one['label']}", one["colour"], "thin"))
            elif one["side"] == "gt" and not k and box != gt and overlap(box, view):
                marks.insert(0, MarkedBox(box, "", one["colour"], "faint"))
    if suggested and record["kind"] != "label":
        marks.append(MarkedBox(suggested, f"suggested: {record['suggested']}", colours[record["suggested"]], "dashed"))
    if gt:
        change = f", suggested: {record['suggested']}" if record["kind"] == "label" else ""
        text = f"ground truth: {record['gt_label']}{change}"
        marks.append(MarkedBox(gt, text, colours[record["gt_label"]], "thick"))
    return marks


def _box(record: Any, names: tuple[str, ...]) -> Box | None:
    """The box in these columns; None if they have none."""
    x0, y0, x1, y1 = (float(record[name]) for name in names)
    return None if math.isnan(x0) else (x0, y0, x1, y1)
