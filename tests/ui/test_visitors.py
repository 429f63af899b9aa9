"""Values that the server keeps for visitors: shared by digest, limited in bytes, dropped when the last one has left."""

import asyncio
import gc
from types import SimpleNamespace
from weakref import ref

import numpy as np
import pytest

from layoutcm.errors import InputError, TemporaryError
from layoutcm.ui.server import settings, visitors
from layoutcm.ui.server.settings import MB, bytes_of
from layoutcm.ui.server.visitors import Uploads, kept


@pytest.fixture
def visit(monkeypatch):
    """Become a visitor, at the start of a run."""
    for name in ("_visitors", "_values"):
        monkeypatch.setattr(visitors, name, {})
    monkeypatch.setattr(visitors, "_arrive", lambda: None)
    monkeypatch.setattr(settings, "LOCAL", settings.Limits(upload=MB, visitor=4 * MB, all_visitors=6 * MB, reading=MB))
    closed = []
    alive = SimpleNamespace(is_active_session=lambda name: not _visitors_left(name), close_session=closed.append)
    alive._session_mgr = SimpleNamespace(get_session_info=lambda _: None)
    monkeypatch.setattr(visitors.runtime, "get_instance", lambda: alive)

    def start(session):
        monkeypatch.setattr(visitors, "_session_id", lambda: session)
        visitors.start_run()
        return closed

    return start


def _visitors_left(session):
    return visitors._visitors[session].left_at is not None


class Maker:
    """Makes arrays of some MB, and counts how often."""

    def __init__(self):
        self.made = []

        @kept()
        def make(name: str, size: float, _unused: object) -> np.ndarray:
            self.made.append(name)
            return np.zeros(round(size * MB), np.uint8)

        self.make = make

    def __call__(self, name, size=1.0):
        return self.make(name, size, object())


def test_a_value_is_made_once_for_all_visitors_with_the_same_key(visit):
    make = Maker()
    visit("a")
    first = make("x")
    assert make("x") is first
    visit("b")
    assert make("x") is first and make("x", 0.5) is not first and make.made == ["x", "x"]


def test_a_value_is_dropped_when_its_last_visitor_has_left(visit, monkeypatch):
    make = Maker()
    visit("a")
    value = ref(make("x"))
    closed = visit("b")
    make("x")
    monkeypatch.setattr(visitors, "SECONDS_UNTIL_FORGOTTEN", -1)
    visitors._leave("a")
    assert visitors._close_left_sessions() == 1 and closed == ["a"] and value() is not None
    visitors._leave("b")
    visitors._close_left_sessions()
    gc.collect()
    assert closed == ["a", "b"] and value() is None and not visitors._visitors


def test_a_visitor_who_comes_back_soon_finds_everything(visit):
    make = Maker()
    visit("a")
    make("x")
    visitors._leave("a")
    assert visitors._close_left_sessions() == 0
    visit("a")  # a broken connection
    visitors._leave("a")
    visit("b")  # a reload
    make("x")
    assert make.made == ["x"]


def test_what_the_present_page_does_not_need_is_dropped_first(visit):
    make = Maker()
    visit("a")
    for name in "wxyz":
        visit("a")
        make(name, 1.5)
    assert len(visitors._values) == 2 and make.made == list("wxyz")
    make("z", 1.5)
    assert make.made == list("wxyz")


def test_a_visitor_over_the_limit_gets_a_sentence_and_the_others_keep_their_values(visit):
    make = Maker()
    visit("b")
    make("other")
    visit("a")
    make("x", 2)
    with pytest.raises(InputError, match="need more memory than a visitor has"):
        make("y", 3)
    assert len(visitors._values) == 2
    visit("b")
    make("other")
    assert make.made == ["other", "x", "y"]


def test_a_full_server_refuses_newcomers_until_another_leaves(visit):
    make = Maker()
    visit("a")
    make("x", 3.5)
    visit("b")
    with pytest.raises(InputError, match="other visitors have loaded large files"):
        make("y", 3.5)
    visit("a")
    make("x", 3.5)
    visitors._leave("a")
    visit("b")
    make("y", 3.5)
    assert make.made == ["x", "y", "y"] and set(visitors._visitors) == {"a", "b"}  # a may come back


