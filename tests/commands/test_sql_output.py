"""`daedalus sql`: where statements come from, in which order they take effect, and how answers look."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from local_cluster import DAEDALUS, LocalCluster, run_command
from terminal import TerminalSession


def rows_of(cluster: LocalCluster, *arguments: str | Path, stdin: str = "") -> list[str]:
    """The lines of an answer, rows alone, unaligned."""
    answer = cluster.run_daedalus("sql", "-t", "-A", *arguments, stdin=stdin)
    assert answer.code == 0, answer.said
    return answer.out.splitlines()


def test_standard_input_is_read_without_options(empty_table: LocalCluster) -> None:
    statements = "\ufeffSELECT count(*)\nFROM items;\n\\echo next\nSELECT sum(id) FROM items"
    assert rows_of(empty_table, stdin=statements) == ["0", "next", ""]
    assert rows_of(empty_table, stdin="") == []


def test_commands_and_files_run_in_the_order_they_are_given(empty_table: LocalCluster, tmp_path: Path) -> None:
    file = tmp_path / "insert.sql"
    file.write_bytes(b"\xef\xbb\xbfINSERT INTO items (id, place) VALUES (1, 1);\nSELECT count(*) FROM items;")
    count = "SELECT count(*) FROM items"
    lines = rows_of(empty_table, "-c", count, "-f", file, "-c", count + "; DELETE FROM items", "-c", count)
    assert [line for line in lines if line.isdigit()] == ["0", "1", "1", "0"]


def test_an_insert_returns_what_it_wrote(empty_table: LocalCluster) -> None:
    insert = "INSERT INTO items (id, place, name) VALUES (7, 1, 'a'), (8, 2, NULL) RETURNING id + 1 AS next, name"
    written = empty_table.run_daedalus("sql", "-c", insert, "--format", "csv")
    assert written.out.splitlines() == ["next,name", "8,a", "9,"]
    reply = empty_table.document(insert)
    assert reply["rows"] == [[8, "a"], [9, None]]
    assert (reply["matched"], reply["applied"]) == (2, 2)
    table = empty_table.run_daedalus("sql", "-c", insert).out
    assert "(2 rows" in table
    assert "2 rows inserted (" in table
    one = empty_table.run_daedalus("sql", "-c", "insert INTO items (id, place) VALUES (9, 1)").out
    assert one.startswith("1 row inserted (timestamp "), one
    refused = empty_table.document("INSERT INTO items (id, place) VALUES (7, 1) RETURNING 1 / (id - 7)")
    assert refused["error"]["sqlstate"] == "22012", refused
    assert empty_table.value("SELECT count(*) FROM items") == 7


def test_every_statement_of_a_file_sees_those_before_it(empty_table: LocalCluster, tmp_path: Path) -> None:
    file = tmp_path / "statements.sql"
    lines = []
    for number in range(200):
        lines.append(f"INSERT INTO items (id, place, amount) VALUES ({number}, {number % 5}, 0);")
        if number % 20 == 19:
            lines.append("SELECT count(*), sum(amount) FROM items;")
            lines.append("UPDATE items SET amount = amount + 1;")
    file.write_text("\n".join(lines))
    answer = empty_table.run_daedalus("sql", "-f", file, "--format", "json")
    replies = [json.loads(line) for line in answer.out.splitlines()]
    counts = [reply["rows"][0] for reply in replies if "rows" in reply]
    # Before the n-th update there are 20 n rows, and the first 20 of them have been changed n - 1 times.
    assert counts == [[str(20 * n), str(20 * n * (n - 1) // 2)] for n in range(1, 11)]
    assert [reply["applied"] for reply in replies if reply.get("applied", 1) > 1] == [20 * n for n in range(1, 11)]
    kinds = ["query" if line.startswith("SELECT") else "write" for line in lines]
    assert kinds == ["query" if "rows" in reply else "write" for reply in replies]


def test_errors_of_a_file_name_their_line_and_the_rest_goes_on(empty_table: LocalCluster, tmp_path: Path) -> None:
    file = tmp_path / "statements.sql"
    file.write_text(
        "INSERT INTO items (id, place) VALUES (1, 1);\n-- a comment\nINSERT INTO items (id, place)\n VALUES (2, 'x');\n"
        "INSERT INTO items (id, place) VALUES (3, 1);\n\\nothing\nSELECT nam FROM items;\nSELECT count(*) FROM items;\n"
    )
    answer = empty_table.run_daedalus("sql", "-t", "-A", "-f", file)
    assert answer.code == 1
    assert f"{file}:3: ERROR 22P02" in answer.err
    assert f"{file}:6: there is no command \\nothing" in answer.err
    assert f"{file}:7: ERROR 42703" in answer.err
    assert 'HINT: Perhaps you meant to reference the column "items.name".' in answer.err
    assert answer.out.splitlines()[-1] == "2"
    lines = empty_table.run_daedalus("sql", "-f", file, "--format", "json").out.splitlines()
    errors = [json.loads(line)["error"] for line in lines if "error" in json.loads(line)]
    assert [(error["file"], error["line"]) for error in errors] == [(str(file), 3), (str(file), 7)]


def test_an_answer_does_not_wait_for_the_next_statement(empty_table: LocalCluster) -> None:
    """Whoever writes into a pipe gets the answer of an INSERT before they write on."""
    command = [str(DAEDALUS), "sql", "--cluster", empty_table.address]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number in range(3):
            process.stdin.write(f"INSERT INTO items (id, place) VALUES ({number}, 1);\n")
            process.stdin.flush()
            assert process.stdout.readline().startswith("1 row inserted (timestamp ")


def test_line_ends_between_quotes_are_stored_as_they_are(empty_table: LocalCluster, tmp_path: Path) -> None:
    file = tmp_path / "statements.sql"
    file.write_bytes(
        b"INSERT INTO items (id, place, name) VALUES\r\n(1, 1, 'a\r\nb'), -- two\r\n(2, 1, 'c\rd\ne');\r\n"
    )
    answer = empty_table.run_daedalus("sql", "--format", "json", "-f", file, "-c", "SELECT name FROM items ORDER BY id")
    assert answer.code == 0, answer.said
    assert json.loads(answer.out.splitlines()[1])["rows"] == [["a\r\nb"], ["c\rd\ne"]]


@pytest.fixture
def three_rows(empty_table: LocalCluster) -> LocalCluster:
    rows = "(1, 1, 'a|b\tc'), (2, 1, ''), (3, 1, NULL)"
    assert empty_table.change(f"INSERT INTO items (id, place, name) VALUES {rows}") == 3
    return empty_table


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["-t"], ["  1 | a|b\\tc", "  2 | ", "  3 | NULL"]),
        (["-A"], ["id|name", "1|a|b\tc", "2|", "3|", "(3 rows)"]),
        (["-t", "-A", "-x"], ["id|1", "name|a|b\tc", "", "id|2", "name|", "", "id|3", "name|"]),
        (["-t", "-A", "--null", "~"], ["1|a|b\tc", "2|", "3|~"]),
        (["--format", "csv"], ["id,name", "1,a|b\tc", '2,""', "3,"]),
        (["--format", "tsv"], ["id\tname", "1\ta|b\\tc", "2\t", "3\t\\N"]),
        (
            ["--format", "markdown"],
            ["| id | name |", "| ---: | --- |", "| 1 | a\\|b\tc |", "| 2 |  |", "| 3 | NULL |", ""],
        ),
        (
            ["--format", "jsonl"],
            ['{"id":1,"name":"a|b\\tc"}', '{"id":2,"name":""}', '{"id":3,"name":null}'],
        ),
        (["-x", "-t"], ["id   | 1", "name | a|b\\tc", "", "id   | 2", "name | ", "", "id   | 3", "name | NULL"]),
    ],
)
def test_formats_tell_null_from_empty(three_rows: LocalCluster, options: list[str], expected: list[str]) -> None:
    answer = three_rows.run_daedalus("sql", *options, "-c", "SELECT id, name FROM items ORDER BY id")
    assert answer.code == 0, answer.said
    shown = [line.removeprefix(" ") if options == ["-t"] else line for line in answer.out.splitlines()]
    assert shown == [line.removeprefix(" ") if options == ["-t"] else line for line in expected]


def test_columns_are_described_in_every_way(cluster: LocalCluster) -> None:
    expected = {
        "id": ["id", "integer", "not null", "", "primary key, segment"],
        "place": ["place", "integer", "not null", "", "partition"],
        "flag": ["flag", "character(2)", "", "'ok'", ""],
        "price": ["price", "numeric(6,2)", "", None, ""],
    }
    ways = ("DESCRIBE items;", "/* all */ describe public.items;", "DESC Items;", "\\d", "\\d items")
    read = cluster.run_daedalus("sql", "-f", "-", "--format", "json", stdin="\n".join(ways))
    given = cluster.run_daedalus("sql", "--format", "json", "-c", "DESCRIBE items; DESC items", "-c", "\\d")
    answers = (read.out + given.out).splitlines()
    assert len(answers) == len(ways) + 3, read.said + given.said
    for answer in answers:
        rows = {row[0]: row for row in json.loads(answer)["rows"]}
        assert {name: rows[name] for name in expected} == expected
    table = cluster.run_daedalus("sql", stdin="DESCRIBE items;").out
    assert "Primary key: (id)" in table
    assert "by hash(place)" in table
    error = cluster.document("DESCRIBE flights")["error"]
    assert error["sqlstate"] == "42P01", error
    assert 'the only table here is "items"' in error["message"] + error.get("hint", ""), error


def test_rows_wider_than_the_terminal_are_shown_one_column_a_line(three_rows: LocalCluster) -> None:
    arguments = ["sql", "--cluster", three_rows.address, "-c", "SELECT * FROM items ORDER BY id"]
    with TerminalSession(DAEDALUS, *arguments, columns=45) as session:
        assert "-[ RECORD 3 ]" in session.expect(r"\(3 rows, ")
        assert session.exit_code() == 0
    assert "RECORD" not in three_rows.run_daedalus(*arguments).out


def test_help_is_a_command_and_knows_the_others() -> None:
    assert "Commands:" in run_command(DAEDALUS, "help").out
    assert "--tuples-only" in run_command(DAEDALUS, "help", "sql").out
    unknown = run_command(DAEDALUS, "sqll")
    assert unknown.code == 2
    assert "did you mean `daedalus sql`?" in unknown.err
    assert "daedalus sql" in unknown.err
    unknown = run_command(DAEDALUS, "sql", "--fromat", "csv")
    assert unknown.code == 2
    assert "Did you mean --format?" in unknown.err


def test_moments_are_shown_and_read_by_the_clocks_of_the_sessions_zone(empty_table: LocalCluster) -> None:
    moments = "SELECT max(to_timestamp(id)), max(to_timestamp(id)::text) FROM items"
    statements = ["INSERT INTO items (id, place) VALUES (0, 1)", "SET TIME ZONE 'europe/zurich'", "SHOW TimeZone"]
    later = ["SELECT count(*) FROM items WHERE to_timestamp(id) = '1970-01-01 01:00'", "SET TIME ZONE -7", moments]
    shown = rows_of(empty_table, "-c", "; ".join([*statements, moments, *later]))
    assert shown[-4:] == [
        "Europe/Zurich",
        "1970-01-01 01:00:00+01|1970-01-01 01:00:00+01",
        "1",
        "1969-12-31 17:00:00-07|1969-12-31 17:00:00-07",
    ]
