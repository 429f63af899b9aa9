"""What a visitor decided about the candidates for errors of a ground truth; kept until the visitor starts over.

Only this module writes the session keys "candidate_decisions" and "decisions_made".
"""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from layoutcm.ui import session
from layoutcm.ui.visitor_files import digest_of

MOST_UNDONE = 1000  # decisions that can be undone


def gt_key() -> str:
    """The ground truth as it is read: row numbers of its regions belong to this file, after these repairs."""
    files = session.loaded_files()
    assert files is not None
    return digest_of([files.gt.digest, files.sizes, *session.repairs_of("gt")])


def decisions() -> Mapping[str, str]:
    """{candidate: "accepted" or "dismissed"} for the loaded ground truth."""
    return st.session_state.get("candidate_decisions", {}).get(gt_key(), {})


def decide(candidate: str, decision: str) -> None:
    """Keep a decision; "" takes it back. It can be undone."""
    before = decisions().get(candidate, "")
    if before == decision:
        return
    made = st.session_state.setdefault("decisions_made", [])
    st.session_state["decisions_made"] = [*made, (gt_key(), candidate, before)][-MOST_UNDONE:]
    _store(candidate, decision)


def undo() -> str:
    """Take the last decision back; returns its candidate, "" if there is none."""
    made = st.session_state.get("decisions_made", [])
    own = [k for k, (key, *_) in enumerate(made) if key == gt_key()]
    if not own:
        return ""
    _, candidate, before = made[own[-1]]
    st.session_state["decisions_made"] = [*made[: own[-1]], *made[own[-1] + 1 :]]
    _store(candidate, before)
    return candidate


def can_undo() -> bool:
    return any(key == gt_key() for key, *_ in st.session_state.get("decisions_made", []))


def restore(made: Mapping[str, str]) -> None:
    """Replace all decisions about the loaded ground truth, for instance by those of a saved session."""
    kept = st.session_state.get("candidate_decisions", {})
    st.session_state["candidate_decisions"] = {**kept, gt_key(): dict(made)}


def _store(candidate: str, decision: str) -> None:
    own = {key: value for key, value in decisions().items() if key != candidate}
    restore({**own, candidate: decision} if decision else own)
