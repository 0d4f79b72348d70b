"""How a lane runs its suites, and what it keeps of their times."""

from __future__ import annotations

from pathlib import Path

import lanes
import pytest
from lanes import Tally, run_lane
from suites import LANES, Suite
from timings import Edge, edges

NINJA_LOG = """# ninja log v5
0\t900\t1\tbase.o\taa
900\t1000\t1\tbase.a\tbb
900\t4000\t2\tvalues.pb.h\tcc
900\t4000\t2\tvalues.pb.cc\tcc
5\t2005\t3\tbase.o\tdd
"""


def test_an_edge_is_a_command_as_it_ran_last(tmp_path: Path) -> None:
    log = tmp_path / ".ninja_log"
    log.write_text(NINJA_LOG)
    found = sorted(edges(log), key=lambda edge: edge.seconds)
    assert found == [Edge("base.a", 900, 1000), Edge("base.o", 5, 2005), Edge("values.pb.h", 900, 4000)]
    assert [edge.seconds for edge in found] == [0.1, 2.0, 3.1]


def suites_of(folder: Path) -> list[Suite]:
    """One that passes, and one that fails until a file is there; each notes that it ran."""
    return [
        Suite("good", f"echo >> {folder}/good"),
        Suite("bad", f"echo >> {folder}/bad; test -e {folder}/mended"),
    ]


def runs(folder: Path, name: str) -> int:
    return len((folder / name).read_text().splitlines())


def test_a_suite_without_reports_is_one_test(tmp_path: Path) -> None:
    good, bad = run_lane("fast", suites_of(tmp_path), anew=False)
    assert (good.tally, bad.tally) == (Tally(passed=1), Tally(failed=1))


def test_the_nightly_lane_goes_on_with_what_has_not_passed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, "PASSED_BEFORE", tmp_path / "nightly")
    suites = suites_of(tmp_path)
    assert [outcome.tally.failed for outcome in run_lane("nightly", suites, anew=False)] == [0, 1]
    (tmp_path / "mended").touch()
    assert [outcome.name for outcome in run_lane("nightly", suites, anew=False)] == ["good", "bad"]
    assert (runs(tmp_path, "good"), runs(tmp_path, "bad")) == (1, 2)
    assert [outcome.tally.failed for outcome in run_lane("nightly", suites, anew=True)] == [0, 0]
    assert (runs(tmp_path, "good"), runs(tmp_path, "bad")) == (2, 3)


def test_other_sources_are_tested_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, "PASSED_BEFORE", tmp_path / "nightly")
    for state in ("one", "other"):
        monkeypatch.setattr(lanes, "state_of_sources", lambda state=state: state)
        run_lane("nightly", suites_of(tmp_path)[:1], anew=False)
    assert runs(tmp_path, "good") == 2


def test_no_two_suites_of_a_lane_have_one_name() -> None:
    for suites in LANES.values():
        assert len({suite.name for suite in suites}) == len(suites)
