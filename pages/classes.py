"""Classes: the numbers of every class, and what a class is taken for."""

import streamlit as st

from layoutcm.drawing.screen.charts import read_as_figure
from layoutcm.drawing.screen.figure_basics import CONFIG
from layoutcm.drawing.screen.precision_recall import precision_recall_plane
from layoutcm.ui import choices, page_shell, router, selection, session, sidebar
from layoutcm.ui.parts import data_tables, headlines, sentences

router.ensure_routed()
compared = page_shell.need_comparison()
confusion = session.chosen_confusion(compared)
shown = selection.chosen_labels(confusion)
st.title("Classes", anchor=False)
if confusion.diagonal:
    data_tables.show_table(confusion.classes().iloc[shown.rows], data_tables.CLASS_COLUMNS, key="class_table")
    st.subheader("Averages", anchor=False)
    averages = sentences.averages_on_screen(compared, confusion, choices.current().method)
    data_tables.show_table(
        averages, data_tables.CLASS_COLUMNS | {"f1": data_tables.plain_number("F1")}, key="average_table"
    )
    st.subheader("Precision and recall", anchor=False)
    figure = precision_recall_plane(confusion, session.theme(), selection=shown)
    st.plotly_chart(figure, key="plane", config=CONFIG, theme=None)
    bars = st.container()
else:
    st.info(
        "The two sides use different labels, so no class has a recall or a precision. A mapping makes them comparable."
    )
names = [confusion.labels[i] for i in (*shown.rows[1:], *shown.rows[:1])]
sidebar.show_choice("class_name", "What is it taken for?", names)
chosen = confusion.labels.index(choices.current().class_name)
figure = read_as_figure(confusion, chosen, session.theme(), shown)
st.plotly_chart(figure, key="taken_for", config=CONFIG, theme=None)
largest = sentences.confusion_sentences(confusion, shown, most=5, gt=choices.current().class_name)
st.caption("Go to the pages behind a cell of this class:" if largest else "It is taken for nothing else.")
for text, gt_label, pred_label in largest:
    st.button(text, key=f"class_{gt_label}_{pred_label}", on_click=selection.open_cell, args=(gt_label, pred_label))
page_shell.show_recipe(confusion.recipe)
if confusion.diagonal:
    with bars:  # last, because intervals may take a moment
        headlines.show_class_bars(compared, confusion, key="class_bars")
