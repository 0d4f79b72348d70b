"""The airline's tickets, made once, and in a cluster."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from local_cluster import LocalCluster

from experiments.harness.record import ROOT


def make_tickets(data: dict[str, Any]) -> Path:
    """The plan's `tickets` of `seed` as CSV; made once."""
    count, seed = str(data["tickets"]), str(data["seed"])
    subprocess.run([ROOT / "tools" / "make_tickets.sh", count, seed], check=True)
    return ROOT / "build" / "demo" / f"tickets-{count}-{seed}.csv"


def load_tickets(cluster: LocalCluster, data: dict[str, Any]) -> None:
    """Puts the plan's tickets into a cluster. Error: SystemExit with what the command said."""
    loaded = cluster.run_daedalus("load", make_tickets(data))
    if loaded.code != 0:
        raise SystemExit(f"load: {loaded.said}")
    print(loaded.out.strip(), flush=True)
