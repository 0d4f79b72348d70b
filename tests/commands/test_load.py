"""`load` with real processes: bad lines set aside, and going on after kills, with no row doubled and none lost."""

from __future__ import annotations

import csv
import gzip
import os
import random
import re
import signal
import subprocess
from pathlib import Path

from local_cluster import LocalCluster, local_cluster, wait_until

EVENT_ROWS = 150_000
SEED = int(os.environ.get("DAEDALUS_SEED", "0")) or random.SystemRandom().randrange(1, 1 << 31)


def write_events(file: Path, rows: int) -> tuple[int, int, int]:
    """Writes rows with codes drawn at random; returns their number, and the sums of ids and codes."""
    draw = random.Random(SEED)
    codes = [draw.randrange(1 << 40) for _ in range(rows)]
    file.write_text("id,code,name\n" + "".join(f"{n},{code},event {n}\n" for n, code in enumerate(codes)))
    return rows, rows * (rows - 1) // 2, sum(codes)


def sums(cluster: LocalCluster) -> tuple[int, ...]:
    """Returns the number of rows, and the sums of ids and codes."""
    (row,) = cluster.rows("SELECT count(*), sum(id), sum(code) FROM events")
    return tuple(int(value or 0) for value in row)


def settled_batches(cluster: LocalCluster, file: Path) -> int:
    """How many batches the progress of loading `file` says are in."""
    numbers = [0]
    for progress in (cluster.state / "daedalus" / "loads").glob("*.load"):
        text = progress.read_text(errors="replace")
        if file.name in text:
            numbers += [int(number) for number in re.findall(r"settled_batches=(\d+)", text)]
    return max(numbers)


def start_load(cluster: LocalCluster, *arguments: str | Path) -> subprocess.Popen[str]:
    """A load that goes on in the background."""
    return cluster.start_daedalus("load", *arguments, stderr=subprocess.STDOUT)


def kill_after(cluster: LocalCluster, file: Path, batches: int, *options: str | Path) -> bool:
    """Starts a load and kills it when so many batches are in; False when it ended by itself before.

    It ends at once where the kill before came between its last batch and its end: all rows are in then.
    """
    process = start_load(cluster, file, *options)
    wait_until(lambda: process.poll() is not None or settled_batches(cluster, file) >= batches, f"{batches} batches")
    was_running = process.poll() is None
    process.kill()
    said = process.communicate()[0]
    assert was_running or process.returncode == 0 or "rows are in since an earlier run" in said, said
    return was_running


