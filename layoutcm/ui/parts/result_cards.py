"""What Data shows of finished comparisons of parts: what each one is, how it was counted, and its findings."""

from __future__ import annotations

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.errors import InputError
from layoutcm.layouts.model import GT, PRED
from layoutcm.scale.places import name_of
from layoutcm.scale.plan import PlanFacts, PlanSide, read_plan
from layoutcm.ui import page_shell, router, session
from layoutcm.ui.card_reviews import compared_at
from layoutcm.ui.parts import findings
from layoutcm.ui.screen_text import as_typed, error_text, plural_spaced
from layoutcm.ui.visitor_files import InputFile

NOT_HERE = (
    "Objects, centroids and soft scores are shown for one document or page, not for the whole set. Probable errors of "
    "the ground truth are not looked for."
)
WITHOUT_WHY = "Causes and score curves of the whole set were not counted: compare the parts with --why to see them."


def show_results() -> None:
    """A card for every result, and the button that goes on."""
    files = session.loaded_files()
    assert files is not None
    st.button("Go on to Models", key="go_on", type="primary", icon=":material/arrow_forward:", on_click=router.go_to,
              args=("models",))  # fmt: skip
    for position, given in enumerate(files.preds):
        _show_result(position, given, compared_at(position))
    with_why = all(read_plan(given.path).facts.why for given in files.preds)
    st.caption(NOT_HERE if with_why else f"{NOT_HERE} {WITHOUT_WHY}")


def _show_result(position: int, given: InputFile, compared: Comparison | InputError) -> None:
    facts = read_plan(given.path).facts
    title = f"**Result of {plural_spaced(len(facts.parts), 'part')}** &ensp; {as_typed(name_of(given.path))}"
    with st.container(key=f"result_{position}"), st.expander(f"{title} &ensp; :gray[{_counts(facts)}]", expanded=True):
        names = ("Ground truth", "Prediction") if facts.truth else ("A", "B")
        for name, side in zip(names, (facts.sides[GT], facts.sides[PRED])):
            st.markdown(f"**{name}** &ensp; {_side(side)}")
        if isinstance(compared, InputError):
            st.error(error_text(compared))
            return
        findings.show_warnings(compared.findings, "")
        findings.show_notes(compared.findings, f"result_{position}")
        page_shell.show_recipe(compared.recipe)


def _counts(facts: PlanFacts) -> str:
    return f"{plural_spaced(facts.pages, 'page')}, {plural_spaced(facts.documents, 'document')}"


def _side(side: PlanSide) -> str:
    scores = "with scores" if side.has_scores else "without scores"
    counts = [plural_spaced(side.pages, "page"), plural_spaced(side.regions, "region")]
    labels = plural_spaced(len(side.labels), "label")
    return as_typed(f"{side.name}: ") + ", ".join([*counts, labels, scores])
