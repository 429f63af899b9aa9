"""Licences and known vulnerabilities of everything that is installed.

    python tools/audit.py PIP_AUDIT        PIP_AUDIT is the command pip-audit, from an environment of its own

Exit code 0: all licences are accepted and no vulnerability is known. 1: something was found. 2: nothing was found, but
the data on vulnerabilities could not be had for every package, for example without a network.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import sysconfig
from importlib import metadata
from typing import NamedTuple

# SPDX names of licences that allow use, change and distribution together with MIT code. Weak copyleft (MPL) applies to
# the files of that package only, which are not changed here.
ACCEPTED = {
    *("MIT", "MIT-CMU", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "ISC"),
    *("PSF-2.0", "MPL-2.0", "Zlib", "CC0-1.0", "HPND", "Unlicense", "MIT-0", "CNRI-Python"),
}
# What older packages write instead, in the field `License`, in a classifier, or at the start of the licence file.
SPELLINGS = {
    r"MIT( License)?": "MIT",
    r"(The )?BSD( License)?": "BSD-3-Clause",
    r"(BSD 3-Clause License|3-Clause BSD License)": "BSD-3-Clause",
    r"(BSD 2-Clause License|FreeBSD)": "BSD-2-Clause",
    r"Apache( License| Software License)?,?( Version)? ?(2\.0)?": "Apache-2.0",
    r"Mozilla Public License 2\.0 \(MPL 2\.0\)": "MPL-2.0",
    r"Python Software Foundation License": "PSF-2.0",
    r"ISC License \(ISCL\)": "ISC",
    r"BSD-3-Clause, Apache-2\.0, dependency licenses": "BSD-3-Clause AND Apache-2.0",  # pypdfium2 with PDFium
}
SERVICES = ("pypi", "osv")


class Vulnerabilities(NamedTuple):
    """Findings as lines of text, and why packages were not checked, by package."""

    found: list[str]
    not_checked: dict[str, str]


def main() -> int:
    licences = {name: licence for name, licence in sorted(installed_licences().items()) if not is_accepted(licence)}
    for name, licence in licences.items():
        print(f"licence not accepted: {name}: {licence or 'none is stated'}")
    print(f"licences: {len(installed_licences())} packages, {len(licences)} not accepted")
    result = known_vulnerabilities(sys.argv[1])
    for line in result.found:
        print(f"vulnerability: {line}")
    if result.not_checked:
        reason = next(iter(result.not_checked.values()))
        print(f"vulnerabilities: NOT CHECKED for {len(result.not_checked)} packages, because: {reason}")
    else:
        print(f"vulnerabilities: {len(result.found)} known")
    return 1 if licences or result.found else 2 if result.not_checked else 0


def installed_licences() -> dict[str, str]:
    return {package.metadata["Name"]: licence_of(package) for package in metadata.distributions()}


def licence_of(package: metadata.Distribution) -> str:
    """The licence as an SPDX expression where it can be understood, else as it is stated."""
    fields = package.metadata
    if expression := fields.get("License-Expression"):
        return str(expression)
    stated = (fields.get("License") or "").strip()
    if len(stated) < 80 and is_accepted(spdx(stated)):
        return spdx(stated)
    classifiers = [
        text.rpartition(" :: ")[2] for text in fields.get_all("Classifier") or () if text.startswith("License")
    ]
    if classifiers:
        return " AND ".join(spdx(text) for text in classifiers)
    return spdx(licence_file_title(package)) or stated[:80]


def licence_file_title(package: metadata.Distribution) -> str:
    """The first line of the licence file, if there is one."""
    for file in package.files or ():
        if file.name.upper().startswith(("LICENSE", "LICENCE", "COPYING")):
            return next((line.strip() for line in file.read_text("utf-8").splitlines() if line.strip()), "")
    return ""


def spdx(text: str) -> str:
    return next((name for pattern, name in SPELLINGS.items() if re.fullmatch(pattern, text)), text)


def is_accepted(expression: str) -> bool:
    """Whether an SPDX expression can be fulfilled with accepted licences; AND binds more closely than OR."""
    while inner := re.search(r"\(([^()]*)\)", expression):
        value = "MIT" if is_accepted(inner[1]) else "refused"
        expression = expression[: inner.start()] + value + expression[inner.end() :]
    choices = [re.split(r"\s+AND\s+", choice) for choice in re.split(r"\s+OR\s+", expression)]
    return any(all(name.strip() in ACCEPTED for name in choice) for choice in choices)


def known_vulnerabilities(command: str) -> Vulnerabilities:
    """What any of the services has found; not checked are the packages that the better one does not know."""
    answers = [ask(command, service) for service in SERVICES]
    found = dict.fromkeys(line for answer in answers for line in answer.found)
    return Vulnerabilities(list(found), min((answer.not_checked for answer in answers), key=len))


def ask(command: str, service: str) -> Vulnerabilities:
    path = sysconfig.get_paths()["purelib"]
    arguments = ["--path", path, "--format", "json", "--progress-spinner", "off", "--timeout", "20"]
    done = subprocess.run([command, "-s", service, *arguments], capture_output=True, text=True)
    return read_answer(service, done.stdout, done.stderr, set(installed_licences()))


def read_answer(service: str, output: str, errors: str, packages: set[str]) -> Vulnerabilities:
    """What pip-audit printed. It skips a package that the service does not know, and does not call that an error."""
    try:
        rows = json.loads(output)["dependencies"]
    except (ValueError, KeyError):
        reason = (errors.strip().splitlines() or ["no answer"])[-1][:200]
        return Vulnerabilities([], dict.fromkeys(packages, f"{service}: {reason}"))
    skipped = {row["name"]: f"{service}: {row['skip_reason']}" for row in rows if "skip_reason" in row}
    skipped = {name: reason for name, reason in skipped.items() if name != "layoutcm"}
    found = [
        f"{row['name']} {row['version']}: {one['id']}, fixed in {', '.join(one['fix_versions']) or 'no version'}"
        for row in rows
        for one in row.get("vulns", ())
    ]
    return Vulnerabilities(found, skipped)


if __name__ == "__main__":
    sys.exit(main())