def test_bad_lines_are_set_aside_mended_and_loaded(empty_table: LocalCluster, tmp_path: Path) -> None:
    lines = tmp_path / "items.csv"
    aside = tmp_path / "aside.csv"
    good = "".join(f"{n},1,fine,2013-01-01,1\n" for n in range(100, 3_100))
    lines.write_bytes(
        b"id,place,name,day,price\n"
        b'1,1,"a ""b""",2013-01-01,1\n'
        b"2,1,c,someday,1\n"
        b"3,1,d\n"
        b'4,1,"e"f,2013-01-01,1\n'
        b"5,,g,2013-01-01,1\n"
        b"6,1,far too long,2013-01-01,1\n"
        b"7,1,h,2013-01-01,12345.6\n"
        b"8,1,\xff,2013-01-01,1\n"
        b'9,1,"2\nlines",2013-02-30,1\n'
        b"99999999999,1,i,,\n" + good.encode() + b'10,1,"never closed,,\n11,1,j,,\n'
    )
    answer = empty_table.run_daedalus("load", lines, "--reject-file", aside)
    assert answer.code == 0, answer.said
    assert "3002 rows are in, 10 bad lines were set aside" in answer.out
    assert empty_table.value("SELECT count(*) FROM items") == 3002
    with aside.open(encoding="latin-1", newline="") as file:
        records = list(csv.DictReader(file))
    assert records[0] == {"line": "1", "column": "", "reason": "header", "record": "id,place,name,day,price"}
    assert [(record["line"], record["column"], record["record"]) for record in records[1:]] == [
        ("3", "day", "2,1,c,someday,1"),
        ("4", "", "3,1,d"),
        ("5", "3", '4,1,"e"f,2013-01-01,1'),
        ("6", "place", "5,,g,2013-01-01,1"),
        ("7", "name", "6,1,far too long,2013-01-01,1"),
        ("8", "price", "7,1,h,2013-01-01,12345.6"),
        ("9", "name", "8,1,\xff,2013-01-01,1"),
        ("10", "day", '9,1,"2\nlines",2013-02-30,1'),
        ("12", "id", "99999999999,1,i,,"),
        ("3013", "3", '10,1,"never closed,,'),
    ]
    reasons = " ".join(record["reason"] for record in records)
    for code in ("22007", "23502", "22001", "22003", "22021", "22008", "3 fields", "closing quote", "not closed"):
        assert code in reasons
    mended = aside.read_bytes()
    for wrong, right in (
        (b"someday", b"2013-01-02"), (b'3,1,d"', b'3,1,d,,"'), (b'""e""f', b"ef"), (b"5,,g", b"5,1,g"),
        (b"far too long", b"short"), (b"12345.6", b"1"), (b"\xff", "ü".encode()), (b"02-30", b"02-28"),
        (b"99999999999", b"12"), (b'""never closed', b"never"),
    ):  # fmt: skip
        assert wrong in mended
        mended = mended.replace(wrong, right)
    aside.write_bytes(mended)
    answer = empty_table.run_daedalus("load", aside, "--mended")
    assert answer.code == 0, answer.said
    assert "10 rows are in" in answer.out
    rows = empty_table.rows("SELECT id, name FROM items WHERE id < 100 ORDER BY id")
    assert [row[0] for row in rows] == list(range(1, 13))
    assert rows[8] == (9, "2\nlines")


def test_reject_file_is_made_for_bad_lines_only_and_never_written_over(
    empty_table: LocalCluster, tmp_path: Path
) -> None:
    lines = tmp_path / "items.csv"
    aside = tmp_path / "aside.csv"
    lines.write_text("id,place\n1,1\n")
    assert empty_table.run_daedalus("load", lines, "--reject-file", aside).code == 0
    assert not aside.exists()
    aside.write_text("somebody's\n")
    other = tmp_path / "other.csv"
    other.write_text("id,place\nx,1\n")
    answer = empty_table.run_daedalus("load", other, "--reject-file", aside)
    assert answer.code == 2
    assert "exists" in answer.err
    assert aside.read_text() == "somebody's\n"


def test_full_segment_stops_the_load_although_bad_lines_do_not(empty_table: LocalCluster, tmp_path: Path) -> None:
    lines = tmp_path / "many.csv"
    lines.write_text("id,place\nx,y\n" + "".join(f"{n},7\n" for n in range(120_000)))
    answer = empty_table.run_daedalus("load", lines, "--reject-file", tmp_path / "aside.csv")
    assert answer.code == 1, answer.said
    assert "full" in answer.said
    kept = empty_table.value("SELECT count(*) FROM items")
    assert f"{kept} rows are in, 1 bad line was set aside" in answer.said
    again = empty_table.run_daedalus("load", lines, "--reject-file", tmp_path / "aside.csv")
    assert again.code == 1
    assert "lost" in again.err
    assert empty_table.value("SELECT count(*) FROM items") == kept


def test_killed_loads_go_on_without_doubling_or_losing_a_row(no_events: LocalCluster, tmp_path: Path) -> None:
    print(f"DAEDALUS_SEED={SEED}")
    draw = random.Random(SEED)
    file = tmp_path / "events.csv"
    expected = write_events(file, EVENT_ROWS)
    with file.open("r+b") as lines:
        content = lines.read().replace(b"\n1000,", b"\nbad,1,\n1000,").replace(b"\n100000,", b"\nworse\n100000,")
        lines.seek(0)
        lines.write(content)
    aside = tmp_path / "aside.csv"
    options = ("--batch-rows", "100", "--reject-file", aside)
    kills = 0
    while kill_after(no_events, file, settled_batches(no_events, file) + draw.randrange(1, 400), *options):
        kills += 1
    assert kills >= 3
    assert sums(no_events) == expected
    records = aside.read_text().splitlines()
    assert [record.split(",")[0] for record in records] == ["line", "1", "1002", "100003"]
    again = no_events.run_daedalus("load", file, *options)
    assert again.code == 1
    assert f"all its {EVENT_ROWS} rows are in since an earlier run; --restart" in again.err
    assert sums(no_events) == expected


