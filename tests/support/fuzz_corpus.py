"""The files that the coverage-guided run kept, packed into one archive.

The name of a member says what it is: target, flags of the options, digest, and the name of the file in the target.
"""

import hashlib
import io
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from support.fuzz_cases import Case, case_with, slots
from support.paths import ROOT

CORPUS = ROOT / "fuzz" / "corpus.zip"
LARGEST = 20_000  # bytes of one file; larger ones show nothing that a smaller one does not
WHOLE = 450_000  # bytes of the archive, which may be exceeded by one file
LISTED = 46  # bytes that the list at the end of an archive has for a member, beside its name
EARLIEST = (1980, 1, 1, 0, 0, 0)  # the same time for all, so that equal files make an equal archive


class Kept(NamedTuple):
    """One file of the corpus."""

    target: str
    name: str
    flags: int
    data: bytes

    @property
    def case(self) -> Case:
        return case_with(self.target, self.name, self.data, self.flags)

    def packed(self) -> bytes:
        """As one input of the fuzzer: the number of the slot, the flags, and the file."""
        return bytes([slots().index((self.target, self.name)), self.flags]) + self.data


def unpacked(data: bytes) -> Kept:
    """The file and options in an input of the fuzzer, which may be any bytes."""
    slot, flags = (*data[:2], 0, 0)[:2]
    target, name = slots()[slot % len(slots())]
    return Kept(target, name, flags & 15, data[2:])


def read_corpus(path: Path = CORPUS) -> Iterator[Kept]:
    """The files of the archive; those of formats that do not exist any more are left out."""
    with zipfile.ZipFile(path) as archive:
        for member in archive.namelist():
            target, flags, _, name = member.split("/", 3)
            if (target, name) in slots():
                yield Kept(target, name, int(flags), archive.read(member))


def pack_corpus(kept: Iterable[Kept], path: Path = CORPUS) -> tuple[int, int]:
    """Write the smallest files until the archive is full; how many fitted, and how many were given."""
    given = sorted({one for one in kept if len(one.data) <= LARGEST}, key=lambda one: (len(one.data), one))
    out, count, listed = io.BytesIO(), 0, 0
    with zipfile.ZipFile(out, "w") as archive:
        for one in given:
            digest = hashlib.sha256(one.data).hexdigest()[:12]
            info = zipfile.ZipInfo(f"{one.target}/{one.flags}/{digest}/{one.name}", EARLIEST)
            archive.writestr(info, one.data, zipfile.ZIP_DEFLATED, 9)
            count += 1
            listed += LISTED + len(info.filename)
            if out.tell() + listed > WHOLE:
                break
    path.write_bytes(out.getvalue())
    return count, len(given)
