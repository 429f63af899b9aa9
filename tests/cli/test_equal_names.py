"""Predictions whose files have the same name are told apart by their folders."""

import json

import pytest

from layoutcm.cli.main import main

TABLE = "page,width,height,label,x0,y0,x1,y1\np,20,20,Text,0,0,{},9\n"


@pytest.mark.long
def test_equal_names_get_their_folders_and_a_repeated_file_is_noted(tmp_path, capsys):
    for folder, width in (("gt", 9), ("m1", 8), ("m2", 7)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "boxes.csv").write_text(TABLE.format(width))
    first, second = (str(tmp_path / folder / "boxes.csv") for folder in ("m1", "m2"))
    out, found = tmp_path / "out", tmp_path / "found.json"
    given = ["compare", str(tmp_path / "gt" / "boxes.csv"), first, second, first]
    assert main([*given, "-o", str(out), "--json", str(found)]) == 0
    names = ["m1-boxes", "m2-boxes", "m1-boxes-2"]
    assert sorted(path.parent.name for path in out.glob("*/report.html")) == sorted(names)
    assert [one["recipe_fields"]["pred"] for one in json.loads(found.read_text())] == names
    said = capsys.readouterr().out
    assert "m1-boxes-2 is the same prediction as m1-boxes." in said and said.count("same prediction") == 1
