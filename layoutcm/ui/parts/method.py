"""The texts of the Method page, and an example pixel whose labels can be chosen to see its contribution."""

from __future__ import annotations

import streamlit as st

from layoutcm.diagnosis.causes import TOLERANCE
from layoutcm.metrics.confusion import METHODS, label_sets_confusion
from layoutcm.tables.matrix_views import select
from layoutcm.ui.parts import matrix_panel

PIXEL_LABELS = ("Text", "Caption", "Picture", "Table")

RULE = """
T = the ground truth labels of a pixel, P = its prediction labels. Each ground truth label of each pixel adds exactly 1
in total to its row.

| case | contribution |
|---|---|
| T = P | (i, i) gets 1 for i in T |
| P contains T and more | (i, i) gets \\|T\\| / \\|P\\|; (i, j) gets 1 / \\|P\\| for i in T, j in P without T |
| T contains P and more | (i, i) gets 1 for i in P; (i, j) gets 1 / \\|P\\| for i in T without P, j in P |
| otherwise | (i, i) gets 1 for i in both; (i, j) gets 1 / \\|P without T\\| for i in T without P, j in P without T |
"""

READINGS = """
- **Recall** of a cell is its share of the row (of the ground truth label), **precision** its share of the column,
  **F1** their harmonic mean. Where there is nothing to divide by, the value is n/a, never 0;
  in a mean over classes, a class that only one side uses counts 0, as in scikit-learn.
- **Averages** over classes leave Background out unless they say otherwise. *Macro* is the mean over the classes that
  occur, *micro* takes all labelled pixels together, *weighted* weighs classes by their ground truth pixels.
- **Families** say how serious a confusion is. On each pixel (or page), labels that both sides have are right and
  are set aside; the remaining labels are paired inside their families; a label without a partner in its family is out
  of family.
- **Content** is everything that is not Background: the 2x2 view shows whether content was found at all.
"""

DISCUSSION = {
    "What it sees, and what it does not": """
A pixel-level matrix sees every pixel that carries a wrong label, however the regions are cut: a paragraph split into
three boxes with the right label costs nothing but its gaps. It needs no scores and no matching threshold. It does not
count objects: whether a table was found once or in four pieces, and in which order regions are read, are other
questions. Large regions weigh more than small ones, so a page number that is always missed hardly shows in micro
averages; look at the class's own recall.""",
    "What a wrong cell consists of": f"""
Click a cell off the diagonal on the page Errors: with the method matrix, its pixels are divided into eight causes
that add up to the cell exactly. *Slack*: the ground truth has the prediction's label nearby and the prediction has the
ground truth's label nearby, so only the position of a border differs. Nearby means no farther away than
{100 * TOLERANCE:g} % of the page's longer side; everything outside the page is Background. All other pixels get the
cause of the regions over them. Regions of the two sides are partners if their IoU is above a half. *Label*: partners
with different labels. *Size*: a region reaches too far or not far enough. *Split*, *merge*: one region became several,
or several became one. *Duplicate*: a second region on one that was found. *Missed*, *invented*: a region that only one
side has.""",
    "Matrix or tensor": """
Where every pixel carries one label, both are the same. Where pixels carry several, each ground truth label adds exactly
1 to the matrix, so the matrix is one table that adds up, but an extra label on a pixel also lowers the values of the
labels that were found. The tensor keeps two tables, one for recall and one for precision, and gives the true values of
each label. Choose the matrix to see which labels are confused, the tensor to quote the recall of a label on pages with
much overlap.""",
    "Why Background dominates, and what to read instead": """
Half of a printed page is empty, and empty pixels are easy. With Background, accuracy is high for any model and moves
little between good and poor ones. The headline figures therefore leave Background out as a class; its row and column
still count as mistakes of the others (missed and invented content). Read F1 without Background and Content F1.""",
    "Pixel-weighted or page-macro": """
Pixel-weighted numbers answer "what share of the area is right": a large page counts more. The mean over pages or over
documents answers "how good is a typical page" and is pulled down by a few bad ones. When the two differ much, sort the
pages by score: some kind of page is going wrong.""",
    "Is a difference real?": """
An interval says how far a figure depends on which documents (pages, where there is one document) happen to be in the
set, not whether the ground truth is right. With fewer than 6 documents there is none; with fewer than 20 it is rough.
Two intervals that overlap do not decide between two predictions, because hard documents are hard for both. Take the
difference on the same documents (`layoutcm compare GT A B --intervals`, or `layoutcm.difference` in Python). Its
verdict comes from a test: the two predictions of some documents are swapped at random, and one is called better or
worse if at most 5 % of such swaps give a difference as large.""",
}


def show_pixel() -> None:
    """Choose the labels of one pixel on both sides and see its contribution."""
    left, right = st.columns([1, 2], gap="medium")
    with left:
        gt = st.pills(
            "Ground truth labels of the pixel",
            PIXEL_LABELS,
            default=["Picture", "Caption"],
            selection_mode="multi",
            key="pixel_gt",
        )
        pred = st.pills(
            "Prediction labels of the pixel",
            PIXEL_LABELS,
            default=["Picture"],
            selection_mode="multi",
            key="pixel_pred",
        )
        method = st.segmented_control("Method", METHODS, default="matrix", required=True, key="pixel_method")
        for side, labels in (("Ground truth", gt), ("Prediction", pred)):
            word = sum(1 << (PIXEL_LABELS.index(label) + 1) for label in labels) or 1
            st.markdown(f"{side} `{word >> 4:04b} {word & 15:04b}` = {' + '.join(labels) or 'Background'}")
    with right:
        confusion = label_sets_confusion([gt], [pred], PIXEL_LABELS, method=str(method))
        matrix_panel.show_plain_matrix(confusion, "pixels", select(confusion, unused=True), "pixel_matrix")
