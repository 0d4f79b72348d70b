"""The frame of proofs: what fails voids itself alone, a quick run judges answers only, verdict and table agree."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from experiments.harness import proof
from experiments.harness.claims import Claim
from experiments.harness.context import Context
from experiments.harness.plan import Plan
from experiments.harness.readme import marks, with_table
from experiments.harness.record import ROOT

PLAN = Plan("made_up", {"limits": {"minutes": 1}})
MET = Claim("met", 2, True, (3.0,), "memory")
MISSED = Claim("missed", 2, True, (1.0,), "", note="by half")
WRONG = Claim("answers", 0, False, (1.0,), "", is_about_answers=True)
STRETCH = Claim("further", 9, True, (3.0,), "", is_stretch=True, note="not told")


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return proof.begin(PLAN, tmp_path / "output")


def failing(error: BaseException) -> Callable[[], None]:
    def part() -> None:
        raise error

    return part


@pytest.mark.parametrize("error", [ValueError("odd"), SystemExit("gone"), Exception("a peer's own")])
def test_a_part_that_fails_is_recorded_and_says_so(context: Context, error: BaseException) -> None:
    assert not proof.attempt(context, "broken", failing(error))
    assert context.runs[0].point == {"part": "broken"}
    assert context.runs[0].failure == f"{type(error).__name__}: {error}"
    assert proof.attempt(context, "whole", lambda: None)
    assert len(context.runs) == 1


def test_an_interrupt_ends_a_proof(context: Context) -> None:
    with pytest.raises(KeyboardInterrupt):
        proof.attempt(context, "slow", failing(KeyboardInterrupt()))


def test_points_of_another_run_do_not_count(context: Context, tmp_path: Path) -> None:
    context.add({"part": "size"}, {"rows": 1})
    assert (tmp_path / "output" / "runs.jsonl").read_text().count("\n") == 1
    proof.begin(PLAN, tmp_path / "output").add({"part": "size"}, {"rows": 2})
    assert (tmp_path / "output" / "runs.jsonl").read_text().count("\n") == 1


@pytest.mark.parametrize(
    ("claims", "is_quick", "exit_code"),
    [
        ([MET, STRETCH], False, 0),
        ([MET, MISSED], False, 1),
        ([MET, MISSED], True, 0),
        ([MET, WRONG], True, 1),
    ],
)
def test_the_exit_code_is_that_of_claims_that_count(
    context: Context, claims: list[Claim], is_quick: bool, exit_code: int
) -> None:
    assert proof.report(context, claims, [], is_quick=is_quick) == exit_code


@pytest.mark.parametrize(
    ("noise", "verdict"), [((), "met"), ((0.01, 0.02, 0.9), "met"), ((0.04, 0.05, 0.01), "too noisy")]
)
def test_a_claim_whose_equal_pairs_differ_by_more_than_its_margin_proves_nothing(
    context: Context, capsys: pytest.CaptureFixture[str], noise: tuple[float, ...], verdict: str
) -> None:
    claim = Claim("times the build before", 1.03, False, (1.0,), "", noise=noise, noise_max=0.03)
    assert claim.line().endswith(f" | {verdict}")
    assert claim.is_met == (verdict == "met")
    assert proof.report(context, [claim], [], is_quick=False) == (0 if claim.is_met else 1)
    assert (f"{verdict}: times the build before" in capsys.readouterr().out) == (verdict != "met")


def test_a_failure_counts_whatever_the_claims_say(context: Context, capsys: pytest.CaptureFixture[str]) -> None:
    context.add({"part": "size"}, None, "no room")
    assert proof.report(context, [MET], ["rows a second: 7"], is_quick=True) == 1
    told = capsys.readouterr().out
    assert "failed: size: no room" in told
    assert "rows a second: 7" in told


def test_a_missed_claim_is_named_with_its_bound_and_note(context: Context, capsys: pytest.CaptureFixture[str]) -> None:
    proof.report(context, [Claim("late", 2, True, (1.0,), "memory", note="by half"), STRETCH], [], is_quick=False)
    told = capsys.readouterr().out
    assert "NOT MET: late: expected bound: memory" in told
    assert "    by half" in told
    assert "not told" not in told


def test_verdict_and_table_hold_every_claim(context: Context, tmp_path: Path) -> None:
    context.add({"part": "size"}, None, "no room")
    output = tmp_path / "output"
    proof.write_verdict(context, [MET, MISSED], output, rows=7)
    proof.write_table(context, output, "7 rows.", proof.table([MET, MISSED], has_bounds=True))
    verdict = json.loads((output / "proof.json").read_text())
    assert (verdict["proof"], verdict["rows"]) == ("made_up", 7)
    assert verdict["failures"] == [{"part": "size", "failure": "no room"}]
    assert [claim["claim"] for claim in verdict["claims"]] == ["met", "missed"]
    written = (output / "proof.md").read_text()
    assert written.splitlines()[0].endswith("cores, 7 rows.")
    assert "| met | ≥ 2 | 3 | 3 to 3, quartile 3, n 1 | met | memory |\n| missed |" in written
    assert len({line.count("|") for line in written.splitlines() if line.startswith("|")}) == 1


PUBLISHED = [("experiments/README.md", "clock_scan")]
PUBLISHED += [(f"experiments/{name}/README.md", name) for name in ("clock_scan", "front_door", "sql", "writes")]


@pytest.mark.parametrize(("file", "name"), PUBLISHED)
def test_a_published_table_takes_the_place_of_the_one_before_and_of_nothing_else(file: str, name: str) -> None:
    readme = (ROOT / file).read_text()
    once = with_table(readme, name, "| a |\n")
    begin, end = marks(name)
    assert f"{begin}| a |\n{end}" in once
    assert with_table(once, name, "| b |\n") == with_table(readme, name, "| b |\n")
    assert len(once.split("\n## ")) == len(readme.split("\n## "))
    with pytest.raises(ValueError, match=name):
        with_table("no marks", name, "| a |\n")
