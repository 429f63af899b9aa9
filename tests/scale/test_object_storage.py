"""Parts, plan and result in an object storage: a server with the interface of S3, over HTTP."""

import os
import socket

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.scale.manifest import read_manifest
from layoutcm.scale.storage import join, list_files, relative_to, write_bytes
from support.parts import digests, pair

pytest.importorskip("s3fs")
moto_server = pytest.importorskip("moto.server")
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")


@pytest.fixture
def bucket(monkeypatch):
    """The address of a bucket of a server that runs while the test does."""
    import fsspec
    import s3fs

    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = moto_server.ThreadedMotoServer(ip_address="127.0.0.1", port=port, verbose=False)
    server.start()
    settings = {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}", "AWS_DEFAULT_REGION": "us-east-1"}
    for name, value in {**settings, "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}.items():
        monkeypatch.setenv(name, value)
    s3fs.S3FileSystem.clear_instance_cache()
    fsspec.filesystem("s3").makedirs("bucket", exist_ok=True)
    yield "s3://bucket"
    s3fs.S3FileSystem.clear_instance_cache()
    server.stop()


def test_the_same_numbers_and_files_as_on_disk(bucket, tmp_path):
    gt, pred = pair()
    for place in (bucket, str(tmp_path)):
        lcm.partition(gt, join(place, "sets/gt"), 3)
        lcm.partition(pred, join(place, "sets/pred"), 2)
    stored = lcm.compare_partitions(f"{bucket}/sets/gt", f"{bucket}/sets/pred", f"{bucket}/out")
    on_disk = lcm.compare_partitions(tmp_path / "sets/gt", tmp_path / "sets/pred", tmp_path / "out")
    assert np.array_equal(stored.confusion().values, on_disk.confusion().values)
    assert stored.page_table().equals(on_disk.page_table())
    assert stored.bootstrap(n=10).headline.equals(on_disk.bootstrap(n=10).headline)
    import fsspec

    fsspec.filesystem("s3").get(f"{bucket}/out", str(tmp_path / "copy"), recursive=True)
    assert digests(tmp_path / "copy") == digests(tmp_path / "out")
    again = lcm.compare_partitions(f"{bucket}/sets/gt", f"{bucket}/sets/pred", f"{bucket}/out")
    assert again.pixels == stored.pixels


def test_what_is_not_there(bucket):
    with pytest.raises(lcm.InputError, match=r"s3://bucket/none/_manifest\.parquet: there is no such file"):
        read_manifest(f"{bucket}/none")


def test_parts_of_an_earlier_set_are_removed(bucket):
    """A new set in the same place has fewer parts; the old ones would be pages that are there twice."""
    gt, _ = pair()
    lcm.partition(gt, f"{bucket}/gt", 5)
    lcm.partition(gt, f"{bucket}/gt", 2)
    assert list_files(f"{bucket}/gt", ".parquet") == ["part-00000.parquet", "part-00001.parquet"]
    assert lcm.make_manifest(f"{bucket}/gt").pages == 40


def test_a_file_that_cannot_be_stored_is_named(bucket):
    with pytest.raises(lcm.InputError, match=r"s3://no-such-bucket/a\.json: (cannot be written|there is no such file)"):
        write_bytes("s3://no-such-bucket/a.json", b"{}")


def test_places_are_relative_within_a_storage():
    assert relative_to("s3://bucket/sets/gt/a.parquet", "s3://bucket/out") == "../sets/gt/a.parquet"
    assert join("s3://bucket/out", "../sets/gt/a.parquet") == "s3://bucket/sets/gt/a.parquet"
    assert relative_to("s3://bucket/a.parquet", "/out") == "s3://bucket/a.parquet"
    assert join("/out", "s3://bucket/a.parquet") == "s3://bucket/a.parquet"
    assert os.path.isabs(relative_to("sets/a.parquet", "s3://bucket/out"))
