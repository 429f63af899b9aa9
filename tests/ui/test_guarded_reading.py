"""Hostile sessions, and reading in a process that is guarded."""

import io
import json
import os
import stat
import subprocess
import sys
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from layoutcm.errors import InputError, TemporaryError
from layoutcm.ui.files.file_facts import facts_of_files
from layoutcm.ui.files.input_file import input_from_bytes, read_layout
from layoutcm.ui.files.page_pictures import pictures_of_files, shrunk_jpeg
from layoutcm.ui.files.session_files import CONTENTS, LARGEST_CONTENTS, SessionContents, read_session, write_session
from layoutcm.ui.server import guarded_reading, settings
from layoutcm.ui.server.guarded_reading import Turns, run_guarded
from layoutcm.ui.server.settings import MB
from support.app_runner import coco
from support.image_files import png, zipped
from support.servers import wait_until

CSV = input_from_bytes("a.csv", b"page,width,height,label,score,x0,y0,x1,y1\np,9,9,a,1,0,0,5,5\n")
# For `eval`, because the process does not know the functions of this file: it tells its progress, and goes on when the
# file exists.
LONG_WORK = """(
    __import__("layoutcm.ui.server.reading_worker", fromlist=["ui"]).note_progress("some progress", 0.5),
    [__import__("time").sleep(0.05) for _ in iter(lambda: __import__("os").path.exists({file!r}), True)],
    3,
)[-1]"""


def works():
    return len(run_guarded(read_layout, CSV, None, None, "", file="a.csv", size=CSV.size).region_columns) == 1


def test_a_layout_comes_back_as_it_was_read():
    here = read_layout(CSV, None, None, "")
    there = run_guarded(read_layout, CSV, None, None, "", file="a.csv", size=CSV.size)
    assert there.region_columns.boxes.flags.writeable and there.sha256 == here.sha256
    assert np.array_equal(there.region_columns.boxes, here.region_columns.boxes)
    assert there.page_columns.names == here.page_columns.names and there.labels == here.labels


def test_an_input_error_is_the_same_as_without_the_process():
    broken = input_from_bytes("broken.json", b'{"images": [')
    with pytest.raises(InputError) as here:
        read_layout(broken, None, None, "")
    with pytest.raises(InputError) as there:
        run_guarded(read_layout, broken, None, None, "", file="broken.json", size=broken.size)
    assert str(there.value) == str(here.value) and there.value.on_screen == here.value.on_screen


def test_a_task_that_takes_too_long_is_ended(monkeypatch):
    monkeypatch.setattr(guarded_reading, "SECONDS", 1)
    with pytest.raises(TemporaryError, match=r"slow\.json: working on it takes longer than 1 s"):
        run_guarded(time.sleep, 600, file="slow.json", size=0)
    monkeypatch.undo()
    assert works()


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="only Linux limits memory")
def test_a_task_that_needs_too_much_memory_is_an_error():
    with pytest.raises(InputError, match="more than 1,024 MB of memory"):
        run_guarded(bytearray, 2048 * MB, file="large.json", size=0)
    assert works()


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="only Linux limits memory")
def test_files_are_read_under_a_limit_of_the_system():
    """As after `ulimit -v`, which a process cannot exceed and need not reach."""
    code = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
