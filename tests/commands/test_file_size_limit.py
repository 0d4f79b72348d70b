"""A storage node whose files may not grow any more says so."""

from __future__ import annotations

import resource
from pathlib import Path

from local_cluster import local_cluster, wait_until

LINES = "CREATE TABLE lines (id int NOT NULL, text varchar(200));\n"
BYTES_MAX = 64 << 10


def test_a_node_that_meets_the_limit_of_a_files_size_says_which_file_and_what_to_do(tmp_path: Path) -> None:
    small = ("--storage-nodes", "1", "--segments", "1", "--segment-mib", "8")
    with local_cluster(tmp_path, LINES, *small) as cluster:
        node = cluster.processes["node-0"]
        log = cluster.directory / "node-0.log"
        _, most = resource.prlimit(node, resource.RLIMIT_FSIZE)
        resource.prlimit(node, resource.RLIMIT_FSIZE, (BYTES_MAX, most))
        rows = ", ".join(f"({n}, '{'x' * 200}')" for n in range(1_000))
        assert cluster.succeeds("SET statement_timeout = '1s'")  # Nobody confirms what cannot be kept.
        cluster.succeeds(f"INSERT INTO lines VALUES {rows}")
        wait_until(lambda: "the limit of a file's size is met" in log.read_text(), "the node says so")
        assert "ulimit -f" in log.read_text()
        assert "File too large" in log.read_text()
