"""The proof of the way in and out: its judge on made-up points, its small parts, and a quick run of some of it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from experiments.end_to_end.alone import TICKETS, column_names
from experiments.end_to_end.claims import judge, published
from experiments.end_to_end.measure import VoidPointError, cpu_us
from experiments.end_to_end.parts import best_of
from experiments.end_to_end.postgres import branching_script, progress, write_scripts
from experiments.end_to_end.world import World
from experiments.harness.claims import Claim
from experiments.harness.cpu import Usage
from experiments.harness.peak import errors
from experiments.harness.plan import read_plan, resolved
from experiments.harness.postgres import BIN
from experiments.harness.record import ROOT, Run


def made_up(part: str, result: dict[str, Any] | None, run: int = 0) -> Run:
    failure = None if result is not None else "made up"
    return Run("end_to_end", "hash", "commit", {}, "now", {"part": part, "run": run}, result, failure)


def named(claims: list[Claim], beginning: str) -> Claim:
    return next(claim for claim in claims if claim.name.startswith(beginning))


def peak(rate: float, **more: Any) -> dict[str, Any]:
    cpu = {f"{who}_us": 1.0 for who in ("client", "aggregator", "node", "sweep", "rest", "all")}
    return {"answered_per_second": rate, "busiest_client_thread": 0.5, "concurrency": 512, **cpu, **more}


def test_a_claim_is_the_median_of_ratios_within_one_run() -> None:
    rates = [(1_200.0, 1_000.0), (2_600.0, 2_000.0), (900.0, 900.0)]
    runs = [made_up("booking", peak(ours), run) for run, (ours, _) in enumerate(rates)]
    runs += [made_up("pgbench", peak(theirs), run) for run, (_, theirs) in enumerate(rates)]
    claim = named(judge(runs), "booking, peak: times PostgreSQL under pgbench")
    assert claim.ratios == (1.2, 1.3, 1.0)
    assert claim.is_met
    assert claim.line().endswith("| ≥ 1.2 | 1.2 | 1 to 1.3, quartile 1.1, n 3 | met")


def test_a_run_whose_peer_failed_is_void_and_the_others_count() -> None:
    runs = [made_up("booking", peak(100.0), run) for run in range(3)]
    runs += [made_up("pgbench", peak(10.0), 0), made_up("pgbench", None, 1), made_up("pgbench", peak(50.0), 2)]
    assert named(judge(runs), "booking, peak: times PostgreSQL under pgbench").ratios == (10.0, 2.0)


def test_a_claim_without_a_measurement_is_not_met() -> None:
    claims = judge([made_up("booking", None)])
    assert claims
    assert not [claim for claim in claims if claim.is_met]
    assert all("not measured" in claim.line() for claim in claims)


def test_every_row_of_the_table_has_a_claim() -> None:
    claims = judge([])
    beginnings = (
        "booking, peak: times PostgreSQL under", "booking, peak: times PostgreSQL through", "booking beside updates",
        "CPU of a booking query, all", "any-query", "sharing factor", "one query in flight", "a statement never seen",
        "aggregator CPU of a routed", "rows passed on", "rows decoded",
    )  # fmt: skip
    for beginning in beginnings:
        assert named(claims, beginning).name.startswith(beginning)


def test_a_cluster_that_falls_behind_its_updates_proves_nothing_beside_them() -> None:
    def judged(reached: float) -> Claim:
        ours = peak(100.0, updates_wanted=5_000, updates_per_second=reached)
        theirs = {"answered_per_second": 10.0, "updates_wanted": 5_000, "updates_per_second": 3_000.0}
        runs = [made_up("updates", ours), made_up("pgbench_updates", theirs)]
        return named(judge(runs), "booking beside updates")

    assert judged(4_990).is_met
    assert not judged(4_000).is_met
    assert "the cluster confirmed 4,000 of 5,000 updates/s (short)" in judged(4_000).note
    assert "PostgreSQL confirmed 3,000 of 5,000 updates/s (short)" in judged(4_990).note


def test_the_better_peer_of_each_run_is_the_one_to_beat() -> None:
    runs = [made_up("any", peak(1_000.0)), made_up("any_alone", peak(10.0))]
    runs += [made_up("any_duck", {"answered_per_second": 20.0}), made_up("any_postgres", {"answered_per_second": 25.0})]
    claims = judge(runs)
    assert named(claims, "any-query, every statement new").measured == 40
    assert named(claims, "sharing factor").measured == 100


def test_a_generator_that_was_the_limit_is_told() -> None:
    runs = [made_up("booking", peak(1.0, busiest_client_thread=share), run) for run, share in enumerate((0.95, 0.3))]
    assert "the load generator was the limit in 1 of 2 runs" in named(judge(runs), "booking, peak").note


def test_one_in_flight_counts_beyond_half_a_cycle() -> None:
    claim = named(judge([made_up("one_in_flight", peak(1.0, p50_ms=1.5, cycle_ms=2.5))]), "one query in flight")
    assert claim.measured == pytest.approx(0.25)
    assert claim.is_met


def test_an_invalid_run_of_the_driver_is_told_and_does_not_count() -> None:
    result = {"aggregator_us": 1.0, "driver_us": 0.9}
    claim = named(judge([made_up("routed_invalid", result), made_up("routed", None)]), "aggregator CPU of a routed")
    assert claim.measured is None
    assert "1 runs invalid" in claim.note


def test_wrong_answers_are_a_claim_of_their_own() -> None:
    assert named(judge([made_up("answers", {"wrong": 0})]), "answers").is_met
    assert not named(judge([made_up("answers", {"wrong": 1})]), "answers").is_met
    assert named(judge([]), "answers").is_about_answers


def test_figures_without_a_target_are_published() -> None:
    assert "rows merged in order, a second of a core: 1,500,000" in published(
        [made_up("rows_merged", {"rows_per_aggregator_second": 1_500_000.0})]
    )


def test_cpu_time_is_that_of_the_sweep_of_the_rest_of_the_node_and_of_the_kernel() -> None:
    nothing = Usage(0, 0)
    before = {
        "node-0": {0: Usage(1, 1), 10: Usage(1, 1)},
        "client": {0: nothing, 20: nothing},
        "aggregator-0": {0: nothing, 30: nothing},
        "writer": {0: nothing, 40: nothing},
    }
    after = {
        # The scan thread, 11, began meanwhile.
        "node-0": {0: Usage(6, 2), 10: Usage(3, 1.5), 11: Usage(3, 0.5)},
        "client": {0: Usage(2, 1), 20: Usage(2, 1)},
        "aggregator-0": {0: Usage(7, 3), 30: Usage(7, 3)},
        "writer": {0: Usage(0.5, 0.5), 40: Usage(0.5, 0.5)},
    }
    found = cpu_us(before, after, 1_000_000)
    assert found == {
        "client_us": 2, "aggregator_us": 7, "node_us": 2, "sweep_us": 3, "rest_us": 1 + 1 + 3 + 1, "all_us": 20,
    }  # fmt: skip
    with pytest.raises(VoidPointError):
        cpu_us(before, after, 0)


def test_the_first_run_looks_for_the_best_and_the_others_keep_to_it() -> None:
    world = World.__new__(World)
    world.chosen = {}
    asked = []

    def ask(count: int) -> dict[str, Any]:
        asked.append(count)
        return {"answered_per_second": {4: 10.0, 8: 30.0, 16: 20.0}[count]}

    first = best_of(world, "pgbench", 0, [4, 8, 16], ask)
    assert (first["concurrency"], first["tried"]) == (8, {"4": 10, "8": 30, "16": 20})
    assert best_of(world, "pgbench", 1, [4, 8, 16], ask)["concurrency"] == 8
    assert asked == [4, 8, 16, 8]


def test_beside_updates_the_best_is_one_that_reached_them() -> None:
    world = World.__new__(World)
    world.chosen = {}
    results = {
        512: {"answered_per_second": 10.0, "updates_reached": True},
        4096: {"answered_per_second": 30.0, "updates_reached": False},
    }
    assert best_of(world, "updates", 0, [512, 4096], results.__getitem__)["concurrency"] == 512


def test_scripts_for_pgbench_hold_every_statement_once(tmp_path: Path) -> None:
    assert branching_script(["A", "B"]) == (
        "\\set which random(1, 2)\n\\if :which = 1\nA;\n\\elif :which = 2\nB;\n\\endif\n"
    )
    paths = write_scripts([f"SELECT {number}" for number in range(7)], 3, tmp_path)
    assert [path.name for path in paths] == ["booking-0.sql", "booking-1.sql"]
    assert "SELECT 5;" in paths[1].read_text()


def test_seconds_are_read_from_what_pgbench_says() -> None:
    said = "pgbench (15)\nprogress: 1.0 s, 100.5 tps, lat 1 ms stddev 0, 0 failed\nprogress: 2.0 s, 300.0 tps, lat 1\n"
    assert progress(said) == [100.5, 300.0]


def test_all_ways_to_end_in_an_error_are_errors() -> None:
    assert errors({"refused": 1, "expired": 2, "failed": 4, "unknown": 8, "answered": 100}) == 15


def test_the_columns_of_the_tickets_are_read_from_their_ddl() -> None:
    names = column_names(TICKETS.read_text())
    assert (names[0], names[-1], len(names)) == ("rloc", "phone", 47)


def test_the_plan_is_quick_where_that_is_asked_for() -> None:
    plan = read_plan(ROOT / "experiments" / "end_to_end")
    assert resolved(plan, is_quick=False).section("window")["runs"] == 5
    assert resolved(plan, is_quick=True).section("window")["runs"] == 1
    assert resolved(plan, is_quick=True).config_hash != resolved(plan, is_quick=False).config_hash


@pytest.mark.skipif(os.environ.get("DAEDALUS_SOAK") != "1", reason="`make soak`: it wants a machine of its own")
@pytest.mark.skipif(not (BIN / "pgbench").exists(), reason="PostgreSQL 15 is not installed")
def test_a_quick_run_measures_without_a_failure_and_without_a_wrong_answer(tmp_path: Path) -> None:
    parts = "answers,booking,pgbench,jdbc,updates,pgbench_updates,one_in_flight,routed"
    finished = subprocess.run(
        [ROOT / "experiments" / "proof" / "end_to_end", "--quick", f"--parts={parts}", f"--output={tmp_path}"],
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert finished.returncode == 0, finished.stdout + finished.stderr
    verdict = json.loads((tmp_path / "proof.json").read_text())
    assert verdict["failures"] == []
    measured = {json.loads(line)["point"]["part"] for line in (tmp_path / "runs.jsonl").read_text().splitlines()}
    assert measured == set(parts.split(","))
    assert "| aggregator CPU of a routed" in (tmp_path / "proof.md").read_text()
