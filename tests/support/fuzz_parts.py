"""What is fuzzed of comparisons of parts: a file of two small sets or of their result is damaged, and then used."""

import json
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

import msgspec
import numpy as np

import layoutcm as lcm
from layoutcm.scale.manifest import like_layout, read_manifest
from layoutcm.scale.part_files import read_part
from layoutcm.scale.plan import PlanFacts, plan_digest
from support.parts import write_sets

PART = "part-00000"
FILES = {
    "manifest": ["gt/_manifest.parquet"],
    "part": [f"gt/{PART}.parquet", f"pred/{PART}.parquet"],
    "plan": ["out/plan.json", f"out/plan/{PART}.parquet"],
    "counts": [
        *("out/total.json", f"out/counts/{PART}.json", "out/documents.parquet"),
        *(f"out/{folder}/{PART}.parquet" for folder in ("pages", "scores", "causes")),
    ],
}


@cache
def _finished() -> Path:
    """A folder with two sets and their result, which this process makes once."""
    folder = Path(tempfile.mkdtemp(prefix="layoutcm-fuzz-"))
    gt, pred = write_sets(folder, 2, 3, pages=9)
    lcm.compare_partitions(gt, pred, folder / "out", why=True)
    return folder


def part_files(target: str) -> dict[str, bytes]:
    return {name: (_finished() / name).read_bytes() for name in FILES[target]}


def use_parts(target: str, files: dict[str, bytes]) -> None:
    """Use the files as the program does; raises the InputError of the last use that was refused."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "copy")
        shutil.copytree(_finished(), folder, copy_function=os.link if target != "plan" else shutil.copy)
        for name, data in files.items():
            (folder / name).unlink()
            (folder / name).write_bytes(data)
        if target == "plan":
            _sign(folder / "out")
        refused = None
        for use in USES[target]:
            try:
                use(folder)
            except lcm.InputError as error:
                assert str(error).strip()
                refused = error
        if refused is not None:
            raise refused


def _sign(out: Path) -> None:
    """Give the plan, and what is computed from it, the digest that it has now: whoever writes a plan can do so."""
    try:
        plan = json.loads((out / "plan.json").read_bytes())
        digest = plan_digest(msgspec.json.decode(json.dumps(plan["plan"]), type=PlanFacts))
    except (ValueError, LookupError, TypeError, RecursionError):
        return
    (out / "plan.json").write_text(json.dumps({"digest": digest, "plan": plan["plan"]}))
    for path in (out / "total.json", *(out / "counts").iterdir()):
        path.write_text(json.dumps(json.loads(path.read_bytes()) | {"plan": digest}))


def _look_at(folder: Path) -> None:
    """Read everything of a result that is read from files; one refusal must not hide the next use."""
    c = lcm.open_comparison(folder / "out")
    refused = None
    for use in (
        lambda: c.result(), lambda: c.page_table(), lambda: c.document_table(), lambda: c.page_matches(),
        lambda: c.causes(), lambda: c.score_curves(), lambda: c.pages_behind("a", "b", cause="missed"),
        lambda: c.objects(page=c.pages[0]), lambda: c.confusion(page=c.pages[0]), lambda: c.bootstrap(n=5),
        lambda: c.filter(c.pages[:2]) if hasattr(c, "filter") else None,
    ):  # fmt: skip
        try:
            use()
        except lcm.InputError as error:
            refused = error
    if refused is not None:
        raise refused


def _count(folder: Path) -> None:
    (folder / "out" / "counts" / f"{PART}.json").unlink()
    lcm.count_part(folder / "out" / "plan" / f"{PART}.parquet")


def _merge(folder: Path) -> None:
    lcm.finish_partitions(sorted((folder / "out" / "counts").iterdir()))


USES = {
    "manifest": [
        lambda folder: like_layout(read_manifest(folder / "gt")),
        lambda folder: lcm.plan_partitions(folder / "gt", folder / "pred", folder / "new"),
        lambda folder: lcm.plan_partitions(folder / "pred", folder / "gt", folder / "other"),
        lambda folder: lcm.partition(lcm.read(folder / "pred"), folder / "like", like=folder / "gt"),
    ],
    "part": [
        lambda folder: read_part(folder / "gt" / f"{PART}.parquet", "polygon"),
        lambda folder: read_part(folder / "gt" / f"{PART}.parquet", pages=np.array([0, 2])),
        lambda folder: lcm.make_manifest(folder / "gt"),
        _count,
        lambda folder: lcm.compare_partitions(folder / "gt", folder / "pred", folder / "new", missing_labels="add"),
    ],
    "plan": [_look_at, _count, _merge],
    "counts": [_look_at, _merge],
}
