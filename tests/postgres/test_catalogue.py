"""Statements over the catalogue, held against a plain PostgreSQL 15 with the same table; attacks on what answers."""

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

STATEMENTS = [
    "SELECT * FROM information_schema.columns WHERE table_name = 'kinds' ORDER BY ordinal_position",
    "SELECT * FROM information_schema.tables WHERE table_schema = 'public'",
    "SELECT constraint_name, constraint_type, is_deferrable FROM information_schema.table_constraints "
    "WHERE constraint_type = 'PRIMARY KEY'",
    "SELECT * FROM information_schema.key_column_usage",
    "SELECT table_name, privilege_type FROM information_schema.table_privileges WHERE table_name = 'kinds' ORDER BY 2",
    "SELECT * FROM information_schema.views WHERE table_schema = 'public'",
    "SELECT schema_name FROM information_schema.schemata ORDER BY 1",
    "SELECT nspname FROM pg_namespace ORDER BY 1",
    "SELECT attname, atttypid, atttypmod, attnotnull, attnum FROM pg_attribute WHERE attrelid = 'kinds'::regclass",
    "SELECT c.relname, c.relkind, n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
    "WHERE n.nspname = 'public' ORDER BY 1",
    "SELECT conname, contype, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'kinds'::regclass",
    "SELECT indexrelid::regclass, indisprimary, indkey FROM pg_index WHERE indrelid = 'public.kinds'::regclass",
    "WITH RECURSIVE t (oid, depth) AS (SELECT oid, 0 FROM pg_type WHERE typname = 'int4' UNION ALL "
    "SELECT p.typarray, depth + 1 FROM t JOIN pg_type p ON p.oid = t.oid WHERE p.typarray <> 0) SELECT * FROM t",
    "SELECT format_type(atttypid, atttypmod), pg_get_userbyid(c.relowner) FROM pg_attribute a JOIN pg_class c "
    "ON c.oid = a.attrelid WHERE c.relname = 'kinds' AND attnum > 0 ORDER BY attnum",
    "SELECT pg_catalog.format_type(1700, 786441), to_regclass('kinds'), to_regclass('nothing')",
    "SELECT has_table_privilege('kinds', 'SELECT'), has_schema_privilege('public', 'USAGE')",
    "SELECT obj_description('kinds'::regclass), col_description('kinds'::regclass, 1)",
    "SELECT relname FROM pg_class WHERE EXISTS (SELECT FROM pg_index i WHERE i.indexrelid = pg_class.oid) "
    "AND relname LIKE 'kinds%'",
    "SELECT typname, typcategory FROM pg_type WHERE typname IN ('bool', 'int4', 'numeric') ORDER BY 1",
    "SELECT current_setting('server_encoding'), pg_typeof(1.5), pg_table_is_visible('kinds'::regclass)",
    "SELECT word FROM pg_get_keywords() WHERE word LIKE 'sel%'",
    "SELECT relname, count(*) OVER () FROM pg_class WHERE relname LIKE 'kinds%' ORDER BY 1",
    "SELECT array_agg(attname ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'kinds'::regclass AND attnum > 0",
    "VALUES (to_regtype('int4'))",
    "TABLE information_schema.information_schema_catalog_name",
    "SELECT relname FROM pg_class WHERE nothing = 1",
    "SELECT no_such_function(oid) FROM pg_class",
    "SELECT * FROM pg_catalog.pg_nothing",
    "SELECT 'nothing'::regclass",
    "SELECT max(relname, 1) FROM pg_class",
]  # fmt: skip

# Nothing of these comes through, whoever stops it: the aggregator by name, or PostgreSQL.
ATTACKS = [
    ("SELECT lo_create(0)", "42501"),
    ("SELECT set_config('transaction_read_only', 'off', true) FROM pg_class", "0A000"),
    ("SELECT set_config(relname, 'off', true) FROM pg_class", "0A000"),
    ("SELECT pg_advisory_lock(1)", "42501"),
    ("SELECT pg_try_advisory_lock(oid::bigint) FROM pg_class", "42501"),
    ("SELECT length(repeat('x', 500000000) || relname) FROM pg_class", "53200"),
    ("SELECT repeat('x', 1000000) FROM pg_class", "54000"),
    ("SELECT pg_sleep(100)", "42501"),
    ("SELECT pg_sleep(100) FROM pg_class", "42501"),
    ("SELECT pg_read_file('/etc/passwd')", "42501"),
    ("SELECT * FROM pg_ls_dir('/')", "42501"),
    ("COPY pg_class TO PROGRAM 'touch /tmp/owned'", "42501"),
    ("COPY (SELECT rolpassword FROM pg_authid) TO STDOUT", "0A000"),
    ("COPY pg_authid TO STDOUT", "0A000"),
    ("EXPLAIN ANALYZE SELECT pg_sleep(100)", "0A000"),
    ("SELECT query FROM pg_stat_activity", "0A000"),
    ("SELECT * FROM pg_stat_get_activity(NULL)", "0A000"),
    ("SELECT * FROM pg_catalog.pg_stat_statements", "0A000"),
    ("SELECT pg_cancel_backend(1)", "0A000"),
    ("SELECT pg_terminate_backend(pid) FROM pg_stat_activity", "0A000"),
    ("SELECT * FROM pg_user_mappings", "0A000"),
    ("SELECT rolpassword FROM pg_authid", "42501"),
    ("SELECT query_to_xml('SELECT * FROM kinds', true, true, '')", "42501"),
    ("SELECT * INTO mine FROM pg_class", "0A000"),
    ("SELECT nextval('nothing')", "42P01"),
    ("DO $$BEGIN END$$", "0A000"),
    ("CREATE TABLE mine (id int)", "0A000"),
    ("SELECT * FROM pg_class FOR UPDATE", "25006"),
]  # fmt: skip


