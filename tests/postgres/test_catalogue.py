"""The catalogue as tools use it, held against a plain PostgreSQL 15 with the same table, and the server behind it.
Statements over it, and attacks by them, are in tests/slt/postgres."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlalchemy
from local_cluster import ROOT, LocalCluster, local_cluster, wait_until
from plain_postgres import KINDS, OWNER, plain_postgres
from postgres_clients import COMMANDS, psql_output
from psycopg import errors
from sessions import POSTGRES_BIN

pytestmark = pytest.mark.skipif(
    not (POSTGRES_BIN / "initdb").exists(), reason="not run: PostgreSQL 15 is not installed here"
)

CATALOGUE_TEST = ROOT / "build" / "release" / "aggregator" / "catalogue" / "catalogue_test"
ENDLESS = "SELECT count(*) FROM pg_proc a, pg_proc b, pg_proc c, pg_proc d"


@pytest.fixture(scope="module")
def judge() -> Iterator[str]:
    """A plain PostgreSQL 15 with the same table."""
    with plain_postgres(KINDS, "kinds") as dsn:
        yield dsn


def psql(dsn: str, *arguments: str, stdin: str = "") -> tuple[str, str]:
    return psql_output("psql", dsn, *arguments, stdin=stdin)


def rows_of(dsn: str, statement: str) -> list[Any]:
    """A query's rows."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        return connection.execute(statement.encode()).fetchall()


@pytest.mark.parametrize("command", COMMANDS)
def test_psql_shows_what_postgresql_shows(dsn: str, judge: str, command: str) -> None:
    assert psql(dsn, "-c", command) == psql(judge, "-c", command)


def test_psql_lists_the_tables_database_the_one_without_and_the_tables_owner(dsn: str) -> None:
    listed, complained = psql(dsn, "-At", "-c", r"\l")
    assert not complained
    assert [line.split("|")[0] for line in listed.splitlines() if "|UTF8|" in line] == ["kinds", "postgres"]
    roles, complained = psql(dsn, "-At", "-c", r"\du")
    assert not complained
    assert [line.split("|")[0] for line in roles.splitlines()] == [OWNER, "postgres"]


def test_gdesc_names_the_types_of_a_statement_over_the_table(dsn: str, judge: str) -> None:
    described = "SELECT id, price, code, name, at, day, yes FROM kinds \\gdesc\n"
    assert psql(dsn, stdin=described) == psql(judge, stdin=described)


