"""Every whole event that was put into an image is found at its place, and nothing else is.

`BINLOGCLI_IMAGES=50` makes more images than a usual run does.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from binlogcli.carve.files import CarvedFiles
from binlogcli.carve.fragment import Fragment
from support.carve_images import FORMAT_DESCRIPTION, MAGIC, ROTATE, STOP, Image, Placed, make_image, number

IMAGES = int(os.environ.get("BINLOGCLI_IMAGES", "6"))


def carved(image: Image, folder: Path) -> list[Fragment]:
    path = folder / "disk.img"
    path.write_bytes(image.data)
    logs, _ = CarvedFiles().scan(str(path))
    return [fragment for log in logs for fragment in log.fragments]


def events_of(fragment: Fragment, data: bytes) -> dict[int, int]:
    """The offset of each event of a fragment, with its position in the log."""
    found, at = {}, fragment.offset
    while at < fragment.end:
        found[at] = fragment.position + at - fragment.offset
        at += number(data, at + 9)
    assert at == fragment.end
    return found


def provable(image: Image) -> set[int]:
    """The offsets of the events that are proven: by their checksums, or in a chain of headers."""
    whole = image.whole()
    found = {offset for offset, (place, _, _) in whole.items() if place.log.summed}
    for chain in chains(image):
        first, at = chain[0], whole.get(chain[0], (None, 0, 0))[1]
        described = at == 4 and image.data[first - 4 : first] == MAGIC
        _, _, size = image.headed()[chain[-1]]
        ends = image.data[chain[-1] + 4] in {ROTATE, STOP} and size < 600
        if described or len(chain) + (not ends) > 2:
            found |= set(chain) & whole.keys()
    return found


def chains(image: Image) -> list[list[int]]:
    """The offsets of events without checksums, each followed by the header of the next one, or the last of its log."""
    found: list[list[int]] = []
    headed = image.headed()
    for offset in sorted(headed):
        place, at, size = headed[offset]
        if place.log.summed:
            continue
        last = at + size == len(place.log.data)
        if last and image.data[offset + 4] not in {ROTATE, STOP} and offset + size != len(image.data):
            continue
        if found and headed[found[-1][-1]][0] is place and found[-1][-1] + headed[found[-1][-1]][2] == offset:
            found[-1].append(offset)
        else:
            found.append([offset])
    return found


@pytest.mark.parametrize("seed", range(IMAGES))
def test_each_whole_event_is_found_at_its_place_and_nothing_else_is(seed: int, tmp_path: Path) -> None:
    image = make_image(seed)
    whole, headed = image.whole(), image.headed()
    found: dict[int, int] = {}
    for fragment in carved(image, tmp_path):
        found |= events_of(fragment, image.data)
    missing = provable(image) - found.keys()
    assert not missing, describe(missing, whole)
    allowed = whole.keys() | {at for at, (place, _, _) in headed.items() if not place.log.summed}
    assert not {at: image.data[at + 4] for at in found.keys() - allowed}
    for offset, position in found.items():
        place, at, _ = whole.get(offset) or headed[offset]
        if not place.log.relay and (number(image.data, offset + 13) or image.data[offset + 4] == FORMAT_DESCRIPTION):
            assert position == at


def describe(missing: set[int], whole: dict[int, tuple[Placed, int, int]]) -> str:
    lines = []
    for offset in sorted(missing)[:5]:
        place, at, size = whole[offset]
        lines.append(f"{offset}: type {place.log.data[at + 4]}, {size} bytes at {at}, summed {place.log.summed}")
    return "; ".join(lines)
