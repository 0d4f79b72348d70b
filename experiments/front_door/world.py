"""Sets up who is asked: a cluster at its PostgreSQL port and PostgreSQL itself, with the same tickets."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from local_cluster import IN_MEMORY, LocalCluster, local_cluster

from experiments.end_to_end.postgres import Postgres
from experiments.end_to_end.world import options, write_statements
from experiments.front_door.pipelines import Server, write_pipelines
from experiments.harness.plan import Plan
from experiments.harness.record import ROOT
from experiments.harness.tickets import load_tickets, make_tickets

# Flight numbers and days are what the index is for: 0.2 % of the mix name a booking or a passenger alone.
INDEXED = "product_id = "
POSTGRES_PORT = 51  # behind a cluster's first one


@dataclass(slots=True)
class World:
    """Everything that has the plan's tickets, for as long as it is measured."""

    plan: Plan
    cluster: LocalCluster
    postgres: Postgres
    scripts: list[Path]
    chosen: dict[str, int] = field(default_factory=dict)  # connections that were best in the first run, by who

    @property
    def port(self) -> int:
        """PostgreSQL's, of the aggregator."""
        return self.cluster.port + POSTGRES_PORT

    def daedalus(self) -> Server:
        """The cluster at its PostgreSQL port."""
        where = ["-h", "127.0.0.1", "-p", str(self.port), "-U", "peer", "tickets"]
        return Server(where, lambda: self.cluster.processes)

    def peer(self) -> Server:
        """PostgreSQL: its main process and whatever that started."""
        main = int((self.postgres.folder / "data" / "postmaster.pid").read_text().split()[0])
        where = ["-h", "127.0.0.1", "-p", str(self.postgres.port), "-U", "peer", "postgres"]
        return Server(where, lambda: {f"postgres-{process}": process for process in [main, *children(main)]})


def children(parent: int) -> list[int]:
    """Processes that a process has started and that live."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            fields = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()
            if int(fields[1]) == parent:
                found.append(int(name))
    return found


@contextlib.contextmanager
def tickets_world(plan: Plan) -> Iterator[World]:
    """Starts and fills everything."""
    data, part = plan.section("data"), plan.section("booking")
    csv = make_tickets(data)
    ddl = (ROOT / "schemas" / "tickets.sql").read_text()
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="daedalus-front-door-")))
        cluster = stack.enter_context(local_cluster(folder, ddl, IN_MEMORY, *options(plan.section("cluster"))))
        load_tickets(cluster, data)
        postgres = stack.enter_context(Postgres(csv))
        count = part["scripts"] * part["statements"]
        drawn = write_statements(plan, part["mix"], count + count // 20 + 8, 77, folder)
        kept = [statement for statement in drawn if INDEXED in statement][:count]
        yield World(plan, cluster, postgres, write_pipelines(kept, part["statements"], folder))