from layoutcm.ui.server.reading_worker import Task, run_task
print(run_task(Task(divmod, (7, 2), memory=16 << 30, result=1000)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "(3, 1)\n", done.stderr


def test_a_result_that_is_too_large_for_a_visitor_does_not_reach_the_server(monkeypatch):
    monkeypatch.setattr(settings, "LOCAL", settings.Limits(MB, MB, MB, reading=1024 * MB))
    with pytest.raises(InputError, match="takes more than 1 MB of memory"):
        run_guarded(bytes, 2 * MB, file="large.json", size=0)
    assert len(run_guarded(bytes, 1000, file="small.json", size=0)) == 1000


def test_a_process_that_a_file_ends_is_replaced():
    for _ in range(guarded_reading.WORKERS + 1):
        with pytest.raises(TemporaryError, match=r"fatal\.pdf: the process that worked on it ended"):
            run_guarded(os._exit, 3, file="fatal.pdf", size=0)
    assert works()


def test_a_bug_is_not_an_input_error():
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        run_guarded(divmod, 1, 0, file="a.csv", size=0)
    assert works()


def test_more_visitors_than_processes_wait_for_each_other():
    with ThreadPoolExecutor(8) as visitors:
        assert all(visitors.map(lambda _: works(), range(16)))


def test_kinds_and_pictures_are_found_in_the_process():
    files = [CSV, input_from_bytes("p.png", png()), input_from_bytes("a.zip", zipped(**{"p.png": png()}))]
    kinds = [one.kind for one in run_guarded(facts_of_files, files, file="a.csv", size=0)]
    assert kinds == ["whole layout", "images", "images"]
    pictures = run_guarded(pictures_of_files, files[1:], files[:1], file="p.png", size=0)
    assert [(one.file, one.member, one.data) for one in pictures] == [("p.png", "", b""), ("p.png", "p.png", b"")]
    for _ in range(2):  # the second time without sending the file
        for picture, file in zip(pictures, files[1:]):
            jpeg = run_guarded(shrunk_jpeg, picture, 50, file="p.png", size=0, held=(file.digest, file.data))
            assert jpeg[:3] == b"\xff\xd8\xff"


def test_long_work_shows_its_progress_and_leaves_a_process_for_reading(tmp_path):
    def work_until_progress_is_shown(number):
        file = tmp_path / str(number)

        def show(what, share):
            assert (what, share) == ("some progress", 0.5) and works()
            file.touch()

        return run_guarded(eval, LONG_WORK.format(file=str(file)), file="the report", size=0, show_progress=show)

    with ThreadPoolExecutor(2) as visitors:
        assert list(visitors.map(work_until_progress_is_shown, range(2))) == [3, 3]


def test_files_that_are_read_quickly_do_not_wait_for_long_ones(tmp_path, monkeypatch):
    """More long tasks than all places."""
    monkeypatch.setattr(guarded_reading, "SECONDS_UNTIL_LONG", 0.3)
    file, number = tmp_path / "go on", guarded_reading.WORKERS + 1
    with ThreadPoolExecutor(number) as visitors:
        busy = LONG_WORK.replace('__import__("time").sleep(0.05)', "sum(range(10**5))").format(file=str(file))
        long = [visitors.submit(run_guarded, eval, busy, file="large.zip", size=0) for _ in range(number)]
        try:
            assert [run_guarded(divmod, 7, 2, file="small.csv", size=0) for _ in range(3)] == [(3, 1)] * 3
            assert not any(one.done() for one in long)
        finally:
            file.touch()
        assert [one.result() for one in long] == [3] * number


def test_the_visitor_who_has_used_the_least_time_is_next(monkeypatch):
    monkeypatch.setattr(Turns, "_used", {"heavy": 5.0, "light": 0.5})
    turns, order = Turns(1), []

    def take(session):
        with turns.place(session):
            order.append(session)

    with ThreadPoolExecutor(3) as visitors:
        with turns.place("new"):
            taken = []
            for waiting, session in enumerate(("heavy", "light", "heavy"), start=1):
                taken.append(visitors.submit(take, session))
                wait_until(lambda n=waiting: len(turns._waiting) == n, "a visitor who waits")
        for one in taken:
            one.result()
    assert order == ["light", "heavy", "heavy"]


PAGE = coco(["a"], [(0, [0, 0, 20, 20])])


def saved():
    """{member: bytes} of a session with one prediction and a page map."""
    gt, pred = input_from_bytes("gt.json", PAGE), input_from_bytes("pred.json", PAGE)
    page_map = input_from_bytes("map.csv", b"gt,pred\np1.png,p1.png\n")
    data = write_session(SessionContents(gt, (pred,), (page_map,), repairs=("0=scale:1",)))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(members, method=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def changed(**facts):
    """A session whose session.json has other values."""
    members = saved()
    return packed(members | {CONTENTS: json.dumps(json.loads(members[CONTENTS]) | facts).encode()})


def with_layout(side, **facts):
    stored = json.loads(saved()[CONTENTS])
    return changed(gt=stored["gt"] | facts) if side == "gt" else changed(predictions=[stored["predictions"][0] | facts])


def with_link():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        link = zipfile.ZipInfo("layouts/gt.parquet")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    return out.getvalue()


def with_false_size():
    """The list of files says that session.json is small; it unpacks to more."""
    data = packed(saved())
    at = data.index(b"PK\x01\x02") + 24
    return data[:at] + (10).to_bytes(4, "little") + data[at + 4 :]


def with_wrong_bytes():
    """Two bytes of session.json are wrong."""
    data = packed(saved())
    return data[:60] + b"\0\0" + data[62:]


LAYOUT = "layouts/pred-0.parquet"
DEEP = '{"a":' * 100_000 + "1" + "}" * 100_000
WRONG = {
    "no zip": (lambda: b"this is text", "this zip"),
    "empty": (lambda: b"", "this zip"),
    "truncated": (lambda: packed(saved())[:-40], "this zip"),
    "cut in the middle": (lambda: packed(saved())[:2000], "this zip has no list of its files"),
    "not a session": (lambda: packed({"gt.json": PAGE}), "this is not a session of layoutcm"),
    "newer version": (lambda: changed(version=2), "written by a newer version of layoutcm"),
    "far newer version": (lambda: packed({CONTENTS: b'{"version": 99, "all": "new"}'}), "written by a newer version"),
    "version of no session": (lambda: changed(version=0), "0 is not a version"),
    "version as text": (lambda: changed(version="1"), "expected `int`"),
    "huge version": (lambda: packed({CONTENTS: b'{"version": ' + b"9" * 5000 + b"}"}), ""),
    "infinite number": (lambda: packed({CONTENTS: b'{"version": 1e999}'}), ""),
    "no JSON": (lambda: packed(saved() | {CONTENTS: b"{"}), "ends too early"),
    "not UTF-8": (lambda: packed(saved() | {CONTENTS: b'{"version": 1, "\xff": 1}'}), ""),
    "a list": (lambda: packed(saved() | {CONTENTS: b"[1]"}), "expected `object`"),
    "nested deeply": (lambda: packed(saved() | {CONTENTS: DEEP.encode()}), ""),
    "deep decisions": (lambda: packed(saved() | {CONTENTS: f'{{"version": 1, "decisions": {DEEP}}}'.encode()}), ""),
    "bomb": (lambda: packed(saved() | {LAYOUT: bytes(64 << 20)}), "it unpacks to more than"),
    "large session.json": (lambda: packed({CONTENTS: bytes(LARGEST_CONTENTS + 1)}), "at most 16,777,216 can be read"),
    "wrong bytes": (with_wrong_bytes, f"{CONTENTS!r}"),
    "false size": (with_false_size, "does not have the size"),
    "traversal": (lambda: packed(saved() | {"../layouts/gt.parquet": b"x"}), "leads out of the archive"),
    "absolute name": (lambda: packed(saved() | {"/etc/x": b"x"}), "leads out of the archive"),
    "link": (with_link, "this is a link"),
    "layout outside": (lambda: with_layout("gt", file="../../etc/passwd"), "this file is missing in the session"),
    "layout missing": (lambda: with_layout("pred", file="layouts/9.parquet"), "this file is missing in the session"),
    "layout is JSON": (lambda: packed(saved() | {LAYOUT: PAGE}), "this is not a Parquet file"),
    "layout is a zip": (lambda: packed(saved() | {LAYOUT: packed(saved())}), "this is not a Parquet file"),
    "layout cut": (lambda: packed(saved() | {LAYOUT: saved()[LAYOUT][:-50]}), "not a readable Parquet file"),
    "rows missing": (lambda: with_layout("gt", rows="layouts/gt.rows"), "this file is missing in the session"),
    "rows of other regions": (lambda: with_layout("gt", rows=CONTENTS), "the rows of its regions are damaged"),
    "no prediction": (lambda: changed(predictions=[]), "length >= 1"),
    "too many predictions": (lambda: changed(predictions=json.loads(saved()[CONTENTS])["predictions"] * 101), "<= 100"),
    "long name": (lambda: with_layout("gt", name="x" * 1001), "length <= 1000"),
    "wrong digest": (lambda: with_layout("gt", sha256="x"), "matching regex"),
    "unknown repair": (lambda: changed(repairs=["0=rm"]), "these are not repairs"),
    "many repairs": (lambda: changed(repairs=["0=flip-y"] * 17), "these are not repairs"),
    "repair of no prediction": (lambda: changed(repairs=["1=flip-y"]), "there is no prediction 1"),
    "mapping of no prediction": (lambda: changed(mapping={"preds": {"7": {"a": "b"}}}), "there is no prediction 7"),
    "mapping by name": (lambda: changed(mapping={"preds": {"pred": {"a": "b"}}}), "not the position"),
    "mapping of a number": (lambda: changed(mapping={"pred": {"a": 1}}), "both must be label names"),
    "unknown side": (lambda: changed(mapping={"other": {}}), "'other' is not a side"),
    "page map cut": (lambda: packed(saved() | {"page-maps/0.csv": b"gt,pred\np1.png\n"}), "row"),
    "choices of numbers": (lambda: changed(choices={"page": 1}), "expected `str`"),
    "decisions in a list": (lambda: changed(decisions=[]), "expected `object`"),
    "image that is none": (lambda: changed(images=[{"file": "i", "name": "x.exe"}]), "'x.exe' is not a page image"),
    "PDF that is none": (
        lambda: packed({**unpacked(changed(images=[{"file": "i", "name": "x.pdf"}])), "i": b"no"}),
        "this PDF cannot be opened",
    ),
}


def unpacked(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_session_is_refused(name):
    make, words = WRONG[name]
    with pytest.raises(InputError) as caught:
        read_session(input_from_bytes("bad.layoutcm", make()))
    assert caught.value.file == "bad.layoutcm" and words in str(caught.value), str(caught.value)
    assert len(str(caught.value)) < 600


def test_what_is_not_known_is_ignored():
    data = changed(future={"a": [1]}, choices={"view": "precision", "unheard": "x"})
    opened = read_session(input_from_bytes("s.zip", packed(unpacked(data) | {"extra/file.bin": b"x"})))
    assert opened.repairs == ("0=scale:1",) and opened.choices["view"] == "precision"


def test_names_lose_their_folders():
    opened = read_session(input_from_bytes("s.layoutcm", with_layout("gt", name="/home/x/gt.json")))
    assert opened.gt.name == "gt.json"


def test_an_image_that_cannot_be_shown_is_no_reason_to_refuse_the_session():
    listed = changed(images=[{"file": "i", "name": "p1.png"}, {"file": "j", "name": "p2.png"}])
    data = packed({**unpacked(listed), "i": png()[:60], "j": png()})
    assert [one.file for one in read_session(input_from_bytes("s.layoutcm", data)).pictures] == ["p1.png", "p2.png"]