def test_a_prepared_statement_is_run_again_in_binary(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        for _ in range(3):
            found = connection.execute(
                "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum = %s",
                ["kinds", 2],
                prepare=True,
                binary=True,
            )
            assert found.fetchall() == [("yes",)]


def test_queries_of_a_pipeline_end_before_one(table: str) -> None:
    with psycopg.connect(table, autocommit=True) as connection, connection.pipeline():
        mixed = [
            connection.execute(statement)
            for statement in ("SELECT count(*) FROM kinds", "SELECT 'kinds'::regclass::text") * 3
        ]
        assert [[type(value) for value in each.fetchone() or ()] for each in mixed] == [[int], [str]] * 3


def test_sqlalchemy_reflects_the_table(dsn: str, judge: str) -> None:
    def reflected(of: str) -> Any:
        settings = dict(part.split("=") for part in of.split())
        engine = sqlalchemy.create_engine(
            f"postgresql+psycopg://{settings['user']}@{settings['host']}:{settings['port']}/{settings['dbname']}"
        )
        with contextlib.closing(engine.connect()):
            inspector = sqlalchemy.inspect(engine)
            table = sqlalchemy.Table("kinds", sqlalchemy.MetaData(), autoload_with=engine)
            shown = (
                inspector.get_table_names(),
                inspector.get_schema_names(),
                [(column.name, repr(column.type), column.nullable, column.primary_key) for column in table.columns],
                inspector.get_pk_constraint("kinds"),
                inspector.get_indexes("kinds"),
                inspector.get_foreign_keys("kinds"),
                inspector.has_table("nothing"),
            )
        engine.dispose()
        return shown

    assert reflected(dsn) == reflected(judge)


def test_a_statement_is_cancelled_by_its_client_alone(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection, psycopg.connect(dsn, autocommit=True) as other:
        timer = threading.Timer(0.5, connection.cancel_safe)
        timer.start()
        with pytest.raises(errors.QueryCanceled, match="user request"):
            connection.execute(ENDLESS)
        timer.join()
        assert other.execute("SELECT 'kinds'::regclass::text").fetchone() == ("kinds",)
        assert connection.execute("SELECT 'kinds'::regclass::text").fetchone() == ("kinds",)


def children_of(process: int) -> list[int]:
    """Returns the children of all threads of the process."""
    tasks = Path(f"/proc/{process}/task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]


def catalogue_of(aggregator: int) -> int:
    """The process of an aggregator's private PostgreSQL."""
    (found,) = [
        child for child in children_of(aggregator) if Path(f"/proc/{child}/comm").read_text().strip() == "postgres"
    ]
    return found


def ticks_of(server: int) -> int:
    """CPU time of its processes, in hundredths of a second."""
    return sum(ticks_of_process(child) for child in children_of(server))


def ticks_of_process(process: int) -> int:
    """CPU time of one process; none where it has ended since it was listed, as a server's helpers do."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    user, system = stat.rsplit(")")[-1].split()[11:13]
    return int(user) + int(system)


def test_one_that_is_killed_fails_its_statement_and_is_started_again(cluster: LocalCluster, dsn: str) -> None:
    told: list[str | None] = []

    def ask() -> None:
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute("SET statement_timeout = '30s'")
            try:
                connection.execute(ENDLESS)
            except psycopg.Error as error:
                told.append(error.sqlstate)

    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("SELECT 'kinds'::regclass")
        first = catalogue_of(cluster.processes["aggregator-0"])
        before = ticks_of(first)
        asking = threading.Thread(target=ask)
        asking.start()
        # More than others leave to be done.
        wait_until(lambda: ticks_of(first) > before + 20, "the statement runs")
        os.kill(first, signal.SIGKILL)
        asking.join()
        assert told == ["57P01"]

        def answers() -> bool:
            try:
                return connection.execute("SELECT 'kinds'::regclass::text").fetchone() == ("kinds",)
            except psycopg.Error:
                return False

        wait_until(answers, "the catalogue answers again")
    assert catalogue_of(cluster.processes["aggregator-0"]) != first


def test_status_says_that_it_runs(cluster: LocalCluster, dsn: str) -> None:
    rows_of(dsn, "SELECT 'kinds'::regclass")
    status = json.loads(cluster.run_daedalus("status", "--format", "json").out)
    assert status["status"]["aggregator"]["postgres_catalogue"] == "running"
    assert "the catalogue is running" in " ".join(cluster.run_daedalus("status").out.split())


def test_two_aggregators_agree_on_numbers(tmp_path: Path) -> None:
    with local_cluster(tmp_path, KINDS, "--storage-nodes", "1", "--segment-mib", "16", "--aggregators", "2") as cluster:

        def dsn_of(which: int) -> str:
            return f"host=127.0.0.1 port={cluster.port + 51 + which} user=ada dbname=kinds"

        first = {described_table(dsn_of(which)) for which in (0, 1)}  # Before there is a catalogue.
        numbers = {
            repr(rows_of(dsn_of(which), "SELECT oid, reltype, relfilenode FROM pg_class WHERE relname LIKE 'kinds%'"))
            for which in (0, 1)
        }
        assert len(numbers) == 1, numbers
        assert {str(table) for table in first} == {rows_of(dsn_of(0), "SELECT 'kinds'::regclass::oid::text")[0][0]}


def described_table(dsn: str) -> int:
    """Whose column an answer's is, as its description says."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.pgconn.prepare(b"q", b"SELECT id FROM kinds")
        return connection.pgconn.describe_prepared(b"q").ftable(0)


def test_it_is_kept_by_a_process_of_any_user(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("run by root: others run catalogue_test as they are")
    program = Path(shutil.copy(CATALOGUE_TEST, "/tmp/daedalus-catalogue-test-of-postgres"))
    try:
        ran = subprocess.run(
            ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", program],
            capture_output=True,
            text=True,
            check=False,
            cwd="/tmp",
        )
    finally:
        program.unlink()
    assert ran.returncode == 0, ran.stdout[-4000:]
