"""Every SQL construct on a real local cluster, against DuckDB rewritten to PostgreSQL's semantics.

The seed is printed at the start and taken back through DAEDALUS_SEED. DAEDALUS_ORACLE_QUERIES says how many queries a
run asks, over all clusters together; DAEDALUS_ORACLE_FLIGHTS about how many flights are loaded.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from local_cluster import DAEDALUS, run_command
from run import FLIGHTS, QUERIES, Run, every_type_table, flights_table, write_flights_csv
from sessions import CommandLineSession, Layout, running_cluster

pytestmark = pytest.mark.cluster

SHARES = 3  # of QUERIES, one for each test


def ask(layout: Layout, seed: int, csv_path: Path | None = None) -> Run:
    """One run on a cluster of its own."""
    with running_cluster(layout) as cluster:
        if csv_path:
            loaded = run_command(DAEDALUS, "load", csv_path, "--null", "NA", "--cluster", cluster)
            assert loaded.code == 0, loaded.said
        session = CommandLineSession(cluster)
        try:
            run = Run(flights_table() if csv_path else every_type_table(), session, seed)
            run.fill()
            run.go(-(-QUERIES // SHARES))
            if not run.failures:
                run.compare_all()
        finally:
            session.close()
    return run


def test_flights_by_hash_are_answered_as_duckdb_answers(daedalus_seed: int, tmp_path: Path) -> None:
    path = tmp_path / "flights.csv"
    write_flights_csv(path, FLIGHTS)
    run = ask(Layout("flights", storage_nodes=2, partition_by="hash(origin)"), daedalus_seed, path)
    assert not run.failures, run.report()


def test_every_type_round_robin_is_answered_as_duckdb_answers(daedalus_seed: int) -> None:
    run = ask(Layout("every_type", storage_nodes=3, partition_by="round_robin"), daedalus_seed + 1)
    assert not run.failures, run.report()


def test_every_type_by_hash_is_answered_as_duckdb_answers(daedalus_seed: int) -> None:
    layout = Layout("every_type", storage_nodes=2, partition_by="hash(grp)", segment_by="hash(id)")
    run = ask(layout, daedalus_seed + 2)
    assert not run.failures, run.report()
