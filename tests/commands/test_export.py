"""`export` with real processes: a table leaves and comes back value by value, and no file looks whole that is not."""

from __future__ import annotations

import contextlib
import csv
import gzip
import itertools
import json
import random
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from local_cluster import LocalCluster, local_cluster, wait_until

EVERY = '''
CREATE TABLE every (
  id int NOT NULL PRIMARY KEY,
  b bool,
  s smallint,
  i int,
  l bigint,
  r real,
  d double precision,
  n numeric(18,4),
  w numeric(38,10),
  day date,
  at timestamp,
  clock time,
  tag uuid,
  c char(4) DEFAULT 'ok',
  v varchar(40) DEFAULT 'none',
  "Odd, ""name""" varchar(40) NOT NULL DEFAULT 'odd'
);
'''
EVENT_ROWS = 100_000
HURTFUL = [
    "", " ", "  ", ",", '"', '""', "'", "\n", "\r", "\r\n", "\t", "\\", "\\N", "\\.", "NULL", "null", "N/A",
    "a,b", 'say "so"', " leading", "trailing ", "two\nlines", "ends\n", "\nstarts", "é", "漢字", "😀", "\ufeff",
    "\u2028", ";", "|", "-", "0", "x" * 40, '"' * 40, "\n" * 40, "#", "=1+1",
]  # fmt: skip
EDGES = {
    "b": ["true", "false"],
    "s": ["-32768", "32767", "0", "-1"],
    "i": ["-2147483648", "2147483647", "0"],
    "l": ["-9223372036854775808", "9223372036854775807", "0"],
    "r": ["'NaN'", "'Infinity'", "'-Infinity'", "'-0'", "0", "1e-45", "3.4028235e38", "0.1", "16777217", "-1.5"],
    "d": ["'NaN'", "'Infinity'", "'-Infinity'", "'-0'", "0", "5e-324", "1.7976931348623157e308", "0.1",
          "2.2250738585072014e-308", "123456789.12345679", "-1e15", "1e16"],
    "n": ["0.0001", "-0.0001", "99999999999999.9999", "-99999999999999.9999", "0", "1.5"],
    "w": ["9999999999999999999999999999.9999999999", "-9999999999999999999999999999.9999999999", "0", "0.0000000001"],
    "day": ["'0001-01-01'", "'5874897-12-31'", "'1970-01-01'", "'1969-12-31'", "'2000-02-29'", "'10000-01-01'"],
    "at": ["'0001-01-01 00:00:00'", "'294246-12-31 23:59:59.999999'", "'1969-12-31 23:59:59.999999'",
           "'2013-02-03 04:05:06'", "'2013-02-03 04:05:06.1'", "'1970-01-01 00:00:00.000001'"],
    "clock": ["'00:00'", "'24:00:00'", "'23:59:59.999999'", "'04:05:06'", "'04:05:06.1'", "'12:00:00.000001'"],
    "tag": ["'00000000-0000-0000-0000-000000000000'", "'FFFFFFFF-ffff-ffff-ffff-ffffffffffff'",
            "'{00112233445566778899aabbccddeeff}'"],
    "c": ["''", "'a'", "'ab  '", "'    '", "E'\\u00e9'", "'\"'", "','", "E'\\n'", "' a'", "'abcd'"],
}  # fmt: skip


@pytest.fixture(scope="module")
def every(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCluster]:
    """A table of every type, of small segments: several slices even for few rows."""
    base = tmp_path_factory.mktemp("export")
    options = ["--storage-nodes", "2", "--segments", "2", "--segment-mib", "8", "--partition-by", "hash(id)"]
    with local_cluster(base, EVERY, *options) as running:
        yield running


def literal(text: str) -> str:
    """The string as SQL in ASCII without line ends, which no terminal, locale or reader of lines changes."""
    escaped = "".join(c if " " <= c <= "~" and c not in "'\\" else f"\\U{ord(c):08x}" for c in text)
    return f"E'{escaped}'"


