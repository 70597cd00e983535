"""Every whole event that was put into an image is found at its place, and nothing else is.

`BINLOGCLI_IMAGES=50` makes more images than a usual run does.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from binlogcli.carve.files import CarvedFiles
from binlogcli.carve.fragment import Fragment
from support.bodies import u8
from support.carve_images import FORMAT_DESCRIPTION, MAGIC, RELAY_FLAG, ROTATE, STOP, Image, Placed, make_image, number
from support.logs import LogBuilder

IMAGES = int(os.environ.get("BINLOGCLI_IMAGES", "6"))
# images in which events were missed, or found that were none
ONCE_WRONG = (18, 23, 64, 107, 134, 143, 180, 238, 268, 379, 709, 1003, 1250, 1482)


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


@pytest.mark.parametrize("seed", sorted({*range(IMAGES), *ONCE_WRONG}))
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


def test_a_format_description_without_room_for_the_magic_before_it_is_read(tmp_path: Path) -> None:
    log = LogBuilder(checksum=0).describe()
    image = Image(bytes(log.log[2:]))
    image.data = image.data[:40] + b"x" + image.data[41:]  # its checksum is wrong
    assert carved(image, tmp_path) == []


def test_what_follows_the_end_of_a_relay_log_is_of_another_log(tmp_path: Path) -> None:
    relay = LogBuilder().describe(flags=RELAY_FLAG).add(ROTATE, u8(4) + b"relay.000002")
    other = LogBuilder(at=5000).add(STOP)
    found = carved(Image(bytes(relay.log + other.log[4:])), tmp_path)
    assert [(fragment.position, fragment.count) for fragment in found] == [(4, 2), (5000, 1)]
