"""Storage nodes on a full disk: they take no epoch and no update, serve what they have, and go on by themselves."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from local_cluster import LocalCluster, local_cluster, wait_until

OPTIONS = ("--storage-nodes", "1", "--segments", "1", "--segment-mib", "8", "--durability", "sync")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own that the test can fill."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=400m", "tmpfs", str(disk)], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.decode().strip()}")
    try:
        yield disk
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def fill(disk: Path) -> Path:
    """Takes every byte that is left on a disk with one file."""
    filling = disk / "filling"
    with filling.open("wb", buffering=0) as file:
        for size in (1 << 20, 4096, 1):
            try:
                while file.write(b"x" * size) > 0:
                    pass
            except OSError:
                continue
    return filling


def rows(cluster: LocalCluster) -> int:
    return int(cluster.value("SELECT count(*) FROM events"))


def refusal(cluster: LocalCluster) -> str:
    """Why nothing can be inserted."""
    try:
        cluster.change("INSERT INTO events VALUES (3)")
    except psycopg.Error as error:
        return str(error)
    return ""


def test_a_full_disk_takes_no_epoch_and_loses_no_reads(small_disk: Path) -> None:
    with local_cluster(small_disk, "CREATE TABLE events (id int);", *OPTIONS) as cluster:
        assert cluster.change("INSERT INTO events VALUES (1), (2)") == 2
        filling = fill(small_disk)
        cluster.kill("writer")
        cluster.start_again("writer")
        wait_until(
            lambda: "epoch.new: No space left on device" in refusal(cluster),
            "the new writer is known, and says why it does not write",
        )
        assert rows(cluster) == 2
        cluster.kill("node-0")
        node = cluster.start_again("node-0")
        wait_until(lambda: cluster.succeeds("SELECT count(*) FROM events"), "the node serves although its disk is full")
        assert rows(cluster) == 2
        assert node.poll() is None
        filling.unlink()
        wait_until(lambda: cluster.succeeds("INSERT INTO events VALUES (4)"), "the writer writes again", seconds=60)
        assert rows(cluster) == 3
