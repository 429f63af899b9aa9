"""Tables that cost a careless reader much time or memory: attributes, annotators, ids and metadata of Parquet files."""

import io
import json
from pathlib import Path

from support.hostile_files import write

ROWS = 400_000


def parquet(folder: Path, name: str, columns: dict, rows: int = 2, metadata: object = None) -> Path:
    """A table of equal rows; `columns` are texts, or lists of texts."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    same = {"page": "a", "width": 100.0, "height": 80.0, "label": "Text", "x0": 1.0, "y0": 2.0, "x1": 30.0, "y1": 40.0}
    repeated = {key: pa.repeat(value, rows) if isinstance(value, str | float) else value
                for key, value in (same | columns).items()}  # fmt: skip
    table, out = pa.table(repeated), io.BytesIO()
    with pq.ParquetWriter(out, table.schema, store_schema=False, compression="zstd") as writer:
        writer.write_table(table)
        if metadata is not None:
            text = metadata if isinstance(metadata, str) else json.dumps({"version": 2, **metadata})
            writer.add_key_value_metadata({"layoutcm": text})
    return write(folder, name, out.getvalue())


def make_attributes(folder: Path) -> Path:
    """A hundred attributes of a page with 400,000 rows, stored in a few kilobytes each."""
    return parquet(folder, "attributes.parquet", {f"attr:{i}": "x" for i in range(100)}, ROWS)


def make_more_attributes(folder: Path) -> Path:
    return parquet(folder, "more_attributes.parquet", {f"attr:{i}": "x" for i in range(4000)})


def make_annotators(folder: Path) -> Path:
    """An annotator for each of 100,000 regions."""
    return parquet(folder, "annotators.parquet", {"annotator": [str(i) for i in range(100_000)]}, 100_000)


def make_page_keys(folder: Path) -> Path:
    """An id for each of 100,000 rows of one page."""
    return parquet(folder, "keys.parquet", {"page_key": [str(i) for i in range(100_000)]}, 100_000, {})


def make_long_page_key(folder: Path) -> Path:
    return parquet(folder, "key.parquet", {"page_key": "9" * 500_000}, 2, {})


def make_metadata_findings(folder: Path) -> Path:
    """As many findings as fit into the metadata, some of which cannot be worded."""
    values = {"file": "f", "repair": "r", "lost": 0}
    findings = [{"code": "fixed", "severity": "info", "count": 2**53, "values": values if i % 2 else {}}
                for i in range(1_400)]  # fmt: skip
    return parquet(folder, "findings.parquet", {}, 2, {"findings": findings})


def make_metadata_labels(folder: Path) -> Path:
    return parquet(folder, "labels.parquet", {}, 2, {"labels": [f"{i}" for i in range(20_000)]})


def make_metadata_depth(folder: Path) -> Path:
    return parquet(folder, "depth.parquet", {}, 2, "[" * 190_000)


def make_long_metadata(folder: Path) -> Path:
    return parquet(folder, "metadata.parquet", {}, 2, {"name": "x" * 400_000})


HOSTILE = {
    "Parquet attributes": make_attributes,
    "Parquet of too many attributes": make_more_attributes,
    "Parquet annotators": make_annotators,
    "Parquet page keys": make_page_keys,
    "Parquet long page key": make_long_page_key,
    "Parquet metadata of findings": make_metadata_findings,
    "Parquet metadata of labels": make_metadata_labels,
    "Parquet metadata of depth": make_metadata_depth,
    "Parquet long metadata": make_long_metadata,
}
