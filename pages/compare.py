"""Start: load files, see at once where they disagree, what they are, mend what is odd, go on."""

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.ui import router, session
from layoutcm.ui.parts import findings, loading, page_pairs, panels, sentences

router.arrive()
st.title("Compare two layouts", anchor=False)
problem = st.session_state.pop("load_problem", "")
if problem:
    st.error(panels.typed(problem))
if session.loaded() is None:
    st.markdown("Drop a ground truth and one or more predictions, and see where they disagree, down to the pixel.")
buttons = st.container(horizontal=True)
if buttons.button("Try the sample", type="primary" if session.loaded() is None else "secondary"):
    session.open_named("sample")
    st.rerun()
if buttons.button("Start over", disabled=session.loaded() is None):
    loading.start_over()
panels.guarded(loading.uploads)
loading.folder()

files = session.loaded()
if files is not None:
    compared = session.comparison()
    st.divider()
    layouts = loading.files_in_words(files)
    if isinstance(compared, Comparison):
        confusion = session.confusion(compared)
        shown = panels.shown(confusion)
        odd = st.container()  # filled when the matrix is there: looking for what is odd takes longer
        left, right = panels.beside(3, 2, labels=panels.width_of(shown))
        with left:
            st.subheader("Recall matrix", anchor=False)
            panels.matrix(compared, shown, "recall", key="first_matrix")
            panels.recipe(confusion.recipe)
        with right:
            st.markdown(sentences.sentence(confusion, session.chosen_pred().name, panels.scope(compared)))
            panels.ways_on(compared)
            findings.applied()
            with st.spinner("Looking for what is odd …"):
                found = compared.findings_by_side
            with odd:
                findings.warnings(found)
            findings.remarks(found)
            panels.guarded(lambda: page_pairs.show(compared))
            loading.taxonomy(compared)
    else:
        findings.applied()
        if layouts:
            st.error(panels.told(compared))
            found = {layout.name: layout.findings for layout in layouts}
            findings.warnings(found)
            findings.remarks(found)
        loading.ways_out(files)
else:
    st.caption(f"Nothing leaves this machine. Formats: {loading.formats_in_words()}.")
