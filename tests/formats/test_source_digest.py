"""The digest of the files that a layout was read from."""

import hashlib

import layoutcm as lcm
from support.hostile_formats import zip_of
from support.layouts import build
from support.results import full_result

HEAD = b"page,width,height,label,x0,y0,x1,y1\n"
ONE, TWO = HEAD + b"p,9,9,a,0,0,5,5\n", HEAD + b"q,9,9,b,0,0,5,5\n"


def sha256(data):
    return hashlib.sha256(data).hexdigest()


# What `sha256sum one.csv sub/two.csv | sha256sum` prints.
BOTH = sha256(f"{sha256(ONE)}  one.csv\n{sha256(TWO)}  sub/two.csv\n".encode())


def write(folder, files):
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def test_one_file_has_the_digest_of_its_bytes(tmp_path):
    write(tmp_path, {"deep/one.csv": ONE})
    for source in (tmp_path / "deep/one.csv", ("one.csv", ONE), ("x.zip", zip_of({"one.csv": ONE})), tmp_path / "deep"):
        assert lcm.read(source).sha256 == sha256(ONE)
    assert lcm.read(("bom.csv", b"\xef\xbb\xbf" + ONE)).sha256 == sha256(b"\xef\xbb\xbf" + ONE)


def test_several_files_have_one_digest_wherever_they_are(tmp_path):
    files = {"sub/two.csv": TWO, "one.csv": ONE}
    folder = write(tmp_path / "folder", files)
    in_folder = {f"outer/{name}": data for name, data in files.items()}
    sources = [
        folder,
        ("x.zip", zip_of(files)),
        ("x.zip", zip_of(in_folder)),
        [folder / "sub/two.csv", folder / "one.csv"],
        list(files.items()),
    ]
    assert {lcm.read(source).sha256 for source in sources} == {BOTH}
    assert lcm.read(write(tmp_path / "renamed", {"one.csv": ONE, "sub/three.csv": TWO})).sha256 != BOTH


def test_files_that_are_not_used_do_not_count():
    """A list of names counts, because it can change the labels; a file of another kind does not."""
    files = {"a.txt": b"0 0.5 0.5 0.5 0.5\n", "b.txt": b"0 0.2 0.2 0.1 0.1\n"}
    first = lcm.read(("x.zip", zip_of(files)), sizes=(10, 10)).sha256
    assert lcm.read(("x.zip", zip_of({**files, "other.json": b"{}"})), sizes=(10, 10)).sha256 == first
    assert lcm.read(("x.zip", zip_of({**files, "classes.txt": b"Text\n"})), sizes=(10, 10)).sha256 != first


def test_the_digest_is_kept(tmp_path):
    layout = lcm.read(("one.csv", ONE))
    assert lcm.repair(layout, "scale:2").sha256 == sha256(ONE)
    mapped = lcm.compare(layout, layout, mapping={"pred": {"a": "b"}, "gt": {"a": "b"}}, missing_pages="ignore")
    assert [side.sha256 for side in mapped.alignment.layouts] == [sha256(ONE)] * 2
    assert build({"p": (5, 5)}, []).sha256 is None


def test_a_result_names_its_inputs_without_their_folders(tmp_path):
    folder = write(tmp_path / "secret", {"one.csv": ONE, "sub/two.csv": TWO})
    c = lcm.compare(lcm.read(folder), lcm.read(folder / "one.csv"))
    assert full_result(c)["inputs"] == {
        "gt": {"name": "secret", "format": "csv", "sha256": BOTH, "pages": 2, "regions": 2},
        "pred": {"name": "one.csv", "format": "csv", "sha256": sha256(ONE), "pages": 1, "regions": 1},
    }
    windows = lcm.compare(lcm.read(("C:\\secret\\gt.csv", ONE)), build({"p": (9, 9)}, [("p", "a", 0, 0, 1, 1)]))
    assert full_result(windows)["inputs"]["gt"]["name"] == "gt.csv"
