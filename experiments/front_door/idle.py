"""Measures what a connection that has logged in and asks nothing costs: in a cluster of its own, whose aggregator has
no memory left over from something else.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import tempfile
from pathlib import Path

from local_cluster import IN_MEMORY, local_cluster

from experiments.front_door.world import POSTGRES_PORT, World
from experiments.harness.context import Context
from experiments.harness.record import ROOT

WARM_UP = 100  # connections that fill what is kept for all
SIZE = ("--storage-nodes", "1", "--segments", "1", "--segment-mib", "64")


def idle(context: Context, _world: World, run: int) -> None:
    """Measures by how much the aggregator's resident memory grows for each of many connections."""
    count = context.plan.section("idle")["connections"]
    ddl = (ROOT / "schemas" / "tickets.sql").read_text()
    with (
        tempfile.TemporaryDirectory(prefix="daedalus-idle-") as folder,
        local_cluster(Path(folder), ddl, IN_MEMORY, *SIZE) as cluster,
        contextlib.ExitStack() as stack,
    ):
        aggregator = next(process for name, process in cluster.processes.items() if name.startswith("aggregator"))
        port = cluster.port + POSTGRES_PORT
        for _ in range(WARM_UP):
            stack.enter_context(logged_in(port))
        before = resident_bytes(aggregator)
        for _ in range(count):
            stack.enter_context(logged_in(port))
        grown = resident_bytes(aggregator) - before
    context.add({"part": "idle", "run": run}, {"connections": count, "kib_each": grown / 1024 / count})


def logged_in(port: int) -> socket.socket:
    """A connection up to its first ReadyForQuery."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=30)
    parameters = b"user\0peer\0database\0tickets\0\0"
    connection.sendall(struct.pack("!II", 8 + len(parameters), 196_608) + parameters)
    said = b""
    while not said.endswith(b"Z\0\0\0\5I"):
        piece = connection.recv(4096)
        if not piece:
            raise ConnectionError(said[-200:].decode(errors="replace"))
        said += piece
    return connection


def resident_bytes(process: int) -> int:
    """Returns the resident memory of one process. Error: FileNotFoundError."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise FileNotFoundError(f"no VmRSS of process {process}")
