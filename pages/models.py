"""Models: which prediction is best, and is the difference real?"""

from functools import partial

import streamlit as st

from layoutcm.ui.models import model_charts, model_rows, predictions
from layoutcm.ui.models.predictions import reserved, reserved_part
from layoutcm.ui.shared import page_shell

chosen = page_shell.start_with_files()
st.title("Models", anchor=False)
answer = reserved(predictions.ANSWER_HEIGHT).empty()
every = predictions.Predictions(chosen, *page_shell.compare_predictions(chosen, answer))
page_shell.show_severe({name: one for name, one in every.by_name.items() if one is not every.own})


def show_models() -> None:
    """Reserve a place for every part; then fill them, the slowest last."""
    several = len(every.compared) > 1
    height = max(model_charts.classes_height(every) if several else 0, model_charts.THRESHOLDS_HEIGHT)
    with reserved(model_rows.height(len(every.names))):
        downloads = model_rows.show_baseline(every)
        rows = st.empty()
        model_rows.draw_first_rows(rows, every)
        model_rows.show_opening_buttons(every)
    left, right = page_shell.columns(1, 1, key="_models")
    with left:
        classes = reserved_part("Classes" if several else "Largest confusions", height)
    with right:
        curve = reserved_part("Score threshold", model_charts.THRESHOLDS_HEIGHT)
    left, right = page_shell.columns(1, 1, key="_models_why")
    with left:
        causes = reserved_part("Causes of errors", model_charts.causes_height(every))
    with right:
        slices = reserved_part("Slices of pages", model_charts.SLICES_HEIGHT)
    board = predictions.show_answer(answer, every)
    model_rows.fill_rows(rows, downloads, every, board)
    if board:
        with reserved_part("Where the predictions differ most", model_charts.PAGES_HEIGHT):
            page_shell.show_part(chosen, partial(model_charts.show_most_different, every, board))
    with classes:
        show = partial(model_charts.show_classes, board) if board else lambda _: predictions.show_confusions(every)
        page_shell.show_part(chosen, show)
    for place, show_in in (
        (curve, partial(model_charts.show_thresholds, every)),
        (causes, partial(model_charts.show_causes, every, board)),
        (slices, partial(model_charts.show_slices, every)),
    ):
        with place:
            page_shell.guard(show_in)


if every.compared and "models" in chosen.words.parts:
    show_models()
else:
    model_rows.show_agreement(answer, every)
