"""Blocks, savepoints, cursors, prepared statements and settings, said to a cluster and to PostgreSQL 15 alike: both
answer with the same columns, rows, tags, codes, messages and states of the transaction."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from local_cluster import LocalCluster
from plain_postgres import KINDS
from sessions import POSTGRES_BIN, running_postgres

from .conversation import Conversation

pytestmark = pytest.mark.skipif(
    not (Path(POSTGRES_BIN) / "postgres").exists(), reason="not run: PostgreSQL 15 is not installed here"
)

FILL = "INSERT INTO kinds (id, small, name) VALUES " + ", ".join(
    f"({number}, {number % 3}, 'n{number}')" for number in range(1, 11)
)
CURSOR = "DECLARE c CURSOR FOR SELECT id FROM kinds ORDER BY id"
SCROLL = "DECLARE c SCROLL CURSOR FOR SELECT id, name FROM kinds ORDER BY id"
MOMENTS = "SELECT id, moment, at, day, moment::text AS t, moment::date AS d FROM kinds WHERE id > 900"
IN_ORDER = "ORDER BY id"
NO_SCROLL = "DECLARE c NO SCROLL CURSOR FOR SELECT id FROM kinds ORDER BY id"

CONVERSATIONS: dict[str, list[str]] = {
    "the aborted state": [
        "BEGIN", "SELECT nothing FROM kinds", "SELECT 1", "SAVEPOINT a", "RELEASE a", "ROLLBACK TO a",
        "FETCH c", "SHOW jit", "SET jit = on", "BEGIN", "PREPARE q AS SELECT 1", "", "COMMIT", "SELECT 1",
        "START TRANSACTION", "SELECT 1 / 0", "FETCH 1.5 c", "END",
        "BEGIN; SELECT 1 / 0; SELECT 1", "ABORT", "ROLLBACK",
    ],
    "savepoints": [
        "SAVEPOINT a", "RELEASE a", "ROLLBACK TO a", "BEGIN", "SAVEPOINT a", "SELECT 1 / 0", "ROLLBACK TO SAVEPOINT a",
        "SELECT 1", "SAVEPOINT b", "SELECT 1 / 0", "SELECT 2", "ROLLBACK TO b", "RELEASE SAVEPOINT b", "ROLLBACK TO b",
        "ROLLBACK WORK TO a", "RELEASE a", "RELEASE a", "COMMIT",
        "BEGIN", "SAVEPOINT a", "SAVEPOINT a", "RELEASE a", "SELECT 1 / 0", "ROLLBACK TO a", "RELEASE a", "COMMIT",
        "BEGIN", 'SAVEPOINT "A b"', 'ROLLBACK TO "A b"', "ROLLBACK TO a", "ROLLBACK",
        "SAVEPOINT", "RELEASE", "ROLLBACK TO", "BEGIN; SAVEPOINT s; SELECT 1 / 0", "ROLLBACK TO s; COMMIT",
    ],
    "inserts behind savepoints": [
        "BEGIN", "INSERT INTO kinds (id) VALUES (101)", "SAVEPOINT a", "INSERT INTO kinds (id) VALUES (102), (103)",
        "ROLLBACK TO a", "INSERT INTO kinds (id) VALUES (104)", "SAVEPOINT b", "INSERT INTO kinds (id) VALUES (105)",
        "INSERT INTO kinds (nothing) VALUES (1)", "ROLLBACK TO b", "RELEASE b", "INSERT INTO kinds (id) VALUES (106)",
        "COMMIT", "SELECT id FROM kinds WHERE id > 100 ORDER BY id",
        "BEGIN", "SAVEPOINT a", "INSERT INTO kinds (id) VALUES (107)", "ROLLBACK TO a",
        "SELECT count(*) FROM kinds WHERE id > 100", "COMMIT", "SELECT count(*) FROM kinds WHERE id > 100",
    ],
    "settings": [
        "SHOW application_name", "SET application_name = 'a'", "BEGIN", "SET application_name = 'b'", "SAVEPOINT s",
        "SET LOCAL application_name = 'c'", "SHOW application_name", "ROLLBACK TO s", "SHOW application_name",
        "SET LOCAL application_name = 'd'", "COMMIT", "SHOW application_name", "SET LOCAL application_name = 'e'",
        "BEGIN; SET application_name = 'f'; ROLLBACK", "SHOW application_name", "RESET application_name",
        "SHOW application_name", "SET nonsense = 1", "SHOW nonsense", "SET my.own = 'x'", "SHOW my.own",
        "SELECT current_setting('my.own')", "SELECT current_setting('no.such', true)",
        "SELECT set_config('my.own', 'y', false)", "SHOW my.own", "BEGIN", "SELECT set_config('my.own', 'z', true)",
        "SHOW my.own", "COMMIT", "SHOW my.own", "SET statement_timeout = '90s'", "SHOW statement_timeout", "RESET ALL",
        "SHOW statement_timeout", "SET TRANSACTION READ ONLY", "BEGIN READ ONLY", "SHOW transaction_read_only",
        "INSERT INTO kinds (id) VALUES (1)", "ROLLBACK", "SHOW transaction_isolation",
        "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ", "BEGIN",
        "SHOW transaction_isolation", "COMMIT", "SHOW default_transaction_isolation", "DISCARD ALL",
        "SHOW default_transaction_isolation", "BEGIN", "DISCARD ALL", "ROLLBACK", "DISCARD PLANS", "DISCARD TEMP",
        "DISCARD SEQUENCES", "UNLISTEN *", "SHOW", "SET", "BEGIN ISOLATION LEVEL",
    ],
    "cursors": [
        CURSOR, "FETCH c", "CLOSE c", "CLOSE ALL", "BEGIN", CURSOR, CURSOR, "ROLLBACK",
        "BEGIN", CURSOR, "FETCH c", "FETCH 2 FROM c", "FETCH FORWARD 2 IN c", "MOVE c", "MOVE 2 c", "FETCH NEXT FROM c",
        "FETCH ALL c", "FETCH c", "CLOSE c", "CLOSE c", "ROLLBACK",
        "BEGIN", "DECLARE d CURSOR FOR SELECT nothing FROM kinds", "ROLLBACK",
        "BEGIN", "DECLARE d CURSOR FOR SELECT id, 1 / (id - 3) FROM kinds ORDER BY id", "ROLLBACK",
        "BEGIN", CURSOR, "COMMIT", "FETCH c", "DECLARE c CURSOR FOR DELETE FROM kinds", "FETCH", "FETCH 1.5 FROM c",
        "FETCH ABSOLUTE FROM c", "MOVE NEXT FROM c d", "DECLARE c SCROLL NO SCROLL CURSOR FOR SELECT 1",
        f"{CURSOR}; FETCH 3 FROM c", "FETCH c", "FETCH 99999999999 FROM c",
    ],
    "scrolling": [
        "BEGIN", SCROLL, "FETCH 0 c", "MOVE 0 c", "FETCH PRIOR c", "FETCH 3 c", "FETCH 0 c", "MOVE 0 c",
        "FETCH PRIOR c", "FETCH RELATIVE 2 c", "FETCH RELATIVE -1 c", "FETCH RELATIVE 0 c", "FETCH ABSOLUTE 7 c",
        "FETCH ABSOLUTE 2 c",
        "FETCH ABSOLUTE -2 c", "FETCH FIRST c", "FETCH LAST c", "FETCH NEXT c", "FETCH BACKWARD 3 c", "FETCH -2 c",
        "MOVE BACKWARD ALL IN c", "FETCH 2 c", "MOVE FORWARD ALL IN c", "MOVE BACKWARD ALL IN c", "MOVE ABSOLUTE 5 c",
        "MOVE RELATIVE -2 c", "FETCH c", "FETCH BACKWARD ALL c", "FETCH FORWARD ALL c", "FETCH ABSOLUTE 0 c",
        "FETCH ABSOLUTE 99 c", "FETCH PRIOR c", "FETCH ABSOLUTE -99 c", "FETCH c", "MOVE ABSOLUTE 99 c", "MOVE LAST c",
        "MOVE BACKWARD 4 c", "MOVE -99 c", "COMMIT",
        "BEGIN", NO_SCROLL, "MOVE BACKWARD ALL c", "FETCH ABSOLUTE 0 c", "FETCH ABSOLUTE 2 c", "FETCH RELATIVE 2 c",
        "MOVE 0 c", "FETCH PRIOR c", "ROLLBACK", "BEGIN", NO_SCROLL, "FETCH c", "FETCH 0 c", "ROLLBACK",
        "BEGIN", NO_SCROLL, "FETCH FIRST c", "FETCH FIRST c", "ROLLBACK", "BEGIN", NO_SCROLL, "FETCH LAST c",
        "ROLLBACK", "BEGIN", NO_SCROLL, "FETCH c", "MOVE BACKWARD ALL c", "ROLLBACK", "BEGIN", NO_SCROLL,
        "MOVE ALL c", "FETCH 0 c", "FETCH c", "FETCH BACKWARD c", "ROLLBACK",
    ],
    "cursors, savepoints and holding": [
        "BEGIN", CURSOR, "FETCH c", "SAVEPOINT a", "FETCH c", "DECLARE d CURSOR FOR SELECT id FROM kinds ORDER BY id",
        "FETCH d", "ROLLBACK TO a", "FETCH c", "FETCH d", "ROLLBACK TO a", "FETCH c", "SAVEPOINT b",
        "DECLARE e CURSOR FOR SELECT id FROM kinds ORDER BY id DESC", "RELEASE b", "FETCH 2 FROM e", "COMMIT",
        "DECLARE h CURSOR WITH HOLD FOR SELECT id FROM kinds ORDER BY id", "FETCH 2 FROM h", "BEGIN", "FETCH h",
        "SELECT 1 / 0", "ROLLBACK", "FETCH h", "BEGIN", "DECLARE i SCROLL CURSOR WITH HOLD FOR SELECT 1", "ROLLBACK",
        "FETCH i", "BEGIN", "DECLARE i SCROLL CURSOR WITH HOLD FOR SELECT 1", "FETCH i", "COMMIT", "FETCH PRIOR i",
        "FETCH i", "CLOSE h", "FETCH h", "CLOSE ALL", "FETCH i",
    ],
    "prepared statements": [
        "PREPARE q AS SELECT id FROM kinds WHERE id < $1 ORDER BY id", "EXECUTE q (3)", "EXECUTE q ('4')",
        "EXECUTE q (2 + 1)", "EXECUTE q (NULL)", "EXECUTE q", "EXECUTE q (1, 2)", "EXECUTE q ('x')",
        "PREPARE q AS SELECT 1", "DEALLOCATE q", "EXECUTE q (1)", "DEALLOCATE q", "DEALLOCATE ALL",
        "PREPARE w (int, varchar) AS INSERT INTO kinds (id, name) VALUES ($1, $2)", "EXECUTE w (201, 'a''b')",
        "EXECUTE w (202, NULL)", "SELECT id, name FROM kinds WHERE id > 200 ORDER BY id", "DEALLOCATE PREPARE w",
        "PREPARE t (text, numeric) AS SELECT $1 || 'x', $2 + 1", "EXECUTE t (1, 2.50)", "EXECUTE t ('a', '3')",
        "PREPARE n (nonsense) AS SELECT 1", "PREPARE s AS SHOW jit", "PREPARE", "EXECUTE", "EXECUTE t (",
        "PREPARE v AS VALUES (1, 'a'), (2, 'b')", "EXECUTE v", "BEGIN", "EXECUTE t (1, 2)", "EXECUTE nothing",
        "EXECUTE v", "ROLLBACK",
        "EXECUTE v", "DISCARD ALL", "EXECUTE v",
    ],
    "time zones": [
        "SHOW TIME ZONE", "SET TIME ZONE 'europe/berlin'", "SHOW TimeZone",
        "INSERT INTO kinds (id, moment, at, day) VALUES (901, '2013-10-27 02:30', '2013-10-27 02:30', '2013-10-27'), "
        "(902, '2013-10-27 00:30+00', TIMESTAMPTZ '2013-03-31 01:30+00', TIMESTAMPTZ '2013-03-30 23:30+00')",
        f"{MOMENTS} AND moment = '2013-10-27 02:30' {IN_ORDER}", f"{MOMENTS} AND moment > DATE '2013-10-27' {IN_ORDER}",
        f"{MOMENTS} AND at < TIMESTAMPTZ '2013-10-27 02:30' {IN_ORDER}", f"{MOMENTS} AND at < moment {IN_ORDER}",
        f"PREPARE z (timestamptz) AS {MOMENTS} AND moment >= $1 {IN_ORDER}",
        *["EXECUTE z ('2013-10-27 02:29')"] * 3, "SET TIME ZONE 'America/New_York'",
        *["EXECUTE z ('2013-10-26 20:31')"] * 3, "SET TIME ZONE 'Europe/Berlin'", "EXECUTE z ('2013-10-27 02:29')",
        "SET TIME ZONE -7", "SHOW TIME ZONE",
        "SELECT date_trunc('day', moment) AS d, count(*) FROM kinds WHERE id > 900 GROUP BY 1 ORDER BY 1",
        "SET TIME ZONE INTERVAL '+05:30' HOUR TO MINUTE", "SHOW TimeZone", "SET TIME ZONE 'Nowhere/Else'",
        "SET TIME ZONE 200", "SET timezone = 'utc+3'", "SHOW timezone", f"{MOMENTS} {IN_ORDER}",
        "SET timezone = '<x>+3'", "SHOW timezone", "SET timezone TO 5.5", "SHOW timezone", "SET timezone TO 'eet'",
        "SHOW timezone", "SET timezone TO 'cest'", "SET timezone TO ''",
        "SET TIME ZONE INTERVAL '1 month'", "SET TIME ZONE INTERVAL 'x'",
        "BEGIN", "SET LOCAL TIME ZONE 'Asia/Tokyo'", f"{MOMENTS} {IN_ORDER}", "COMMIT", "SHOW TimeZone",
        "BEGIN", "SET TIME ZONE 'Asia/Tokyo'", "ROLLBACK", "SHOW TimeZone",
        "BEGIN", "DECLARE z CURSOR FOR SELECT moment FROM kinds WHERE id > 900 ORDER BY id",
        "FETCH z", "SET TIME ZONE 'Asia/Kolkata'", "FETCH z",
        "COMMIT", "UPDATE kinds SET at = moment WHERE id > 900", f"{MOMENTS} {IN_ORDER}",
        "UPDATE kinds SET moment = at + INTERVAL '1 day' WHERE id = 901", f"{MOMENTS} {IN_ORDER}",
        "INSERT INTO kinds (id, moment) VALUES (903, '2013-01-01') RETURNING moment, moment::date",
        "SELECT set_config('TimeZone', 'Australia/Lord_Howe', false)", "SHOW TimeZone", f"{MOMENTS} {IN_ORDER}",
        "RESET TimeZone", "SHOW TimeZone", "SET TIME ZONE 'Europe/Rome'", "DISCARD ALL", "SHOW TimeZone",
    ],
    "writes of one message": [
        "UPDATE kinds SET small = 7 WHERE id < 4; DELETE FROM kinds WHERE small = 7; UPDATE kinds SET small = 8",
        "SELECT id, small FROM kinds ORDER BY id",
        "INSERT INTO kinds (id, small) VALUES (301, 1), (302, 1); UPDATE kinds SET small = small + 1 WHERE id > 300; "
        "INSERT INTO kinds (id, small) VALUES (303, 2); DELETE FROM kinds WHERE small = 2 AND id = 302; "
        "UPDATE kinds SET name = 'x', small = 9 WHERE small = 2",
        "SELECT id, small, name FROM kinds WHERE id > 300 ORDER BY id",
        "DELETE FROM kinds WHERE id = 303; DELETE FROM kinds WHERE id = 303; UPDATE kinds SET small = 1 WHERE id = 303",
        "UPDATE kinds SET small = 1 WHERE false; DELETE FROM kinds WHERE id = NULL",
        "DELETE FROM kinds WHERE id = 301; INSERT INTO kinds (id) VALUES (304) RETURNING id; DELETE FROM kinds",
        "SELECT count(*) FROM kinds",
        "INSERT INTO kinds (id, small) VALUES (1, 1), (2, 2)",
        "PREPARE u (int) AS UPDATE kinds SET small = small + 1 WHERE small < $1", "EXECUTE u (2); EXECUTE u (3)",
        "SELECT id, small FROM kinds ORDER BY id",
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def postgres() -> Iterator[int]:
    with running_postgres() as port:
        yield port


def write_in_a_pipeline(dsn: str, writes: list[str]) -> list[int]:
    """The count of each."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        with connection.pipeline():
            cursors = [connection.execute(sql.encode()) for sql in writes]
        return [cursor.rowcount for cursor in cursors]


