"""Start: load files, see what they are, go on."""

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.ui import loading, panels, router, state

router.arrive()
st.title("Compare two layouts", anchor=False)
problem = st.session_state.pop("load_problem", "")
if problem:
    st.error(panels.typed(problem))
if state.loaded() is None:
    st.markdown("Drop a ground truth and one or more predictions, and see where they disagree, down to the pixel.")
buttons = st.container(horizontal=True)
if buttons.button("Try the sample", type="primary" if state.loaded() is None else "secondary"):
    state.open_named("sample")
    st.rerun()
if buttons.button("Start over", disabled=state.loaded() is None):
    loading.start_over()
panels.guarded(loading.uploads)
loading.folder()

files = state.loaded()
if files is not None:
    compared = state.comparison()
    st.divider()
    readable = loading.files_in_words(files)
    if isinstance(compared, Comparison):
        panels.findings(compared.alignment.findings)
        loading.taxonomy(compared)
        icon = ":material/arrow_forward:"
        st.button("See how good it is", type="primary", icon=icon, on_click=router.go, args=("overview",))
        panels.recipe(compared.recipe_for(state.get("method")))
    else:
        if readable:
            st.error(panels.typed(str(compared)))
        loading.ways_out(files)
else:
    st.caption("Nothing leaves this machine. Formats: COCO ground truth, COCO results, CSV and Parquet tables.")
