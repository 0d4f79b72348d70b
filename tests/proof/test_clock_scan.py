"""The proof of the Clock Scan engine still works: every part of it on small tables, and its judge on made-up points."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from experiments.clock_scan.ablation import PATHS, ablation_table
from experiments.clock_scan.bench import Bench
from experiments.clock_scan.claims import judge, published
from experiments.clock_scan.context import resolved
from experiments.clock_scan.form_claims import form_table
from experiments.clock_scan.publish import NAME, TELLING, publish, telling_lines
from experiments.clock_scan.run import run_group
from experiments.harness.claims import Claim
from experiments.harness.context import Context
from experiments.harness.plan import read_plan
from experiments.harness.readme import marks
from experiments.harness.record import ROOT, Records, Run


@pytest.fixture(scope="module")
def proof(tmp_path_factory: pytest.TempPathFactory, daedalus_seed: int) -> Path:
    """The output folder of a quick run."""
    folder = tmp_path_factory.mktemp("clock_scan")
    finished = subprocess.run(
        [ROOT / "experiments" / "proof" / "clock_scan", "--quick", f"--output={folder}"],
        env={**os.environ, "DAEDALUS_SEED": str(daedalus_seed)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return folder


def test_every_part_measures_without_a_failure_and_without_a_wrong_answer(proof: Path) -> None:
    verdict = json.loads((proof / "proof.json").read_text())
    answers = [claim for claim in verdict["claims"] if claim["claim"].startswith("answers")]
    assert verdict["failures"] == []
    assert [claim["met"] for claim in answers] == [True]
    measured = {json.loads(line)["point"]["part"] for line in (proof / "runs.jsonl").read_text().splitlines()}
    assert {"size", "keys", "classic", "index", "updates", "sum", "duck", "duck_batch", "many", "grid"} <= measured
    assert {"planner", "sizes", "segments", "steady"} <= measured
    assert {"skewed", "updates_alone", "forms", "planner_on_forms", "ablation"} <= measured
    table = (proof / "proof.md").read_text()
    assert "\n| IN of 100 | 47 | 1 | " in table
    assert "\n| an index over operations | " in table
    assert "cycle / reading what the sweep reads: " in table


def test_pictures_are_drawn_from_the_same_run(proof: Path) -> None:
    assert sorted(path.name for path in proof.glob("*.png")) == ["cycle_over_queries.png", "cycle_over_rows.png"]


def test_a_part_that_fails_is_recorded_and_the_next_one_measures(tmp_path: Path, daedalus_seed: int) -> None:
    plan = resolved(read_plan(ROOT / "experiments" / "clock_scan"), is_quick=True, rows=2_000)
    context = Context(plan, Records(tmp_path / "runs.jsonl", plan.name, plan.config_hash), daedalus_seed)

    def part_that_fails(_: Context, bench: Bench) -> None:
        bench.ask("no such command")

    def part_that_measures(_: Context, bench: Bench) -> None:
        context.add({"part": "size"}, bench.ask_one("size"))

    run_group(context, (part_that_fails, part_that_measures))
    failed, measured = context.runs
    assert failed.point == {"part": "part_that_fails"}
    assert "BenchError" in (failed.failure or "")
    assert measured.result is not None
    assert measured.result["rows"] == 2_000


def test_a_part_beyond_the_time_limit_is_recorded_and_not_started(tmp_path: Path, daedalus_seed: int) -> None:
    plan = resolved(read_plan(ROOT / "experiments" / "clock_scan"), is_quick=True, rows=2_000)
    context = Context(plan, Records(tmp_path / "runs.jsonl", plan.name, plan.config_hash), daedalus_seed)
    context.started -= plan.section("limits")["minutes"] * 60 + 1

    def part(_: Context, __: Bench) -> None:
        pytest.fail("it was started")

    run_group(context, (part,))
    assert "OutOfTimeError" in (context.runs[0].failure or "")


def test_publishing_puts_the_whole_table_beside_the_experiment_and_telling_lines_into_the_readme(
    proof: Path, tmp_path: Path
) -> None:
    folder, readme = tmp_path / "clock_scan", tmp_path / "README.md"
    folder.mkdir()
    for file in (folder / "README.md", readme):
        file.write_text("before\n{}old\n{}after\n".format(*marks(NAME)))
    publish(proof, folder, readme)
    whole, told = (folder / "README.md").read_text(), readme.read_text()
    assert (proof / "proof.md").read_text() in whole
    assert whole.startswith("before\n")
    assert told.endswith("after\n")
    assert told.count("\n| ") == 2 + len(TELLING)
    for picture in ("cycle_over_rows.png", "cycle_over_queries.png"):
        assert f"]({picture})" in whole
        assert (folder / picture).is_file()


def test_the_page_of_experiments_tells_of_the_published_run_with_all_that_it_does_not_meet() -> None:
    verdict = json.loads((ROOT / "experiments" / "clock_scan" / "proof.json").read_text())
    told = telling_lines(verdict)
    assert told in (ROOT / "experiments" / "README.md").read_text()
    missed = [claim["claim"] for claim in verdict["claims"] if not claim["met"] and not claim["stretch"]]
    assert missed
    for name in missed:
        assert name in told.split("NOT MET: ")[1]


def made_up(part: str, result: dict[str, Any] | None, **point: Any) -> Run:
    failure = None if result is not None else "made up"
    return Run("clock_scan", "hash", "commit", {}, "now", {"part": part, **point}, result, failure)


def named(claims: list[Claim], beginning: str) -> list[Claim]:
    return [claim for claim in claims if claim.name.startswith(beginning)]


def test_a_claim_is_met_by_the_median_of_ratios() -> None:
    result = {"engine_ms": [1.0, 1.0, 4.0], "classic_ms": [60.0, 51.0, 40.0], "classic_plus_ms": [17.0, 30.0, 4.0]}
    claims = judge([made_up("classic", result, mix="booking", queries=512)])
    (classic,) = named(claims, "booking, 512 queries: times classic")[:1]
    (plus,) = named(claims, "booking, 512 queries: times classic+")
    assert classic.measured == 51.0
    assert classic.is_met
    assert classic.line().endswith("| ≥ 36 | 51 | 10 to 60, quartile 30.5, n 3 | met")
    assert plus.measured == 17.0
    assert plus.line().endswith("| NOT MET")


def test_a_claim_without_a_measurement_is_not_met() -> None:
    claims = judge([made_up("baselines", None)])
    assert claims
    assert not [claim for claim in claims if claim.is_met]
    assert all("not measured" in claim.line() for claim in claims)


def test_one_wrong_answer_fails_the_proof() -> None:
    right, wrong = {"checked": 64, "wrong": 0}, {"checked": 64, "wrong": 1}
    (met,) = named(judge([made_up("grid", right)]), "answers")
    (missed,) = named(judge([made_up("grid", right), made_up("grid", wrong)]), "answers")
    assert met.is_met
    assert not missed.is_met


def test_the_planner_is_judged_by_its_worst_cell() -> None:
    good = {"by_cost": [1.0, 1.0, 9.0], "keys": [1.0, 1.0, 9.0], "passes": [2.0, 2.0, 18.0]}
    bad = {"by_cost": [3.0, 3.0, 3.0], "keys": [9.0, 9.0, 9.0], "passes": [2.0, 1.0, 2.0]}
    (claim,) = named(
        judge(
            [
                made_up("planner", good, mix="booking", queries=1, updates=0, rows=1),
                made_up("planner", bad, mix="any-1", queries=1, updates=0, rows=1),
                made_up("planner", {"by_cost": [1.0]}, mix="any-2", queries=1, updates=0, rows=1),
            ]
        ),
        "planner:",
    )
    assert claim.measured == 1.5
    assert "any-1" in claim.note


def test_a_strategy_that_was_hopeless_is_compared_by_its_only_run() -> None:
    times = {"by_cost": [1.0, 2.0, 3.0], "passes": [1.6]}
    (claim,) = [
        claim
        for claim in judge([made_up("planner_on_forms", times, mix="or", queries=64, updates=0, rows=7)])
        if claim.name.startswith("planner on unseen forms")
    ]
    assert claim.measured == 1.25
    assert "or, 64 queries" in claim.note


def form_runs(form: str, queries: int, engine_ms: list[float], rows: list[int]) -> list[Run]:
    result = {"engine_ms": engine_ms, "duck_ms": [10.0] * len(engine_ms), "rows": rows, "row_size": 300}
    size = made_up("size", {"rows": 3_145_728, "row_size": 300, "memory_per_row": 400.0})
    return [size, made_up("forms", result, form=form, queries=queries, table="ticket", rows=1_048_576)]


def test_a_form_in_a_batch_is_compared_by_the_query() -> None:
    (claim,) = named(judge(form_runs("list-100", 64, [64.0, 128.0, 192.0], [1, 1, 1])), "IN of 100, 64 at once")
    assert claim.ratios == (10.0, 5.0, 10 / 3)
    assert claim.is_met


def test_a_cycle_of_a_form_is_projected_by_its_bytes_and_may_write_its_rows() -> None:
    runs = form_runs("or", 512, [800.0], [1_000_000])
    (projected, stretch) = named(judge(runs), "a = x OR b = y, 512 at once on 1 GB")
    assert projected.measured == pytest.approx(2_400 / (2_000 + 900))
    assert stretch.measured == pytest.approx(2_400 / (500 + 900))
    assert (projected.is_met, stretch.is_met, stretch.is_stretch) == (True, False, True)
    (line,) = form_table(runs)[2:]
    assert line == "| a = x OR b = y | 47 | 512 | 1.56 | 10 | 6.4 | 1 | 1,000,000 | 2400 |"


def test_a_way_is_worth_what_the_cell_it_serves_most_takes_longer_without_it() -> None:
    def cell(mix: str, **slower: list[float]) -> Run:
        times = {"by_cost": [2.0, 4.0, 6.0], **{f"without_{path}": [2.0, 4.0, 6.0] for path in PATHS}}
        times |= {f"without_{path}": values for path, values in slower.items()}
        return made_up("ablation", times, mix=mix, queries=64, updates=0, rows=7)

    runs = [cell("booking", keys=[2.4, 4.8, 7.2]), cell("hard-0", keys=[2.1, 4.1, 6.1], bitmaps=[40.0])]
    claims = {claim.name: claim for claim in judge(runs)}
    keys = claims["without an index over operations: time / the engine's, in the cell it serves most"]
    assert keys.measured == pytest.approx(1.2)
    assert keys.note == "the cell: booking, 64 queries"
    bitmaps = claims["without bitmaps that queries share: time / the engine's, in the cell it serves most"]
    assert bitmaps.ratios == (10.0,)  # Hopeless: asked once.
    pairs = claims["without keys of two columns: time / the engine's, in the cell it serves most"]
    assert not pairs.is_met
    lines = ablation_table(runs)
    assert "| an index over operations | booking, 64 queries: 1.2 |" in lines
    assert "| keys of two columns | none |" in lines


def test_the_floor_is_published_and_not_claimed() -> None:
    result = {"engine_ms": [4.0, 6.0], "floor_ms": [2.0, 2.0], "keys_ms": [8.0, 8.0]}
    runs = [made_up("keys", result, mix="booking", queries=16)]
    assert published(runs) == ["booking, 16 queries: cycle / reading what the sweep reads: 2.5 (2 to 3, n 2)"]
    assert not [claim for claim in judge(runs) if "what the sweep reads" in claim.name]
