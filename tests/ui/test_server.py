"""The running server: foreign names and pages are refused, and no process of it ever connects to another machine."""

import http.client
import json
import os
import subprocess
import sys
import time

import pytest

from layoutcm.cli.arguments import argument_parser
from layoutcm.errors import InputError
from layoutcm.ui.server import serving, settings
from support.paths import ROOT
from support.ports import free_port

# Python runs this file first, in the server and in the processes that read files: it notes every connection.
WATCH = """
import os, sys
def note(event, arguments):
    connects, asks = ("socket.connect", "socket.sendto"), ("socket.getaddrinfo", "socket.gethostbyname")
    if event in (*connects, *asks, "socket.gethostbyaddr"):
        target = arguments[1] if event in connects else arguments[0]
        host = target[0] if isinstance(target, tuple) else target
        if host not in ("127.0.0.1", "::1", "localhost"):
            with open(os.environ["CONNECTIONS"], "a") as file:
                file.write(f"{event} {target!r}\\n")
sys.addaudithook(note)
"""
UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}


def status(port, path="/_stcore/health", **headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request("GET", path, headers={"Host": f"localhost:{port}"} | headers)
        return connection.getresponse().status
    finally:
        connection.close()


def websocket_status(port, **headers):
    return status(port, "/_stcore/stream", **UPGRADE, **headers)


def wait_for(port):
    for _ in range(600):
        try:
            return status(port)
        except OSError:
            time.sleep(0.1)
    raise TimeoutError("the server did not start")


@pytest.mark.parametrize("options", [[], ["--address", "0.0.0.0"], ["--public", "--host", "layout.example"]])
def test_a_server_answers_its_own_pages_and_connects_to_no_other_machine(tmp_path, options):
    (tmp_path / "sitecustomize.py").write_text(WATCH)
    connections = tmp_path / "connections"
    port = free_port()
    environment = {"PYTHONPATH": os.pathsep.join((str(tmp_path), str(ROOT))), "CONNECTIONS": str(connections)}
    command = [sys.executable, "-m", "layoutcm", "app", "--port", str(port), *options]
    process = subprocess.Popen(command, env=os.environ | environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        assert wait_for(port) == 200 and websocket_status(port) == 101
        assert websocket_status(port, Origin=f"http://localhost:{port}") == 101
        for ask in (status, websocket_status):
            assert ask(port, Host="evil.example") == 400
            assert ask(port, Origin="http://evil.example") == 403
        named = "layout.example" in options
        assert websocket_status(port, Origin="https://layout.example") == (101 if named else 403)
        assert status(port, Host=f"192.0.2.7:{port}") == (200 if options else 400)
    finally:
        process.terminate()
        printed = process.communicate(timeout=30)[0].decode()
    assert not connections.exists(), connections.read_text()
    assert "Traceback" not in printed and "layoutcm: open http://" in printed


def test_the_watch_sees_a_connection(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(WATCH)
    connections = tmp_path / "connections"
    code = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('192.0.2.1', 9))"
    environment = {"PYTHONPATH": str(tmp_path), "CONNECTIONS": str(connections)}
    subprocess.run([sys.executable, "-c", code], env=os.environ | environment, capture_output=True, timeout=60)
    assert connections.read_text() == "socket.connect ('192.0.2.1', 9)\n"


def options_of(*arguments):
    return argument_parser().parse_args(["app", *arguments])


def test_options_of_the_server(monkeypatch):
    assert serving.address_of(options_of()) == "127.0.0.1"
    assert serving.address_of(options_of("--public")) == "0.0.0.0"
    assert serving.address_of(options_of("--public", "--address", "10.0.0.2")) == "10.0.0.2"
    for address in ("127.0.0.1", "127.1", "localhost", "Localhost", "::1", "0:0:0:0:0:0:0:1"):
        with pytest.raises(InputError, match=f"other machines cannot reach {address}"):
            serving.address_of(options_of("--public", "--address", address))
    for public, limits in ((False, settings.LOCAL), (True, settings.PUBLIC)):
        monkeypatch.setenv("LAYOUTCM_APP", json.dumps(serving.settings_of(options_of(*["--public"] * public))))
        assert settings.limits() == limits
        assert serving._streamlit_options("127.0.0.1", 8501, "localhost")["serving.maxUploadSize"] == limits.upload / (
            1 << 20
        )
