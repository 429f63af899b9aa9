"""What a visitor has loaded and chosen, and the link that brings it back.

Choices live in the session; the address bar repeats those that differ from the default. A session that starts from
such an address takes them over. Uploaded files are the only thing a link cannot bring back.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.drawing.label_order import ORDERS
from layoutcm.drawing.palette import DARK, LIGHT, Theme
from layoutcm.errors import InputError
from layoutcm.layouts.model import ROUNDINGS, SIDES
from layoutcm.layouts.repairs import is_remedy
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.family_confusion import COUNTS, SAMPLES
from layoutcm.metrics.family_trees import DEEPEST
from layoutcm.metrics.objects.average_precision import HEADLINE_IOU, IOUS, RULES
from layoutcm.metrics.objects.centroids import TOLERANCE
from layoutcm.tables.matrix_views import VIEWS
from layoutcm.ui.input_files import Input, Request, comparison_of, data_files, from_path, sample_folder, settings
from layoutcm.wording import told_apart

SAMPLE = {"gt": "gt.json", "preds": ("model-a.json", "model-b.csv"), "images": "images"}
DEFAULTS: dict[str, Any] = {
    "load": "",  # "sample", "start", or names of files in the data folder, separated by "|"
    "pred": 0,
    "method": "matrix",
    "rounding": "outer",
    "min_score": 0.0,
    "missing_pages": "penalise",
    "taxonomy": "auto",
    "fixes": (),  # repairs before comparing, such as "gt=unit:1000" or, for the first prediction, "0=flip-y"
    "level": "set",
    "document": "",
    "page": "",
    "view": "recall",
    "gt_label": "",
    "pred_label": "",
    "class": "",
    "labels": (),  # the only ones to show; none = all
    "mask": "",  # what the page viewer's mask shows; none = the chosen cell where the page has it, else the difference
    "order": "as given",
    "log": False,
    "empty": False,
    "families": "",  # a built-in tree's name, or a tree as JSON
    "family_sample": "pixel",
    "family_count": "pairs",
    "family_depth": 1,
    "family_given": "gt",
    "family_view": "recall",
    "family": "",
    "matrix_depth": 1,
    "expanded": "[]",  # families that are opened in the whole matrix, as JSON
    "iou": HEADLINE_IOU,
    "ap_rule": "coco",
    "curves": (),  # labels with a curve; none = the most frequent
    "object_view": "pixels",
    "tolerance_x": TOLERANCE[0],
    "tolerance_y": TOLERANCE[1],
    "one_to_one": True,
    "class_aware": True,
}
CHOICES = {
    "method": ("matrix", "tensor"),
    "rounding": ROUNDINGS,
    "missing_pages": ("penalise", "ignore"),
    "taxonomy": ("auto", "same", "different", "match-names"),
    "level": ("set", "document", "page"),
    "view": ("recall", "precision", "f1", "pixels", "collapsed"),
    "order": ORDERS,
    "mask": ("", "gt", "pred", "difference", "cell"),
    "family_sample": SAMPLES,
    "family_count": COUNTS,
    "family_given": SIDES,
    "family_view": VIEWS,
    "ap_rule": tuple(RULES),
    "object_view": VIEWS,
}

MOST_LINKS = 200  # that Back can lead to
MOST_FIXES = 16  # each of them makes a layout anew, and a link may say anything
LIMITS = {
    "pred": (0, 10**6),
    "min_score": (0.0, 1.0),
    "family_depth": (1, DEEPEST),
    "matrix_depth": (0, DEEPEST + 1),
    "iou": (float(IOUS[0]), float(IOUS[-1])),
    "tolerance_x": (0.5, 10_000.0),
    "tolerance_y": (0.5, 10_000.0),
}


@dataclass(frozen=True)
class Loaded:
    """The files of a session: one gt, one or more preds, and where page images come from."""

    gt: Input
    preds: tuple[Input, ...]
    images: str = ""  # a folder on the server
    mapping: tuple[tuple[str, str, str], ...] = ()  # (side, old, new)
    sizes: str = ""
    page_maps: tuple[tuple[str, Input], ...] = ()  # (digest of the prediction, its page map)


def start_session() -> None:
    """Once a session: defaults, then what the address says, then what the app was started with."""
    if "choices" in st.session_state:
        return
    st.session_state["choices"] = dict(DEFAULTS)
    st.session_state["loaded"] = None
    st.session_state["page_images"] = None
    for name, text in st.query_params.items():
        if name in DEFAULTS:
            _take_over(name, text)
    load = get("load") or ("start" if settings().get("files") else "")
    if load:
        problem = open_named(load)
        st.session_state["load_problem"] = problem


def _take_over(name: str, text: str) -> None:
    kind = type(DEFAULTS[name])
    try:
        value: Any = text == "True" if kind is bool else _names(text) if kind is tuple else kind(text)
    except (ValueError, RecursionError):
        return
    if name == "fixes" and not _are_fixes(value):
        return
    low, high = LIMITS.get(name, (value, value))
    if low <= value <= high and (name not in CHOICES or value in CHOICES[name]):
        st.session_state["choices"][name] = value


def _names(text: str) -> tuple[str, ...]:
    """Labels as a link holds them: a JSON list, because any sign may be part of a label."""
    names = json.loads(text)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError("no list of names")
    return tuple(names)


def _are_fixes(texts: tuple[str, ...]) -> bool:
    sides = [text.partition("=") for text in texts]
    return len(texts) <= MOST_FIXES and all(
        (side == "gt" or (side.isdecimal() and len(side) < 7)) and is_remedy(remedy) for side, _, remedy in sides
    )


def get(name: str) -> Any:
    return st.session_state["choices"][name]


def put(**values: Any) -> None:
    choices = st.session_state["choices"]
    if any(choices.get(name) != value for name, value in values.items()):
        st.session_state["chosen_since"] = True
    choices.update(values)


def bound(name: str, place: str = "bar") -> dict[str, Any]:
    """Key and callback for a widget that shows one choice and changes it, whoever changed it last."""
    key, value = f"{place}_{name}", get(name)
    # A list, as the widget has it: a tuple would count as changed by the next run.
    st.session_state[key] = list(value) if isinstance(value, tuple) else value
    return {"key": key, "on_change": _changed, "args": (name, key)}


def _changed(name: str, key: str) -> None:
    value = st.session_state[key]
    put(**{name: tuple(value) if isinstance(value, list) else value})


def link_parameters() -> dict[str, str]:
    wanted = {name: get(name) for name in DEFAULTS if get(name) != DEFAULTS[name]}
    return {
        name: json.dumps(value, ensure_ascii=False) if isinstance(value, tuple) else str(value)
        for name, value in wanted.items()
    }


def follow_address(page: str) -> None:
    """Back and forward in the browser: what an earlier address of this session says holds again.

    It is an earlier one when it was written since these files were loaded, but not last, and nobody has chosen
    anything since. Going to a page leaves an address without choices behind, and whoever goes back to that is let
    through: writing it anew would be a step forward again.
    """
    now, session = dict(st.query_params), st.session_state
    earlier = now in session.get("links", []) and now not in ({}, session.get("link"), link_parameters())
    if earlier and not session.get("chosen_since"):
        session["choices"] = DEFAULTS | {"load": get("load")}
        for name in DEFAULTS.keys() & now.keys() - {"load"}:
            _take_over(name, now[name])
    session["passing_by"] = not now and session.get("page_shown") == page
    session["page_shown"] = page


def write_link() -> None:
    """Repeat the choices in the address bar."""
    wanted, session = link_parameters(), st.session_state
    passing_by = session.get("passing_by") and session.get("link") == wanted
    if dict(st.query_params) != wanted and not passing_by:
        st.query_params.from_dict(wanted)
    session["link"], session["chosen_since"] = wanted, False
    links: list[dict[str, str]] = session.setdefault("links", [])
    if wanted not in links:
        session["links"] = [*links[1 - MOST_LINKS :], wanted]


def loaded() -> Loaded | None:
    return st.session_state.get("loaded")


def load(files: Loaded, name: str = "") -> None:
    """Take new files; choices that belong to the old ones go."""
    kept = _still_there(loaded(), files)
    st.session_state["loaded"] = files
    st.session_state["links"] = []
    forget = ("pred", "document", "page", "gt_label", "pred_label", "class", "level", "families", "family", "expanded",
              "labels", "mask", "curves")  # fmt: skip
    put(load=name, fixes=kept, **{key: DEFAULTS[key] for key in forget})


def _still_there(before: Loaded | None, files: Loaded) -> tuple[str, ...]:
    """Repairs of files that were there before and still are, perhaps in another place."""
    if before is None:
        return ()
    now = {pred.digest: str(i) for i, pred in enumerate(files.preds)}
    moved = {str(i): now[pred.digest] for i, pred in enumerate(before.preds) if pred.digest in now}
    if before.gt.digest == files.gt.digest:
        moved["gt"] = "gt"
    fixes = [text.partition("=") for text in get("fixes")]
    return tuple(f"{moved[side]}={remedy}" for side, _, remedy in fixes if side in moved)


def open_named(name: str) -> str:
    """Load the sample, the files the app was started with, or files of the data folder; else say why not."""
    kept = dict(st.session_state["choices"])
    if name == "sample":
        folder = sample_folder()
        preds = tuple(from_path(folder / pred) for pred in SAMPLE["preds"])
        load(Loaded(from_path(folder / str(SAMPLE["gt"])), preds, str(folder / str(SAMPLE["images"]))), name)
    elif name == "start":
        paths = [Path(file) for file in settings().get("files", [])]
        missing = [str(path) for path in paths if not path.exists()]
        if missing or len(paths) < 2:
            return f"The app was not started with this file: {missing[0]}." if missing else "There is nothing to open."
        load(_of_paths(paths), name)
    else:
        known = data_files()
        names = name.split("|")
        missing = [file for file in names if file not in known]
        if missing or len(names) < 2:
            return f"This link names files that are not here: {', '.join(missing) or name}. Choose files below."
        load(_of_paths([known[file] for file in names]), name)
    # A link brings repairs of its own files only.
    gone = ("load",) if kept["load"] == name else ("load", "fixes")
    put(**{key: value for key, value in kept.items() if key not in gone})
    return ""


def _of_paths(paths: list[Path]) -> Loaded:
    gt, *preds = (from_path(path) for path in paths)
    beside = str(paths[0]) if paths[0].is_dir() else ""  # page images often lie beside the annotations
    return Loaded(gt, tuple(preds), settings().get("images") or beside)


def options() -> dict[str, Any]:
    """The options of the comparison as `compare` takes them."""
    files = loaded()
    mapping: dict[str, dict[str, str]] = {}
    for side, old, new in files.mapping if files else ():
        mapping.setdefault(side, {})[old] = new
    return {
        "rounding": get("rounding"),
        "min_score": get("min_score") or None,
        "missing_pages": get("missing_pages"),
        "taxonomy": get("taxonomy"),
        "mapping": mapping or None,
    }


def chosen_place() -> int:
    """Which of the predictions is shown."""
    files = loaded()
    assert files is not None
    return min(get("pred"), len(files.preds) - 1)


def chosen_pred() -> Input:
    files = loaded()
    assert files is not None
    return files.preds[chosen_place()]


def pred_names() -> list[str]:
    """The predictions' names, told apart where two files have the same."""
    files = loaded()
    return told_apart([pred.name for pred in files.preds]) if files else []


