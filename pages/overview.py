"""Overview: how good it is, in a sentence, in figures, in the matrix."""

import streamlit as st

from layoutcm.charts import class_bars
from layoutcm.figures import CONFIG
from layoutcm.ui import panels, router, state, words
from layoutcm.ui.headlines import headlines

router.arrive()
compared = panels.need_comparison()
confusion = state.confusion(compared)
st.title("Overview", anchor=False)
st.markdown(words.sentence(confusion, state.chosen_pred().name, panels.scope(compared)))
with st.container(horizontal=True, gap="small"):
    for name, value, help_text in headlines(compared, confusion):
        st.metric(name, value, help=help_text, width="content")
shown = panels.shown(confusion)
left, right = panels.beside(3, 2, labels=panels.width_of(shown))
with left:
    st.subheader("Recall matrix", anchor=False)
    panels.matrix(compared, shown, "recall", key="overview_matrix")
with right:
    st.subheader("Largest confusions" if confusion.diagonal else "Largest cells", anchor=False)
    for text, gt_label, pred_label in words.confusions(shown):
        key = f"confusion_{gt_label}_{pred_label}"
        st.button(text, key=key, width="stretch", on_click=panels.open_cell, args=(gt_label, pred_label))
    if panels.chosen_cell(compared):
        st.button("Pages behind the chosen cell", type="primary", on_click=router.go, args=("matrices",))
if confusion.diagonal:
    st.subheader("Classes", anchor=False)
    st.plotly_chart(class_bars(shown, state.theme()), key="overview_bars", config=CONFIG, theme=None)
panels.recipe(compared.recipe_for(state.get("method")))
