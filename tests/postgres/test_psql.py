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


def test_another_database_and_another_user(cluster: LocalCluster, psql: Psql) -> None:
    refused = psql("-d", f"host=127.0.0.1 port={cluster.port + 51} user=ada dbname=other", "-c", "SELECT 1")
    assert 'database "other" does not exist' in refused.stderr
    assert 'the table is in the database "kinds"' in refused.stderr


def test_up_says_where_and_status_does_too(cluster: LocalCluster) -> None:
    status = json.loads(cluster.run_daedalus("status", "--format", "json").out)
    assert status["status"]["aggregator"]["postgres_endpoint"] == f"127.0.0.1:{cluster.port + 51}"