@pytest.fixture(scope="module")
def judge() -> Iterator[str]:
    """A plain PostgreSQL 15 with the same table."""
    with plain_postgres(KINDS, "kinds") as dsn:
        yield dsn


def psql(dsn: str, *arguments: str, stdin: str = "") -> tuple[str, str]:
    return psql_output("psql", dsn, *arguments, stdin=stdin)


def said(dsn: str, statement: str, parameters: list[Any] | None = None) -> Any:
    """Columns with their types, and rows; or the error's code, words and place."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        try:
            cursor = connection.execute(statement.encode(), parameters)
        except psycopg.Error as error:
            return error.sqlstate, error.diag.message_primary, error.diag.statement_position
        columns = [(column.name, column.type_code) for column in cursor.description or []]
        return columns, [tuple(map(str, row)) for row in cursor.fetchall()]


@pytest.mark.parametrize("command", COMMANDS)
def test_psql_shows_what_postgresql_shows(dsn: str, judge: str, command: str) -> None:
    assert psql(dsn, "-c", command) == psql(judge, "-c", command)


def test_psql_lists_one_database_and_the_tables_owner(dsn: str) -> None:
    listed, complained = psql(dsn, "-At", "-c", r"\l")
    assert not complained
    assert [line.split("|")[0] for line in listed.splitlines() if "|UTF8|" in line] == ["kinds"]
    roles, complained = psql(dsn, "-At", "-c", r"\du")
    assert not complained
    assert [line.split("|")[0] for line in roles.splitlines()] == [OWNER, "postgres"]


def test_gdesc_names_the_types_of_a_statement_over_the_table(dsn: str, judge: str) -> None:
    described = "SELECT id, price, code, name, at, day, yes FROM kinds \\gdesc\n"
    assert psql(dsn, stdin=described) == psql(judge, stdin=described)


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_statement_is_answered_as_postgresql_answers_it(dsn: str, judge: str, statement: str) -> None:
    assert said(dsn, statement) == said(judge, statement)


def test_a_statement_with_parameters_is_prepared_and_run_again(dsn: str, judge: str) -> None:
    statement = "SELECT relname, relkind FROM pg_class WHERE relname LIKE %s AND relkind = ANY (%s) ORDER BY 1"
    for parameters in (["kinds%", ["r", "i"]], ["kinds%", ["r"]]):
        assert said(dsn, statement, parameters) == said(judge, statement, parameters)
    with psycopg.connect(dsn, autocommit=True) as connection:
        for _ in range(3):
            found = connection.execute(
                "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum = %s",
                ["kinds", 2],
                prepare=True,
                binary=True,
            )
            assert found.fetchall() == [("yes",)]


def test_one_is_prepared_and_executed_in_sql(dsn: str, judge: str) -> None:
    script = (
        "PREPARE p AS SELECT relname, relkind FROM pg_class WHERE relname LIKE 'kinds%' ORDER BY 1;\nEXECUTE p;\n"
        "PREPARE q (oid, bool) AS SELECT relname, $2 FROM pg_class WHERE oid = $1;\nEXECUTE q (1259, true);\n"
        "EXECUTE q ('1247', NULL);\nEXECUTE q (1);\n"
        "BEGIN;\nSAVEPOINT s;\nSELECT 'nothing'::regclass;\nROLLBACK TO s;\nEXECUTE p;\nCOMMIT;\nDEALLOCATE p;\n"
    )
    assert psql(dsn, stdin=script) == psql(judge, stdin=script)


def test_cursors_and_copy_are_refused_by_name(dsn: str) -> None:
    with psycopg.connect(dsn) as connection:
        with pytest.raises(errors.FeatureNotSupported, match="a cursor over the catalogue"):
            connection.cursor("c").execute("SELECT relname FROM pg_class")
        connection.rollback()
        cursor = connection.cursor()
        with (
            pytest.raises(errors.FeatureNotSupported, match="COPY over the catalogue"),
            cursor.copy("COPY (SELECT relname FROM pg_class) TO STDOUT") as copy,
        ):
            copy.read()


def test_queries_of_a_pipeline_end_before_one(table: str) -> None:
    with psycopg.connect(table, autocommit=True) as connection, connection.pipeline():
        mixed = [
            connection.execute(statement)
            for statement in ("SELECT count(*) FROM kinds", "SELECT 'kinds'::regclass::text") * 3
        ]
        assert [[type(value) for value in each.fetchone() or ()] for each in mixed] == [[int], [str]] * 3


def test_completion_finds_the_table_and_its_columns(dsn: str, judge: str) -> None:
    for statement in (
        "SELECT pg_catalog.quote_ident(c.relname) FROM pg_catalog.pg_class c WHERE c.relkind IN ('r', 'p') AND "
        "substring(pg_catalog.quote_ident(c.relname), 1, 2) = 'ki' AND pg_catalog.pg_table_is_visible(c.oid) LIMIT 9",
        "SELECT pg_catalog.quote_ident(attname) FROM pg_catalog.pg_attribute a, pg_catalog.pg_class c WHERE c.oid = "
        "a.attrelid AND a.attnum > 0 AND NOT a.attisdropped AND c.relname = 'kinds' AND "
        "pg_catalog.pg_table_is_visible(c.oid)",
    ):
        assert said(dsn, statement) == said(judge, statement)


def test_settings_of_the_session_hold_there(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("SET search_path = information_schema")
        assert connection.execute("SELECT 'sql_features'::regclass::text").fetchone() == ("sql_features",)
        connection.execute("SET statement_timeout = '300ms'")
        with pytest.raises(errors.QueryCanceled, match="statement timeout"):
            connection.execute(ENDLESS)


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


def test_a_block_looks_at_the_catalogue_beside_its_inserts(table: str) -> None:
    with psycopg.connect(table) as connection:
        connection.execute("INSERT INTO kinds (id) VALUES (1)")
        assert connection.execute("SELECT 'kinds'::regclass::text").fetchone() == ("kinds",)
    with psycopg.connect(table, autocommit=True) as connection:
        assert connection.execute("SELECT count(*) FROM kinds").fetchone() == (1,)


def test_the_tables_rows_are_never_looked_for_there(table: str) -> None:
    with psycopg.connect(table, autocommit=True) as connection:
        connection.execute("INSERT INTO kinds (id) VALUES (1)")
        for statement in (
            "SELECT count(*) OVER () FROM kinds",
            "SELECT EXISTS (SELECT 1 FROM kinds)",
            "SELECT no_such_function(id) FROM public.kinds",
        ):
            with pytest.raises(psycopg.Error):
                connection.execute(statement.encode())
        with pytest.raises(errors.FeatureNotSupported, match="the table and the catalogue together"):
            connection.execute("SELECT * FROM kinds, pg_class")


@pytest.mark.parametrize(("statement", "sqlstate"), ATTACKS)
def test_an_attack_is_refused_and_nobody_notices(dsn: str, statement: str, sqlstate: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        with pytest.raises(psycopg.Error) as refused:
            connection.execute(statement.encode())
        assert refused.value.sqlstate == sqlstate, refused.value
        assert connection.execute("SELECT 'kinds'::regclass::text").fetchone() == ("kinds",)


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
    """Of all threads of the process."""
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
    stats = [Path(f"/proc/{child}/stat").read_text().rsplit(")")[-1].split() for child in children_of(server)]
    return sum(int(stat[11]) + int(stat[12]) for stat in stats)


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
    said(dsn, "SELECT 'kinds'::regclass")
    status = json.loads(cluster.daedalus("status", "--format", "json").out)
    assert status["status"]["aggregator"]["postgres_catalogue"] == "running"
    assert "the catalogue is running" in cluster.daedalus("status").out


def test_two_aggregators_agree_on_numbers(tmp_path: Path) -> None:
    with local_cluster(tmp_path, KINDS, "--storage-nodes", "1", "--segment-mib", "16", "--aggregators", "2") as cluster:

        def dsn_of(which: int) -> str:
            return f"host=127.0.0.1 port={cluster.port + 51 + which} user=ada dbname=kinds"

        first = {described_table(dsn_of(which)) for which in (0, 1)}  # Before there is a catalogue.
        numbers = {
            repr(said(dsn_of(which), statement))
            for which in (0, 1)
            for statement in ("SELECT oid, reltype, relfilenode FROM pg_class WHERE relname LIKE 'kinds%' ORDER BY 1",)
        }
        assert len(numbers) == 1, numbers
        assert {str(table) for table in first} == {said(dsn_of(0), "SELECT 'kinds'::regclass::oid::text")[1][0][0]}


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
