"""What every part of a result is made of: values that may be n/a, parts, columns and matrices."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType

Number = int | float  # whole pixels are written without a point
Share = float | None
Count = int | None
MaybeShare = float | None | UnsetType
MaybeText = str | UnsetType


class Part(Struct, frozen=True):
    """A part of a result, whose values can also be read by their names, as from the JSON: `part["f1"]`."""

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


class Columns(Part, frozen=True):
    """A part whose lists are columns of one table, so they have the same length."""


class SparseMatrix(Part, frozen=True, kw_only=True):
    """The cells of a matrix that are not 0."""

    shape: tuple[int, int]  # Number of rows and of columns.
    row: list[int]  # Row of each cell.
    column: list[int]  # Column of each cell.
    value: list[float]  # Value of each cell.


PixelMatrix = list[list[float]] | SparseMatrix
ShareMatrix = list[list[Share]] | UnsetType  # left out of matrices with more than 200 rows


class Scores(Part, frozen=True, kw_only=True):
    """Precision, recall and their harmonic mean."""

    precision: Share  # Precision.
    recall: Share  # Recall.
    f1: Share  # Harmonic mean of precision and recall.


class Views(Part, frozen=True, kw_only=True):
    """A matrix with its shares."""

    depth: int | UnsetType = UNSET  # Depth in a tree of families.
    labels: list[str]  # Names of the rows and columns.
    confusion: PixelMatrix  # The matrix in pixels; with the method tensor, the mass for recall.
    recall: ShareMatrix = UNSET  # Share of gt label i that is predicted as j.
    precision: ShareMatrix = UNSET  # Share of pred label j that is i in gt.
    f1: ShareMatrix = UNSET  # Harmonic mean of the two.


class FindingRecord(Part, frozen=True, kw_only=True):
    """Something unusual in the inputs."""

    code: str  # Name of the kind of finding.
    severity: Literal["error", "warning", "info"]  # With an error, the numbers say nothing about a model.
    message: str  # What is unusual.
    count: int  # How often it occurs.
    fix: str  # Advice to a person; may be empty.
    remedy: str  # Name of a repair that the program can make; may be empty.

    @property
    def hint(self) -> str:
        return self.fix
