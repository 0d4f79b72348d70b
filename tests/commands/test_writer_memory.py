"""More goes through the writer than it has memory for; one that has too little ends, and everybody says so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from local_cluster import DAEDALUS, LocalCluster, free_ports, local_cluster, run_command, wait_until

PAGES = "CREATE TABLE pages (id int NOT NULL, body varchar(4096));"
MIB = 1 << 20
PAGE_BYTES = 4_000
HEAP_MIB = 64
PAGES_PER_LOAD = 13_500
LOADS = 3


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[LocalCluster]:
    """One for each test: a writer with a heap of 8 MiB has no room for what another one has submitted before."""
    options = ["--storage-nodes", "2", "--segments", "1", "--segment-mib", "80"]
    with local_cluster(tmp_path, PAGES, *options) as running:
        yield running


def restart_writer(cluster: LocalCluster, heap_mib: int) -> None:
    """Puts a writer with a small heap in the place of the one that `up` started."""

    def with_heap(command: list[str]) -> list[str]:
        return [f"-Xmx{heap_mib}m" if word.startswith("-Xmx") else word for word in command]

    cluster.kill("writer")
    cluster.start_again("writer", change=with_heap)
    wait_until(lambda: cluster.succeeds("DELETE FROM pages"), "the writer with the small heap takes updates")


def write_pages(file: Path, pages: int) -> Path:
    with file.open("w") as out:
        out.write("id,body\n")
        out.writelines(f"{page},{str(page % 10) * PAGE_BYTES}\n" for page in range(pages))
    return file


def test_more_goes_through_the_writer_than_it_has_memory_for(cluster: LocalCluster, tmp_path: Path) -> None:
    restart_writer(cluster, HEAP_MIB)
    file = write_pages(tmp_path / "pages.csv", PAGES_PER_LOAD)
    assert LOADS * file.stat().st_size > 2 * HEAP_MIB * MIB
    for _ in range(LOADS):
        loaded = cluster.run_daedalus("load", file, "--batch-rows", "100", "--restart")
        assert loaded.code == 0, loaded.said
        assert cluster.value("SELECT count(*) FROM pages") == PAGES_PER_LOAD
        assert cluster.change("DELETE FROM pages") == PAGES_PER_LOAD
    writer = cluster.run_daedalus("status", "--format", "json").json()["status"]["writer"]
    assert writer["problem"] == ""
    batches = LOADS * PAGES_PER_LOAD // 100
    assert writer["submissions_known"] >= batches
    assert 0 < writer["submission_bytes_known"] < 1_000 * writer["submissions_known"]
    for kept in ("updates_kept", "update_bytes_kept", "submissions_known", "submission_bytes_known"):
        assert writer[kept] <= writer[f"{kept}_max"]
    assert 0 < writer["heap_bytes_used"] <= writer["heap_bytes_max"] <= HEAP_MIB * MIB
    shown = " ".join(cluster.run_daedalus("status").out.split())
    assert re.search(r"it keeps \d+ of \d+ updates .* remembers \d+ of 65536 submissions", shown), shown


def test_a_writer_out_of_memory_ends_and_everybody_says_so(cluster: LocalCluster, tmp_path: Path) -> None:
    restart_writer(cluster, 8)
    writer = cluster.started_again[-1]
    file = write_pages(tmp_path / "pages.csv", 10_000)
    loaded = cluster.run_daedalus("load", file, "--batch-rows", "900")
    assert loaded.code == 1
    assert writer.wait(timeout=30) == 3
    said = (cluster.directory / "writer.log").read_text()
    assert "daedalus-writer: out of memory" in said
    wait_until(
        lambda: "nothing was submitted" in str(cluster.document("DELETE FROM pages")),
        "the aggregator misses the writer",
    )
    status = cluster.run_daedalus("status")
    assert status.code == 1
    assert re.search(r"DEAD: writer .*\n.*out of memory", status.out), status.out
    stopped = cluster.run_daedalus("down", "--data-dir", cluster.directory)
    assert re.search(r"writer .*had ended.*\n.*out of memory", stopped.out), stopped.out


def test_up_says_what_a_writer_that_ends_has_said(tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    writer = programs / "daedalus-writer"
    writer.write_text("#!/bin/sh\necho 'daedalus-writer: out of memory: it ends' >&2\nexit 3\n")
    writer.chmod(0o755)
    schema = tmp_path / "pages.sql"
    schema.write_text(PAGES)
    environment = {"DAEDALUS_BIN": str(programs), "XDG_STATE_HOME": str(tmp_path / "state")}
    started = run_command(
        DAEDALUS, "up", "--schema", schema, "--data-dir", tmp_path / "data", "--port", str(free_ports()),
        "--segment-mib", "8", environment=environment,
    )  # fmt: skip
    assert started.code == 1
    assert re.search(r"writer ended with exit code 3\n.*\n.*out of memory", started.err), started.err
