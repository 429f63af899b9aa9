"""Names of images in the data of an annotation task, which has paths, addresses or names of uploads."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote

from layoutcm.layouts.page_names import IMAGE_SUFFIXES

# The prefix that an upload adds to a file name.
_UPLOAD = re.compile(r"^[0-9a-f]{8}-(?=.)")
IMAGE_KEYS = ("image", "img", "ocr")  # usual names of the image in the data of a task
TASK_LISTS = (".json", ".jsonl", ".csv", ".tsv")  # uploads that are tasks, not images


def image_name(data: Mapping[str, Any], upload: str | None) -> str:
    """The image's file name before the upload, from the name of the upload or the first path or URL in the data.

    An upload may also be a list of tasks, which all have its name.
    """
    uploaded = upload if upload and not upload.lower().endswith(TASK_LISTS) else None
    texts = [uploaded, *(data.get(key) for key in IMAGE_KEYS), *data.values()]
    found = next((text for text in texts if isinstance(text, str) and PurePosixPath(text).suffix), "") or uploaded or ""
    return _UPLOAD.sub("", PurePosixPath(_path_in(found).replace("\\", "/")).name)


def _path_in(address: str) -> str:
    """The path of an address; files of a local storage have theirs in the query, `/data/local-files/?d=a/1.png`."""
    path, _, query = address.partition("?")
    local = next((part.removeprefix("d=") for part in query.split("&") if part.startswith("d=")), "")
    return unquote(local) if local and (path.endswith("/") or not PurePosixPath(path).suffix) else path


def page_list(data: Mapping[str, Any]) -> list[str]:
    """The names of the images of a task with several pages, which are a list in its data; [] if it has one page."""
    if any(isinstance(value, str) and (key in IMAGE_KEYS or _is_image(value)) for key, value in data.items()):
        return []
    return listed_images(data)


def listed_images(data: Mapping[str, Any]) -> list[str]:
    lists = [value for value in data.values() if isinstance(value, list)]
    names = [[_name_of_image(one) for one in value] for value in lists]
    return next((found for found in names if found and all(found)), [])


def _name_of_image(item: object) -> str:
    """The name of an image: an address, or an object with one, such as {"url": "…/1.png"}; "" if it is neither."""
    texts = item.values() if isinstance(item, dict) else [item]
    return next((image_name({"image": one}, None) for one in texts if isinstance(one, str) and _is_image(one)), "")


def _is_image(text: str) -> bool:
    return _path_in(text).lower().endswith(tuple(IMAGE_SUFFIXES))
