"""The commands themselves: load, sql, status, up and down."""

from __future__ import annotations

import json
import re
from pathlib import Path

from local_cluster import DAEDALUS, LocalCluster, run_command


def test_load_knows_null_from_empty_and_fills_defaults(empty_table: LocalCluster, tmp_path: Path) -> None:
    lines = tmp_path / "items.csv"
    lines.write_text(
        "place,id,name,price,at\n"
        '1,1,"",12.345,2013-01-01T10:00:00Z\n'
        "1,2,,n/a,2013-01-01 10:00:00.5\n"
        '2,3,"a ""b""\nc",-1,\n'
    )
    answer = empty_table.run_daedalus("load", lines, "--null", "n/a")
    assert answer.code == 0, answer.said
    assert "3 rows are in" in answer.out
    rows = empty_table.document("SELECT id, name, flag, price, at FROM items ORDER BY id")["rows"]
    assert rows == [
        [1, "", "ok", "12.35", "2013-01-01 10:00:00"],
        [2, None, "ok", None, "2013-01-01 10:00:00.5"],
        [3, 'a "b"\nc', "ok", "-1.00", None],
    ]


def test_csv_output_knows_null_from_empty(empty_table: LocalCluster) -> None:
    empty_table.change("INSERT INTO items (id, place, name) VALUES (1, 1, ''), (2, 1, NULL)")
    answer = empty_table.run_daedalus("sql", "-c", "SELECT id, name FROM items ORDER BY id", "--format", "csv")
    assert answer.out.splitlines() == ["id,name", '1,""', "2,"]


def test_several_statements_run_in_order(empty_table: LocalCluster) -> None:
    statements = (
        "INSERT INTO items (id, place, amount) VALUES (1, 1, 1)",
        "UPDATE items SET amount = amount + 1 WHERE id = 1 AND name IS NULL",
        "SELECT amount FROM items",
        "DELETE FROM items WHERE place = 1",
        "SELECT count(*) FROM items",
    )
    answer = empty_table.run_daedalus("sql", "-c", "; ".join(statements), "--format", "json")
    replies = [json.loads(line) for line in answer.out.splitlines()]
    assert [reply.get("applied") for reply in replies] == [1, 1, None, 1, None]
    assert replies[2]["rows"] == [[2]]
    assert replies[4]["rows"] == [["0"]]


def test_statements_are_answered_as_they_stream_in(cluster: LocalCluster) -> None:
    statements = "SELECT count(*) FROM items;\nSELECT nothing FROM items;\nSELECT count(*) FROM items;\n"
    answer = cluster.run_daedalus("sql", "-f", "-", "--format", "json", stdin=statements)
    kinds = ["error" if "error" in json.loads(line) else "rows" for line in answer.out.splitlines()]
    assert kinds == ["rows", "error", "rows"]
    assert answer.code == 1


def test_every_aggregator_sees_a_confirmed_write(empty_table: LocalCluster) -> None:
    empty_table.change("INSERT INTO items (id, place) VALUES (1, 1), (2, 2), (3, 3)")
    for aggregator in range(2):
        assert empty_table.value("SELECT count(*) FROM items", aggregator) == 3


def test_status_shows_nodes_segments_prefixes_and_the_writer(cluster: LocalCluster) -> None:
    table = cluster.run_daedalus("status")
    assert table.code == 0
    assert f"127.0.0.1:{cluster.port + 50}" in table.out
    assert max(len(line) for line in table.out.splitlines()) <= 100, table.out
    status = cluster.run_daedalus("status", "--format", "json").out
    assert status.count('"segment"') >= 4


def test_version_and_help_work_everywhere() -> None:
    version = run_command(DAEDALUS, "--version")
    assert version.code == 0
    assert re.fullmatch(r"daedalus [0-9.]+, commit ([0-9a-f]+\+?|unknown)\n", version.out)
    for program in ("demo", "load-generator", "peer-driver", "workload", "writer"):
        said = run_command(DAEDALUS.with_name(f"daedalus-{program}"), "--version")
        assert said.code == 0, said.said
        assert said.out == version.out.replace("daedalus", f"daedalus-{program}")
    for command in ("up", "load", "sql", "status", "down"):
        answer = run_command(DAEDALUS, command, "--help")
        assert answer.code == 0
        assert "Usage" in answer.out


def test_a_misspelt_command_gets_one_line_that_names_the_one_that_was_meant() -> None:
    for words, said in {
        (
            "laod",
            "x.csv",
        ): "unknown command 'laod': did you mean `daedalus load`? `daedalus --help` lists all commands\n",
        ("user", "addd"): "unknown command 'addd': did you mean `daedalus user add`? `daedalus user --help` lists all"
        " commands\n",
        ("frobnicate",): "unknown command 'frobnicate'; `daedalus --help` lists all commands\n",
    }.items():
        answer = run_command(DAEDALUS, *words)
        assert answer.code == 2
        assert answer.out == ""
        assert answer.err == f"daedalus: {said}"


def test_the_command_line_starts_from_its_archive_of_classes() -> None:
    """The build goes on without one, so somebody has to notice."""
    archive = DAEDALUS.parent.parent / "client-java" / "cli" / "target" / "daedalus-cli.jsa"
    options = {"_JAVA_OPTIONS": "-Xshare:on -Xlog:class+load=info:file=/dev/stderr"}
    answer = run_command(DAEDALUS, "--version", environment=options)
    assert archive.is_file()
    assert "org.daedalus.cli.Main source: shared objects file" in answer.err, answer.err[:2000]
