"""What a visitor decided about the candidates for errors of a ground truth; kept until the visitor starts over.

Only this module writes the session key "decisions_made"; `session` keeps the decisions.
"""

from __future__ import annotations

import streamlit as st

from layoutcm.ui import session

MOST_UNDONE = 1000  # decisions that can be undone


def decide(candidate: str, decision: str) -> None:
    """Keep a decision; "" takes it back. It can be undone."""
    before = session.decisions().get(candidate, "")
    if before == decision:
        return
    made = st.session_state.setdefault("decisions_made", [])
    st.session_state["decisions_made"] = [*made, (session.gt_key(), candidate, before)][-MOST_UNDONE:]
    _store(candidate, decision)


def undo() -> str:
    """Take the last decision back; returns its candidate, "" if there is none."""
    made = st.session_state.get("decisions_made", [])
    own = [k for k, (key, *_) in enumerate(made) if key == session.gt_key()]
    if not own:
        return ""
    _, candidate, before = made[own[-1]]
    st.session_state["decisions_made"] = [*made[: own[-1]], *made[own[-1] + 1 :]]
    _store(candidate, before)
    return candidate


def can_undo() -> bool:
    return any(key == session.gt_key() for key, *_ in st.session_state.get("decisions_made", []))


def _store(candidate: str, decision: str) -> None:
    own = {key: value for key, value in session.decisions().items() if key != candidate}
    session.keep_decisions({**own, candidate: decision} if decision else own)
