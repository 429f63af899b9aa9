"""Classes: one class at a time, its numbers and what it is taken for."""

import streamlit as st

from layoutcm.charts import class_bars, precision_recall_plane, taken_for
from layoutcm.figures import CONFIG
from layoutcm.ui import bar, panels, router, state, words

router.arrive()
compared = panels.need_comparison()
confusion = state.confusion(compared)
st.title("Classes", anchor=False)
rows, _ = confusion.drawn
if confusion.diagonal:
    panels.table(words.class_table(confusion), panels.CLASS_COLUMNS, key="class_table")
    left, right = st.columns(2, gap="medium")
    with left:
        st.caption("Averages")
        averages = words.average_table(compared, confusion, state.get("method"))
        panels.table(averages, panels.CLASS_COLUMNS | {"f1": panels.plain_number("F1")}, key="average_table")
    figure = precision_recall_plane(confusion, state.theme())
    right.plotly_chart(figure, key="plane", config=CONFIG, theme=None)
    st.plotly_chart(class_bars(confusion, state.theme()), key="class_bars", config=CONFIG, theme=None)
else:
    st.info(
        "The two sides use different labels, so no class has a recall or a precision. A mapping makes them comparable."
    )
names = [confusion.labels[i] for i in (*rows[1:], *rows[:1])]
bar.choose("class", "What is it taken for?", names)
chosen = confusion.labels.index(state.get("class"))
st.plotly_chart(taken_for(confusion, chosen, state.theme()), key="taken_for", config=CONFIG, theme=None)
st.caption("Go to the pages behind a confusion of this class:")
for text, gt_label, pred_label in words.confusions(confusion, most=5, gt=state.get("class")):
    st.button(text, key=f"class_{gt_label}_{pred_label}", on_click=panels.open_cell, args=(gt_label, pred_label))
panels.recipe(compared.recipe_for(state.get("method")))