def hurtful_rows(seed: int, count: int) -> list[str]:
    """Rows as VALUES have them: edges and strings that a file may damage, NULLs among them."""
    draw = random.Random(seed)
    strings = HURTFUL + ["".join(draw.choices(HURTFUL, k=3))[:10] for _ in range(100)]
    rows = []
    for number in range(count):
        values = [str(number)]
        for edges in EDGES.values():
            values.append("NULL" if draw.random() < 0.2 else draw.choice(edges))
        v = HURTFUL[number] if number < len(HURTFUL) else draw.choice(strings)
        values.append("NULL" if number >= len(HURTFUL) and draw.random() < 0.2 else literal(v))
        values.append(literal(draw.choice(strings)))
        rows.append("(" + ", ".join(values) + ")")
    return rows


def content(cluster: LocalCluster, table: str) -> list[list[Any]]:
    """All rows in the order of ids, numbers as they were spelled: -0 is another than 0."""
    cluster.session().send(f"SELECT * FROM {table} ORDER BY id")
    answer = json.loads(cluster.session().line(), parse_float=str, parse_int=str)
    assert "error" not in answer, answer
    rows: list[list[Any]] = answer["rows"]
    return rows


def test_every_value_of_every_type_comes_back_as_it_was(
    every: LocalCluster, tmp_path: Path, daedalus_seed: int
) -> None:
    rows = hurtful_rows(daedalus_seed, 1500)
    for first in range(0, 1500, 50):
        assert every.change(f"INSERT INTO every VALUES {', '.join(rows[first : first + 50])}") == 50
    before = content(every, "every")
    assert len(before) == 1500
    file = tmp_path / "every.csv"
    answer = every.run_daedalus("export", file)
    assert answer.code == 0, answer.said
    assert "1500 rows of every at moment" in answer.out
    with file.open(newline="", encoding="utf-8") as lines:
        records = list(csv.DictReader(lines))
    assert len(records) == 1500
    by_id = {record["id"]: record for record in records}
    # char(n) comes without what fills it up; every other string as it is; NULL and '' both read as '' by this reader.
    assert [by_id[row[0]]["v"] for row in before] == [row[14] or "" for row in before]
    assert [by_id[row[0]]['Odd, "name"'] for row in before] == [row[15] for row in before]
    packed = tmp_path / "every.csv.gz"
    assert every.run_daedalus("export", packed).code == 0
    assert gzip.decompress(packed.read_bytes()) == file.read_bytes()
    for source in (file, packed):
        assert every.change("DELETE FROM every") == 1500
        answer = every.run_daedalus("load", source)
        assert answer.code == 0, answer.said
        assert content(every, "every") == before, "row by row"
    again = tmp_path / "again.csv"
    assert every.run_daedalus("export", again).code == 0
    with again.open(newline="", encoding="utf-8") as lines:
        assert sorted(map(str, csv.DictReader(lines))) == sorted(map(str, records))
    assert every.change("DELETE FROM every") == 1500


def test_null_in_a_table_of_one_column_is_a_row(tmp_path: Path) -> None:
    with local_cluster(tmp_path, "CREATE TABLE one (v varchar(5));", "--segment-mib", "4") as one:
        assert one.change("INSERT INTO one VALUES (NULL), ('a'), (''), (NULL), (NULL)") == 5
        file = tmp_path / "one.csv"
        assert one.run_daedalus("export", file).code == 0
        assert sorted(file.read_text().split("\n")[1:-1]) == ["", "", "", '""', "a"]
        assert one.change("DELETE FROM one") == 5
        assert one.run_daedalus("load", file).code == 0
        assert one.rows("SELECT count(*), count(v) FROM one") == [(5, 2)]


def test_an_empty_table_is_a_header(every: LocalCluster) -> None:
    answer = every.run_daedalus("export", "-")
    assert answer.code == 0, answer.said
    assert answer.out == 'id,b,s,i,l,r,d,n,w,day,at,clock,tag,c,v,"Odd, ""name"""\n'
    assert "0 rows of every at moment " in answer.err


