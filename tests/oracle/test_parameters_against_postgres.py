"""Random statements with parameters, each used one to three times, declared or not, as text or in binary: a cluster and
PostgreSQL 15 give them the same types, and answer the same."""

from __future__ import annotations

import collections
import contextlib
import os
import random
from collections.abc import Iterator

import pytest
from parameter_sessions import ParameterSession, Said
from parameter_statements import Asked, Drawer
from parameter_values import binary_of, text_of
from plain_postgres import OWNER
from rows import FILLED
from slt.servers import Servers, are_there

STATEMENTS = int(os.environ.get("DAEDALUS_ORACLE_QUERIES", "2000"))
REFUSED_MAX = 0.05
FLOATS = {700, 701}
OUT_OF_RANGE = "22003"
EXECUTED = 0.15  # This share of the statements is asked by PREPARE and EXECUTE.
COMPUTED = {OUT_OF_RANGE, "22007", "22008", "22023", "2201B"}  # No parameter's own value ends in these.
SHOWN_MAX = 40

pytestmark = pytest.mark.skipif(not are_there(), reason="not run: PostgreSQL 15 is not installed here")


@pytest.fixture(scope="module")
def both() -> Iterator[tuple[ParameterSession, ParameterSession]]:
    """A session with a cluster, and one with PostgreSQL, over the same empty table."""
    with contextlib.ExitStack() as stack:
        ports = Servers(stack).ports("t")
        ours, theirs = (stack.enter_context(ParameterSession(port, OWNER, "t")) for port in ports)
        yield ours, theirs


def fill(session: ParameterSession) -> None:
    """Fills the table with the same rows as ever."""
    for statement in ["DELETE FROM t", *FILLED]:
        assert not session.simple(statement).error


def values_of(choice: random.Random, types: tuple[int, ...], binary: float) -> tuple[list[bytes | None], list[int]]:
    """Values for parameters of these types, and their formats: this share of them is in binary."""
    values: list[bytes | None] = []
    formats = [int(choice.random() < binary) for _ in types]
    for oid, is_binary in zip(types, formats, strict=True):
        text = None if is_binary else text_of(choice, oid)
        values.append(binary_of(choice, oid) if is_binary else None if text is None else text.encode())
    return values, formats


def is_refused(ours: Said, theirs: Said) -> bool:
    """By name, and nothing is said of what PostgreSQL says."""
    return ours.error == "0A000" and theirs.error != "0A000"


def are_alike(ours: Said, theirs: Said) -> bool:
    """Rows that an update fails on stay as they are, and the others are changed, here alone."""
    is_of_rows = "rows applied" in ours.message and ours.error in (theirs.error, *COMPUTED)
    return is_of_rows or ours.seen() == theirs.seen()


def is_met_elsewhere(asked: Asked, ours: Said, theirs: Said) -> bool:
    """Returns whether the one fails where the other has not come yet: conjuncts have an order of their own in
    PostgreSQL, the first that decides hides the others, and a text is cast to an array, or a timestamp to a string of a
    column, a row at a time.
    """
    if (ours.parameters, ours.columns) != (theirs.parameters, theirs.columns):
        return False
    met = {ours.error, theirs.error} - {""}
    is_joined = " AND " in asked.sql or " OR " in asked.sql
    is_of_array = ours.message.startswith("malformed array literal") and "[]" in asked.sql
    is_of_column = met == {"22001"} and theirs.tag == "UPDATE 0"
    return (is_joined and met <= COMPUTED) or is_of_array or is_of_column


def is_sum_of_floats(asked: Asked, ours: Said, theirs: Said) -> bool:
    """Floating values are added in another order, so that a sum may differ in its last digits."""
    is_alike = (ours.tag, ours.columns) == (theirs.tag, theirs.columns)
    return is_alike and "sum(" in asked.sql and not FLOATS.isdisjoint(theirs.columns)


def shown(asked: Asked, values: list[bytes | None], formats: list[int], said: Said) -> str:
    return f"{asked.sql}  -- {asked.declared} {values} {formats}\n    {said.seen()} {said.message}"


def test_parameters_have_the_types_and_values_that_postgres_gives_them(
    both: tuple[ParameterSession, ParameterSession], daedalus_seed: int
) -> None:
    choice = random.Random(f"{daedalus_seed} parameters")
    _, theirs = both
    counts: collections.Counter[str] = collections.Counter()
    wrong: list[str] = []
    for session in both:
        fill(session)
    for _ in range(STATEMENTS):
        asked = Drawer(choice).statement()
        types = theirs.describe(asked.sql, asked.declared).parameters or asked.declared
        is_executed = choice.random() < EXECUTED
        values, formats = values_of(choice, tuple(oid if oid else 25 for oid in types), 0 if is_executed else 0.3)
        if is_executed:
            texts = [None if value is None else value.decode() for value in values]
            said, meant = (each.execute(asked.sql, asked.names(), texts) for each in both)
        else:
            said, meant = (each.run(asked.sql, asked.declared, values, formats) for each in both)
        changed = [each.simple("SELECT * FROM t").seen() for each in both] if not asked.sql.startswith("SELECT") else []
        if is_refused(said, meant):
            counts[f"refused: {said.message}"] += 1
        elif are_alike(said, meant) and (not changed or not meant.tag or changed[0] == changed[1]):
            counts["alike, with an error" if said.error else "alike"] += 1
        elif is_met_elsewhere(asked, said, meant):
            counts["met by one, where it is reached"] += 1
        elif is_sum_of_floats(asked, said, meant):
            counts["sums of floating values"] += 1
        else:
            counts["different"] += 1
            wrong.append(f"{shown(asked, values, formats, said)}\n    {meant.seen()} {meant.message}")
        if changed and (said.tag or meant.tag or changed[0] != changed[1]):
            for session in both:
                fill(session)
    print("\n".join(f"{count} {what}" for what, count in counts.most_common()))
    assert not wrong, f"{len(wrong)} of {STATEMENTS}:\n" + "\n".join(wrong[:SHOWN_MAX])
    assert sum(count for what, count in counts.items() if what.startswith("refused")) < STATEMENTS * REFUSED_MAX
