"""The load generator against real clusters: what was due is counted once, apart, and a run ends in time."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from local_cluster import ROOT, LocalCluster, local_cluster, run_command

GENERATOR = ROOT / "bin" / "daedalus-load-generator"
WORKLOAD = ROOT / "bin" / "daedalus-workload"
TICKETS_DDL = (ROOT / "schemas" / "tickets.sql").read_text()
TICKETS = 5_000
SEED = 11
SMALL = ("--storage-nodes", "1", "--segments", "1", "--segment-mib", "32", "--partition-by", "hash(rloc)")
ENDS = ("answered", "refused", "expired", "failed", "unknown", "not_sent", "unanswered")
# However slow the machine, what is due leaves: where the generator's own lateness is not the point.
PATIENT = ("--late-ms-max", "60000", "--warm-up-seconds", "0")


@pytest.fixture(scope="module")
def flights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The schedule that tickets are sold on."""
    file = tmp_path_factory.mktemp("flights") / "flights.csv"
    written = run_command(sys.executable, ROOT / "schemas" / "flights_csv.py", "--output", file)
    assert written.code == 0, written.said
    return file


@pytest.fixture(scope="module")
def tickets(flights: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCluster]:
    """A small cluster with some thousand tickets."""
    base = tmp_path_factory.mktemp("tickets")
    rows = base / "tickets.csv"
    sold = run_command(
        WORKLOAD, "tickets", "--flights", flights, "--tickets", str(TICKETS), "--seed", str(SEED), "--out", rows
    )
    assert sold.code == 0, sold.said
    with local_cluster(base, TICKETS_DDL, *SMALL) as running:
        loaded = running.run_daedalus("load", rows)
        assert loaded.code == 0, loaded.said
        yield running


def command(cluster: LocalCluster, flights: Path, *options: object) -> list[str]:
    """The command line of a run."""
    fixed = ["queries", "--cluster", cluster.address, "--flights", flights, "--tickets", TICKETS]
    return [str(each) for each in (GENERATOR, *fixed, "--tickets-seed", SEED, *options)]


def run(cluster: LocalCluster, flights: Path, *options: object) -> tuple[Any, str]:
    """A run's outcome, and what it said beside."""
    answer = run_command(*command(cluster, flights, *options))
    assert answer.code == 0, answer.said
    return outcome_of(answer.out), answer.err


def outcome_of(out: str) -> Any:
    """A run's outcome."""
    outcome = json.loads(out)
    check(outcome)
    return outcome


def check(outcome: Any) -> None:
    """Checks that each request that was due has come to exactly one end."""
    for kind in (outcome, outcome.get("updates", outcome)):
        assert kind["offered"] == sum(kind[end] for end in ENDS), outcome
        assert kind["not_sent"] == sum(kind["not_sent_because"].values()), outcome
        assert kind["unanswered"] == 0, outcome


def test_updates_are_offered_beside_queries_and_take_effect(tickets: LocalCluster, flights: Path) -> None:
    before = tickets.value("SELECT count(*) FROM tickets WHERE changed_at >= '2013-02-08 07:00:00'")
    outcome, said = run(
        tickets, flights, "--rate", 120, "--update-rate", 80, "--seconds", 2, "--drain-seconds", 60, *PATIENT
    )
    updates = outcome["updates"]
    assert 150 <= outcome["offered"] <= 350
    assert outcome["answered"] == outcome["offered"], outcome
    assert 100 <= updates["offered"] <= 230
    assert updates["answered"] == updates["offered"], outcome
    assert updates["rows"] > 0
    assert updates["latency_ms"]["50"] > 0
    assert len(updates["per_second"]) == len(outcome["per_second"])
    after = tickets.value("SELECT count(*) FROM tickets WHERE changed_at >= '2013-02-08 07:00:00'")
    assert after > before, "the changes are in the table"
    assert "queries: " in said
    assert "updates: " in said


def test_a_deadline_that_nothing_keeps_gives_expired_queries_and_unknown_updates(
    tickets: LocalCluster, flights: Path
) -> None:
    outcome, said = run(
        tickets, flights, "--rate", 400, "--update-rate", 100, "--seconds", 2, "--deadline-ms", 1, *PATIENT
    )
    assert outcome["expired"] > 0, outcome
    assert (outcome["refused"], outcome["failed"], outcome["unknown"]) == (0, 0, 0), outcome
    assert outcome["updates"]["unknown"] > 0, outcome
    assert (outcome["updates"]["refused"], outcome["updates"]["failed"]) == (0, 0), outcome
    assert " expired" in said
    assert " unknown" in said


