"""What the server keeps for its visitors: computed values and uploads, both limited in bytes, dropped when they leave.

A kept value belongs to the sessions that used it. Its key contains the digests of the files, so a visitor gets a value
that another visitor's session computed only for files with exactly the same content.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from copy import copy
from dataclasses import dataclass, field
from threading import Lock, RLock
from typing import Any, Generic, ParamSpec, TypeVar, cast
from weakref import WeakValueDictionary

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from layoutcm.errors import InputError, TemporaryError
from layoutcm.ui.server.settings import MB, bytes_of, collect_and_trim_memory, limits

Given = ParamSpec("Given")
Returned = TypeVar("Returned")
Key = tuple[str, str, str]

# Within this time, a visitor whose connection broke can come back, or open the same files in a new session (a reload)
# and find them read. Streamlit itself forgets a session later (disconnectedSessionTTL in config.toml).
SECONDS_UNTIL_FORGOTTEN = 120
SECONDS_BETWEEN_LOOKS = 10
SECONDS_UNTIL_RUN_ENDS = 0.1  # between two looks whether a run has ended


@dataclass
class Visitor:
    """One session: its kept values, the least recently used first, its uploads, and its size when last measured."""

    keys: dict[Key, float] = field(default_factory=dict)  # key -> when it was last used
    uploads: dict[str, int] = field(default_factory=dict)  # id of a file -> bytes
    measured: int = 0
    run_started: float = 0.0
    left_at: float | None = None
    refusal: str = ""  # why an upload was refused, until a run has shown it

    @property
    def size(self) -> int:
        """The larger of the measured bytes and the uploaded bytes: an upload is in both once a run has used it."""
        return max(self.measured, sum(self.uploads.values()))


_lock = RLock()
_visitors: dict[str, Visitor] = {}
_values: dict[Key, Any] = {}
_being_made: WeakValueDictionary[Key, Any] = WeakValueDictionary()  # key -> a lock, which its maker holds
_when_forgotten: list[Callable[[str], None]] = []


def session_id() -> str:
    """The session that runs this code; "" outside of a session, as in a deferred download."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context else ""


def is_here(session: str) -> bool:
    """Whether a visitor is connected now."""
    with _lock:
        visitor = _visitors.get(session)
    return visitor is not None and visitor.left_at is None and runtime.get_instance().is_active_session(session)


def call_when_forgotten(act: Callable[[str], None]) -> None:
    """From now on, call `act` with the session of every visitor who is forgotten."""
    _when_forgotten.append(act)


def start_run() -> None:
    """Note, at the start of every run, that the visitor is here; the page needs what is used from now on."""
    _arrive()
    with _lock:
        visitor = _visitors.setdefault(session_id(), Visitor())
        visitor.run_started, visitor.left_at = time.monotonic(), None
        refusal, visitor.refusal = visitor.refusal, ""
    if refusal:
        st.toast(refusal, icon=":material/error:", duration="infinite")


@st.cache_resource(scope="session", show_spinner=False, on_release=lambda session: _leave(session))
def _arrive() -> str:
    """Call `_leave` when the connection ends, at which Streamlit releases resources of the session."""
    return session_id()


def _leave(session: str) -> None:
    with _lock:
        if session in _visitors:
            _visitors[session].left_at = time.monotonic()


class Kept(Generic[Given, Returned]):
    """A function whose values, or InputErrors, are kept for the visitor's next run; a TemporaryError is not.

    As with Streamlit's caches, arguments whose names begin with an underscore are not part of the key.
    """

    def __init__(self, make: Callable[Given, Returned], spinner: str) -> None:
        self.make, self.spinner = make, spinner
        self._hashed = [i for i, name in enumerate(inspect.signature(make).parameters) if not name.startswith("_")]

    def key(self, *arguments: Any) -> Key:
        return self.make.__module__, self.make.__qualname__, repr([arguments[i] for i in self._hashed])

    def is_kept(self, *arguments: Any) -> bool:
        return bool(_find(self.key(*arguments)))

    def keep(self, value: Any, *arguments: Any) -> None:
        """Keep a value, or an InputError, that was made elsewhere."""
        _keep(self.key(*arguments), value)

    def __call__(self, *arguments: Given.args, **_: Given.kwargs) -> Returned:
        key = self.key(*arguments)
        found = _find(key)
        if not found:
            with _being_made.setdefault(key, Lock()):  # a visitor who asks for the same value meanwhile waits for it
                found = _find(key)
                if not found:
                    with st.spinner(self.spinner, show_time=True) if self.spinner else nullcontext():
                        found = [value_or_error(self.make, arguments)]
                    _keep(key, found[0])
        if isinstance(found[0], InputError):
            raise copy(found[0])  # without the traceback of the first time
        return cast(Returned, found[0])


def kept(spinner: str = "") -> Callable[[Callable[Given, Returned]], Kept[Given, Returned]]:
    """Decorator: keep what a function returned, and show this text while it runs."""
    return lambda make: Kept(make, spinner)


def _find(key: Key) -> list[Any]:
    """A list with the kept value, which from now on belongs to this visitor, too; [] if there is none."""
    with _lock:
        if key not in _values:
            return []
        _own(key)
        return [_values[key]]


def _own(key: Key) -> None:
    """Note that the visitor uses the value now."""
    session = session_id()
    if session:
        visitor = _visitors.setdefault(session, Visitor())
        visitor.keys.pop(key, None)
        visitor.keys[key] = time.monotonic()


