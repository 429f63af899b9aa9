"""Session files that are damaged or hostile: each gives an InputError that names the file, and nothing else."""

import io
import json
import stat
import zipfile

import pytest

from layoutcm.errors import InputError
from layoutcm.ui.files.session_files import CONTENTS, LARGEST_CONTENTS, SessionContents, read_session, write_session
from layoutcm.ui.files.visitor_files import input_from_bytes
from support.app_runner import coco
from support.image_files import png

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


LAYOUT = "layouts/pred-0.parquet"
DEEP = '{"a":' * 100_000 + "1" + "}" * 100_000
WRONG = {
    "no zip": (lambda: b"this is text", "this zip"),
    "empty": (lambda: b"", "this zip"),
    "truncated": (lambda: packed(saved())[:-40], "this zip"),
    "cut in the middle": (lambda: packed(saved())[:2000], "this zip has no list of its files"),
    "not a session": (lambda: packed({"gt.json": PAGE}), "no session of layoutcm"),
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
    "large session.json": (lambda: packed({CONTENTS: bytes(LARGEST_CONTENTS + 1)}), "at most 16,777,216 are read"),
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
    "image that is none": (lambda: changed(images=[{"file": "i", "name": "x.exe"}]), "'x.exe' is no page image"),
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
