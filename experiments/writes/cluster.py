"""A cluster of one node, one aggregator and the writer whose node and writer keep what they are given, on loopback.

It knows configuration files and processes; what is measured on them is its caller's business. The node can be killed,
and started again on what it kept.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from local_cluster import LocalCluster, free_ports

from experiments import PROGRAMS
from experiments.harness.plan import Plan
from experiments.harness.record import ROOT

READY_SECONDS_MAX = 120
_PAUSE_SECONDS = 0.02
_STOP_SECONDS_MAX = 30


class StartError(Exception):
    """A process ended, or did not become ready."""


def compile_schema(ddl: str, folder: Path) -> Path:
    """The library of one CREATE TABLE. Error: StartError with what the compiler said."""
    source = folder / "table.sql"
    source.write_text(ddl)
    output = folder / "schema"
    finished = subprocess.run(
        [sys.executable, "-m", "daedalus_schema", source, "--output", output],
        env={**os.environ, "PYTHONPATH": str(ROOT / "schema_compiler")},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    libraries = list(output.glob("*.so"))
    if finished.returncode != 0 or len(libraries) != 1:
        raise StartError(f"the schema was not compiled: {finished.stdout}{finished.stderr}")
    return libraries[0]


def cluster_file(name: str, library: Path, endpoint: str) -> str:
    """One partition on one node."""
    return (
        f'cluster_id = "{name}"\nschema_library = "{library}"\n'
        '[partition_map]\nversion = 1\ndistribution = "round_robin"\ncolumns = []\n'
        'segment_distribution = "round_robin"\nsegment_columns = []\n'
        f'[[partition_map.partitions]]\nnodes = [0]\n[[nodes]]\nid = 0\nendpoint = "{endpoint}"\n'
    )


def node_file(endpoint: str, values: dict[str, Any]) -> str:
    """`values` are keys of storage_node.toml."""
    lines = [f'{key} = "{value}"' if isinstance(value, str) else f"{key} = {value}" for key, value in values.items()]
    fixed = f'cluster = "cluster.toml"\nnode = 0\nlisten = "{endpoint}"\ndata_dir = "node-0"\ncores = []\n'
    return fixed + "".join(f"{line}\n" for line in lines)


@dataclass(slots=True)
class KeptCluster:
    """Its processes by name, as LocalCluster names them; `client` speaks to it by the project's own commands."""

    folder: Path
    node_endpoint: str
    client: LocalCluster
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def address(self) -> str:
        """Returns the address of the aggregator."""
        return self.client.address

    def log(self, name: str) -> str:
        """All that a process has said, in all its lives."""
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def start(self, name: str, command: list[str | Path], is_ready: re.Pattern[str]) -> None:
        """Starts a process and waits until it says that it is ready. Error: StartError with its last words."""
        path = self.folder / f"{name}.log"
        begin = path.stat().st_size if path.exists() else 0
        with path.open("ab") as output:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=ROOT)
        self.running[name] = process
        self.client.processes[name] = process.pid
        end = time.monotonic() + READY_SECONDS_MAX
        while not is_ready.search(path.read_bytes()[begin:].decode(errors="replace")):
            if process.poll() is not None or time.monotonic() > end:
                raise StartError(f"{name} is not ready: {self.log(name)[-500:]}")
            time.sleep(_PAUSE_SECONDS)

    def start_node(self) -> None:
        """Also after it was killed: on what it kept."""
        command: list[str | Path] = [PROGRAMS / "daedalus-storage-node", "--config", self.folder / "node-0.toml"]
        self.start("node-0", command, re.compile(r" ready$", re.MULTILINE))

    def end(self, name: str, sign: signal.Signals) -> None:
        """Ends one process, if it still runs, and waits for its end."""
        process = self.running.pop(name, None)
        if process is None:
            return
        process.send_signal(sign)
        try:
            process.wait(_STOP_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def stop(self) -> None:
        """Ends all, in the order in which nobody misses another."""
        for name in ("writer", "aggregator-0", "node-0"):
            self.end(name, signal.SIGTERM)


def node_values(plan: Plan, durability: str, more: dict[str, Any] | None = None) -> dict[str, Any]:
    """Keys of storage_node.toml, by the plan."""
    values = {**plan.section("cluster"), "durability": durability, **(more or {})}
    if durability == "off":
        values.pop("checkpoint_log_mib", None)
    return values


@contextlib.contextmanager
def kept_node(folder: Path, ddl: str, values: dict[str, Any]) -> Iterator[KeptCluster]:
    """A node alone, for the time of the context; `values` are keys of its storage_node.toml."""
    folder.mkdir(parents=True, exist_ok=True)
    port = free_ports()
    endpoint = f"127.0.0.1:{port + 10}"
    cluster = KeptCluster(folder, endpoint, LocalCluster(port, folder / "table.sql", folder, folder / "state"))
    (folder / "cluster.toml").write_text(cluster_file(f"writes-{port}", compile_schema(ddl, folder), endpoint))
    config = folder / "node-0.toml"
    config.write_text(node_file(endpoint, values))
    (folder / "node-0").mkdir()
    try:
        if values["durability"] != "off":
            made = subprocess.run(
                [PROGRAMS / "daedalus-storage-node", "--init", config], capture_output=True, text=True, check=False
            )
            if made.returncode != 0:
                raise StartError(f"the node's directory was not made: {made.stdout}{made.stderr}")
        cluster.start_node()
        yield cluster
    finally:
        cluster.stop()


@contextlib.contextmanager
def kept_cluster(folder: Path, ddl: str, values: dict[str, Any]) -> Iterator[KeptCluster]:
    """Node, aggregator and writer; the writer keeps a journal if the node keeps rows."""
    with kept_node(folder, ddl, values) as cluster:
        listen, writer = cluster.address, f"127.0.0.1:{cluster.client.port + 50}"
        config = folder / "aggregator-0.toml"
        config.write_text(f'cluster = "cluster.toml"\nname = "aggregator-0"\nlisten = "{listen}"\nsql_threads = 1\n')
        cluster.start(
            "aggregator-0", [PROGRAMS / "daedalus-aggregator", "--config", config], re.compile(r"ready$", re.MULTILINE)
        )
        command: list[str | Path] = [ROOT / "bin" / "daedalus-writer", f"--aggregators={listen}", f"--listen={writer}"]
        if values["durability"] != "off":
            command.append(f"--journal-dir={folder / 'journal'}")
        cluster.start("writer", command, re.compile(r"^ready$", re.MULTILINE))
        yield cluster