def test_loads_go_on_after_their_aggregator_was_killed(no_events: LocalCluster, tmp_path: Path) -> None:
    file = tmp_path / "lost.csv"
    expected = write_events(file, EVENT_ROWS)
    process = start_load(no_events, file, "--batch-rows", "100", "--timeout", "3")
    wait_until(lambda: settled_batches(no_events, file) >= 50, "50 batches")
    no_events.kill("aggregator-0")
    said = process.communicate()[0]
    assert process.returncode == 1, said
    no_events.start_again("aggregator-0")
    wait_until(lambda: no_events.succeeds("SELECT count(*) FROM events"), "the aggregator answers")
    wait_until(
        lambda: no_events.run_daedalus("load", file, "--batch-rows", "100").code == 0, "the rest is loaded", seconds=60
    )
    assert sums(no_events) == expected


def test_changed_file_is_refused_until_told_to_restart(no_events: LocalCluster, tmp_path: Path) -> None:
    file = tmp_path / "changing.csv"
    rows, ids, codes = write_events(file, 50_000)
    content = file.read_bytes()
    assert kill_after(no_events, file, 20, "--batch-rows", "100")
    file.write_bytes(content.replace(b"event 7\n", b"EVENT 7\n"))
    answer = no_events.run_daedalus("load", file, "--batch-rows", "100")
    assert answer.code == 1
    assert "has changed" in answer.err
    assert "--restart" in answer.err
    file.write_bytes(content)
    other = no_events.run_daedalus("load", file, "--batch-rows", "200")
    assert other.code == 1
    assert "--batch-rows 100" in other.err
    answer = no_events.run_daedalus("load", file, "--batch-rows", "100")
    assert answer.code == 0, answer.said
    assert "of them by earlier runs" in answer.out
    assert sums(no_events) == (rows, ids, codes)
    answer = no_events.run_daedalus("load", file, "--restart")
    assert answer.code == 0, answer.said
    assert sums(no_events) == (2 * rows, 2 * ids, 2 * codes)


