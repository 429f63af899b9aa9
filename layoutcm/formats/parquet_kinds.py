"""Which format a Parquet file has, by the names of its columns: each file has exactly one."""

from __future__ import annotations

from collections.abc import Callable

from layoutcm.formats.content import FileContent
from layoutcm.formats.huggingface_columns import find_hub_columns, is_doclaynet
from layoutcm.formats.parquet_files import column_paths, is_parquet

DOCLING_EVAL_COLUMNS = ("GroundTruthDocument", "PredictedDocument")
TABLE = "parquet"


def parquet_kind(content: FileContent) -> str:
    """The name of the format, "" if the file is not Parquet. A damaged file counts as a table."""
    if not is_parquet(content):
        return ""
    paths = column_paths(content)
    if any(name in paths for name in DOCLING_EVAL_COLUMNS):
        return "docling-eval"
    if is_doclaynet(paths):
        return "hf-doclaynet"
    return "hf-objects" if find_hub_columns(content.name, paths).objects else TABLE


def parquet_of_kind(kind: str) -> Callable[[FileContent], bool]:
    """What recognises the files of one of these formats."""
    return lambda content: parquet_kind(content) == kind
