"""Sets up who is asked: a cluster, PostgreSQL and DuckDB with the same tickets, and the statements that all of them
get.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from local_cluster import IN_MEMORY, LocalCluster, local_cluster

from experiments import PROGRAMS
from experiments.end_to_end.duck import Duck
from experiments.end_to_end.postgres import Postgres
from experiments.harness.peak import LOAD_GENERATOR
from experiments.harness.plan import Plan
from experiments.harness.record import ROOT
from experiments.harness.tickets import load_tickets, make_tickets

STORAGE_NODE = PROGRAMS / "daedalus-storage-node"
AGGREGATOR = PROGRAMS / "daedalus-aggregator"


@dataclass(slots=True)
class World:
    """Everything that has the plan's tickets, for as long as it is measured."""

    plan: Plan
    folder: Path
    cluster: LocalCluster
    postgres: Postgres
    duck: Duck
    chosen: dict[str, int] = field(default_factory=dict)  # what was best in the first run, by who

    def statements(self, mix: str, count: int, seed: int) -> list[str]:
        """Queries of a mix as SQL with literals."""
        return write_statements(self.plan, mix, count, seed, self.folder)


def write_statements(plan: Plan, mix: str, count: int, seed: int, folder: Path) -> list[str]:
    """Queries of a mix on the plan's tickets, as SQL with literals."""
    data, path = plan.section("data"), folder / f"statements-{mix.replace(':', '-')}-{seed}.sql"
    subprocess.run(
        [
            *(LOAD_GENERATOR, "statements", f"--mix={mix}", f"--count={count}", f"--seed={seed}", f"--out={path}"),
            *(f"--tickets={data['tickets']}", f"--tickets-seed={data['seed']}"),
        ],
        check=True,
        cwd=ROOT,
    )
    return path.read_text().splitlines()


def options(section: dict[str, Any]) -> list[str]:
    """A section of the plan as options of `daedalus up`."""
    return [f"--{key.replace('_', '-')}={value}" for key, value in section.items()]


@contextlib.contextmanager
def tickets_world(plan: Plan) -> Iterator[World]:
    """Starts and fills everything that is asked about tickets."""
    data = plan.section("data")
    csv = make_tickets(data)
    ddl = (ROOT / "schemas" / "tickets.sql").read_text()
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="daedalus-end-to-end-")))
        cluster = stack.enter_context(local_cluster(folder, ddl, IN_MEMORY, *options(plan.section("cluster"))))
        load_tickets(cluster, data)
        postgres = stack.enter_context(Postgres(csv))
        duck = stack.enter_context(contextlib.closing(Duck(csv, ddl)))
        yield World(plan, folder, cluster, postgres, duck)


@contextlib.contextmanager
def void_cluster(ddl: str, *up_options: str) -> Iterator[LocalCluster]:
    """A cluster whose storage nodes end every query at once."""
    with tempfile.TemporaryDirectory(prefix="daedalus-void-") as base:
        programs = Path(base) / "bin"
        programs.mkdir()
        node = programs / STORAGE_NODE.name
        node.write_text(f'#!/bin/sh\nexec "{STORAGE_NODE}" --void "$@"\n')
        node.chmod(0o755)
        (programs / AGGREGATOR.name).symlink_to(AGGREGATOR)
        before = os.environ.get("DAEDALUS_BIN")
        os.environ["DAEDALUS_BIN"] = str(programs)
        try:
            with local_cluster(Path(base), ddl, IN_MEMORY, *up_options) as cluster:
                yield cluster
        finally:
            if before is None:
                del os.environ["DAEDALUS_BIN"]
            else:
                os.environ["DAEDALUS_BIN"] = before
