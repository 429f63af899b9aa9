"""Small files without overlapping boxes whose report is expensive: long labels, many labels, many pages."""

from support.hostile_files import HEAD, rows_file, write
from support.hostile_formats import zip_of


def _box(i: int, pitch: int = 20) -> str:
    """The i-th of 2,500 small boxes beside each other on a page of 1000 x 1000."""
    x, y = i % 50 * pitch, i // 50 * pitch
    return f"{x},{y},{x + pitch - 2},{y + pitch - 2}"


def _characters(i: int) -> str:
    """Some of thousands of different characters that the main font of the figures does not have."""
    return "".join(chr(0x4E00 + (i * 7 + k) % 9000) for k in range(300))


HOSTILE = {
    "long labels beside each other": rows_file(
        "long.csv", lambda: (f"p,1000,1000,{i} {'long label ' * 90},{_box(i)}" for i in range(200))
    ),
    "long labels of many characters": rows_file(
        "characters.csv", lambda: (f"p,1000,1000,{i} {_characters(i)},{_box(i)}" for i in range(200))
    ),
    "1,000 labels on 200 pages": rows_file(
        "labels-and-pages.csv",
        lambda: (f"p{i * 7 % 200},1000,1000,label {i % 1000},{_box(i % 2000)}" for i in range(5000)),
    ),
    "2,000 labels beside each other": rows_file(
        "2000-labels.csv", lambda: (f"p,1000,1000,label {i},{_box(i)}" for i in range(1998))
    ),
    "45,000 pages": rows_file("pages.csv", lambda: (f"{i},9,9,a,0,0,1,1" for i in range(45_000))),
    # Equal pages without regions, which take less than a byte each.
    "zip of 400,000 pages": lambda folder: write(
        folder, "pages.zip", zip_of({"pages.csv": "\n".join([HEAD, *(f"{i},9,9,,,,," for i in range(400_000))])})
    ),
}
