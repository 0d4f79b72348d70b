"""The tests say what counts as a slow handler."""

from __future__ import annotations

from pathlib import Path

from attacks.turns import Turns, slow


def line(who: str, ms: float) -> str:
    """As a process logs it."""
    return f"2026-01-01T00:00:00 warning long turn: {who} kept the network waiting for {ms} ms of CPU time\n"


def test_turns_count_from_begin_on_and_by_handler(tmp_path: Path) -> None:
    log = tmp_path / "node-0.log"
    log.write_text(line("the end of a turn", 30.0))
    turns = Turns(tmp_path)
    turns.begin()
    with log.open("a") as more:
        for peer, ms in ((1, 6.5), (2, 7.5), (3, 5.5)):
            more.write(line(f"input of the link to 127.0.0.1:{peer}", ms))
        more.write("2026-01-01T00:00:00 info something else\n")
    assert turns.by_handler() == {"node-0: input of the link to a peer": [7.5, 6.5, 5.5]}


def test_a_handler_is_slow_when_it_is_again_and_again() -> None:
    assert not slow({"node-0: x": [40.0, 30.0]}, 5.0)
    assert not slow({"node-0: x": [40.0, 30.0, 4.9]}, 5.0)
    assert slow({"node-0: x": [40.0, 30.0, 5.1]}, 5.0) == [
        "node-0: x kept the network waiting 3 times, up to 40.0 ms, 5 are its due"
    ]
