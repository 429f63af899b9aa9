"""The server of the dashboard: Streamlit's, behind checks of every request (`request_checks`)."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
import webbrowser
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager, suppress
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from layoutcm.errors import InputError
from layoutcm.scale.storage import is_remote
from layoutcm.ui.server.first_paint import StyledFromTheStart
from layoutcm.ui.server.request_checks import (
    THIS_MACHINE,
    OwnRequestsOnly,
    ReadableMessagesOnly,
    UploadsWithinLimits,
)
from layoutcm.ui.server.responses import LimitedPages, NoServerPaths, content_policy
from layoutcm.ui.server.settings import MB, SETTINGS, app_folder, limit_malloc_arenas, limits

PUBLIC_ADDRESS = "0.0.0.0"
LOCAL_ADDRESS = "127.0.0.1"
ALL_ADDRESSES = ("0.0.0.0", "::", "")


def serve(options: argparse.Namespace, script: Path, load_code: Callable[[], object]) -> None:
    """Run the server in the app's folder, where its configuration is, until it is stopped.

    `script` runs for every visitor; `load_code` is called once, before the first visitor comes.
    """
    import streamlit as st
    from starlette.middleware import Middleware

    from layoutcm.ui.server import pictures, visitors

    limit_malloc_arenas()
    address = address_of(options)
    os.environ[SETTINGS] = json.dumps(settings_of(options))
    os.chdir(app_folder())
    name = options.host[0] if options.host else "localhost" if address in (LOCAL_ADDRESS, *ALL_ADDRESSES) else address
    url = f"http://{f'[{name}]' if ':' in name else name}:{options.port}"
    app = st.App(
        script,
        lifespan=_lifespan(load_code, url if options.browser else ""),
        routes=[pictures.route()],
        middleware=[
            Middleware(LimitedPages, policy=content_policy(options.embed_in)),
            Middleware(OwnRequestsOnly, **names_of_server(address, options.host)),
            Middleware(ReadableMessagesOnly),
            Middleware(NoServerPaths, script=script),
            Middleware(UploadsWithinLimits, uploads=visitors.Uploads()),
            Middleware(StyledFromTheStart),
        ],
    )
    print(f"layoutcm: open {url}", flush=True)
    app.run(config=_streamlit_options(address, options, name))


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
        "trusted": [one if is_remote(one) else str(Path(one).resolve()) for one in options.trust],
        "public": options.public,
    }


def _streamlit_options(address: str, options: argparse.Namespace, name: str) -> dict[str, Any]:
    return {
        "server.port": options.port,
        "server.address": address,
        "server.headless": True,
        "server.allowedHosts": ["*"],  # OwnRequestsOnly has checked the Host
        "server.maxUploadSize": limits().upload // MB,
        # In a frame of another site, uploads need a cookie that browsers take only through HTTPS.
        "server.xsrfCookieSameSite": "none" if options.embed_in else "lax",
        "client.allowedOrigins": [],  # no page around the dashboard may give it commands, such as where uploads go
        # Without a name, Streamlit asks another server for the address of this machine, to print it.
        "browser.serverAddress": name,
    }


def _lifespan(load_code: Callable[[], object], opened_url: str) -> Any:
    @asynccontextmanager
    async def run(_app: object) -> AsyncIterator[None]:
        """Load code before the first visitor comes, and forget visitors who left until the server stops."""
        from layoutcm.ui.server import visitors

        load_code()
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


def names_of_server(address: str, given: Collection[str]) -> dict[str, Any]:
    """The arguments of `OwnRequestsOnly` for a server that listens on this address and was given these names."""
    if address in ALL_ADDRESSES:
        machine = socket.gethostname()
        return {"names": (*THIS_MACHINE, machine, f"{machine}.local", *given), "any_address": True}
    return {"names": (*THIS_MACHINE, address, *given)}
