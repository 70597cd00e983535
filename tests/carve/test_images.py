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
    files = CarvedFiles()
    return [fragment for log in files.find(files.scanner(str(path))) for fragment in log.fragments]


def events_of(fragment: Fragment, data: bytes) -> dict[int, int]:
    """The offset of each event of a fragment, with its position in the log."""
    found, at = {}, fragment.offset
    while at < fragment.end:
        found[at] = fragment.position + at - fragment.offset
        at += number(data, at + 9)
    assert at == fragment.end
    return found


def provable(image: Image) -> set[int]:
    """The offsets of the events that are proven: by their checksums, or by the two headers that follow each chain."""
    whole, headed = image.whole(), image.headed()
    found = {offset for offset, (place, _, _) in whole.items() if place.log.summed}
    after_proven = {offset for offset in whole if image.data[offset - 4 : offset] == MAGIC}
    for offset in sorted(headed.keys() & whole.keys()):
        place, at, size = whole[offset]
        end = offset + size
        if place.log.summed:
            continue
        last = at + size == len(place.log.data)
        if last and image.data[offset + 4] not in {ROTATE, STOP} and end != len(image.data):
            continue
        after = headed.get(end)
        more = after is not None and after[0] is place and after[1] + after[2] < len(place.log.data)
        followed = not last and more and end in whole
        if followed or offset in after_proven:
            found.add(offset)
            after_proven.add(end)
    return found


@pytest.mark.parametrize("seed", range(IMAGES))
def test_each_whole_event_is_found_at_its_place_and_nothing_else_is(seed: int, tmp_path: Path) -> None:
    image = make_image(seed)
    whole = image.whole()
    found: dict[int, int] = {}
    for fragment in carved(image, tmp_path):
        found |= events_of(fragment, image.data)
    missing = provable(image) - found.keys()
    assert not missing, describe(missing, whole)
    allowed = whole.keys() | image.placed_headers().keys()
    assert not {at: image.data[at + 4] for at in found.keys() - allowed}
    for offset, position in found.items():
        place, at, _ = whole.get(offset) or image.placed_headers()[offset]
        if not place.log.relay and (number(image.data, offset + 13) or image.data[offset + 4] == FORMAT_DESCRIPTION):
            assert position == at


def describe(missing: set[int], whole: dict[int, tuple[Placed, int, int]]) -> str:
    lines = []
    for offset in sorted(missing)[:5]:
        place, at, size = whole[offset]
        lines.append(f"{offset}: type {place.log.data[at + 4]}, {size} bytes at {at}, summed {place.log.summed}")
    return "; ".join(lines)
