"""The rooms of the package: no module reaches upwards, and importing the package stays light."""

import ast
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "layoutcm"

# From the ground up: a room may use those before it. `layoutcm` itself only knows its version when it is imported.
FLOORS = [
    {"errors", "app_server", "drawings", "palette", "writing", "page_names"},
    {"model", "handwritten", "paper", "report_folder"},
    {"layout_rules", "scores"},
    {"page_maps", "page_numbers"},
    {"page_matching"},
    {"bits", "counts", "pairing", "taxonomy", "soft"},
    {"formats", "contributions", "sweep", "align", "fixes", "writers", "family_trees"},
    {"cells", "readings", "object_matching"},
    {"checks", "pixels", "confusion", "soft_cells"},
    {"levels", "families", "average_precision", "instances", "shading", "print_grid"},
    {"object_cells", "page_regions", "rankings"},
    {"objects", "centroids", "counting", "resample"},
    {"comparison"},
    {"tables", "pageview", "page_images"},
    {"figures", "results", "summaries", "cell_kinds", "frames", "page_pictures", "print_figures", "print_charts"},
    {"charts", "overlays", "maps", "print_pages", "markup", "spreadsheet", "html_report"},
    {"report", "family_charts", "object_charts", "plane"},
    {"commands"},
    {"cli"},
    {"__main__", "ui"},
]
FLOOR = {room: i for i, floor in enumerate(FLOORS) for room in floor}


def imported_rooms(path):
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "layoutcm":
            parts = node.module.split(".")
            names = [parts[1]] if len(parts) > 1 else [alias.name for alias in node.names]
            yield from (name for name in names if name != "__version__")


def test_no_room_reaches_upwards():
    seen = set()
    for path in PACKAGE.rglob("*.py"):
        room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if room == "__init__":
            continue
        seen.add(room)
        for other in imported_rooms(path):
            allowed = FLOOR[other] < FLOOR[room] or other == room
            assert allowed, f"{path.name} imports {other}, which is not below it"
    assert seen == set(FLOOR)


def test_importing_the_package_loads_nothing_heavy():
    heavy = "{'numpy', 'numba', 'pandas', 'pyarrow', 'PIL', 'streamlit', 'plotly', 'matplotlib'}"
    code = f"import sys, layoutcm; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_everything_promised_can_be_had():
    import layoutcm

    for name in layoutcm.__all__:
        assert getattr(layoutcm, name) is not None
    assert set(layoutcm.__all__) <= set(dir(layoutcm))
