"""Files as a visitor drops them, without a browser."""

from layoutcm.ui.files.file_facts import facts_of
from layoutcm.ui.files.file_roles import DroppedFile
from layoutcm.ui.files.input_file import input_from_bytes


def dropped_files(*files):
    """Files, given as (name, bytes), numbered in the order of dropping."""
    return [DroppedFile(input_from_bytes(*one), facts_of(*one), i) for i, one in enumerate(files)]