@pytest.fixture(scope="module")
def lines(events: LocalCluster, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The rows of `events` as lines of a file, sorted: as a whole they are larger than an answer may be."""
    events.change("DELETE FROM events")
    written = [f"{n},{n * 7919 % (1 << 40)},{n:040}" for n in range(EVENT_ROWS)]
    file = tmp_path_factory.mktemp("export") / "events.csv"
    file.write_text("id,code,name\n" + "\n".join(written) + "\n")
    loaded = events.run_daedalus("load", file)
    assert loaded.code == 0, loaded.said
    return sorted(written)


def rows_of(file: Path) -> list[str]:
    """The rows of an exported file, sorted."""
    return sorted(file.read_text().splitlines()[1:])


@contextlib.contextmanager
def stream_of_inserts(cluster: LocalCluster, first_id: int) -> Iterator[None]:
    """Rows that come one after the other, for the time of the context."""
    is_over = threading.Event()
    has_begun = threading.Event()

    def insert() -> None:
        with cluster.connect() as connection:
            for number in itertools.count(first_id):
                if is_over.is_set():
                    break
                connection.execute("INSERT INTO events VALUES (%s, 0, 'new')", (number,))
                has_begun.set()

    inserting = threading.Thread(target=insert)
    inserting.start()
    try:
        assert has_begun.wait(timeout=60)
        yield
    finally:
        is_over.set()
        inserting.join()


def test_an_export_beside_updates_is_the_table_at_one_moment(
    events: LocalCluster, lines: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "out.csv"
    with stream_of_inserts(events, EVENT_ROWS):
        for _ in range(3):
            answer = events.run_daedalus("export", file, "--force")
            assert answer.code == 0, answer.said
            assert "at moment" in answer.out, answer.said
            # Rows come in the order of their ids: of the new ones the first are there, and no other.
            found = rows_of(file)
            come = sorted(int(row.split(",")[0]) for row in found if row.endswith(",new"))
            assert come == list(range(EVENT_ROWS, EVENT_ROWS + len(come)))
            assert [row for row in found if not row.endswith(",new")] == lines
    rows = events.value("SELECT count(*) FROM events")
    assert rows > EVENT_ROWS
    exact = events.run_daedalus("export", file, "--force")
    assert exact.code == 0, exact.said
    assert f"{rows} rows of events at moment" in exact.out
    assert events.change("DELETE FROM events WHERE name = 'new'") == rows - EVENT_ROWS
    exact = events.run_daedalus("export", file, "--force")
    assert exact.code == 0, exact.said
    assert rows_of(file) == lines


@pytest.mark.usefixtures("lines")
def test_an_interrupted_export_leaves_nothing_behind(events: LocalCluster, tmp_path: Path) -> None:
    file = tmp_path / "cut.csv"
    partial = tmp_path / "cut.csv.partial"
    process = events.start_daedalus("export", file, stderr=subprocess.STDOUT)
    wait_until(partial.exists, "the export has begun")
    process.send_signal(signal.SIGINT)
    said = process.communicate()[0]
    assert process.returncode == 130, said
    assert f"interrupted: {file} was not written" in said
    assert not file.exists()
    assert not partial.exists()
    killed = events.start_daedalus("export", file, stderr=subprocess.STDOUT)
    wait_until(partial.exists, "the export has begun")
    killed.kill()
    killed.communicate()
    assert not file.exists()
    answer = events.run_daedalus("export", file)
    assert answer.code == 0, answer.said
    assert not partial.exists()


@pytest.mark.usefixtures("lines")
def test_standard_output_that_closes_is_an_error(events: LocalCluster) -> None:
    process = events.start_daedalus("export", "-", stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == "id,code,name\n"
    process.stdout.close()
    assert process.stderr is not None
    said = process.stderr.read()
    process.stderr.close()
    assert process.wait() == 1
    assert "standard output: cannot be written" in said


def test_a_large_answer_is_refused_by_a_setting_of_up_that_export_knows_no_bound_of(
    events: LocalCluster, lines: list[str]
) -> None:
    for process in ("node-0", "node-1", "aggregator-0"):
        assert "\nanswer_mib = 4\n" in (events.directory / f"{process}.toml").read_text()
    events.refuses(
        "SELECT * FROM events ORDER BY id",
        "54000",
        "larger than answer_mib of aggregator-0: 4 MiB",
        "daedalus export",
        "daedalus up --answer-mib",
    )
    answer = events.run_daedalus("export", "-")
    assert answer.code == 0, answer.err
    assert sorted(answer.out.splitlines()[1:]) == lines
