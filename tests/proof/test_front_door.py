"""The proof of clients of PostgreSQL: its judge on made-up points, its small parts, and a quick run."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from experiments.front_door.catalogue import p99
from experiments.front_door.claims import judge, published
from experiments.front_door.pipelines import pipeline_script, spent, write_pipelines
from experiments.harness.claims import Claim
from experiments.harness.cpu import Usage
from experiments.harness.postgres import BIN
from experiments.harness.record import ROOT, Run


def made_up(part: str, result: dict[str, Any] | None, run: int = 0) -> Run:
    failure = None if result is not None else "made up"
    return Run("front_door", "hash", "commit", {}, "now", {"part": part, "run": run}, result, failure)


def named(claims: list[Claim], words: str) -> Claim:
    return next(claim for claim in claims if words in claim.name)


def test_rates_and_cpu_are_compared_within_one_run() -> None:
    runs = [
        made_up("own", {"answered_per_second": 10.0, "aggregator_us": 10.0}),
        made_up("pipelines", {"answered_per_second": 300.0, "aggregator_us": 12.0, "node_us": 3.0, "writer_us": 1.0}),
        made_up("postgres", {"answered_per_second": 100.0, "postgres_us": 64.0}),
        made_up("pipelines", {"answered_per_second": 300.0, "aggregator_us": 12.0}, run=1),
        made_up("copy", {"load": 100.0, "copy": 90.0}),
    ]
    claims = judge(runs)
    assert named(claims, "times Daedalus's own protocol").ratios == (1.2,)
    assert named(claims, "times PostgreSQL with the matching").ratios == (3.0,)
    assert named(claims, "server CPU of a query").ratios == (0.25,)
    assert named(claims, "rows by COPY").ratios == (0.9,)
    assert "CPU of a query in PostgreSQL: 64 µs" in published(runs)


def test_a_claim_without_a_measurement_is_not_met() -> None:
    claims = judge([made_up("pipelines", None)])
    assert claims
    assert not [claim for claim in claims if claim.is_met]


def test_wrong_answers_are_a_claim_of_their_own() -> None:
    assert named(judge([made_up("answers", {"wrong": 0})]), "answers").is_met
    assert not named(judge([made_up("answers", {"wrong": 2})]), "answers").is_met


def test_recorded_statements_are_counted_apart() -> None:
    runs = [
        Run("front_door", "hash", "commit", {}, "now", {"part": "recorded", "of": of}, {"percent": percent}, None)
        for of, percent in (("catalogue", 99.5), ("table", 96.0))
    ]
    claims = judge(runs)
    assert not named(claims, "over the catalogue, answered").is_met
    assert named(claims, "over the table, %").is_met


def test_a_script_is_one_pipeline(tmp_path: Path) -> None:
    assert pipeline_script(["SELECT 1", "SELECT 2"]) == "\\startpipeline\nSELECT 1;\nSELECT 2;\n\\endpipeline\n"
    paths = write_pipelines([f"SELECT {number}" for number in range(7)], 3, tmp_path)
    assert [path.name for path in paths] == ["pipeline-0.sql", "pipeline-1.sql"]


def test_cpu_is_counted_by_kind_and_from_the_start_of_what_is_new() -> None:
    before = {"node-0": Usage(1.0, 1.0)}
    after = {"node-0": Usage(2.0, 1.5), "node-1": Usage(0.25, 0.0), "aggregator-0": Usage(3.0, 0.0)}
    assert spent(before, after) == {"node": 1.75, "aggregator": 3.0}


def test_the_99th_of_a_hundred_and_the_last_of_few() -> None:
    assert p99([float(value) for value in range(100, 0, -1)]) == 99
    assert p99([float(value) for value in range(1000)]) == 989
    assert p99([3.0, 1.0]) == 3


@pytest.mark.skipif(os.environ.get("DAEDALUS_SOAK") != "1", reason="`make soak`: it wants a machine of its own")
@pytest.mark.skipif(not (BIN / "pgbench").exists(), reason="PostgreSQL 15 is not installed")
def test_a_quick_run_measures_without_a_failure_and_without_a_wrong_answer(tmp_path: Path) -> None:
    finished = subprocess.run(
        [ROOT / "experiments" / "proof" / "front_door", "--quick", f"--output={tmp_path}"],
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert finished.returncode == 0, finished.stdout + finished.stderr
    verdict = json.loads((tmp_path / "proof.json").read_text())
    assert verdict["failures"] == []
    assert "server CPU of a query" in (tmp_path / "proof.md").read_text()