def chosen_side(side: str) -> str:
    """How `fixes` names a side: gt, or the place of the chosen prediction."""
    return side if side == "gt" else str(chosen_place())


def fixes_of(side: str) -> tuple[str, ...]:
    """The repairs of a side, as `fixes` names it, one by one and in the order in which they were made."""
    named = [text.partition("=") for text in get("fixes")]
    return tuple(one for own, _, remedy in named if own == side for one in remedy.split(","))


def page_map() -> Input | None:
    return request().page_map if loaded() else None


def request(place: int | None = None) -> Request:
    """The two files of the comparison and what is done to them before; of another prediction by its place."""
    files = loaded()
    assert files is not None
    place = chosen_place() if place is None else place
    pred = files.preds[place]
    maps = dict(files.page_maps)
    return Request(files.gt, pred, files.sizes, fixes_of("gt"), fixes_of(str(place)), maps.get(pred.digest))


def content_key() -> str:
    """Stands for the files and options of the comparison."""
    return request().key + json.dumps(options(), sort_keys=True)


def comparison() -> Comparison | InputError | None:
    """The comparison that all pages show; None before anything is loaded."""
    if loaded() is None:
        return None
    try:
        return comparison_of(request(), options())
    except InputError as error:
        return error


def confusion(compared: Comparison) -> Confusion:
    """The matrix at the chosen level."""
    return _confusion(content_key(), get("method"), part(compared), compared)


def part(compared: Comparison) -> dict[str, str]:
    """The document or page that was chosen; nothing for the whole set."""
    level = get("level")
    known = {"document": compared.documents, "page": compared.alignment.pages.index}.get(level, ())
    return {level: get(level)} if level != "set" and get(level) in known else {}


@st.cache_resource(max_entries=24, show_spinner="Adding up …")
def _confusion(content: str, method: str, of: dict[str, str], _compared: Comparison) -> Confusion:
    return _compared.confusion(of.get("page"), of.get("document"), method)


def theme() -> Theme:
    return DARK if st.context.theme.type == "dark" else LIGHT
