"""Damage Parquet files by their columns, and zips by their members and by the fields of their headers."""

import io
import json
import struct
import zipfile

UNUSUAL_NAMES = [
    *(
        "../x.json", "/x.json", "C:\\x.json", "a\\b.json", "", "x" * 300 + ".json", "a/./b.json", "\u202etxt.json",
        "x.PNG",
    ),
    *(".hidden", "__MACOSX/x", "x.pdf", "x.zip", "a/", "data.yaml", "classes.txt", "x.txt", "x.xml", "a\n.csv"),
]  # fmt: skip
MOST_ROWS = 2_000  # of a damaged table; each change could multiply them
METHODS = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]


def damaged_parquet(data, rng):
    """The table with changed columns, types or rows, written with other settings."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.ParquetFile(pa.BufferReader(data), pre_buffer=False).read(use_threads=False)
        for _ in range(rng.randint(1, 3)):
            table = changed_table(table, rng)
        if table.schema.metadata and rng.random() < 0.5:
            table = table.replace_schema_metadata(changed_metadata(table.schema.metadata, rng))
        out = io.BytesIO()
        pq.write_table(table, out, **parquet_settings(table.num_rows, rng))
    except (pa.ArrowException, ValueError, OSError, TypeError, OverflowError):
        return data[: rng.randrange(len(data))]
    return out.getvalue() if rng.random() < 0.8 else damaged_footer(out.getvalue(), rng)


def changed_metadata(metadata, rng):
    """Without one entry, or with a value of its JSON replaced, or with other bytes."""
    key = rng.choice(sorted(metadata))
    match rng.randrange(3):
        case 0:
            return {name: value for name, value in metadata.items() if name != key}
        case 1:
            value = bytearray(metadata[key])
            value[rng.randrange(len(value))] = rng.randrange(256)
            return metadata | {key: bytes(value)}
        case _:
            return metadata | {key: json.dumps(changed_json(json.loads(metadata[key]), rng)).encode()}


def changed_json(value, rng):
    """The value with one part of it replaced, at any depth."""
    if isinstance(value, dict | list) and value and rng.random() < 0.8:
        value = value.copy()
        at = rng.choice(list(value)) if isinstance(value, dict) else rng.randrange(len(value))
        value[at] = changed_json(value[at], rng)
        return value
    return rng.choice([None, True, -1, 2, 3, 10**30, 0.5, "", "x" * 2000, "\udce9", [], [value], {"n": value}, {}])


def parquet_settings(rows, rng):
    return {
        "compression": rng.choice(["none", "snappy", "gzip", "zstd", "brotli"]),
        "version": rng.choice(["1.0", "2.4", "2.6"]),
        "use_dictionary": rng.random() < 0.5,
        "row_group_size": rng.choice([1, 2, 1000]) if rows < 50 else 1000,
        "data_page_version": rng.choice(["1.0", "2.0"]),
    }


def changed_table(table, rng):
    """One column removed, repeated, renamed or of another type; or other rows."""
    if not table.num_columns:
        return table
    at = rng.randrange(table.num_columns)
    name = table.column_names[at]
    match rng.randrange(6):
        case 0:
            return table.remove_column(at)
        case 1:
            return table.append_column(name if rng.random() < 0.5 else name.upper(), table.column(at))
        case 2:
            names = list(table.column_names)
            names[at] = rng.choice(["", "x", "page", "label", "outline", "width", "X0", "x" * 2000])
            return table.rename_columns(names)
        case 3:
            import pyarrow as pa

            again = rng.choice([1, 2, 200])
            return pa.concat_tables([table] * again) if table.num_rows * again < MOST_ROWS else table
        case 4:
            return table.slice(0, rng.randrange(table.num_rows + 1))
        case _:
            return table.set_column(at, name, unusual_column(table.num_rows, rng))


def unusual_column(rows, rng):
    """A column of a type or with values that a layout does not have."""
    import pyarrow as pa

    whole, real = rng.choice([-1, 0, 1, 2**31, 2**62]), rng.choice([0.0, -1.5, 1e308, float("nan"), float("inf")])
    choices = [
        lambda: pa.nulls(rows), lambda: pa.nulls(rows, pa.string()), lambda: pa.array([whole] * rows, pa.int64()),
        lambda: pa.array([real] * rows, pa.float32()), lambda: pa.array([real] * rows, pa.float64()),
        lambda: pa.array([True] * rows), lambda: pa.array([b"\xff\x00"] * rows, pa.binary()),
        lambda: pa.array(["Text", None] * rows, pa.string())[:rows],
        lambda: pa.array(["x" * rng.choice([0, 1, 3000])] * rows, pa.large_string()),
        lambda: pa.array(["a", "b"] * rows).dictionary_encode()[:rows], lambda: pa.array([[1.0, 2.0, 3.0, 4.0]] * rows),
        lambda: pa.array([{"a": 1}] * rows), lambda: pa.array([[[1]]] * rows),
        lambda: pa.array([10**9] * rows, pa.timestamp("us")), lambda: pa.array([10**9] * rows, pa.duration("ms")),
        lambda: pa.array([1] * rows).cast(pa.decimal128(38, 5)),
        lambda: pa.array([[0, 0, 1, 1]] * rows, pa.list_(pa.int8(), 4)),
        lambda: pa.array([[("k", 1)]] * rows, pa.map_(pa.string(), pa.int32())),
    ]  # fmt: skip
    return rng.choice(choices)()


def damaged_footer(data, rng):
    """Changed bytes in the description at the end of the file, which says where everything is and how large."""
    size = min(int.from_bytes(data[-8:-4], "little"), len(data) - 12)
    damaged = bytearray(data)
    for _ in range(rng.randint(1, 3)):
        damaged[len(data) - 8 - rng.randrange(size + 1)] = rng.randrange(256)
    return bytes(damaged)


def damaged_zip(data, rng, mutate):
    """The archive with changed members; sometimes also with changed header fields."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [(info.filename, archive.read(info)) for info in archive.infolist()]
    except Exception:
        return data[: rng.randrange(len(data))]
    for _ in range(rng.randint(1, 2)):
        change_members(members, rng, mutate)
    packed = packed_zip(members, rng)
    return packed if rng.random() < 0.6 else with_changed_headers(packed, rng)


