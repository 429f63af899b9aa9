"""Method: what every number means, with drawings and an example pixel, and a recount of one's own pages."""

import streamlit as st

from layoutcm.drawing import method_drawings
from layoutcm.drawing.palette import DARK
from layoutcm.ui.method import method
from layoutcm.ui.shared import page_shell
from layoutcm.ui.state import session

page_shell.ensure_routed()
dark = session.theme() == DARK
st.title("What the numbers mean", anchor=False)
st.markdown(
    "Two layouts of the same pages are compared pixel by pixel. A pixel carries the labels of all regions that "
    "cover it; a pixel that no region covers carries the label Background. Rows are the ground truth (gt), columns the "
    "prediction (pred)."
)
for heading, drawing, text in (
    ("The matrix", method_drawings.matrix_structure, "Shared labels meet on the diagonal, different ones in a block."),
    ("Found at all: the 2x2 view", method_drawings.collapse, "All labels but Background are added up."),
    (
        "How a pixel's labels are packed",
        method_drawings.bit_packing,
        "Distinct pairs of words are counted; nothing else is needed.",
    ),
    (
        "Why pixels are wrong",
        method_drawings.causes_on_a_page,
        "The causes of a cell add up to the cell exactly; the page Errors shows them for every cell.",
    ),
):
    st.subheader(heading, anchor=False)
    with st.container(key=f"drawing_{drawing.__name__}"):  # its height is reserved by the style
        st.image(drawing(dark=dark), width=1000, alt=f"{heading}. {text}")
    st.caption(text)
st.subheader("What a pixel contributes", anchor=False)
st.markdown(method.RULE)
method.show_pixel()
st.subheader("What is read off the matrix", anchor=False)
st.markdown(method.READINGS)
for heading, text in method.DISCUSSION.items():
    with st.expander(heading):
        st.markdown(text)
st.subheader("Count your own pages again", anchor=False)
page_shell.guard(method.show_recounting)
st.caption(
    "Sources: Krstinić et al. 2020, Multi-label classifier performance evaluation with confusion matrix; "
    "Krstinić et al. 2024 (tensor)."
)