def test_a_visitor_whose_run_ended_after_the_connection_is_forgotten_too(visit, monkeypatch):
    closed = visit("a")
    gone = SimpleNamespace(is_active_session=lambda _: False, close_session=closed.append)
    gone._session_mgr = SimpleNamespace(get_session_info=lambda _: None)
    monkeypatch.setattr(visitors.runtime, "get_instance", lambda: gone)
    monkeypatch.setattr(visitors, "SECONDS_UNTIL_FORGOTTEN", -1)
    assert [visitors._close_left_sessions(), visitors._close_left_sessions()] == [
        0,
        1,
    ] and closed == ["a"]


def test_an_error_does_not_end_the_forgetting(monkeypatch, caplog):
    looks = []

    def look():
        looks.append(len(looks))
        if len(looks) == 1:
            raise KeyError("a session")
        if len(looks) == 3:
            raise asyncio.CancelledError  # as at the end of the server

    monkeypatch.setattr(visitors, "SECONDS_BETWEEN_LOOKS", 0)
    monkeypatch.setattr(visitors, "_close_left_sessions", look)
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(visitors.forget_visitors_who_left())
    assert len(looks) == 3 and "could not be forgotten" in caplog.text


def test_a_wrong_file_is_not_read_again_in_every_run(visit):
    made = []

    @kept()
    def read(name: str) -> None:
        made.append(name)
        raise InputError(name, "line 1", "wrong", "Repair it.")

    visit("a")
    for _ in range(3):
        with pytest.raises(InputError, match=r"f: wrong|f, line 1: wrong\. Repair it\."):
            read("f")
    assert made == ["f"]


def test_a_temporary_error_is_not_kept(visit):
    made = []

    @kept()
    def read(name: str) -> str:
        made.append(name)
        if len(made) == 1:
            raise TemporaryError(name, "", "the machine is busy", "Try again.")
        return "content"

    visit("a")
    with pytest.raises(TemporaryError, match=r"f: the machine is busy\. Try again\."):
        read("f")
    visit("b")
    assert read("f") == read("f") == "content" and made == ["f", "f"]


def test_a_value_that_was_too_large_is_made_again_inside_another_value(visit):
    """A full server is temporary, also for values that are made from others."""
    make = Maker()

    @kept()
    def double(name: str) -> int:
        return 2 * len(make(name, 3.5))

    visit("a")
    make("x", 3.5)
    visit("b")
    with pytest.raises(InputError, match="other visitors have loaded large files"):
        double("y")
    visitors._leave("a")
    visit("b")
    assert double("y") == 7 * MB


def test_outside_of_a_session_nothing_is_kept(visit, monkeypatch):
    make = Maker()
    visit("a")
    monkeypatch.setattr(visitors, "_session_id", lambda: "")
    make("x")
    make("x")
    assert make.made == ["x", "x"] and not visitors._values and list(visitors._visitors) == ["a"]


def test_uploads_and_values_share_the_limits(visit):
    uploads, make = Uploads(), Maker()
    visit("a")
    assert uploads.bytes_left("a", {}) == 4 * MB and uploads.largest() == MB
    uploads.add("a", "f", 3 * MB)
    assert uploads.bytes_left("a", {}) == MB and uploads.bytes_left("b", {}) == 3 * MB
    visit("b")
    make("x", 2)
    assert 0.9 * MB < uploads.bytes_left("b", {}) <= MB
    uploads.remove("a", "f")
    assert uploads.bytes_left("a", {}) > 3.9 * MB


def test_unfinished_uploads_of_others_count_only_for_the_limit_of_all(visit):
    uploads = Uploads()
    visit("a")
    assert uploads.bytes_left("a", {"b": 2 * MB}) == 4 * MB
    assert uploads.bytes_left("a", {"b": 3 * MB}) == 3 * MB
    assert uploads.bytes_left("a", {"a": 3 * MB}) == MB
    assert uploads.bytes_left("a", {"a": 2 * MB, "b": 4 * MB}) == 0


def test_an_upload_before_the_first_run_is_counted(visit):
    uploads = Uploads()
    uploads.add("new", "f", 3 * MB)
    assert uploads.bytes_left("new", {}) == MB


def test_bytes_are_counted_once_and_large_containers_from_a_sample():
    array = np.zeros(MB, np.uint8)
    assert MB <= bytes_of([array]) < 1.01 * MB
    assert bytes_of([array, array[10:], {"a": [array]}]) < 1.01 * MB
    names = [f"page {i:010d}" for i in range(100_000)]
    exact = sum(name.__sizeof__() for name in names) + names.__sizeof__()
    assert bytes_of([names]) == pytest.approx(exact, rel=0.02)
    assert bytes_of([dict.fromkeys(names, 1.5)]) > exact
    assert bytes_of([SimpleNamespace(data=bytes(MB))]) > MB
