"""Runs the programs of clients beside a plain PostgreSQL 15, prints what works and what is refused, and keeps what they
sent for tests/postgres/test_sent_statements.py.

.venv/bin/python tests/clients/run.py [KEY…]          installs and runs all or some; writes their rows of the page
.venv/bin/python tests/clients/run.py --check [KEY…]  writes nothing: fails where a step ends otherwise than it may, or
                                                      the page says something else of a client that was run
.venv/bin/python tests/clients/run.py --install [KEY…]  installs and does not run
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
for folder in ("", "oracle", "support", "../schema_compiler"):
    sys.path.insert(0, str(TESTS / folder))

from recorded import Recorded, record  # noqa: E402
from sent import REFUSALS, Sent, few_of_each_shape, is_kept, keep, say_to_both  # noqa: E402

from clients.install import install, missing_reason  # noqa: E402 - it lies in a folder that was just named
from clients.page import HEAD, PAGE, Outcome, rows_of, written_page  # noqa: E402
from clients.pins import Client, read_clients  # noqa: E402
from clients.servers import Servers, between, running_servers  # noqa: E402
from clients.steps import Step, compare, run_program  # noqa: E402

COMPLAINT_MAX = 1_500


def run_through(client: Client, dsn: str) -> list[Step]:
    """The steps of a client's program, through what stands between it and a server."""
    with between(client.through, dsn) as there:
        return run_program(client, there)


def try_client(client: Client, servers: Servers, *, writes: bool) -> tuple[Outcome, list[str]]:
    """Runs a client's program at each server; its outcome, and what was answered wrongly."""
    reason = missing_reason(client)
    if reason:
        return Outcome(client, {}, {}, reason), []
    servers.fill()
    expected: list[Step] = []
    recorded = record(servers.postgres, client.key, lambda dsn: expected.extend(run_through(client, dsn)), is_kept)
    outcome = Outcome(
        client,
        compare(expected, run_through(client, servers.refusing)),
        compare(expected, run_through(client, servers.immediate), stays=True),
    )
    wrong = [f"{client.title}: {step.name}: PostgreSQL says {step.said}" for step in expected if step.code]
    return outcome, [*wrong, *outcome.different, *say_again(client, recorded, servers, writes=writes)]


def say_again(client: Client, recorded: list[Recorded], servers: Servers, *, writes: bool) -> list[str]:
    """Says to two servers what was recorded, and keeps it; what they answered in different ways without a refusal."""
    statements = few_of_each_shape(recorded)
    servers.fill()
    mismatches = say_to_both(statements, servers.postgres, servers.refusing)
    refused = {each.statement for each in mismatches if each.found.sqlstate in REFUSALS}
    if writes:
        keep(client.key, [Sent(each, each in refused) for each in statements], servers.postgres)
    return [str(each) for each in mismatches if each.statement not in refused]


def stale_rows(outcomes: list[Outcome]) -> list[str]:
    """The rows of clients that were run and that the page does not have."""
    there = set(PAGE.read_text(encoding="utf-8").splitlines())
    rows = [row for outcome in outcomes if not outcome.not_run for row in rows_of(outcome)]
    return [f"the page does not say: {row}" for row in rows if row not in there]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("keys", nargs="*", metavar="KEY", help="a client of clients.toml")
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("--install", action="store_true", help="install and do not run")
    arguments = parser.parse_args()
    clients = read_clients(arguments.keys)
    for client in clients:
        print(f"{client.title}: {install(client) or 'installed'}", flush=True)
    if arguments.install:
        return 0
    outcomes, wrong = [], []
    print("\n".join(HEAD))
    with running_servers() as servers:
        for client in clients:
            outcome, complaints = try_client(client, servers, writes=not arguments.check)
            outcomes.append(outcome)
            wrong += complaints
            print("\n".join(rows_of(outcome)), flush=True)
    if arguments.check:
        wrong += stale_rows(outcomes)
    else:
        PAGE.write_text(written_page(PAGE.read_text(encoding="utf-8"), outcomes, read_clients()), encoding="utf-8")
    print("\n".join(each[:COMPLAINT_MAX] for each in wrong), file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