def test_mended_and_grown_files_are_gone_on_with(no_events: LocalCluster, tmp_path: Path) -> None:
    file = tmp_path / "growing.csv"
    file.write_text("id,code\n" + "".join(f"{n},1\n" for n in range(25)) + "x,1\n")
    assert no_events.run_daedalus("load", file, "--batch-rows", "10").code == 1
    assert sums(no_events)[0] == 20
    file.write_text(file.read_text().replace("x,1", "25,1"))
    assert no_events.run_daedalus("load", file, "--batch-rows", "10").code == 0
    with file.open("a") as lines:
        lines.write("26,1\n")
    answer = no_events.run_daedalus("load", file, "--batch-rows", "10")
    assert answer.code == 0, answer.said
    assert "27 rows are in (26 of them by earlier runs)" in answer.out
    assert sums(no_events) == (27, 27 * 26 // 2, 27)
    file.write_text("id,code\n50,1\n")
    assert no_events.run_daedalus("load", file, "--batch-rows", "10").code == 0
    assert sums(no_events)[0] == 28


def test_one_process_at_a_time_loads_a_file(no_events: LocalCluster, tmp_path: Path) -> None:
    file = tmp_path / "shared.csv"
    expected = write_events(file, EVENT_ROWS)
    first = start_load(no_events, file, "--batch-rows", "100")
    wait_until(lambda: settled_batches(no_events, file) >= 1, "the first batch")
    first.send_signal(signal.SIGSTOP)
    second = no_events.run_daedalus("load", file, "--batch-rows", "100")
    first.send_signal(signal.SIGCONT)
    assert second.code == 1
    assert "another process" in second.err
    assert first.wait(timeout=60) == 0
    assert sums(no_events) == expected


def test_load_is_not_gone_on_with_when_the_writer_cannot_remember_it(no_events: LocalCluster, tmp_path: Path) -> None:
    file = tmp_path / "forgotten.csv"
    write_events(file, EVENT_ROWS)
    assert kill_after(no_events, file, 20, "--batch-rows", "100")
    before = sums(no_events)[0]
    with local_cluster(tmp_path, no_events.schema.read_text(), "--storage-nodes", "1", "--segments", "1") as fresh:
        # Progress belongs to one cluster: another one gets the file from its start, in batches of its own.
        answer = fresh.run_daedalus("load", file, "--progress-dir", no_events.state / "daedalus" / "loads")
        assert f"{EVENT_ROWS} rows are in (" in answer.out, answer.said
    no_events.kill("writer")
    without = {"--journal-dir": "--no-journal-in"}
    no_events.start_again("writer", change=lambda command: [without.get(word, word) for word in command])
    wait_until(lambda: no_events.succeeds("DELETE FROM events WHERE id < 0"), "the new writer numbers")
    answer = no_events.run_daedalus("load", file, "--batch-rows", "100")
    assert answer.code == 1
    assert "does not remember" in answer.err
    assert "--from-line" in answer.err
    assert sums(no_events)[0] >= before


def test_an_interrupted_load_says_how_to_go_on(no_events: LocalCluster, tmp_path: Path) -> None:
    file = tmp_path / "interrupted.csv"
    expected = write_events(file, EVENT_ROWS)
    process = start_load(no_events, file, "--batch-rows", "100")
    wait_until(lambda: settled_batches(no_events, file) >= 20, "20 batches")
    process.send_signal(signal.SIGINT)
    said = process.communicate()[0]
    assert process.returncode == 130, said
    told = re.search(r"interrupted; (\d+) rows are in, those before line (\d+)", said)
    assert told, said
    assert int(told[2]) == int(told[1]) + 2
    assert int(told[1]) >= 2000
    assert "The same command goes on from here" in said
    answer = no_events.run_daedalus("load", file, "--batch-rows", "100")
    assert answer.code == 0, answer.said
    assert sums(no_events) == expected


def test_standard_input_compressed_files_and_directories_are_loaded(no_events: LocalCluster, tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    whole = tmp_path / "events.csv"
    expected = write_events(whole, 30_000)
    head, *lines = whole.read_text().splitlines(keepends=True)
    (files / "1.csv").write_text(head + "".join(lines[:10_000]) + "\n\n")
    (files / "2.csv.gz").write_bytes(gzip.compress((head + "".join(lines[10_000:20_000])).encode()))
    answer = no_events.run_daedalus("load", files)
    assert answer.code == 0, answer.said
    assert "20000 rows of 2 files are in" in answer.out
    tabs = (head + "".join(lines[20_000:])).replace(",", "\t")
    answer = no_events.run_daedalus("load", "-", "--delimiter", "tab", stdin=tabs)
    assert answer.code == 0, answer.said
    assert sums(no_events) == expected


def test_a_directory_that_was_killed_goes_on_across_its_files(no_events: LocalCluster, tmp_path: Path) -> None:
    files = tmp_path / "parts"
    files.mkdir()
    whole = tmp_path / "whole.csv"
    expected = write_events(whole, EVENT_ROWS)
    head, *lines = whole.read_text().splitlines(keepends=True)
    part = EVENT_ROWS // 3
    for number in range(3):
        text = head + "".join(lines[number * part : (number + 1) * part])
        (files / f"{number}.csv.gz").write_bytes(gzip.compress(text.encode(), compresslevel=1))
    process = start_load(no_events, files, "--batch-rows", "100")
    wait_until(lambda: settled_batches(no_events, files / "1.csv.gz") >= 50, "50 batches of the second file")
    process.kill()
    said = process.communicate()[0]
    assert f"0.csv.gz: {part} rows are in" in said
    answer = no_events.run_daedalus("load", files, "--batch-rows", "100")
    assert answer.code == 0, answer.said
    assert f"{EVENT_ROWS} rows of 3 files are in (1 file by earlier runs)" in answer.out
    assert sums(no_events) == expected