def change_members(members, rng, mutate):
    at = rng.randrange(len(members)) if members else 0
    match rng.randrange(6) if members else 1:
        case 0:
            del members[at]
        case 1:
            members.insert(at, (rng.choice(UNUSUAL_NAMES), rng.choice([b"", b"x", b"{}", bytes(10_000)])))
        case 2:
            members[at] = (rng.choice(UNUSUAL_NAMES), members[at][1])
        case 3:
            members.append(members[at])
        case 4:
            members[at] = (members[at][0], packed_zip(members[:2], rng))
        case _:
            members[at] = (members[at][0], mutate(members[at][1], rng))


def packed_zip(members, rng):
    import warnings

    out = io.BytesIO()
    with warnings.catch_warnings(action="ignore"), zipfile.ZipFile(out, "w", rng.choice(METHODS)) as archive:
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name or "x"), content, rng.choice(METHODS))
    return out.getvalue()


def with_changed_headers(data, rng):
    """False sizes, methods, flags or places in the local or central headers of the members."""
    damaged = bytearray(data)
    # (signature, {offset in the header: struct code}): flags, method, check sum, packed and unpacked size, lengths
    kinds = [(b"PK\x03\x04", {6: "<H", 8: "<H", 14: "<I", 18: "<I", 22: "<I", 26: "<H", 28: "<H"}),
             (b"PK\x01\x02", {8: "<H", 10: "<H", 16: "<I", 20: "<I", 24: "<I", 28: "<H", 30: "<H", 38: "<I", 42: "<I"}),
             (b"PK\x05\x06", {4: "<H", 8: "<H", 10: "<H", 12: "<I", 16: "<I", 20: "<H"})]  # fmt: skip
    for _ in range(rng.randint(1, 3)):
        signature, fields = rng.choice(kinds)
        starts = [i for i in range(len(data) - 46) if data.startswith(signature, i)] or [0]
        offset = rng.choice(list(fields))
        most = 0xFFFF if fields[offset] == "<H" else 0xFFFFFFFF
        value = rng.choice([0, 1, 8, 12, 14, 99, most, most - 1, rng.randrange(most)])
        if (at := rng.choice(starts) + offset) + 4 <= len(damaged):
            struct.pack_into(fields[offset], damaged, at, min(value, most))
    return bytes(damaged)
