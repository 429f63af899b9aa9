"""Each key of the session belongs to one module: no other module writes it."""

import re
from collections import defaultdict

from support.paths import ROOT

WRITE = re.compile(r'(?:session_)?state(?:\["(\w+)"\](?:, \w+(?:\.\w+)*\["(\w+)"\])* =|\.(?:setdefault|pop)\("(\w+)")')


def test_a_key_is_written_by_one_module():
    writers = defaultdict(set)
    for path in (*(ROOT / "layoutcm/ui").rglob("*.py"), *(ROOT / "pages").glob("*.py"), ROOT / "app.py"):
        for keys in WRITE.findall(path.read_text("utf-8")):
            for key in filter(None, keys):
                writers[key].add(path.name)
    assert writers["choices"] == {"choices.py"} and writers["loaded"] == {"session.py"}
    assert writers["links"] == writers["link"] == {"address.py"}
    assert {key: names for key, names in writers.items() if len(names) > 1} == {}
