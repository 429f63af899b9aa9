"""Start: load files, see what they are, mend what is odd, go on."""

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.ui import loading, page_pairs, panels, repairs, router, state

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
    layouts = loading.files_in_words(files)
    repairs.applied()
    if isinstance(compared, Comparison):
        with st.spinner("Looking for what is odd …"):
            found = compared.findings_by_side
        repairs.show(found)
        panels.guarded(lambda: page_pairs.show(compared))
        loading.taxonomy(compared)
        icon = ":material/arrow_forward:"
        st.button("See how good it is", type="primary", icon=icon, on_click=router.go, args=("overview",))
        panels.recipe(compared.recipe_for(state.get("method")))
    else:
        if layouts:
            st.error(panels.typed(str(compared)))
            repairs.show({layout.name: layout.findings for layout in layouts})
        loading.ways_out(files)
else:
    st.caption(f"Nothing leaves this machine. Formats: {loading.formats_in_words()}.")
