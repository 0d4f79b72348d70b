"""Measures every part, once in every run; claims.py judges."""

from __future__ import annotations

import subprocess
from typing import Any

from experiments.end_to_end.measure import VoidPointError
from experiments.front_door.pipelines import Server, accounts, pipelined, spent
from experiments.front_door.world import World
from experiments.harness.context import Context
from experiments.harness.peak import Peak
from experiments.harness.postgres import BIN


def answers(context: Context, world: World, run: int) -> None:
    """Compares the rows of the statements that are measured from both servers, once."""
    if run > 0:
        return
    statements = [
        line
        for script in world.scripts
        for line in script.read_text().splitlines()
        if not line.startswith("\\") and line
    ]
    ours, theirs = (rows_of(server, statements) for server in (world.daedalus(), world.peer()))
    wrong = sum(mine != other for mine, other in zip(ours, theirs, strict=True))
    context.add({"part": "answers"}, {"compared": len(statements), "rows": sum(map(len, ours)), "wrong": wrong})


def rows_of(server: Server, statements: list[str]) -> list[list[str]]:
    """Returns the rows of each statement as psql shows them, sorted. Error: CalledProcessError."""
    end = "end of a statement"
    script = "".join(f"{statement}\n\\echo '{end}'\n" for statement in statements)
    command = [str(BIN / "psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", *server.where]
    said = subprocess.run(command, input=script, capture_output=True, text=True, check=True).stdout
    return [sorted(answer.splitlines()) for answer in said.split(f"{end}\n")[:-1]]


def own(context: Context, world: World, run: int) -> None:
    """Measures the same mix through Daedalus's own protocol: what the aggregator spends on a query there."""
    window, data = context.plan.section("window"), context.plan.section("data")
    seconds, server = window["seconds"], world.daedalus()
    with Peak(
        world.cluster.address,
        data,
        context.plan.section("booking"),
        window["warm_up_seconds"],
        2 + seconds,
        seed=run + 1,
    ) as load:
        load.skip_seconds(1)  # Whose end is where CPU time begins to be counted.
        before = accounts(server.processes)
        load.skip_seconds(seconds)
        after = accounts(server.processes)
        outcome = load.outcome()
    if outcome["errors"] or not outcome["answered"]:
        raise VoidPointError(f"{outcome['errors']} errors, the last: {outcome.get('last_failure')}")
    answered = sum(second["answered"] for second in outcome["per_second"][1 : 1 + seconds])
    cpu = {f"{kind}_us": used * 1e6 / answered for kind, used in spent(before, after).items()}
    context.add({"part": "own", "run": run}, {"answered_per_second": outcome["answered_per_second"], **cpu})


def best_of(context: Context, world: World, who: str, server: Server, run: int) -> None:
    """The first run asks with each number of connections, the others with the one that was best."""
    part, window = context.plan.section("booking"), context.plan.section("window")
    counts = part["connections"] if run == 0 else [world.chosen.get(who, part["connections"][0])]
    found = {count: pipelined(server, world.scripts, part["statements"], count, window) for count in counts}
    best = max(found, key=lambda count: float(found[count]["answered_per_second"]))
    world.chosen.setdefault(who, best)
    tried = {str(count): round(result["answered_per_second"]) for count, result in found.items()}
    context.add({"part": who, "run": run}, {**found[best], "tried": tried})


def pipelines(context: Context, world: World, run: int) -> None:
    """pgbench in pipelines, against the cluster's PostgreSQL port."""
    best_of(context, world, "pipelines", world.daedalus(), run)


def postgres(context: Context, world: World, run: int) -> None:
    """Measures the same mix against PostgreSQL with the matching indexes."""
    best_of(context, world, "postgres", world.peer(), run)


EVERY_RUN: tuple[Any, ...] = (answers, own, pipelines, postgres)
