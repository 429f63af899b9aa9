"""Pictures with a token: made once, limited, only for the visitor, only as long as the visitor is here."""

import asyncio
import http.client
import io
import time
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
from PIL import Image

from layoutcm.ui.files import page_pictures
from layoutcm.ui.server import pictures, visitors
from layoutcm.ui.server.pictures import PictureStore
from support.browser import settle, tab, visit

JPEG = b"\xff\xd8 a picture"


@pytest.fixture
def store(monkeypatch):
    """An empty store that a server answers for; everybody is here."""
    new = PictureStore(is_served=True)
    monkeypatch.setattr(pictures, "STORE", new)
    monkeypatch.setattr(visitors, "_session_id", lambda: "a")
    monkeypatch.setattr(visitors, "is_here", lambda session: session == "a")
    return new


def ask(token):
    return asyncio.run(pictures.answer(SimpleNamespace(path_params={"token": token})))


def test_a_picture_is_made_once_and_answered_with_its_own_headers(store):
    made = []
    address = pictures.picture_address("k", lambda: made.append(1) or JPEG)
    assert pictures.picture_address("k", lambda: b"another") == address
    token = address.removeprefix("/page-image/")
    assert len(token) == 32 and not made
    for _ in range(2):
        answer = ask(token)
        assert (answer.status_code, answer.body, answer.media_type) == (200, JPEG, "image/jpeg")
        assert answer.headers["cache-control"] == "private, max-age=3600"
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert made == [1]


def test_a_wrong_token_or_a_visitor_who_left_gets_nothing(store, monkeypatch):
    token = pictures.picture_address("k", lambda: JPEG).removeprefix("/page-image/")
    assert ask(token).status_code == 200 and ask(token[:-1]).status_code == 404 and ask("").status_code == 404
    monkeypatch.setattr(visitors, "is_here", lambda _: False)
    assert ask(token).status_code == 404
    monkeypatch.setattr(visitors, "is_here", lambda _: True)
    pictures.forget_pictures()
    assert ask(token).status_code == 404 and not store.pictures and not store.tokens


def test_the_large_picture_has_twice_the_pixels_of_the_page_within_limits(monkeypatch):
    monkeypatch.setattr(page_pictures, "_address", lambda _, side: side)
    sides = {longer: page_pictures.page_image_addresses(object(), longer) for longer in (1, 1100, 1500.4, 3301, 9000)}
    assert [one["full"] for one in sides.values()] == [2400, 2400, 3001, 6600, 6600]
    assert {one["small"] for one in sides.values()} == {900} and page_pictures.page_image_addresses(None, 1100) is None


def test_a_broken_picture_is_not_found(store):
    for key, make in (("none", lambda: None), ("error", lambda: 1 // 0)):
        token = pictures.picture_address(key, make).removeprefix("/page-image/")
        assert ask(token).status_code == 404


def test_two_visitors_have_different_tokens(store, monkeypatch):
    own = pictures.picture_address("k", lambda: JPEG)
    monkeypatch.setattr(visitors, "_session_id", lambda: "b")
    assert pictures.picture_address("k", lambda: JPEG) != own
    store.drop_session("b")
    assert [one.session for one in store.pictures.values()] == ["a"]


def test_held_pictures_are_limited_in_number_and_bytes(store, monkeypatch):
    monkeypatch.setattr(pictures, "MOST_TOKENS", 3)
    monkeypatch.setattr(pictures, "MOST_BYTES", 250)
    made = []
    for k in range(5):
        address = pictures.picture_address(str(k), lambda k=k: made.append(k) or bytes(100))
        assert ask(address.removeprefix("/page-image/")).status_code == 200
    pictures.picture_address("4", lambda: b"")
    assert len(store.pictures) == 3 and sum(one.size for one in store.pictures.values()) <= 250
    first = next(iter(store.pictures))
    assert ask(first).status_code == 200 and made == [0, 1, 2, 3, 4, 2]  # made again, because its bytes were dropped


def test_without_a_server_a_picture_is_in_its_address(store):
    store.is_served = False
    assert pictures.picture_address("k", lambda: b"abc") == "data:image/jpeg;base64,YWJj"
    assert pictures.picture_address("k", lambda: None) is None


def test_who_is_forgotten_and_who_is_here(monkeypatch):
    monkeypatch.setattr(visitors, "_visitors", {"a": visitors.Visitor(), "b": visitors.Visitor(left_at=1.0)})
    monkeypatch.setattr(visitors.runtime, "get_instance", lambda: SimpleNamespace(is_active_session=lambda _: True))
    assert [visitors.is_here(session) for session in "abc"] == [True, False, False]
    assert pictures.STORE.drop_session in visitors._when_forgotten


def status(address, path, **headers):
    place = urlsplit(address)
    connection = http.client.HTTPConnection(place.hostname, place.port, timeout=20)
    try:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def test_the_route_of_a_running_server(browser, address):
    with browser.new_context() as context, tab(context) as page:
        visit(page, f"{address}/page?load=sample&page=report-1_p3.png")
        page.wait_for_selector(".viewer[data-ready=full]", timeout=20_000)
        settle(page)
        images = page.evaluate(
            "performance.getEntriesByType('resource').map((e) => new URL(e.name).pathname)"
            ".filter((path) => path.startsWith('/page-image/'))"
        )
        assert len(images) == 2
        sizes = []
        for path in images:
            code, data = status(address, path)
            assert code == 200
            sizes.append(max(Image.open(io.BytesIO(data)).size))
            assert status(address, path, Host="evil.example")[0] == 400
            assert status(address, path, Origin="http://evil.example")[0] == 403
            assert status(address, path[:-2])[0] == 404
        assert sorted(sizes) == [900, 1100]
    for _ in range(100):  # the server notices after a moment that the connection has ended
        if status(address, images[0])[0] == 404:
            break
        time.sleep(0.1)
    assert [status(address, path)[0] for path in images] == [404, 404]
