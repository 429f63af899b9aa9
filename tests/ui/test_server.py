"""The server of the dashboard: how it is started, and which requests it answers."""

import asyncio
import base64
import hashlib
import http.client
import json
import os
import re
import subprocess
import sys
import tomllib

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from layoutcm.cli.arguments import argument_parser
from layoutcm.errors import InputError
from layoutcm.ui.server import request_checks, serving, settings
from layoutcm.ui.server.request_checks import OwnRequestsOnly, ReadableMessagesOnly, UploadsWithinLimits
from layoutcm.ui.server.responses import LimitedPages, NoServerPaths, content_policy
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
    return answer_of(port, path, **headers)[0]


def answer_of(port, path, **headers):
    """Status, headers and body of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("GET", path, headers={"Host": f"localhost:{port}"} | headers)
        found = connection.getresponse()
        return found.status, dict(found.getheaders()), found.read() if found.status != 101 else b""
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
        assert status(port, "/_stcore/metrics") == 404
        assert json.loads(answer_of(port, "/_stcore/host-config")[2])["allowedOrigins"] == []
        _, headers, html = answer_of(port, "/", Accept="text/html")
        scripts = re.findall(rb"<script>(.*?)</script>", html, re.DOTALL)
        hashes = [base64.b64encode(hashlib.sha256(script).digest()).decode() for script in scripts]
        assert len(hashes) == 2 and all(one in headers["content-security-policy"] for one in hashes)
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


def test_streamlit_alone_gives_no_page_around_it_commands():
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))
    assert config["client"]["allowedOrigins"] == []


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
        given = serving._streamlit_options("127.0.0.1", options_of(), "localhost")
        assert given["server.maxUploadSize"] == limits.upload / MB


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


def test_what_streamlit_would_open_besides_is_closed():
    paths = ["health", "host-config", "upload_file/s/f", "metrics", "script-health-check", "agent/openapi.json", ""]
    found = [answer(guarded(), path=f"/_stcore/{path}", host="localhost") for path in paths]
    assert found == [200, 200, 200, 404, 404, 404, 404]
    assert answer(guarded(), path="/x/_stcore/metrics", host="localhost") == 404
    assert answer(guarded(), path="/errors", host="localhost") == 200


def headers_of(embedding=()):
    sent = []

    async def send(message):
        sent.append(message)

    app = LimitedPages(application(), content_policy(embedding))
    asyncio.run(app({"type": "http", "method": "GET", "path": "/", "headers": []}, None, send))
    return {name.decode(): value.decode() for name, value in sent[0]["headers"]}


def test_every_answer_has_headers_that_limit_pages():
    found = headers_of()
    assert found["x-content-type-options"] == "nosniff" and found["referrer-policy"] == "same-origin"
    policy = dict(part.split(" ", 1) for part in found["content-security-policy"].split("; "))
    assert policy["default-src"] == policy["frame-ancestors"] == "'self'" and policy["object-src"] == "'none'"
    assert "'unsafe-" not in policy["script-src"] and policy["script-src"].count("'sha256-") == 2


def test_a_page_that_may_show_the_dashboard_is_named_at_start():
    given = options_of("--embed-in", "https://huggingface.co", "--embed-in", "http://localhost:3000")
    found = headers_of(given.embed_in)["content-security-policy"]
    assert found.endswith("; frame-ancestors 'self' https://huggingface.co http://localhost:3000")
    settings_of = [serving._streamlit_options("", one, "") for one in (options_of(), given)]
    assert [one["server.xsrfCookieSameSite"] for one in settings_of] == ["lax", "none"]
    assert [one["client.allowedOrigins"] for one in settings_of] == [[], []]


@pytest.mark.parametrize("origin", ["huggingface.co", "*", "https://*", "https://a.b/c", "https://a; script-src *", ""])
def test_what_is_not_an_origin_is_refused(origin):
    with pytest.raises(InputError, match="is not an origin"):
        content_policy([origin])


def test_the_path_of_the_script_is_not_sent(tmp_path):
    script = tmp_path / "start.py"
    with_path, without = ForwardMsg(), ForwardMsg(script_finished=0)
    with_path.new_session.main_script_path, with_path.new_session.name = str(script), "layoutcm"
    sent = []

    async def send(message):
        sent.append(ForwardMsg.FromString(message["bytes"]))

    async def send_both(scope, receive, send):
        for message in (with_path, without):
            await send({"type": "websocket.send", "bytes": message.SerializeToString()})

    asyncio.run(NoServerPaths(send_both, script)({"type": "websocket"}, None, send))
    with_path.new_session.main_script_path = "start.py"
    assert sent == [with_path, without]


def received(*messages):
    """What Streamlit receives of messages of a websocket, and what the browser is sent."""
    waiting, sent, seen = list(messages), [], []

    async def receive():
        return {"type": "websocket.receive", **waiting.pop(0)} if waiting else {"type": "websocket.disconnect"}

    async def send(answer):
        sent.append(answer)

    async def receive_all(scope, receive, send):
        while (message := await receive())["type"] == "websocket.receive":
            seen.append(message["bytes"])

    asyncio.run(ReadableMessagesOnly(receive_all)({"type": "websocket"}, receive, send))
    return seen, sent


@pytest.mark.parametrize("message", [{"bytes": b"\xff\xff\xff"}, {"bytes": None, "text": "hello"}, {"text": "hello"}])
def test_a_websocket_with_unreadable_messages_is_closed(message):
    after = {"bytes": BackMsg(stop_script=True).SerializeToString()}
    assert received(message, after) == ([], [{"type": "websocket.close", "code": 1002}])


def test_messages_that_the_dashboard_does_not_need_are_ignored():
    """They clear what is kept for all visitors, tell about the server's folder, write into it, or ask for nothing."""
    needed, ignored = [BackMsg(stop_script=True), BackMsg(), BackMsg()], [BackMsg(clear_cache=True), BackMsg()]
    needed[1].rerun_script.query_string = "load=sample"
    needed[2].backend_operation_request.deferred_file.file_id = "a"
    ignored += [BackMsg(load_git_info=True), BackMsg()]
    ignored[-1].backend_operation_request.install_skills.SetInParent()
    given = [{"bytes": message.SerializeToString()} for message in (*ignored, *needed)]
    assert received(*given) == ([message.SerializeToString() for message in needed], [])


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