def draw_write(choice: random.Random, number: int) -> str:
    some = choice.choice([f"id = {choice.randrange(20)}", f"small < {choice.randrange(-3, 9)}", "name IS NULL"])
    return choice.choice(
        [
            f"INSERT INTO kinds (id, small) VALUES ({number}, 1), ({number + 1}, {choice.randrange(9)})",
            f"UPDATE kinds SET small = small + {choice.randrange(-2, 3)} WHERE {some}",
            f"UPDATE kinds SET name = 'n{number}', small = {choice.randrange(9)} WHERE {some}",
            f"DELETE FROM kinds WHERE {some} AND small = {choice.randrange(9)}",
        ]
    )


def refill(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("DELETE FROM kinds")
        connection.execute(FILL)


def test_a_hundred_statements_and_more_are_said() -> None:
    assert sum(len(texts) for texts in CONVERSATIONS.values()) > 300


@pytest.mark.parametrize("subject", CONVERSATIONS)
def test_both_say_the_same(cluster: LocalCluster, table: str, postgres: int, subject: str) -> None:
    dsn = f"host=127.0.0.1 port={postgres} user=oracle dbname=postgres"
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS kinds")
        connection.execute(KINDS)
    refill(dsn)
    refill(table)
    with (
        Conversation(cluster.port + 51, "ada", "kinds") as ours,
        Conversation(postgres, "oracle", "postgres") as theirs,
    ):
        heard = [(text, ours.say(text), theirs.say(text)) for text in CONVERSATIONS[subject]]
    differences = [f"{text}\n  ours:   {one}\n  theirs: {other}" for text, one, other in heard if one != other]
    assert not differences, "\n".join(differences)


def test_both_count_what_each_write_of_a_pipeline_did(table: str, postgres: int, daedalus_seed: int) -> None:
    choice = random.Random(f"{daedalus_seed} pipelines")
    theirs = f"host=127.0.0.1 port={postgres} user=oracle dbname=postgres"
    with psycopg.connect(theirs, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS kinds")
        connection.execute(KINDS)
    refill(theirs)
    refill(table)
    number = 20
    for _ in range(20):
        writes = []
        for _ in range(choice.randrange(2, 60)):
            writes.append(draw_write(choice, number))
            number += 2
        assert write_in_a_pipeline(table, writes) == write_in_a_pipeline(theirs, writes), writes
    rows = "SELECT id, small, name FROM kinds ORDER BY id"
    with psycopg.connect(table, autocommit=True) as ours, psycopg.connect(theirs, autocommit=True) as oracle:
        assert ours.execute(rows).fetchall() == oracle.execute(rows).fetchall()