def value_or_error(make: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """The value, or an InputError that is kept like a value: a wrong file must not be read again in every run."""
    try:
        return make(*arguments)
    except TemporaryError:
        raise
    except InputError as error:
        return error


def _keep(key: Key, value: Any) -> None:
    """Keep a new value; if it is too large, drop what the present page does not need, or raise an InputError."""
    session = session_id()
    if not session:
        return
    with _lock:
        _values[key] = value
        _own(key)
        visitor = _visitors[session]
        _measure(visitor)
        # What the present run has not used, the longest unused first.
        unused = [one for one, used in visitor.keys.items() if used < visitor.run_started]
        while _excess(visitor) > 0 and unused:
            _drop(session, unused.pop(0))
            _measure(visitor)
        if _excess(visitor) <= 0:
            return
        is_own = visitor.size > limits().visitor
        _drop(session, key)
        _measure(visitor)
    if is_own:
        problem = f"these files and their numbers need more memory than a visitor has ({limits().visitor // MB:,} MB)"
        raise TemporaryError("", "", problem, "Compare fewer pages at a time.")
    problem = "the server has no memory left, because other visitors have loaded large files"
    raise TemporaryError("", "", problem, "Try again in some minutes.")


def _measure(visitor: Visitor) -> None:
    """Measure what the session holds; called in a run of this session, whose state is not visible elsewhere."""
    state = [value for name, value in st.session_state.items() if not str(name).startswith("$$")]
    visitor.measured = bytes_of([*state, *(_values[key] for key in visitor.keys)])


def _excess(visitor: Visitor) -> int:
    """The bytes over the limit, of this visitor or of all; 0 or less if there are none."""
    if sum(one.size for one in _visitors.values()) > limits().all_visitors:
        for session in [session for session, one in _visitors.items() if one.left_at is not None]:
            _drop_all(session)  # present visitors come before those who may come back
    together = sum(one.size for one in _visitors.values())
    return max(visitor.size - limits().visitor, together - limits().all_visitors)


def _drop(session: str, key: Key) -> None:
    """Take the value from this visitor; it is dropped if it belongs to no other visitor."""
    _visitors[session].keys.pop(key, None)
    if not any(key in visitor.keys for visitor in _visitors.values()):
        _values.pop(key, None)


def _drop_all(session: str) -> None:
    visitor = _visitors[session]
    for key in list(visitor.keys):
        _drop(session, key)
    visitor.measured = 0


class Uploads:
    """The bytes that visitors have uploaded, for `UploadsWithinLimits`."""

    def largest(self) -> int:
        """The bytes that one file may have."""
        return limits().upload

    def bytes_left(self, session: str, arriving: Mapping[str, int]) -> int:
        """How many bytes this session may still upload; `arriving` are the bytes of unfinished uploads, by session."""
        with _lock:
            own = _visitors[session].size if session in _visitors else 0
            together = sum(visitor.size for visitor in _visitors.values())
        left = limits().visitor - own - arriving.get(session, 0)
        return min(left, limits().all_visitors - together - sum(arriving.values()))

    def add(self, session: str, file: str, size: int) -> None:
        """Count a file that Streamlit has stored, also for a session whose first run has not started yet."""
        with _lock:
            _visitors.setdefault(session, Visitor()).uploads[file] = size

    def remove(self, session: str, file: str) -> None:
        with _lock:
            if session in _visitors:
                _visitors[session].uploads.pop(file, None)

    async def explain_refusal(self, session: str, reason: str) -> None:
        """Show a visitor in a new run why an upload was refused; the browser itself shows only the status code."""
        info = runtime.get_instance()._session_mgr.get_active_session_info(session)
        with _lock:
            visitor = _visitors.get(session)
        if info is None or visitor is None:
            return
        visitor.refusal = reason
        while visitor.refusal and runtime.get_instance().is_active_session(session):
            if info.session._scriptrunner is None:  # not during a run: only after it, the state of widgets is complete
                return info.session.request_rerun(info.session._client_state)
            await asyncio.sleep(SECONDS_UNTIL_RUN_ENDS)


async def forget_visitors_who_left() -> None:
    """Forget visitors some time after they left, and give their memory back; runs as long as the server."""
    while True:
        await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
        try:
            if _close_left_sessions():
                await asyncio.to_thread(collect_and_trim_memory)
        except Exception:  # of one session; those of later visitors must still be closed
            logging.getLogger("layoutcm").exception("a visitor who left could not be forgotten")


def _close_left_sessions() -> int:
    """The number of sessions that were closed."""
    now, server = time.monotonic(), runtime.get_instance()
    gone = []
    with _lock:
        for session, visitor in list(_visitors.items()):
            if server.is_active_session(session):
                visitor.left_at = None
            elif visitor.left_at is None:
                visitor.left_at = now  # its last run ended after the connection
            elif now - visitor.left_at > SECONDS_UNTIL_FORGOTTEN:
                _drop_all(session)
                del _visitors[session]
                gone.append(session)
    for session in gone:
        for act in _when_forgotten:
            act(session)
        _empty_session(server._session_mgr.get_session_info(session))
        server.close_session(session)
    return len(gone)


def _empty_session(info: Any) -> None:
    """Drop what a session holds: Streamlit's own loop keeps the last session until another visitor comes."""
    if info is not None:
        info.session.session_state.clear()
        info.session.session_state._new_widget_state.widget_metadata.clear()  # with the arguments of callbacks
        info.session._fragment_storage.clear()
