"""The attackers' codec says the same bytes as everybody else: rpc/vectors."""

from __future__ import annotations

import json

from local_cluster import ROOT

from attacks.wire import FrameType, Message, frame, message

VECTORS = json.loads((ROOT / "rpc" / "vectors" / "frames.json").read_text())


def test_frames_are_those_of_the_vectors() -> None:
    for vector in VECTORS["frames"]:
        made = frame(FrameType(vector["type"]), bytes.fromhex(vector["payload"]))
        assert made.hex() == vector["frame"], vector["name"]


def test_messages_are_read_as_they_are_written() -> None:
    written = message((1, 300), (2, "text"), (2, b"\x00\x01"), (7, message((1, 2**64 - 1))))
    read = Message(written)
    assert read.number(1) == 300
    assert [bytes(value) for value in read.fields[2] if not isinstance(value, int)] == [b"text", b"\x00\x01"]
    assert read.messages(7)[0].number(1) == 2**64 - 1
    assert not read.has(3)
