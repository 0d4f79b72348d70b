"""Attacks on the memory that tables ask for before they hold a row."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path

from local_cluster import Answer, LocalCluster, free_ports, read_processes

from attacks.attack import TOO_LARGE, expect
from attacks.client import Client
from attacks.stage import MIB, Watch, limited_children

WIDE_COLUMNS = 255
# A node may take so much beside the segments that it was told to have.
BESIDE_SEGMENTS_MIB = 256
AMOUNT = re.compile(r"([\d.,]+) ?(?:[KMGT]i?B|bytes)")


@contextlib.contextmanager
def _tried(directory: Path, ddl: str, *options: str) -> Iterator[tuple[LocalCluster, Answer]]:
    """A cluster that may refuse to start."""
    schema = directory / "table.sql"
    schema.write_text(ddl)
    cluster = LocalCluster(free_ports(), schema, directory / "data", directory / "state")
    try:
        with limited_children():
            yield (
                cluster,
                cluster.run_daedalus(
                    "up", "--schema", schema, "--data-dir", cluster.directory, "--port", str(cluster.port), *options
                ),
            )
    finally:
        cluster.run_daedalus("down", "--data-dir", cluster.directory)


def _assert_it_says_what_fits(started: Answer, asked_mib: int) -> None:
    """Not only what was asked for: also what it takes, or what there is."""
    for word in ("bad_alloc", "terminate called", "CHECK", "core dumped", "Cannot allocate"):
        assert word not in started.said, f"it did not refuse, it failed: {started.said}"
    amounts = {amount.rstrip(".,") for amount in AMOUNT.findall(started.err)}
    assert amounts - {str(asked_mib)}, f"it does not say what fits: {started.said}"


def wide_table(directory: Path) -> None:
    """255 columns of four kilobytes in segments of 128 MiB: served within them, or refused with what fits."""
    columns = ", ".join(f"c{number} varchar(4096)" for number in range(WIDE_COLUMNS))
    ddl = f"CREATE TABLE wide (id int NOT NULL, {columns});"
    with _tried(directory, ddl, "--storage-nodes", "1", "--segments", "1", "--segment-mib", "128") as (cluster, up):
        if up.code != 0:
            _assert_it_says_what_fits(up, 128)
            return
        watch = Watch(read_processes(cluster.directory))
        text = "x" * 4090
        names = ", ".join(f"c{number}" for number in range(WIDE_COLUMNS))
        values = ", ".join([f"'{text}'"] * WIDE_COLUMNS)
        with Client(cluster.port) as client:
            inserted = client.ask(f"INSERT INTO wide (id, c0) VALUES (1, '{text}')", writes=True, seconds=10)
            assert inserted.confirmed is not None, inserted.refusal
            filled = client.ask(f"INSERT INTO wide (id, {names}) VALUES (2, {values})", writes=True, seconds=10)
            expect(filled, TOO_LARGE)
            twice = client.ask("SELECT *, * FROM wide")
            expect(twice, TOO_LARGE)
            assert filled.confirmed is None or twice.refusal is not None, "a row of 2 MB was served"
            expect(client.ask("SELECT id, c0 FROM wide WHERE id = 1"), rows=1)
        assert not watch.dead()
        resident = watch.resident_mib("node-0")
        assert resident <= 128 + BESIDE_SEGMENTS_MIB, f"the node takes {resident} MiB for one segment of 128"


def more_than_the_machine_has(directory: Path) -> None:
    """Segments of four times the machine's memory: refused with what there is."""
    words = Path("/proc/meminfo").read_text().split("MemTotal:", 1)[1].split()
    segment_mib = 4 * int(words[0]) * 1024 // MIB // 2
    options = ("--storage-nodes", "2", "--segments", "1", "--segment-mib", str(segment_mib))
    with _tried(directory, "CREATE TABLE narrow (id int NOT NULL);", *options) as (_, up):
        assert up.code != 0, f"2 segments of {segment_mib} MiB are served on a machine that has a quarter of it"
        _assert_it_says_what_fits(up, segment_mib)


ATTACKS = [wide_table, more_than_the_machine_has]
