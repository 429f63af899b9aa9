"""Start: load files, see at once where they disagree, what they are, mend what is odd, go on."""

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.ui import page_frame, router, screen_text, selection, session
from layoutcm.ui.parts import findings, loading, matrix_panel, page_pairs, sentences

router.arrive()
st.title("Compare two layouts", anchor=False)
problem = st.session_state.pop("load_problem", "")
if problem:
    st.error(screen_text.typed(problem))
if session.loaded() is None:
    st.markdown("Drop a ground truth and one or more predictions, and see where they disagree, down to the pixel.")
buttons = st.container(horizontal=True)
if buttons.button("Try the sample", type="primary" if session.loaded() is None else "secondary"):
    session.open_named("sample")
    st.rerun()
if buttons.button("Start over", disabled=session.loaded() is None):
    loading.start_over()
page_frame.guarded(loading.uploads)
loading.folder()

files = session.loaded()
if files is not None:
    compared = session.comparison()
    st.divider()
    layouts = loading.files_in_words(files)
    if isinstance(compared, Comparison):
        confusion = session.confusion(compared)
        shown = selection.shown(confusion)
        odd = st.container()  # filled when the matrix is there: looking for what is odd takes longer
        left, right = page_frame.beside(3, 2, labels=matrix_panel.width_of(shown))
        with left:
            st.subheader("Recall matrix", anchor=False)
            matrix_panel.matrix(compared, shown, "recall", key="first_matrix")
            page_frame.recipe(confusion.recipe)
        with right:
            st.markdown(sentences.sentence(confusion, session.chosen_pred().name, selection.scope(compared)))
            matrix_panel.ways_on(compared)
            findings.applied()
            with st.spinner("Looking for what is odd …"):
                found = compared.findings_by_side
            with odd:
                findings.warnings(found)
            findings.remarks(found)
            page_frame.guarded(lambda: page_pairs.show(compared))
            loading.taxonomy(compared)
    else:
        findings.applied()
        if layouts:
            st.error(screen_text.told(compared))
            found = {layout.name: layout.findings for layout in layouts}
            findings.warnings(found)
            findings.remarks(found)
        loading.ways_out(files)
else:
    st.caption(f"Nothing leaves this machine. Formats: {loading.formats_in_words()}.")
