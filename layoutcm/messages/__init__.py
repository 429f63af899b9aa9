"""The text of every finding.

A finding is a code with values, and is worded only here, except for the value `reading`, which is a text. `n` is how
often it occurs; the other values are those that its finder gives. A hint has one text for Python and the command line,
where users give options, and another for the screen, where they have controls; where both do the same, one is enough.
Errors are worded where they are raised, that for an unknown option value in `errors.unknown_choice`.
"""

from layoutcm.messages import comparisons, files, layouts
from layoutcm.messages.comparisons import HOW_MATCHED as HOW_MATCHED
from layoutcm.messages.finding_text import hint_of as hint_of

TEXTS = comparisons.TEXTS | layouts.TEXTS | files.TEXTS
