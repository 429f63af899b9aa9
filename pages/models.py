"""Models: which prediction is best, and is the difference real?"""

from functools import partial

import streamlit as st

from layoutcm.ui.models import model_charts, model_rows, models
from layoutcm.ui.shared import page_shell
from layoutcm.ui.state import session

page_shell.ensure_routed()
if session.loaded_files() is None:
    page_shell.need_comparison()
st.title("Models", anchor=False)
answer = models.reserved(models.ANSWER_HEIGHT).empty()
predictions = models.compare_all(answer)


def show_models() -> None:
    """Reserve a place for every part; then fill them, the slowest last."""
    several = len(predictions.compared) > 1
    height = max(model_charts.classes_height(predictions) if several else 0, model_charts.THRESHOLDS_HEIGHT)
    with models.reserved(model_rows.height(len(predictions.names))):
        downloads = model_rows.show_baseline(predictions)
        rows = st.empty()
        model_rows.draw_first_rows(rows, predictions)
        model_rows.show_opening_buttons(predictions)
    left, right = page_shell.columns(1, 1, key="_models")
    with left:
        classes = models.reserved_part("Classes" if several else "Largest confusions", height)
    with right:
        curve = models.reserved_part("Score threshold", model_charts.THRESHOLDS_HEIGHT)
    left, right = page_shell.columns(1, 1, key="_models_why")
    with left:
        causes = models.reserved_part("Causes of errors", model_charts.causes_height(predictions))
    with right:
        slices = models.reserved_part("Slices of pages", model_charts.SLICES_HEIGHT)
    board = models.show_answer(answer, predictions)
    model_rows.fill_rows(rows, downloads, predictions, board)
    if board:
        with models.reserved_part("Where the predictions differ most", model_charts.PAGES_HEIGHT):
            page_shell.fragment(partial(model_charts.show_most_different, predictions, board))()
    with classes:
        show = partial(model_charts.show_classes, board) if board else partial(models.show_confusions, predictions)
        page_shell.fragment(show)()
    with curve:
        page_shell.guard(partial(model_charts.show_thresholds, predictions))
    with causes:
        page_shell.guard(partial(model_charts.show_causes, predictions, board))
    with slices:
        page_shell.guard(partial(model_charts.show_slices, predictions))


if predictions.compared and "models" in session.words().parts:
    show_models()
else:
    model_rows.show_agreement(answer, predictions)
