"""Tables that cost a careless reader much time or memory: attributes, annotators, ids and metadata of Parquet files."""

import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from support.hostile_files import write
from support.hostile_formats import table_columns

ROWS = 400_000


def parquet(folder: Path, name: str, columns: dict, rows: int = 2, metadata: object = None) -> Path:
    """A table of equal rows; `columns` are texts, or lists of texts."""
    repeated = {key: pa.repeat(value, rows) if isinstance(value, str) else value for key, value in columns.items()}
    table, out = pa.table(table_columns(rows, **repeated)), io.BytesIO()
    with pq.ParquetWriter(out, table.schema, store_schema=False, compression="zstd") as writer:
        writer.write_table(table)
        if metadata is not None:
            text = metadata if isinstance(metadata, str) else json.dumps({"version": 2, **metadata})
            writer.add_key_value_metadata({"layoutcm": text})
    return write(folder, name, out.getvalue())


def make_metadata_findings(folder: Path) -> Path:
    """As many findings as fit into the metadata, some of which cannot be worded."""
    values = {"file": "f", "repair": "r", "lost": 0}
    findings = [{"code": "fixed", "severity": "info", "count": 2**53, "values": values if i % 2 else {}}
                for i in range(1_400)]  # fmt: skip
    return parquet(folder, "findings.parquet", {}, 2, {"findings": findings})


def _numbered(rows: int) -> list[str]:
    return [str(i) for i in range(rows)]


_MANY = 100_000
HOSTILE = {
    # A hundred attributes of a page with 400,000 rows, stored in a few kilobytes each.
    "Parquet attributes": lambda folder: parquet(
        folder, "attributes.parquet", {f"attr:{i}": "x" for i in range(100)}, ROWS
    ),
    "Parquet of too many attributes": lambda folder: parquet(
        folder, "more_attributes.parquet", {f"attr:{i}": "x" for i in range(4000)}
    ),
    # An annotator for each region.
    "Parquet annotators": lambda folder: parquet(folder, "annotators.parquet", {"annotator": _numbered(_MANY)}, _MANY),
    # An id for each row of one page.
    "Parquet page keys": lambda folder: parquet(folder, "keys.parquet", {"page_key": _numbered(_MANY)}, _MANY, {}),
    "Parquet long page key": lambda folder: parquet(folder, "key.parquet", {"page_key": "9" * 500_000}, 2, {}),
    "Parquet metadata of findings": make_metadata_findings,
    "Parquet metadata of labels": lambda folder: parquet(
        folder, "labels.parquet", {}, 2, {"labels": _numbered(20_000)}
    ),
    "Parquet metadata of depth": lambda folder: parquet(folder, "depth.parquet", {}, 2, "[" * 190_000),
    "Parquet long metadata": lambda folder: parquet(folder, "metadata.parquet", {}, 2, {"name": "x" * 400_000}),
}
