"""The server of the dashboard: Streamlit's, behind the checks of `own_requests`, with forgetting visitors who left."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from layoutcm.errors import InputError
from layoutcm.scale.places import is_remote
from layoutcm.ui.first_paint import StyledFromTheStart
from layoutcm.ui.memory import share_memory_between_threads
from layoutcm.ui.own_requests import (
    ALL_ADDRESSES,
    THIS_MACHINE,
    OwnRequestsOnly,
    ReadableMessagesOnly,
    UploadsWithinLimits,
    names_of_server,
)
from layoutcm.ui.settings import MB, SETTINGS, app_folder, limits

PUBLIC_ADDRESS = "0.0.0.0"
LOCAL_ADDRESS = "127.0.0.1"
START_SCRIPT = Path(__file__).parent / "script" / "start.py"


def serve(options: argparse.Namespace) -> None:
    """Run the server in the app's folder, where its configuration is, until it is stopped."""
    import streamlit as st
    from starlette.middleware import Middleware

    from layoutcm.ui import page_pictures, visitors

    share_memory_between_threads()
    address = address_of(options)
    os.environ[SETTINGS] = json.dumps(settings_of(options))
    os.chdir(app_folder())
    name = options.host[0] if options.host else "localhost" if address in (LOCAL_ADDRESS, *ALL_ADDRESSES) else address
    url = f"http://{f'[{name}]' if ':' in name else name}:{options.port}"
    app = st.App(
        START_SCRIPT,
        lifespan=_lifespan(url if options.browser else ""),
        routes=[page_pictures.route()],
        middleware=[
            Middleware(OwnRequestsOnly, **names_of_server(address, options.host)),
            Middleware(ReadableMessagesOnly),
            Middleware(UploadsWithinLimits, uploads=visitors.Uploads()),
            Middleware(StyledFromTheStart),
        ],
    )
    print(f"layoutcm: open {url}", flush=True)
    app.run(config=_streamlit_options(address, options.port, name))


def check_files(files: list[str]) -> None:
    """Refuse a file alone that is no saved session, and a session or a result of parts among other files."""
    from layoutcm.scale.stored_comparison import is_result, open_comparison
    from layoutcm.ui.session_files import is_session_file

    results = [file for file in files if is_result(file)]
    for file in files:
        if is_remote(file) and file not in results:
            raise InputError(file, "", "this is no result of compare-parts", "Name a file of this machine.")
    if results and len(results) < len(files):
        problem = "a result of compare-parts has both sides"
        raise InputError(results[0], "", problem, "Name only results, or only layouts.")
    for folder in results:
        open_comparison(folder)
    if results:
        return
    sessions = [file for file in files if is_session_file(file)]
    if len(files) == 1 and not sessions:
        hint = "Name a ground truth and a prediction, or a saved session."
        raise InputError(files[0], "", "one file alone cannot be compared", hint)
    if len(files) > 1 and sessions:
        raise InputError(sessions[0], "", "a saved session has all its files", "Name it alone.")


def address_of(options: argparse.Namespace) -> str:
    """The address to listen on: the given one, else all addresses if the server is public, else this machine only."""
    if options.public and options.address and _is_loopback(options.address):
        raise InputError("", "--public", f"other machines cannot reach {options.address}", "Leave out --address.")
    return options.address or (PUBLIC_ADDRESS if options.public else LOCAL_ADDRESS)


def _is_loopback(address: str) -> bool:
    with suppress(ValueError):
        return ip_address(address).is_loopback
    return address.lower() in THIS_MACHINE or address.startswith("127.")


def settings_of(options: argparse.Namespace) -> dict[str, Any]:
    """The settings that the dashboard reads; paths are absolute, because the server runs in another folder."""
    return {
        "files": [file if is_remote(file) else str(Path(file).resolve()) for file in options.files],
        "data": str(Path(options.data).resolve()) if options.data else "",
        "images": str(Path(options.images).resolve()) if options.images else "",
        "public": options.public,
    }


def _streamlit_options(address: str, port: int, name: str) -> dict[str, Any]:
    return {
        "server.port": port,
        "server.address": address,
        "server.headless": True,
        "server.allowedHosts": ["*"],  # OwnRequestsOnly has checked the Host
        "server.maxUploadSize": limits().upload // MB,
        # Without a name, Streamlit asks another server for the address of this machine, to print it.
        "browser.serverAddress": name,
    }


def _lifespan(opened_url: str) -> Any:
    @asynccontextmanager
    async def run(_app: object) -> AsyncIterator[None]:
        """Load code before the first visitor comes, and forget visitors who left until the server stops."""
        from layoutcm.ui import visitors, warm_up

        warm_up.start_warm_up()
        forgetting = asyncio.create_task(visitors.forget_visitors_who_left())
        if opened_url:
            asyncio.get_running_loop().run_in_executor(None, webbrowser.open, opened_url)
        try:
            yield
        finally:
            forgetting.cancel()
            with suppress(asyncio.CancelledError):
                await forgetting

    return run
