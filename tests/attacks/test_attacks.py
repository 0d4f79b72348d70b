"""Every attack, one after the other, each on a cluster that is whole: README.md says how to add one."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from attacks import answers, parts, room, statements, writes
from attacks.attack import Attack, carry_out
from attacks.stage import Stage, bounded, staged
from attacks.tables import ORDERS, Table

ATTACKS = sorted(
    [*answers.ATTACKS, *statements.ATTACKS, *writes.ATTACKS], key=lambda attack: (attack.table.name, attack.table.rows)
)


class Stages:
    """At most one cluster at a time, kept from attack to attack for as long as it is whole."""

    def __init__(self) -> None:
        self._open = contextlib.ExitStack()
        self._stage: Stage | None = None

    def of(self, table: Table) -> Stage:
        """A whole cluster with this table."""
        if self._stage is None or self._stage.table != table or not self._stage.is_serving():
            self.close()
            self._stage = self._open.enter_context(staged(table))
        return self._stage

    def close(self) -> None:
        """Ends the cluster, if there is one."""
        self._stage = None
        self._open.close()


@pytest.fixture(scope="module")
def stages() -> Iterator[Stages]:
    kept = Stages()
    yield kept
    kept.close()


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_nobody_else_notices(attack: Attack, stages: Stages) -> None:
    try:
        carry_out(attack, stages.of(attack.table))
    except BaseException:  # pytest.fail() included
        stages.close()
        raise
    if attack.spoils:
        stages.close()


@pytest.mark.parametrize(
    ("strike", "table"), [(parts.node_stops_in_the_middle, ORDERS), (parts.node_dies_in_the_middle, ORDERS)]
)
def test_nothing_is_silently_partial(strike: Callable[[Stage], None], table: Table, stages: Stages) -> None:
    stage = stages.of(table)
    try:
        with bounded(60, strike.__name__):
            strike(stage)
    finally:
        print(f"\n{strike.__name__}\n  " + "\n  ".join(stage.notes))
        stages.close()


@pytest.mark.parametrize("attack", room.ATTACKS)
def test_memory_is_what_was_said(attack: Callable[[Path], None], stages: Stages, tmp_path: Path) -> None:
    stages.close()
    with bounded(60, attack.__name__):
        attack(tmp_path)
