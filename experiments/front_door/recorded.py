"""Says what named clients send: answered by an aggregator as by PostgreSQL, or otherwise."""

from __future__ import annotations

import tempfile
from pathlib import Path

from local_cluster import IN_MEMORY, local_cluster
from plain_postgres import KINDS
from postgres_clients import CLIENTS
from recorded import recording_postgres
from recorded_comparison import compare_clients

from experiments.front_door.world import POSTGRES_PORT, World
from experiments.harness.context import Context

SIZE = ("--storage-nodes", "1", "--segments", "1", "--segment-mib", "16")


def recorded(context: Context, _world: World, run: int) -> None:
    """Each distinct statement, of the catalogue and of the table, over a table of each type. Once."""
    if run > 0:
        return
    with (
        tempfile.TemporaryDirectory(prefix="daedalus-recorded-") as folder,
        local_cluster(Path(folder), KINDS, IN_MEMORY, *SIZE) as cluster,
        recording_postgres(KINDS, "kinds") as theirs,
    ):
        ours = f"host=127.0.0.1 port={cluster.port + POSTGRES_PORT} user=ada dbname=kinds"
        found = compare_clients(theirs, ours, CLIENTS)
    for name, of_catalogue in (("catalogue", True), ("table", False)):
        count, alike = found.counts(of_catalogue=of_catalogue)
        told = {"statements": count, "alike": alike, "percent": 100 * alike / count}
        context.add({"part": "recorded", "of": name}, told)
    for statement, expected, said in found.different:
        context.say(f"{statement.client}: {statement.sql} {statement.parameters}: {said} for {expected}")
