"""Bad input gets one clear error that says what and where; nothing crashes, nothing accepted is lost."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from built_programs import PROGRAMS
from local_cluster import DAEDALUS, ROOT, LocalCluster, free_ports, run_command

WRONG_STATEMENTS = [
    ("SELEC 1", "42601", ["syntax error"]),
    ("SELECT colour FROM items", "42703", ['column "colour" does not exist']),
    ("SELECT id FROM things", "42P01", ['relation "things" does not exist']),
    ("SELECT id FROM items WHERE day = 5", "42883", ["operator does not exist"]),
    ("SELECT id FROM items WHERE amount = 'many'", "22P02", ["smallint", "many"]),
    ("SELECT DISTINCT ON (name) name FROM items ORDER BY id", "42P10", ["DISTINCT ON"]),
    ("SELECT a.id FROM items a JOIN items b ON a.id = b.id", "0A000", ["JOIN"]),
    ("INSERT INTO items (id, place, amount) VALUES (1, 1, 40000)", "22003", ["out of range"]),
    ("INSERT INTO items (id, place, price) VALUES (1, 1, 12345.6)", "22003", ["numeric"]),
    ("INSERT INTO items (id, place, name) VALUES (1, 1, 'far too long')", "22001", ["too long"]),
    ("INSERT INTO items (id, name) VALUES (1, 'x')", "23502", ["place"]),
    ("INSERT INTO items (id, place, day) VALUES (1, 1, '2013-02-30')", "22008", ["2013-02-30"]),
    ("UPDATE items SET place = 2", "0A000", ["place"]),
    ("UPDATE items SET id = 2", "0A000", ["id"]),
    ("UPDATE items SET place = NULL WHERE id = 1", "0A000", ["place"]),
    ("DROP TABLE items", "0A000", ["DROP"]),
]


@pytest.fixture(scope="module")
def refusals(cluster: LocalCluster) -> dict[str, Any]:
    """Returns what each wrong statement ends in on the command line."""
    statements = [statement for statement, _, _ in WRONG_STATEMENTS]
    return dict(zip(statements, cluster.documents(*statements), strict=True))


@pytest.mark.parametrize(("statement", "sqlstate", "words"), WRONG_STATEMENTS)
def test_wrong_statement_is_refused_with_code_and_name(
    refusals: dict[str, Any], statement: str, sqlstate: str, words: list[str]
) -> None:
    error = refusals[statement]["error"]
    assert error["sqlstate"] == sqlstate, error
    for word in words:
        assert word in error["message"] + error.get("hint", ""), error


def test_position_points_at_the_unknown_column(cluster: LocalCluster) -> None:
    assert cluster.document("SELECT id, colour FROM items")["error"]["position"] == 12


def test_large_insert_is_taken_and_a_larger_one_refused(empty_table: LocalCluster, tmp_path: Path) -> None:
    file = tmp_path / "insert.sql"
    blanks = " " * (7 << 20)
    inserts = (f"INSERT INTO items (id, place) VALUES {blanks} (1, 1), (2, 2)",
               f"INSERT INTO items (id, place) VALUES {blanks}{blanks} (3, 3)")  # fmt: skip
    file.write_text("".join(f"{insert};\n" for insert in inserts))
    answer = empty_table.run_daedalus("sql", "-f", file, "--format", "json")
    taken, refused = map(json.loads, answer.out.splitlines())
    assert taken["applied"] == 2, answer.said
    assert refused["error"]["sqlstate"] == "54000", answer.said
    assert "fewer rows" in str(refused), answer.said


def test_condition_beyond_the_bounds_is_refused(cluster: LocalCluster) -> None:
    members = ", ".join(str(n) for n in range(16_385))
    cluster.refuses(f"SELECT count(*) FROM items WHERE id IN ({members})", "54001")
    cluster.refuses(f"DELETE FROM items WHERE id IN ({members})", "54001")


def test_conditions_that_are_small_as_text_are_answered(cluster: LocalCluster) -> None:
    pairs = " OR ".join(f"(id = {n} AND amount = {n})" for n in range(300))
    assert len(cluster.rows(f"SELECT count(*) FROM items WHERE {pairs}")) == 1


def test_overflowing_rows_stay_as_they_were_and_are_counted(empty_table: LocalCluster) -> None:
    assert empty_table.change("INSERT INTO items (id, place, amount) VALUES (1, 1, 32000), (2, 1, 5)") == 2
    outcome = empty_table.document("UPDATE items SET amount = amount + 1000")
    assert outcome["error"]["sqlstate"] == "22003"
    assert (outcome["matched"], outcome["applied"]) == (2, 1)
    assert "overflow" in str(outcome["refused"]).lower()
    assert empty_table.value("SELECT sum(amount) FROM items") == 33005


def test_full_segment_refuses_rows_with_the_reason_and_keeps_the_rest(
    empty_table: LocalCluster, tmp_path: Path
) -> None:
    lines = tmp_path / "many.csv"
    lines.write_text("id,place\n" + "".join(f"{n},7\n" for n in range(120_000)))
    answer = empty_table.run_daedalus("load", lines)
    assert answer.code == 1, answer.said
    assert "ERROR 53100" in answer.said
    assert "no room" in answer.said
    kept = empty_table.value("SELECT count(*) FROM items")
    assert 0 < kept < 120_000
    assert str(kept) in answer.said
    assert empty_table.change("DELETE FROM items") == kept


def test_malformed_frames_close_their_connection_and_harm_nothing_else(cluster: LocalCluster) -> None:
    before = cluster.value("SELECT count(*) FROM items")
    for port in (cluster.port, cluster.port + 10, cluster.port + 50):
        for garbage in (b"GET / HTTP/1.1\r\n\r\n", b"\xff" * 64, bytes(64), os.urandom(4096)):
            with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
                connection.sendall(garbage)
                while True:  # Whatever is said (a hello, a goodbye) ends with the connection.
                    try:
                        if not connection.recv(65536):
                            break
                    except ConnectionResetError:
                        break
    assert cluster.value("SELECT count(*) FROM items") == before


def test_cluster_that_is_not_up_is_named(tmp_path: Path) -> None:
    nobody = f"127.0.0.1:{free_ports(1)}"
    answer = run_command(DAEDALUS, "sql", "-c", "SELECT 1", "--cluster", nobody)
    assert answer.code == 1
    assert nobody in answer.err
    forgotten = run_command(DAEDALUS, "status", environment={"XDG_STATE_HOME": str(tmp_path), "DAEDALUS_CLUSTER": ""})
    assert forgotten.code in (1, 2)
    assert "daedalus up" in forgotten.err


def test_usage_mistakes_exit_with_two(cluster: LocalCluster, tmp_path: Path) -> None:
    assert run_command(DAEDALUS, "fly").code == 2
    assert cluster.run_daedalus("load", tmp_path / "absent.csv").code == 2
    assert cluster.run_daedalus("sql", "-c", "SELECT id FROM items", "--format", "xml").code == 2


def test_schema_with_mistakes_is_refused_with_places(tmp_path: Path) -> None:
    schema = tmp_path / "bad.sql"
    schema.write_text("CREATE TABLE bad (\n  a text,\n  b interval\n);\n")
    answer = run_command(
        DAEDALUS, "up", "--schema", schema, "--data-dir", tmp_path / "data", "--port", str(free_ports())
    )
    assert answer.code == 2
    assert "bad.sql:2:" in answer.said
    assert "varchar(n)" in answer.said
    assert "bad.sql:3:" in answer.said
    assert "bigint" in answer.said


def test_port_in_use_is_named(cluster: LocalCluster, tmp_path: Path) -> None:
    again = run_command(
        DAEDALUS, "up", "--schema", ROOT / "schemas" / "flights.sql", "--data-dir", tmp_path / "other",
        "--port", str(cluster.port), environment={"XDG_STATE_HOME": str(tmp_path)},
    )  # fmt: skip
    assert again.code == 1
    assert str(cluster.port) in again.err
    twice = cluster.run_daedalus("up", "--schema", ROOT / "schemas" / "flights.sql", "--data-dir", cluster.directory)
    assert twice.code == 1
    assert "running" in twice.err
    node = run_command(PROGRAMS / "daedalus-storage-node", "--config", next(cluster.directory.rglob("node-0*.toml")))
    assert node.code == 1
    assert str(cluster.port + 10) in node.err


def test_second_writer_is_refused_and_the_holder_is_named(cluster: LocalCluster, tmp_path: Path) -> None:
    answer = run_command(
        ROOT / "bin" / "daedalus-writer", "--aggregators", cluster.address,
        "--listen", f"127.0.0.1:{free_ports(1)}", "--name", "intruder", "--journal-dir", tmp_path / "journal",
    )  # fmt: skip
    assert answer.code == 1
    assert f"127.0.0.1:{cluster.port + 50}" in answer.err
    assert "--take-over" in answer.err
    assert cluster.change("UPDATE items SET name = 'x' WHERE id = -1") == 0


def test_configuration_mistakes_name_file_key_and_remedy(cluster: LocalCluster, tmp_path: Path) -> None:
    good = next(cluster.directory.rglob("node-0*.toml"))
    bad = tmp_path / "storage_node.toml"
    bad.write_text(good.read_text() + "\nsegmnets = 3\n")
    for file in cluster.directory.glob("cluster.toml"):
        shutil.copy(file, tmp_path)
    answer = run_command(PROGRAMS / "daedalus-storage-node", "--check-config", bad)
    assert answer.code == 2
    assert "storage_node.toml" in answer.err
    assert "segmnets" in answer.err


@contextlib.contextmanager
def strange_aggregator(cluster: LocalCluster, directory: Path) -> Iterator[str]:
    """A further aggregator by the configuration in `directory`, at a port of its own; yields its address."""
    address = f"127.0.0.1:{free_ports(1)}"
    aggregator = next(directory.glob("aggregator-0*.toml"))
    lines = [line for line in aggregator.read_text().splitlines() if not line.startswith("postgres_")]
    aggregator.write_text("\n".join(lines).replace(cluster.address, address) + "\n")
    process = subprocess.Popen(
        [PROGRAMS / "daedalus-aggregator", "--config", aggregator], stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr is not None
        for line in process.stderr:
            if line.strip().endswith("ready"):
                break
        yield address
    finally:
        process.terminate()
        process.communicate(timeout=30)


def test_aggregator_with_another_map_is_refused_by_the_nodes(cluster: LocalCluster, tmp_path: Path) -> None:
    for file in cluster.directory.glob("*.toml"):
        shutil.copy(file, tmp_path)
    shared = tmp_path / "cluster.toml"
    shared.write_text(shared.read_text().replace("version = 1", "version = 2"))
    with strange_aggregator(cluster, tmp_path) as stranger:
        answer = run_command(
            DAEDALUS, "sql", "-c", "SELECT count(*) FROM items", "--format", "json", "--cluster", stranger
        )
        assert answer.code == 1, answer.said
        status = run_command(DAEDALUS, "status", "--cluster", stranger)
        assert "map version" in status.said
        assert "2" in status.said


def test_aggregator_with_another_schema_is_refused_by_the_nodes(cluster: LocalCluster, tmp_path: Path) -> None:
    for file in cluster.directory.glob("*.toml"):
        shutil.copy(file, tmp_path)
    wider = tmp_path / "items.sql"
    wider.write_text(cluster.schema.read_text().replace("varchar(8)", "varchar(9)"))
    compiled = run_command(
        sys.executable, "-m", "daedalus_schema", wider, "--output", tmp_path,
        environment={"PYTHONPATH": str(ROOT / "schema_compiler")},
    )  # fmt: skip
    assert compiled.code == 0, compiled.said
    shared = tmp_path / "cluster.toml"
    library = next(line for line in shared.read_text().splitlines() if line.startswith("schema_library"))
    shared.write_text(shared.read_text().replace(library, f'schema_library = "{tmp_path / "items.so"}"'))
    with strange_aggregator(cluster, tmp_path) as stranger:
        answer = run_command(
            DAEDALUS, "sql", "-c", "SELECT count(*) FROM items", "--format", "json", "--cluster", stranger
        )
        assert answer.code == 1, answer.said
        status = run_command(DAEDALUS, "status", "--cluster", stranger)
        assert "fingerprint" in status.said, status.said


def test_bad_line_stops_the_load_after_the_last_complete_batch(empty_table: LocalCluster, tmp_path: Path) -> None:
    lines = tmp_path / "items.csv"
    lines.write_text(
        "id,place,day\n" + "".join(f"{n},{n},2013-01-01\n" for n in range(25)) + "25,25,tomorrow\n26,26,\n"
    )
    answer = empty_table.run_daedalus("load", lines, "--batch-rows", "10")
    assert answer.code == 1
    assert "line 27" in answer.said
    assert "day" in answer.said
    assert "tomorrow" in answer.said
    assert "20 rows are in" in answer.said
    assert empty_table.value("SELECT count(*) FROM items") == 20