class Sending:
    """An upload of a session that sends pieces of so many bytes; then `end`, or nothing more."""

    def __init__(self, app, session, pieces, end=None, claims=60):
        self.app, self.pieces, self.end, self.statuses = app, list(pieces), end, []
        path, headers = f"/_stcore/upload_file/{session}/a", [(b"content-length", str(claims).encode())]
        self.scope = {"type": "http", "method": "PUT", "path": path, "headers": headers}
        self.task = asyncio.create_task(app(self.scope, self.receive, self.send))

    async def receive(self):
        if self.pieces:
            return {"type": "http.request", "body": bytes(self.pieces.pop(0)), "more_body": True}
        return self.end or await asyncio.Event().wait()

    async def send(self, message):
        self.statuses += [message["status"]] if "status" in message else []


LAST = {"type": "http.request", "body": b"", "more_body": False}
ENDED = {"type": "http.disconnect"}


async def read_all(scope, receive, send):
    """As Streamlit: it reads the body, and fails if the visitor leaves meanwhile."""
    while (message := await receive()).get("more_body"):
        pass
    if message["type"] == "http.disconnect":
        raise ConnectionError("a traceback in the log")
    await send({"type": "http.response.start", "status": 204})


async def until_nothing_happens():
    for _ in range(20):
        await asyncio.sleep(0)


def test_only_bytes_that_have_arrived_keep_others_out():
    async def upload():
        app = UploadsWithinLimits(read_all, Together())
        silent = [Sending(app, session, []) for session in "abcdefgh"]
        await until_nothing_happens()
        other = Sending(app, "z", [60], LAST)
        await other.task
        assert other.statuses == [204] and not any(one.statuses for one in silent)
        third = Sending(app, "y", [30], LAST, claims=30)
        late = Sending(app, "x", [20], LAST, claims=20)
        await asyncio.gather(third.task, late.task)
        assert sorted(third.statuses + late.statuses) == [204, 413]
        for one in silent:
            one.task.cancel()
        await asyncio.gather(*(one.task for one in silent), return_exceptions=True)
        assert not app.arriving

    asyncio.run(upload())


class Together(Counted):
    """All sessions together may have 100 bytes."""

    def bytes_left(self, session, arriving):
        return 100 - sum(sum(files.values()) for files in self.sizes.values()) - sum(arriving.values())


def test_an_upload_that_stands_still_is_ended(monkeypatch):
    monkeypatch.setattr(request_checks, "SECONDS_IDLE", 0)

    async def upload():
        uploads = Counted()
        app = UploadsWithinLimits(read_all, uploads)
        one = Sending(app, "s", [10])
        await one.task
        assert one.statuses == [408] and uploads.refused == [("s", request_checks.TOO_SLOW)] and not app.arriving

    asyncio.run(upload())


def test_an_upload_that_the_visitor_ends_is_no_error():
    async def upload():
        app = UploadsWithinLimits(read_all, Counted())
        one = Sending(app, "s", [10], ENDED)
        await one.task
        assert one.statuses == [] and not app.arriving

    asyncio.run(upload())


def test_an_unfinished_upload_counts_for_its_own_session():
    async def upload():
        app = UploadsWithinLimits(read_all, Counted())
        first = Sending(app, "s", [60])
        await until_nothing_happens()
        second, other = Sending(app, "s", [60], LAST), Sending(app, "t", [60], LAST)
        await asyncio.gather(second.task, other.task)
        assert second.statuses == [413] and other.statuses == [204]
        first.task.cancel()

    asyncio.run(upload())
