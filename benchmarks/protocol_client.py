"""A visitor of the dashboard that speaks Streamlit's own protocol, without a browser.

A browser draws charts, which takes more time than everything the server does for a visitor. This client only asks and
reads: it connects, uploads files, goes to pages, and keeps what the server has sent for the last of them.
"""

import asyncio
import http.cookiejar
import time
import urllib.request
import uuid
from pathlib import Path
from urllib.parse import quote, urljoin, urlsplit

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import FileUploaderState, FileURLs, UploadedFileInfo
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

QUIET = 0.4  # seconds without a message after the end of a run: no other run follows
ERROR = 1  # the format of an alert


class Client:
    """One visitor; used as `async with Client(address) as client`."""

    def __init__(self, address: str, timeout: float) -> None:
        self.address, self.timeout = address, timeout
        self.received = b""  # all messages of the last action, as bytes
        self.errors: list[str] = []
        self.seconds: list[float] = []  # of every action, until the end of its last run
        self._session = ""
        self._uploaders: dict[str, tuple[str, str]] = {}  # label -> widget, fragment
        self._pages: dict[str, str] = {}  # name -> hash
        self._page = ""
        self._states: dict[str, WidgetState] = {}
        self._urls: asyncio.Queue = asyncio.Queue()
        self._messages: asyncio.Queue = asyncio.Queue()
        self._browser = urllib.request.build_opener(
            urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()), urllib.request.ProxyHandler({})
        )

    async def __aenter__(self):
        # The answer has the cookie without which uploads are refused.
        health = f"{self.address}/_stcore/health"
        await asyncio.to_thread(lambda: self._browser.open(health, timeout=self.timeout).read())
        url = f"{self.address.replace('http', 'ws', 1)}/_stcore/stream"
        self._socket = await websockets.connect(
            url, subprotocols=["streamlit"], origin=self.address, max_size=None, proxy=None, open_timeout=self.timeout
        )
        self._reader = asyncio.create_task(self._read())
        return self

    async def __aexit__(self, *error):
        self._reader.cancel()
        await self._socket.close()

    async def open(self, query: str = "") -> None:
        """Come to the start page."""
        await self._act(query_string=query)

    async def go_to(self, name: str) -> None:
        """Go to a page; a browser sends no widgets of the page that it leaves."""
        self._page, self._states = self._pages[name], {}
        await self._act()

    async def upload(self, label: str, file: Path) -> None:
        """Give a file to the uploader with this label."""
        start = time.monotonic()
        widget, fragment = self._uploaders[label]
        urls = await self._addresses_of(file.name)
        await asyncio.to_thread(self._put, urljoin(self.address, urls.upload_url), file)
        info = UploadedFileInfo(name=file.name, size=file.stat().st_size, file_id=urls.file_id, file_urls=urls)
        state = FileUploaderState(uploaded_file_info=[info])
        self._states[widget] = WidgetState(id=widget, file_uploader_state_value=state)
        await self._act(start, fragment_id=fragment)

    async def stand_still(self, size: int) -> None:
        """Begin an upload that claims so many bytes, send nothing, and wait until the server ends it."""
        url = urlsplit(urljoin(self.address, (await self._addresses_of("large.json")).upload_url))
        reader, writer = await asyncio.open_connection(url.hostname, url.port)
        cookie = {"Cookie": "; ".join(f"{name}={value}" for name, value in self._cookies().items())}
        headers = {"Host": url.netloc, "Content-Length": size, **self._upload_headers("x"), **cookie}
        lines = [f"PUT {url.path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
        writer.write("\r\n".join(lines).encode())
        try:
            await reader.read(1)
        finally:
            writer.close()

    async def _addresses_of(self, name: str) -> FileURLs:
        """Where a file with this name is uploaded to."""
        message = BackMsg()
        message.file_urls_request.request_id = uuid.uuid4().hex
        message.file_urls_request.session_id = self._session
        message.file_urls_request.file_names.append(name)
        await self._socket.send(message.SerializeToString())
        return (await asyncio.wait_for(self._urls.get(), self.timeout)).file_urls[0]

    def _cookies(self) -> dict[str, str]:
        return {cookie.name: cookie.value for handler in self._browser.handlers for cookie in _cookies(handler)}

    def _upload_headers(self, border: str) -> dict[str, str]:
        headers = {"Content-Type": f"multipart/form-data; boundary={border}", "Origin": self.address}
        cookies = self._cookies()
        return headers | ({"X-Xsrftoken": cookies["_streamlit_xsrf"]} if "_streamlit_xsrf" in cookies else {})

    def _put(self, url: str, file: Path) -> None:
        border = uuid.uuid4().hex
        head = f'--{border}\r\nContent-Disposition: form-data; name="file"; filename="{quote(file.name)}"\r\n\r\n'
        body = head.encode() + file.read_bytes() + f"\r\n--{border}--\r\n".encode()
        request = urllib.request.Request(url, body, self._upload_headers(border), method="PUT")
        self._browser.open(request, timeout=self.timeout).read()

    async def _act(self, start: float | None = None, **fields: str) -> None:
        """Ask for a run of the script, wait until it and those that it starts have ended, and note the time."""
        start = time.monotonic() if start is None else start
        await self._run(**fields)
        self.seconds.append(self._ended - start)

    async def _run(self, **fields: str) -> None:
        message = BackMsg()
        state = message.rerun_script
        state.page_script_hash = self._page
        for name, value in fields.items():
            setattr(state, name, value)
        state.widget_states.widgets.extend(self._states.values())
        self.received = b""
        while not self._messages.empty():
            self._messages.get_nowait()
        await self._socket.send(message.SerializeToString())
        async with asyncio.timeout(self.timeout):
            while await self._messages.get() != "end":
                pass
            running, self._ended = False, time.monotonic()
            while True:
                try:
                    kind = await asyncio.wait_for(self._messages.get(), QUIET)
                    running = kind == "new_session" or (running and kind != "end")
                    self._ended = time.monotonic() if kind == "end" else self._ended
                except TimeoutError:
                    if not running:
                        return

    async def _read(self) -> None:
        async for data in self._socket:
            message = ForwardMsg.FromString(data)
            self.received += data
            kind = message.WhichOneof("type")
            if kind == "new_session":
                self._session = message.new_session.initialize.session_id or self._session
                self._page = message.new_session.page_script_hash
            elif kind == "navigation":
                self._pages = {page.page_name: page.page_script_hash for page in message.navigation.app_pages}
            elif kind == "file_urls_response":
                await self._urls.put(message.file_urls_response)
            elif kind == "delta":
                self._note(message.delta)
            await self._messages.put("end" if kind == "script_finished" else kind)

    def _note(self, delta) -> None:
        element = delta.new_element
        kind = element.WhichOneof("type")
        if kind == "file_uploader":
            self._uploaders[element.file_uploader.label] = (element.file_uploader.id, delta.fragment_id)
        elif kind == "exception":
            self.errors.append(element.exception.message)
        elif kind == "alert" and element.alert.format == ERROR:
            self.errors.append(element.alert.body)


def _cookies(handler):
    return handler.cookiejar if isinstance(handler, urllib.request.HTTPCookieProcessor) else ()