def test_a_run_names_the_in_flight_maximum_that_held_it_back(tickets: LocalCluster, flights: Path) -> None:
    outcome, said = run(tickets, flights, "--rate", 2_000, "--seconds", 2, "--in-flight-max", 1, *PATIENT)
    assert outcome["not_sent_because"]["in_flight_max"] > 100, outcome
    assert outcome["refused"] == 0, outcome
    assert outcome["answered"] > 0, outcome
    assert outcome["generator_limited"] is True
    assert "NOTE: the in-flight maximum held the generator back" in said


def test_a_rate_beyond_the_generator_ends_in_time_and_says_that_it_was_behind(
    tickets: LocalCluster, flights: Path
) -> None:
    options = ("--rate", 1_000_000, "--seconds", 2, "--warm-up-seconds", 0, "--drain-seconds", 5)
    started = time.monotonic()
    outcome, said = run(tickets, flights, *options, "--in-flight-max", 1_000_000, "--late-ms-max", 1)
    took = time.monotonic() - started
    assert outcome["offered"] > 1_900_000
    assert outcome["not_sent_because"]["behind_schedule"] > 100_000, outcome
    assert outcome["generator_limited"] is True
    assert "NOTE: the generator was behind its own schedule" in said
    assert took < 60, "2 s of load and 5 s of draining, beside starting and making queries"


def test_a_closed_loop_keeps_so_many_in_flight_and_counts_what_ends_in_time(
    tickets: LocalCluster, flights: Path
) -> None:
    answer = run_command(
        *command(tickets, flights, "--in-flight", 32, "--update-rate", 20, "--seconds", 2, "--warm-up-seconds", 1)
    )
    assert answer.code == 0, answer.said
    outcome = json.loads(answer.out)
    assert (outcome["loop"], outcome["updates"]["loop"]) == ("closed", "open")
    assert outcome["in_flight_max"] == 32
    assert outcome["answered"] > 100, outcome
    assert outcome["seconds"] == pytest.approx(2, abs=0.01), "answers that came later do not count"
    assert outcome["offered"] == sum(outcome[end] for end in ENDS), outcome
    assert outcome["unanswered"] <= 32, outcome
    assert (outcome["refused"], outcome["expired"], outcome["failed"]) == (0, 0, 0), outcome
    assert outcome["generator"]["cpu_us_per_request"] > 0
    assert 0 < outcome["generator"]["busiest_thread_share"] <= 1.1
    assert "32 in flight: " in answer.err
    assert "the generator itself: " in answer.err


def test_every_count_is_explained(tickets: LocalCluster) -> None:
    told = run_command(GENERATOR, "queries", "--help")
    assert told.code == 0
    for word in (*ENDS[:5], "not sent", "unanswered", "--update-rate", "--in-flight"):
        assert word in told.out
    either = (("--rate", "1", "--in-flight", "1"), ())
    wrongs = (("--rate", "0"), ("--in-flight", "0"), ("--rate", "1", "--deadline-ms", "99999"), ("--rate", "2000000"))
    for wrong in (*wrongs, *either):
        refused = run_command(
            GENERATOR, "queries", "--cluster", tickets.address, "--tickets", "1", "--tickets-seed", "1", *wrong
        )
        assert refused.code == 2, refused.said


def test_a_cluster_that_is_stopped_under_load_gives_failed(tickets: LocalCluster, flights: Path) -> None:
    """The last of these tests: the cluster is gone then."""
    options = ("--rate", 100, "--update-rate", 20, "--seconds", 5, "--drain-seconds", 5, *PATIENT)
    process = subprocess.Popen(
        command(tickets, flights, *options), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    assert any("answered/s" in line for line in iter(process.stderr.readline, ""))
    assert tickets.run_daedalus("down", "--data-dir", tickets.directory).code == 0
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, out + err
    outcome = outcome_of(out)
    assert outcome["answered"] > 0, outcome
    assert outcome["failed"] > 100, outcome
    assert outcome["refused"] == 0, outcome
    assert outcome["updates"]["failed"] + outcome["updates"]["unknown"] > 20, outcome
    assert "last_failure" in outcome
