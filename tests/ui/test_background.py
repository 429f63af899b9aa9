"""What takes long is made in a thread, the newest first."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

from layoutcm.ui.server import background


class Value:
    """Stands for a kept value: its key is its name."""

    def __init__(self, name, make):
        self.name, self.make = name, make

    def key(self):
        return (self.name,)


def test_what_was_asked_for_last_is_made_first(monkeypatch):
    monkeypatch.setattr(background, "_jobs", {})
    monkeypatch.setattr(background, "_threads", ThreadPoolExecutor(1))
    begun, go_on, made = Event(), Event(), []

    def wait():
        begun.set()
        go_on.wait(20)

    first = background._job(("first",), Value("first", wait), ())
    assert begun.wait(20)
    others = {name: background._job((name,), Value(name, lambda name=name: made.append(name)), ()) for name in "abc"}
    assert background._job(("a",), Value("a", None), ()) is others["a"]  # the same job, not another one
    go_on.set()
    for job in (first, *others.values()):
        job.future.result(20)
    assert made == ["c", "b", "a"]
