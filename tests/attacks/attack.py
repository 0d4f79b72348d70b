"""Defines an attack, and what must hold while it goes on and afterwards, whatever it does."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from attacks.client import Answer
from attacks.look_ups import LookUps
from attacks.stage import Stage, bounded, longest_cycle_ms, until
from attacks.tables import ORDERS, Table
from attacks.turns import slow

# One process may take so much for answers beyond what it had: the bound it declares, and what a busy process has
# besides.
ANSWERS_MIB_MAX = int(os.environ.get("DAEDALUS_ATTACK_ANSWERS_MIB", "768"))
SERVED_AGAIN_SECONDS = 2.0
# On a quiet machine p99 of look-ups is at most a second, and twice the longest cycle of the run plus 50 ms. Beside
# other work it only shows whether others are held up at all: a peer is taken for dead after two seconds.
IS_QUIET = os.environ.get("DAEDALUS_ATTACK_QUIET") == "1"
P99_MS_MAX = 1000.0 if IS_QUIET else 3000.0
# The bound is of a network thread's own CPU time. Beside other work the same handler takes twice as long, caches being
# shared.
TURN_MS_MAX = 5.0 if IS_QUIET else 10.0

FULL = frozenset({"53000", "53200", "53400"})
TOO_LARGE = frozenset({"54000"})
TOO_COMPLEX = frozenset({"54001"})
TOO_LATE = frozenset({"57014"})


@dataclass(frozen=True, slots=True)
class Attack:
    """One attack. `run` does it and asserts what is right of its own answers; the rest is demanded of all."""

    name: str
    what: str
    run: Callable[[Stage], None]
    table: Table = ORDERS
    seconds_max: float = 30.0
    p99_ms_max: float = P99_MS_MAX  # of somebody else's look-ups
    growth_mib_max: int = ANSWERS_MIB_MAX  # of any process
    spoils: bool = False  # the cluster cannot be used for another attack


def carry_out(attack: Attack, stage: Stage) -> None:
    """Attacks, and asserts that nobody else noticed."""
    stage.watch.begin()
    stage.turns.begin()
    faults: list[str] = []
    started = time.monotonic()
    with LookUps(stage.port, stage.table) as look_ups:
        try:
            with bounded(attack.seconds_max, attack.name):
                attack.run(stage)
        except Exception as error:  # told together with what the others noticed
            faults.append(f"the attack itself: {type(error).__name__}: {error}")
    served_again = until(stage.is_serving, SERVED_AGAIN_SECONDS)
    report, growth = look_ups.report, stage.watch.growth_mib()
    print(f"\n{attack.name}: {time.monotonic() - started:.1f} s\n  {report}\n  memory at its peak: {growth} MiB more")
    if dead := stage.watch.dead():
        faults.append(f"died: {', '.join(dead)}")
    else:
        cycle_ms = longest_cycle_ms(stage.cluster)
        print(f"  longest cycle {cycle_ms:.1f} ms")
        if IS_QUIET and report.p99_ms > 2 * cycle_ms + 50:
            faults.append(f"p99 of look-ups is {report.p99_ms:.0f} ms at a longest cycle of {cycle_ms:.0f} ms")
    for words in stage.notes:
        print(f"  {words}")
    stage.notes.clear()
    turns = stage.turns.by_handler()
    for who, ms in turns.items():
        print(f"  long turns: {who}: {len(ms)}, up to {ms[0]:.1f} ms")
    faults += slow(turns, TURN_MS_MAX)
    if served_again is None:
        faults.append(f"nobody is served within {SERVED_AGAIN_SECONDS:.0f} s of its end")
    if report.failed:
        faults.append(f"others' look-ups failed: {report}")
    if report.count == 0:
        faults.append("nobody looked anything up beside it")
    if report.p99_ms > attack.p99_ms_max:
        faults.append(f"others' look-ups were late: {report}")
    for name, mib in growth.items():
        if mib > attack.growth_mib_max:
            faults.append(f"{name} took {mib} MiB more, {attack.growth_mib_max} are its due")
    if faults:
        pytest.fail(f"{attack.name}: {attack.what}\n- " + "\n- ".join(faults), pytrace=False)


def expect(answer: Answer, *refusals: frozenset[str], rows: int | None = None) -> None:
    """An answer is whole, with that many rows, or refused with one of these codes."""
    if answer.refusal is not None:
        allowed = frozenset[str]().union(*refusals)
        assert answer.refusal.sqlstate in allowed, f"{answer.refusal}; expected of {sorted(allowed)}, or an answer"
        return
    assert answer.is_whole
    assert rows is None or answer.rows.count == rows, f"{answer.rows.count} rows instead of {rows}"
