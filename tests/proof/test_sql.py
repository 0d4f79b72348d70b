"""The proof of SQL over one table: its judge on made-up points, its statements, and a quick run of some of it."""

from __future__ import annotations

import json
import os
import subprocess
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from experiments.harness.claims import Claim
from experiments.harness.record import ROOT, Run
from experiments.sql.claims import judge, published
from experiments.sql.statements import any_queries, q6_variants, residuals
from experiments.sql.world import PROGRAM, agree


def made_up(part: str, result: dict[str, Any]) -> Run:
    return Run("sql", "hash", "commit", {}, "now", {"part": part}, result, None)


def claim(runs: list[Run], beginning: str) -> Claim:
    return next(each for each in judge(runs) if each.name.startswith(beginning))


def test_nothing_measured_is_nothing_met() -> None:
    assert not any(each.is_met for each in judge([]))
    assert published([]) == []


def test_times_are_compared_run_by_run() -> None:
    runs = [made_up("q6", {"ms": [1.0, 2.0], "duck_ms": [2.0, 2.0]}), made_up("q1", {"ms": [4.0], "duck_ms": [2.0]})]
    assert claim(runs, "TPC-H Q6").ratios == (0.5, 1.0)
    assert claim(runs, "TPC-H Q6").is_met
    assert not claim(runs, "TPC-H Q1").is_met


def test_many_at_once_are_held_against_one_at_a_time() -> None:
    runs = [
        made_up("variants_few", {"ms": [10.0], "duck_ms": [160.0]}),
        made_up("variants_many", {"ms": [10.0], "duck_ms": [590.0]}),
    ]
    assert claim(runs, "64 variants").is_met
    assert not claim(runs, "512 variants").is_met


def test_a_residual_may_take_a_share_of_the_rate() -> None:
    assert claim([made_up("beside", {"ms": [10.0], "without_ms": [7.1]})], "512 any-query").is_met
    assert not claim([made_up("beside", {"ms": [10.0], "without_ms": [6.9]})], "512 any-query").is_met
    assert claim([made_up("residuals", {"ms": [1_900.0]})], "512 statements that are").is_met


def test_one_wrong_answer_is_one_too_many() -> None:
    fine, bad = ({"ms": [1.0], "read_ms": [1.0], "checked": 1, "wrong": wrong} for wrong in (0, 1))
    measured = claim([made_up("product", bad)], "answers that are not")
    assert measured.is_about_answers
    assert not measured.is_met
    assert claim([made_up("product", fine)], "answers that are not").is_met


def test_a_build_may_be_as_dear_as_the_old_one_is_to_itself() -> None:
    point = {"part": "builds", "mix": "booking", "queries": 64, "updates": 0}
    times = {"old_ms": [1.0, 1.0, 1.0], "ms": [1.05, 1.06, 1.07], "again_ms": [1.0, 1.0, 1.0]}
    dear, alike = (
        Run("sql", "hash", "commit", {}, "now", point, {**times, **more}, None)
        for more in ({}, {"again_ms": [1.0, 1.08, 1.2]})
    )
    assert not claim([dear], "booking, 64 queries").is_met
    assert claim([alike], "booking, 64 queries").is_met


def test_refusals_and_known_differences_have_a_limit() -> None:
    few = {"asked": 100, "answered": 80, "refused": 4, "listed": 1, "different": 0}
    assert claim([made_up("statements", few)], "of those").is_met
    assert not claim([made_up("statements", {**few, "refused": 5})], "of those").is_met
    assert claim([made_up("statements", few)], "the same, on the list").is_met
    assert not claim([made_up("statements", {**few, "listed": 2})], "the same, on the list").is_met


def test_one_statement_that_differs_is_one_too_many() -> None:
    few = {"asked": 100, "answered": 80, "refused": 4, "listed": 1, "different": 0}
    assert claim([made_up("statements", few)], "random statements").is_met
    assert not claim([made_up("statements", {**few, "different": 1})], "random statements").is_met


def test_answers_agree_digit_by_digit_and_averages_nearly() -> None:
    assert agree("1.50|A;2.00|B", [(Decimal("1.5"), "A"), (Decimal("2"), "B")])
    assert not agree("1.51|A", [(Decimal("1.5"), "A")])
    assert agree("25.54199649", [(25.54199649,)])
    assert not agree("25.542", [(25.54199649,)])
    assert agree("-", [(None,)])
    assert not agree("1", [(1,), (2,)])


def test_the_same_seed_gives_the_same_statements() -> None:
    assert q6_variants(8, 1) == q6_variants(8, 1) != q6_variants(8, 2)
    assert len(set(residuals(64, 1))) > 16
    plain, computed = (any_queries(40, 3, 10, with_residual=wanted) for wanted in (False, True))
    assert [len(after) > len(before) for before, after in zip(plain, computed, strict=True)].count(True) == 4


@pytest.mark.skipif(not PROGRAM.exists(), reason="not run: the programs are not built")
@pytest.mark.skipif(os.environ.get("DAEDALUS_SOAK") != "1", reason="`make soak`: it wants a machine of its own")
def test_a_quick_run_measures_without_a_failure(tmp_path: Path) -> None:
    parts = "alone,variants,product,residual_cycles"
    finished = subprocess.run(
        [ROOT / "experiments" / "proof" / "sql", "--quick", f"--parts={parts}", f"--output={tmp_path}"],
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    verdict = json.loads((tmp_path / "proof.json").read_text())
    assert verdict["failures"] == [], finished.stdout + finished.stderr
    assert next(each for each in verdict["claims"] if each["claim"].startswith("answers"))["met"]
