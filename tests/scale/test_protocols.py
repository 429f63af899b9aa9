"""A comparison in memory and one of parts are made of different classes, of which the same can be asked."""

from dataclasses import fields

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.alignment.align import AlignedLayouts, Alignment
from layoutcm.diagnosis.region_sources import RegionSources, Sources
from layoutcm.errors import NotCounted
from layoutcm.metrics.levels import CountedLevels, Levels, levels_of_pages
from layoutcm.scale.part_levels import PartLevels
from layoutcm.scale.stored_comparison import PartSources
from layoutcm.scale.stored_pages import PartAlignment
from support.parts import compared, pair


@pytest.fixture(scope="module", params=[True, False], ids=["why", "plain"])
def both(request, tmp_path_factory):
    """The same two layouts compared from parts and in memory."""
    gt, pred = pair(pages=40)
    return compared(tmp_path_factory.mktemp("set"), gt, pred, why=request.param), lcm.compare(gt, pred)


@pytest.mark.parametrize(("protocol", "own"), [
    (Levels, CountedLevels), (Levels, PartLevels), (Sources, RegionSources), (Sources, PartSources),
    (Alignment, AlignedLayouts), (Alignment, PartAlignment),
])  # fmt: skip
def test_a_class_has_all_of_its_protocol(protocol, own):
    asked = {name for name in vars(protocol) if not name.startswith("_")}
    assert len(asked) > 8
    assert asked <= {*dir(own), *(field.name for field in fields(own))}
    assert protocol not in own.__mro__


def test_parts_are_those_of_their_class(both):
    found = [[type(one) for one in (c.alignment, c.levels, c.sources)] for c in both]
    assert found == [[PartAlignment, PartLevels, PartSources], [AlignedLayouts, CountedLevels, RegionSources]]


@pytest.mark.parametrize("level", ["page", "document"])
def test_border_slack_of_a_level(both, level):
    stored, in_memory = both
    names = {"page": in_memory.pages, "document": in_memory.documents}[level]
    shares = [in_memory.border_slack(**{level: name}) for name in names]
    assert np.nanmax(shares) > 0
    assert [stored.border_slack(**{level: name}) for name in names] == pytest.approx(shares, nan_ok=True)


def test_border_slack_of_the_set_is_known_if_causes_were_counted(both):
    stored, in_memory = both
    expected = pytest.approx(in_memory.border_slack()) if stored.levels.stored.plan.facts.why else None
    assert stored.border_slack() == expected


@pytest.mark.parametrize("what", ["objects", "centroids", "soft"])
def test_what_needs_all_regions_is_not_counted_from_parts(both, what):
    stored, _ = both
    with pytest.raises(NotCounted, match=f"{'soft scores' if what == 'soft' else what} of all pages"):
        getattr(stored, what)()


def test_regions_of_all_pages_are_not_in_memory(both):
    stored, in_memory = both
    assert in_memory.sources.all_regions is in_memory.sources
    with pytest.raises(NotCounted, match="regions of all pages"):
        _ = stored.sources.all_regions


def test_chosen_levels_are_the_same(both):
    names = both[1].pages[30:3:-4]
    a, b = (levels_of_pages(one.levels, one.levels.numbers_of(names)) for one in both)
    assert a.page_names == b.page_names == names
    assert a.page_pixels.tolist() == b.page_pixels.tolist()
    for name, values in a.page_scores("matrix").items():
        np.testing.assert_array_equal(values, b.page_scores("matrix")[name])
