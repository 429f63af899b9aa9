"""The server of the dashboard: how it is started, and which requests it answers."""

import asyncio
import http.client
import json
import os
import subprocess
import sys

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg

from layoutcm.cli.arguments import argument_parser
from layoutcm.errors import InputError
from layoutcm.ui.server import request_checks, serving, settings
from layoutcm.ui.server.request_checks import OwnRequestsOnly, ReadableMessagesOnly, UploadsWithinLimits
from layoutcm.ui.server.serving import names_of_server
from layoutcm.ui.server.settings import MB
from support.paths import ROOT
from support.servers import PATIENCE, free_port, wait_for_server

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
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("GET", path, headers={"Host": f"localhost:{port}"} | headers)
        return connection.getresponse().status
    finally:
        connection.close()


def websocket_status(port, **headers):
    return status(port, "/_stcore/stream", **UPGRADE, **headers)


@pytest.mark.parametrize("options", [[], ["--address", "0.0.0.0"], ["--public", "--host", "layout.example"]])
def test_a_server_answers_its_own_pages_and_connects_to_no_other_machine(tmp_path, options):
    (tmp_path / "sitecustomize.py").write_text(WATCH)
    connections = tmp_path / "connections"
    port = free_port()
    environment = {"PYTHONPATH": os.pathsep.join((str(tmp_path), str(ROOT))), "CONNECTIONS": str(connections)}
    command = [sys.executable, "-m", "layoutcm", "app", "--port", str(port), *options]
    process = subprocess.Popen(command, env=os.environ | environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        wait_for_server(port)
        assert websocket_status(port) == 101
        assert websocket_status(port, Origin=f"http://localhost:{port}") == 101
        for ask in (status, websocket_status):
            assert ask(port, Host="evil.example") == 400
            assert ask(port, Origin="http://evil.example") == 403
        named = "layout.example" in options
        assert websocket_status(port, Origin="https://layout.example") == (101 if named else 403)
        assert status(port, Host=f"192.0.2.7:{port}") == (200 if options else 400)
    finally:
        process.terminate()
        printed = process.communicate(timeout=PATIENCE)[0].decode()
    assert not connections.exists(), connections.read_text()
    # A server that is stopped while it still warms up says that this failed; `test_ui_parts` tests the warm-up.
    assert "Traceback" not in printed.partition("warming up failed")[0]
    assert "layoutcm: open http://" in printed


def test_the_watch_sees_a_connection(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(WATCH)
    connections = tmp_path / "connections"
    code = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('192.0.2.1', 9))"
    environment = {"PYTHONPATH": str(tmp_path), "CONNECTIONS": str(connections)}
    subprocess.run([sys.executable, "-c", code], env=os.environ | environment, capture_output=True)
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
        assert serving._streamlit_options("127.0.0.1", 8501, "localhost")["server.maxUploadSize"] == limits.upload / MB


def answer(app, kind="http", method="GET", path="/", **headers):
    """The status of the first answer; 200 if the request reached the application behind the middleware."""
    sent = []
    scope = {
        "type": kind,
        "method": method,
        "path": path,
        "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()],
        "extensions": {"websocket.http.response": {}},
    }

    async def send(message):
        sent.append(message)

    asyncio.run(app(scope, None, send))
    return sent[0].get("status")


def application(seen=None, status=200):
    async def answer_with_status(scope, receive, send):
        if seen is not None:
            seen.append(scope)
        await send({"type": "http.response.start", "status": status})

    return answer_with_status


def guarded(address="127.0.0.1", *names):
    return OwnRequestsOnly(application(), **names_of_server(address, names))


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(("address", "host", "status"), [
    ("127.0.0.1", "localhost:8501", 200),
    ("127.0.0.1", "LocalHost", 200),
    ("127.0.0.1", "127.0.0.1:8501", 200),
    ("127.0.0.1", "[::1]:8501", 200),
    ("127.0.0.1", "[::1]", 200),
    ("127.0.0.1", "localhost.:", 200),
    ("127.0.0.1", "[::1]x", 400),
    ("127.0.0.1", "[::1]x:8501", 400),
    ("127.0.0.1", "x[::1]", 400),
    ("127.0.0.1", "[::1", 400),
    ("127.0.0.1", "::1", 400),
    ("127.0.0.1", "localhost:99999", 400),
    ("127.0.0.1", "localhost:8501 ", 400),
    ("127.0.0.1", "localhost\\x", 400),
    ("127.0.0.1", "evil.example:8501", 400),
    ("127.0.0.1", "localhost.evil.example", 400),
    ("127.0.0.1", "evil.example@localhost", 400),
    ("127.0.0.1", "localhost:8501/evil.example", 400),
    ("127.0.0.1", "192.168.0.7:8501", 400),
    ("127.0.0.1", "", 400),
    ("192.168.0.7", "192.168.0.7:8501", 200),
    ("0.0.0.0", "192.168.0.7:8501", 200),
    ("0.0.0.0", "[fe80::1]:8501", 200),
    ("0.0.0.0", "evil.example", 400),
])  # fmt: skip
def test_only_own_names_are_answered(kind, address, host, status):
    assert answer(guarded(address), kind, host=host) == status


def test_a_request_without_or_with_two_hosts_is_refused():
    assert answer(guarded()) == 400
    scope_headers = [(b"host", b"localhost"), (b"host", b"evil.example")]
    sent = []

    async def send(message):
        sent.append(message)

    asyncio.run(guarded()({"type": "http", "method": "GET", "path": "/", "headers": scope_headers}, None, send))
    assert sent[0]["status"] == 400


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(("host", "origin", "status"), [
    ("localhost:8501", "http://localhost:8501", 200),
    ("localhost:8501", "http://localhost:3000", 403),  # another server on this machine
    ("localhost:8501", "http://evil.example", 403),
    ("localhost:8501", "http://evil.example:8501", 403),
    ("localhost:8501", "null", 403),
    ("localhost:8501", "http://[", 403),
    ("localhost:8501", "http://[::1", 403),
    ("10.0.0.2:8501", "http://10.0.0.2:8501", 200),
    ("10.0.0.2:8501", "http://6.6.6.6", 403),
    ("127.0.0.1:8501", "https://layout.example", 200),  # behind a proxy
    ("layout.example", "https://layout.example", 200),
])  # fmt: skip
def test_only_own_pages_are_answered(kind, host, origin, status):
    assert answer(guarded("0.0.0.0", "layout.example"), kind, host=host, origin=origin) == status


@pytest.mark.parametrize(("message", "closed"), [
    ({"bytes": BackMsg(stop_script=True).SerializeToString()}, False),
    ({"bytes": b""}, False),
    ({"bytes": b"\xff\xff\xff"}, True),
    ({"bytes": None, "text": "hello"}, True),
    ({"text": "hello"}, True),
])  # fmt: skip
def test_a_websocket_with_unreadable_messages_is_closed(message, closed):
    received, sent = [], []

    async def receive():
        return {"type": "websocket.receive", **message}

    async def send(answer):
        sent.append(answer)

    async def receive_one(scope, receive, send):
        received.append(await receive())

    asyncio.run(ReadableMessagesOnly(receive_one)({"type": "websocket"}, receive, send))
    assert received[0]["type"] == ("websocket.disconnect" if closed else "websocket.receive")
    assert sent == ([{"type": "websocket.close", "code": 1002}] if closed else [])


def test_streamlit_does_not_see_the_origin_of_a_websocket():
    """It would ask another server for the address of this machine."""
    seen = []
    app = OwnRequestsOnly(application(seen), ["layout.example"])
    assert answer(app, "websocket", host="layout.example", origin="https://layout.example") == 200
    assert [name for name, _ in seen[0]["headers"]] == [b"host"]


class Counted:
    """Uploads of sessions, which may have 100 bytes each, and files of 80 bytes."""

    def __init__(self):
        self.sizes, self.refused = {}, []

    def largest(self):
        return 80 - request_checks.FORM

    def bytes_left(self, session, arriving):
        return 100 - sum(self.sizes.get(session, {}).values()) - arriving.get(session, 0)

    def add(self, session, file, size):
        self.sizes.setdefault(session, {})[file] = size

    def remove(self, session, file):
        self.sizes.get(session, {}).pop(file, None)

    async def explain_refusal(self, session, reason):
        self.refused.append((session, reason))


def put(app, session, file, size):
    return answer(app, method="PUT", path=f"/_stcore/upload_file/{session}/{file}", content_length=str(size))


def test_an_upload_that_is_too_large_is_refused_before_it_is_read():
    uploads, seen = Counted(), []
    app = UploadsWithinLimits(application(seen, 204), uploads)
    assert [put(app, "s", "a", 60), put(app, "s", "b", 60), put(app, "t", "c", 60)] == [204, 413, 204]
    assert len(seen) == 2 and uploads.sizes == {"s": {"a": 60}, "t": {"c": 60}}
    assert answer(app, method="DELETE", path="/_stcore/upload_file/s/a") == 204 and put(app, "s", "b", 60) == 204
    assert put(app, "u", "d", 81) == 413
    assert uploads.refused == [("s", request_checks.TOO_LARGE), ("u", request_checks.TOO_LARGE)]
    assert answer(app, method="PUT", path="/_stcore/upload_file/s/x") == 411
    assert put(app, "s", "y", "-1") == 411 and put(app, "s", "y", "9" * 5000) == 411 and not app.arriving
    assert answer(app, method="POST", path="/elsewhere", content_length="1000") == 204


@pytest.mark.parametrize("status", [400, 403, 413, 500])
def test_what_streamlit_refuses_is_not_counted(status):
    """A deletion without a token is refused: the file stays, and stays counted."""
    uploads = Counted()
    app = UploadsWithinLimits(application(status=status), uploads)
    assert put(app, "s", "a", 60) == status and uploads.sizes == {} and not app.arriving
    uploads.add("s", "a", 60)
    assert answer(app, method="DELETE", path="/_stcore/upload_file/s/a") == status
    assert uploads.sizes == {"s": {"a": 60}}


def test_an_unfinished_upload_counts_for_its_own_session():
    statuses = []

    async def upload_another_meanwhile(scope, receive, send):
        for session in ("s", "t"):
            other = dict(scope, path=f"/_stcore/upload_file/{session}/b")
            await meanwhile(other, None, note)

    async def note(message):
        statuses.append(message.get("status"))

    uploads = Counted()
    app = UploadsWithinLimits(upload_another_meanwhile, uploads)
    meanwhile = UploadsWithinLimits(application(status=204), uploads)
    meanwhile.arriving = app.arriving
    path, headers = "/_stcore/upload_file/s/a", [(b"content-length", b"60")]
    asyncio.run(app({"type": "http", "method": "PUT", "path": path, "headers": headers}, None, note))
    assert [status for status in statuses if status] == [413, 204]
