"""A fixture for tests of single files."""

import json

import pytest

import layoutcm as lcm


@pytest.fixture
def read(tmp_path):
    """A function that writes a file (JSON, text or bytes) and reads it."""

    def write_and_read(content, name="file", **options):
        if isinstance(content, dict | list):
            content = json.dumps(content)
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return lcm.read(path, **options)

    return write_and_read
