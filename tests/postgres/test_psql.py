"""psql 15, as a person uses it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable

from local_cluster import LocalCluster

Psql = Callable[..., subprocess.CompletedProcess[str]]


def test_a_table_is_written_and_read(table: str, psql: Psql) -> None:
    answer = psql(
        "-c", "INSERT INTO kinds (id, price, day, code, name) VALUES (1, 2.5, '2013-02-08', 'ab', 'Ada'), (2, NULL, "
        "NULL, NULL, '')",
        "-c", "SELECT id, price, day, code, name FROM kinds ORDER BY id",
        "-c", "UPDATE kinds SET price = price + 1 WHERE id = 1",
        "-c", "DELETE FROM kinds WHERE id = 2",
        "-c", "SELECT count(*) AS rows, sum(price) FROM kinds",
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.splitlines() == [
        "INSERT 0 2",
        " id | price |    day     | code | name ",
        "----+-------+------------+------+------",
        "  1 | 2.500 | 2013-02-08 | ab   | Ada",
        "  2 |       |            |      | ",
        "(2 rows)",
        "",
        "UPDATE 1",
        "DELETE 1",
        " rows |  sum  ",
        "------+-------",
        "    1 | 3.500",
        "(1 row)",
        "",
    ]


def test_constants_and_settings_are_answered(psql: Psql) -> None:
    answer = psql("-At", "-c", "SELECT 1 + 1; SHOW server_encoding; SELECT version(), current_database()")
    assert answer.returncode == 0, answer.stderr
    two, encoding, version = answer.stdout.splitlines()
    assert (two, encoding) == ("2", "UTF8")
    assert version.startswith("PostgreSQL 15.")
    assert version.endswith("|kinds")


def test_an_error_shows_its_place_and_what_to_do(psql: Psql) -> None:
    answer = psql("-v", "VERBOSITY=verbose", "-c", "SELECT id,\n  nothing FROM kinds")
    assert answer.returncode == 1
    assert 'ERROR:  42703: column "nothing" does not exist' in answer.stderr
    assert "LINE 2:   nothing FROM kinds" in answer.stderr
    refused = psql("-c", "SELECT 1; SELECT * FROM kinds JOIN kinds k USING (id)")
    assert "LINE 1: SELECT 1; SELECT * FROM kinds JOIN" in refused.stderr
    assert "not supported" in refused.stderr


def test_values_are_a_statement_and_a_table(psql: Psql) -> None:
    assert psql("-Atc", "VALUES (1, 'a'), (2, NULL) ORDER BY 1 DESC").stdout == "2|\n1|a\n"
    assert psql("-Atc", "SELECT max(x) FROM (VALUES (1), (2)) AS q (x)").stdout == "2\n"


def test_an_insert_returns_what_it_wrote(table: str, psql: Psql) -> None:
    insert = "INSERT INTO kinds (id, price, name) VALUES (1, 2.5, 'Ada'), (2, NULL, '') "
    answer = psql("-At", "-c", insert + "RETURNING id * 10, price, upper(name)", "-c", "SELECT count(*) FROM kinds")
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.splitlines() == ["10|2.500|ADA", "20||", "INSERT 0 2", "2"]


def test_statements_of_one_message_are_one_update(table: str, psql: Psql) -> None:
    answer = psql("-c", "INSERT INTO kinds (id) VALUES (1); INSERT INTO kinds (id) VALUES (2); SELECT nothing")
    assert "a query after a write that has not been submitted yet is not supported" in answer.stderr
    assert psql("-Atc", "SELECT count(*) FROM kinds").stdout == "0\n"
    assert psql("-c", "INSERT INTO kinds (id) VALUES (1); INSERT INTO kinds (id) VALUES (2)").returncode == 0
    assert psql("-Atc", "SELECT count(*) FROM kinds").stdout == "2\n"
    told = psql("-c", "UPDATE kinds SET small = id; DELETE FROM kinds WHERE small = 2; DELETE FROM kinds").stdout
    assert told == "UPDATE 2\nDELETE 1\nDELETE 1\n"


def test_a_block_of_inserts_is_submitted_at_its_commit(table: str, psql: Psql) -> None:
    answer = psql(
        stdin="BEGIN;\nINSERT INTO kinds (id) VALUES (1);\nINSERT INTO kinds (id) VALUES (2);\nROLLBACK;\n"
        "SELECT count(*) FROM kinds;\nBEGIN;\nINSERT INTO kinds (id) VALUES (3);\nCOMMIT;\n"
        "BEGIN;\nINSERT INTO kinds (id) VALUES (4);\nSELECT id FROM kinds;\nSELECT 1;\nCOMMIT;\nSELECT id FROM kinds;\n"
    )
    assert "use autocommit" in answer.stderr
    assert "current transaction is aborted" in answer.stderr
    told = psql("-Atc", "SELECT id FROM kinds").stdout
    assert told == "3\n"
    assert answer.stdout.count("ROLLBACK\n") == 2


def test_another_database_and_another_user(cluster: LocalCluster, psql: Psql) -> None:
    refused = psql("-d", f"host=127.0.0.1 port={cluster.port + 51} user=ada dbname=other", "-c", "SELECT 1")
    assert 'database "other" does not exist' in refused.stderr
    assert 'the only database is "kinds"' in refused.stderr


def test_up_says_where_and_status_does_too(cluster: LocalCluster) -> None:
    status = json.loads(cluster.daedalus("status", "--format", "json").out)
    assert status["status"]["aggregator"]["postgres_endpoint"] == f"127.0.0.1:{cluster.port + 51}"


def test_a_query_is_cancelled_by_its_deadline(psql: Psql) -> None:
    answer = psql("-c", "SET statement_timeout = '1s'", "-c", "SHOW statement_timeout")
    assert "1s" in answer.stdout
