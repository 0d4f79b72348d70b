"""The proof of answers at one moment: its judge on made-up points, what is not there yet, and a quick run."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from built_programs import PROGRAMS

from experiments.harness import proof
from experiments.harness.claims import Claim
from experiments.harness.context import Context
from experiments.harness.plan import read_plan, resolved
from experiments.harness.record import ROOT, Run
from experiments.moments.claims import PREFIX, judge, published
from experiments.moments.engine import TURNS, compare
from experiments.moments.large import content
from experiments.moments.run import PARTS, measured
from experiments.moments.world import BEFORE, LackingError, programs_before

PLAN = resolved(read_plan(ROOT / "experiments" / "moments"), is_quick=False)
QUIET = {"of": "queries", "mix": "booking", "queries": 512, "updates": 0}
CYCLE = {"before_ms": [10.0, 10.0], "ms": [10.2, 10.2], "again_ms": [10.1, 10.0], "at_moments": 1}


def made_up(part: str, result: dict[str, Any], **point: Any) -> Run:
    return Run("moments", "hash", "commit", {}, "now", {"part": part, **point}, result, None)


def claims(*runs: Run) -> list[Claim]:
    return judge(runs, PLAN.sections)


def claim(beginning: str, *runs: Run) -> Claim:
    return next(each for each in claims(*runs) if each.name.startswith(beginning))


def test_nothing_measured_is_nothing_met() -> None:
    assert len(claims()) == 25
    assert not any(each.is_met for each in claims())
    assert published([]) == []


def test_every_row_without_its_feature_says_why() -> None:
    lacking = [made_up("lacking", {"why": f"no {part.__name__}"}, of=part.__name__) for part in PARTS]
    for each in claims(*lacking):
        assert each.note.startswith("no "), each


@pytest.mark.parametrize(
    ("changed", "verdict"),
    [({}, "met"), ({"ms": [10.4, 10.4]}, "NOT MET"), ({"again_ms": [10.4, 9.6]}, "too noisy")],
)
def test_a_build_may_take_a_little_longer_than_the_one_before(changed: dict[str, list[float]], verdict: str) -> None:
    assert claim("booking, 512 queries, nothing", made_up("engine", CYCLE | changed, **QUIET)).verdict == verdict


def test_queries_beside_updates_count_only_at_moments() -> None:
    beside = QUIET | {"updates": 150}
    at, prefix = (made_up("engine", CYCLE | {"at_moments": moments}, **beside) for moments in (1, 0))
    assert claim("booking, 512 queries, 10,000 updates/s", at).is_met
    refused = claim("booking, 512 queries, 10,000 updates/s", prefix)
    assert (refused.measured, refused.note) == (None, PREFIX)
    alone = {"of": "updates", "mix": "booking", "queries": 0, "updates": 50_000}
    assert claim("50,000 updates a sweep over 3,145,728 rows, alone", made_up("engine", CYCLE, **alone)).is_met


def test_a_share_is_of_the_same_queries_without_updates() -> None:
    result = {"without_updates_ms": [6.0, 5.0], "engine_ms": [10.0, 10.0], "at_moments": 1}
    assert claim("2,300 updates", made_up("share", result)).ratios == (0.6, 0.5)
    assert claim("2,300 updates", made_up("share", result | {"at_moments": 0})).measured is None


def test_ends_are_compared_run_by_run_and_only_where_all_three_were_measured() -> None:
    figures = {"before": (100.0, 1.0), "now": (98.0, 1.1), "again": (101.0, 1.01)}
    runs = [
        made_up(part, {key: value}, build=build, run=0)
        for build, values in figures.items()
        for part, key, value in zip(("booking", "confirmation"), ("answered_per_second", "p50_ms"), values, strict=True)
    ]
    runs.append(made_up("booking", {"answered_per_second": 1.0}, build="now", run=1))
    assert claim("end to end", *runs).ratios == (0.98,)
    assert claim("end to end", *runs).is_met
    assert claim("confirmation", *runs).measured == pytest.approx(0.1)


def test_one_query_that_fails_beside_a_large_update_is_one_too_many() -> None:
    result = {"p99_ms": 30.0, "cycle_ms": 12.0, "changed": 1_000_000, "took_ms": 90.0, "errors": 0, "last_failure": ""}
    good = made_up("bulk", result, of="UPDATE")
    assert [each.is_met for each in claims(good) if each.name.startswith("UPDATE")] == [True, True]
    bad = made_up("bulk", result | {"errors": 2, "last_failure": "72000"}, of="DELETE")
    assert [each.is_met for each in claims(bad) if each.name.startswith("DELETE")] == [False, True]


def test_queries_asked_twice_count_only_beside_as_many_updates_as_were_wanted() -> None:
    result = {"again": 40, "queries": 1_000, "updates_per_second": 990.0}
    assert claim("queries asked twice for a mark at 1,000", made_up("twice", result, rate=1_000)).is_met
    slow = claim("queries asked twice for a mark at 1,000", made_up("twice", result | {"updates_per_second": 900.0},
                                                                   rate=1_000))  # fmt: skip
    assert slow.measured is None
    assert slow.note == "900 updates/s were confirmed"


def test_a_reader_that_sleeps_is_held_against_the_same_without_it() -> None:
    awake = made_up("awake", {"p99_ms": 10.0, "updates_per_second": 9_900.0}, run=0)
    result = {"p99_ms": 10.5, "window_mib": 60.0, "lost": 1, "updates_per_second": 9_800.0}
    asleep = made_up("asleep", result, run=0)
    others = claim("a reader asleep", awake, asleep)
    assert others.ratios == (1.05,)
    assert others.note == "9,800 updates/s, 1.05 times the p99, 60.0 MiB, its own answer ended"
    assert claim("the same: MiB of windows", awake, asleep).is_met
    slow = made_up("asleep", result | {"updates_per_second": 4_000.0}, run=0)
    assert claim("a reader asleep", awake, slow).measured is None
    assert claim("the same: MiB of windows", awake, slow).measured is None


def test_a_window_counts_only_with_as_many_updates_as_were_wanted() -> None:
    assert claim("window", made_up("kept", {"mib": 1.2, "updates": 19_900})).is_met
    few = claim("window", made_up("kept", {"mib": 0.2, "updates": 3_331}))
    assert (few.measured, few.note) == (None, "3,331 updates came, which took 0.20 MiB")


def test_whole_tables_have_to_be_the_same_lines_in_any_order(tmp_path: Path) -> None:
    one, other, less = (tmp_path / name for name in ("one", "other", "less"))
    one.write_text("a|1\nb|2\n")
    other.write_text("b|2\na|1\n")
    less.write_text("b|2\nb|2\n")
    assert content(one) == content(other) != content(less)
    runs = [made_up("whole", {"s": 3.0, "postgres_s": 2.0, "wrong": wrong}, kind="copy") for wrong in (0, 1)]
    assert claim("COPY TO", runs[0]).is_met
    assert claim("whole tables", runs[0]).is_met
    assert not claim("whole tables", *runs).is_met
    assert claim("whole tables", *runs).is_about_answers


def test_figures_beside_those_of_others_are_published() -> None:
    result = {
        "report_ms": 10.0, "report_beside_ms": 12.0, "beside_per_second": 10_000.0, "updates_per_second": 40_000.0,
        "updates_beside_per_second": 20_000.0,
    }  # fmt: skip
    told = published([made_up("beside_updates", result, build="before")])
    assert told[0] == "the build before: a report takes 10.0 ms alone, 1.20 times as long beside 10,000 updates/s"
    assert told[1] == "the build before: 40,000 updates/s alone, 0.50 of them beside reports"


def test_a_third_of_the_rows_may_be_deleted_without_a_swing() -> None:
    assert claim("reports beside", made_up("beside_delete", {"variation": 0.08}, build="now")).is_met
    assert claim("reports beside", made_up("beside_delete", {"variation": 0.01}, build="before")).measured is None


def test_without_the_build_before_a_part_is_lacking_and_not_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(BEFORE, raising=False)
    with pytest.raises(LackingError, match="does not name the programs of the build before"):
        programs_before()


class MadeUpBench:
    """Answers every load with the same cycle, as a program that knows the word `moments` does, or one that does not."""

    rows = 7

    def __init__(self, took: float, *, knows_moments: bool) -> None:
        self._answer = {"engine_ms": [took], **({"moments": 1} if knows_moments else {})}

    def ask(self, name: str, **words: str | int) -> list[dict[str, Any]]:
        assert (name, words["rows"], words["runs"], words["moments"]) == ("sizes", 7, 1, 1)
        return [self._answer]


@pytest.mark.parametrize("knows_moments", [True, False])
def test_builds_take_turns_and_this_one_says_whether_it_knows_moments(tmp_path: Path, knows_moments: bool) -> None:
    context = proof.begin(resolved(read_plan(ROOT / "experiments" / "moments"), is_quick=True), tmp_path)
    before, now = MadeUpBench(2.0, knows_moments=False), MadeUpBench(3.0, knows_moments=knows_moments)
    turns: Any = dict(zip(TURNS, (before, now, before), strict=True))
    result = compare(context, turns, "queries", mix="sums", queries=16, updates=1)
    assert result == {"before_ms": [2.0], "ms": [3.0], "again_ms": [2.0], "at_moments": int(knows_moments)}


def test_what_is_lacking_is_a_point_and_no_failure(tmp_path: Path) -> None:
    def part(_context: Context) -> None:
        raise LackingError("there is no window")

    context = proof.begin(PLAN, tmp_path)
    assert proof.attempt(context, "part", lambda: measured(context, part))
    (run,) = context.runs
    assert (run.point, run.result) == ({"part": "lacking", "of": "part"}, {"why": "there is no window"})


@pytest.mark.skipif(not (PROGRAMS / "engine_mix_bench").exists(), reason="not run: the programs are not built")
@pytest.mark.skipif(os.environ.get("DAEDALUS_SOAK") != "1", reason="`make soak`: it wants a machine of its own")
def test_a_quick_run_measures_without_a_failure(tmp_path: Path) -> None:
    finished = subprocess.run(
        [ROOT / "experiments" / "proof" / "moments", "--quick", f"--output={tmp_path}"],
        capture_output=True, text=True, timeout=600, check=False, env={**os.environ, BEFORE: str(PROGRAMS)},
    )  # fmt: skip
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert json.loads((tmp_path / "proof.json").read_text())["failures"] == []
    assert "| end to end, booking, peak" in (tmp_path / "proof.md").read_text()
