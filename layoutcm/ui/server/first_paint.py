"""What the HTML page has from the start: the style, and what makes an entry of the browser's history.

A style that the script sends comes after the first paint, and moves what is already on the screen.
"""

from __future__ import annotations

import re

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from layoutcm.drawing import method_drawings

BAR_HEIGHT = 46  # pixels of the bar on top, reserved while files are loaded
ROW_HEIGHT, MOST_RESERVED_ROWS = 50, 12  # pixels of a row of a matrix at least; with more rows they are lower
DRAWINGS = (method_drawings.matrix_structure, method_drawings.collapse, method_drawings.bit_packing)
DRAWN_HEIGHTS = {draw.__name__: re.findall(r'height="([0-9]+)"', draw())[0] for draw in DRAWINGS}
STYLE = (
    "<style>"
    # Streamlit's own rules come later, hence !important.
    ".block-container{padding:2.6rem 3rem 2rem 3rem!important}"
    ":has(>.st-key-unseen),:has(>.st-key-address){display:none!important}"
    # The page appears shortly after the sidebar, which would push it aside; after 3 s in any case.
    "@keyframes lcm-wait{from,to{visibility:hidden;opacity:0}}@keyframes lcm-come{from,to{visibility:hidden;opacity:0}}"
    "[data-testid=stAppViewContainer]{animation:lcm-wait 3s}"
    "[data-testid=stAppViewContainer]:has([data-testid=stSidebar]){animation:lcm-come .5s}"
    # A part whose script the browser has not loaded yet is a grey bar of another size. It happens once for each kind of
    # part, so the page waits for it; after 10 s in any case.
    "[data-testid=stMain]:has([data-testid=stSkeleton]:not(.st-key-unseen *)){animation:lcm-wait 10s}"
    # The lines below the menu wait for the menu.
    "[data-testid=stSidebar]:not(:has([data-testid=stSidebarNavLink])) [data-testid=stSidebarUserContent]"
    "{display:none}"
    "[data-testid=stSidebar],[data-testid=stMain]{transition:none!important}"
    # Show the whole text of a button, on two lines if needed.
    "[data-testid=stMain] .stButton button *{white-space:normal;overflow:visible}"
    # On a narrow screen, put columns one below the other.
    "@media(max-width:1200px){[class*=st-key-beside]>*>[data-testid=stHorizontalBlock]{flex-wrap:wrap}"
    "[class*=st-key-beside]>*>[data-testid=stHorizontalBlock]>[data-testid=stColumn]{min-width:100%}}"
    # White on the light blue of the dark theme cannot be read.
    "[data-testid=stBaseButton-primary]:not(:disabled) *{color:light-dark(#ffffff,#0e1117)!important}"
    # Streamlit's captions have too little contrast on a light page.
    "[data-testid=stCaptionContainer]{color:inherit!important;opacity:.78}"
    "h1{font-size:1.6rem!important;padding:0 0 .3rem 0!important}"
    "h2{font-size:1.2rem!important}h3{font-size:1.05rem!important}"
    f".st-key-top_bar{{min-height:{BAR_HEIGHT}px;gap:.4rem!important}}"
    # A placeholder of a part that is still loading is wider than the part, and would break the line.
    ".st-key-top_bar [data-testid=stSkeleton]{display:none}"
    ".st-key-top_bar p,.st-key-top_bar [data-testid=stMarkdownContainer]{margin-bottom:0!important}"
    ".st-key-top_bar button{min-height:2rem;padding:.1rem .6rem}"
    # What the browser draws itself has its height only after its script is loaded.
    ".st-key-viewer{min-height:max(495px,calc(100vh - 150px))}"
    + "".join(f"[class*=st-key-rows_{n}_]{{min-height:{ROW_HEIGHT * n}px}}" for n in range(2, MOST_RESERVED_ROWS + 1))
    # On a narrow screen drawings are smaller.
    + "".join(
        f"@media(min-width:1400px){{.st-key-drawing_{name}{{min-height:{height}px}}}}"
        for name, height in DRAWN_HEIGHTS.items()
    )
    + ".st-key-choose_page{min-height:68px}.st-key-filmstrip{min-height:180px}"
    # Streamlit makes the drop zone lower when it has measured it.
    "[class*=st-key-drop_] [data-testid=stFileUploaderDropzone]{min-height:100px;align-items:center}"
    # The cards show the files, so the drop zone lists only those that are being sent, or were refused.
    "[class*=st-key-drop_] [data-testid=stFileChip]:not(:has([data-testid=stFileChipIconSpinner])):not("
    ":has([data-testid=stFileChipIconError])){display:none}"
    "[class*=st-key-drop_] [data-testid=stFileChips] div:has(>[data-testid=stFileChip]:only-child){margin:0;padding:0}"
    "[class*=st-key-drop_] [aria-label='Add files']{width:auto;height:auto;padding:.4rem .8rem;white-space:nowrap}"
    "[class*=st-key-drop_] [aria-label='Add files']::after{content:'Add files';margin-left:.4rem}</style>"
)
# Back and Forward go from view to view. Streamlit makes a new entry of the history whenever the script changes the
# address. The script below makes one only for another path, or if one of these parameters changes; else it replaces the
# present one. An address without parameters is what a switch of pages leaves before it is filled in. If the script
# changes parameters and page at once, Streamlit sends two changes; without an input between them they are one step.
VIEW_PARAMETERS = ("pred", "gt_label", "pred_label", "class", "document", "page", "attribute", "versus")
SCRIPT = f"""<script>(() => {{
  const push = history.pushState.bind(history), names = {list(VIEW_PARAMETERS)};
  const view = (url) => names.map((name) => url.searchParams.get(name)).join("\\n");
  let pushed = false;  // since the last input, for the same path
  const forget = () => {{ pushed = false; }};
  for (const input of ["pointerdown", "keydown", "popstate"]) addEventListener(input, forget, true);
  history.pushState = (state, title, address) => {{
    const now = new URL(location.href), next = new URL(address ?? now, now), stays = next.pathname === now.pathname;
    const is_step = stays ? now.search && view(next) !== view(now) : !pushed;
    pushed = stays && (pushed || Boolean(is_step));
    return is_step ? push(state, title, address) : history.replaceState(state, title, address);
  }};
}})();</script>"""
IN_HEAD, END_OF_HEAD = (STYLE + SCRIPT).encode(), b"</head>"
# Without these, the answer is neither compressed nor "not modified".
_LEFT_OUT = (b"accept-encoding", b"if-none-match", b"if-modified-since")


class StyledFromTheStart:
    """ASGI middleware: adds the style and the script to the head of HTML pages."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or "text/html" not in Headers(scope=scope).get("accept", ""):
            return await self.app(scope, receive, send)
        asked = dict(scope) | {"headers": [pair for pair in scope["headers"] if pair[0].lower() not in _LEFT_OUT]}
        start: Message = {}
        body = b""

        async def send_styled(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start" and _is_html(message):
                start = message  # sent when the length of the body is known
            elif not start:
                await send(message)
            else:
                body += message.get("body", b"")
                if not message.get("more_body"):
                    await _send_whole(start, body.replace(END_OF_HEAD, IN_HEAD + END_OF_HEAD, 1), send)

        return await self.app(asked, receive, send_styled)


def _is_html(start: Message) -> bool:
    return start["status"] == 200 and "text/html" in Headers(raw=start["headers"]).get("content-type", "")


async def _send_whole(start: Message, body: bytes, send: Send) -> None:
    headers = MutableHeaders(raw=list(start["headers"]))
    headers["content-length"] = str(len(body))
    del headers["etag"]
    await send({**start, "headers": headers.raw})
    await send({"type": "http.response.body", "body": body})
