"""The statements that the programs of tests/clients have sent are asked again without them, and answered as PostgreSQL
15 answers them.
"""

from __future__ import annotations

import pytest
from recorded_comparison import fill, values_of
from sent import REFUSALS, SENT, kept, say_to_both, shape
from sessions import POSTGRES_BIN

pytestmark = pytest.mark.skipif(
    not (POSTGRES_BIN / "initdb").exists(), reason="not run: PostgreSQL 15 is not installed here"
)

CLIENTS = sorted(path.stem for path in SENT.glob("*.jsonl"))
CLIENTS_MIN = 20


def test_many_clients_are_asked_about() -> None:
    assert len(CLIENTS) >= CLIENTS_MIN


@pytest.mark.parametrize("client", CLIENTS)
def test_recorded_statements_of_a_client_are_answered_as_in_postgresql(client: str, postgres: str, table: str) -> None:
    """A statement that was refused by name when it was kept may be answered since then; nothing else may be refused."""
    rows = values_of(postgres)
    for dsn in (postgres, table):
        fill(dsn, rows)
    sent = kept(client, postgres)
    refused = {shape(each.statement) for each in sent if each.is_refused}
    different = [
        each
        for each in say_to_both([each.statement for each in sent], postgres, table)
        if each.found.sqlstate not in REFUSALS or shape(each.statement) not in refused
    ]
    assert sent
    assert not different, "\n".join(map(str, different))
