"""`make audit`: which licences are accepted, and that missing data on vulnerabilities is not taken for none."""

import importlib.util
import json

import pytest

from support.paths import ROOT

spec = importlib.util.spec_from_file_location("audit", ROOT / "tools" / "audit.py")
audit = importlib.util.module_from_spec(spec)
spec.loader.exec_module(audit)


@pytest.mark.parametrize(
    ("expression", "accepted"),
    [
        ("MIT", True),
        ("GPL-3.0-only", False),
        ("", False),
        ("MIT AND GPL-3.0-only", False),
        ("MIT OR GPL-3.0-only", True),
        ("GPL-3.0-only OR MIT AND BSD-3-Clause", True),
        ("MPL-2.0 AND (Apache-2.0 OR MIT)", True),
        ("MIT AND (GPL-3.0-only OR LGPL-2.1-only)", False),
        ("BSD-2-Clause AND Apache-2.0 WITH LLVM-exception", True),
    ],
)
def test_licences_of_an_expression(expression, accepted):
    assert audit.is_accepted(expression) is accepted


def test_every_installed_package_has_an_accepted_licence():
    refused = {name: text for name, text in audit.installed_licences().items() if not audit.is_accepted(text)}
    assert refused == {}


ROW = {"name": "a", "version": "1.0", "vulns": [{"id": "X-1", "fix_versions": ["1.1"]}]}
SKIPPED = {"name": "b", "skip_reason": "not found"}


def test_a_vulnerability_and_a_skipped_package_are_reported():
    answer = audit.read_answer("pypi", json.dumps({"dependencies": [ROW, SKIPPED]}), "", {"a", "b"})
    assert answer == (["a 1.0: X-1, fixed in 1.1"], {"b": "pypi: not found"})


def test_no_answer_leaves_every_package_unchecked():
    answer = audit.read_answer("osv", "", "Traceback\nno network", {"a", "b"})
    assert answer == ([], {"a": "osv: no network", "b": "osv: no network"})


def test_findings_of_every_service_count(monkeypatch):
    """The service that knows more packages may not know the vulnerability."""
    rows = {"pypi": [ROW, SKIPPED], "osv": []}
    answer = lambda _, service: audit.read_answer(service, json.dumps({"dependencies": rows[service]}), "", set())
    monkeypatch.setattr(audit, "ask", answer)
    assert audit.known_vulnerabilities("pip-audit") == (["a 1.0: X-1, fixed in 1.1"], {})


@pytest.mark.parametrize(
    ("rows", "code", "words"),
    [
        ([ROW], 1, "vulnerability: a 1.0"),
        ([SKIPPED], 2, "NOT CHECKED for 1 packages, because: pypi: not found"),
        ([], 0, "0 known"),
    ],
)
def test_exit_codes(monkeypatch, capsys, rows, code, words):
    answer = audit.read_answer("pypi", json.dumps({"dependencies": rows}), "", set())
    monkeypatch.setattr(audit, "known_vulnerabilities", lambda command: answer)
    monkeypatch.setattr(audit.sys, "argv", ["audit", "pip-audit"])
    assert audit.main() == code and words in capsys.readouterr().out
