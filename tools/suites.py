"""Lists the suites of tests that each lane runs, in their order. Running them is lanes.py's.

Each C++ test has one home among the builds (`daedalus_test` names it): `release`, `asan` or `tsan`. The fast lane runs
those at home in the optimised build, the slow lane those at home under a sanitizer, the nightly lane the other
combinations.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REPORTS = ROOT / "build" / "reports"
SEED = "20130615"  # A lane judges a commit: it draws the same each time. `make soak` draws anew.
# A suite that draws what another one has drawn finds nothing new, so the draws of later lanes begin elsewhere.
SLOW_SEED = "20230615"
NIGHTLY_SEED = "20330615"
# AddressSanitizer makes a test some ten times as long. Draws that look for wrong answers are taken without it.
ASAN_DOSES = {
    "DAEDALUS_BOUND_SETS": "3",
    "DAEDALUS_ENGINE_OPERATIONS": "6000",
    "DAEDALUS_EXPRESSIONS": "200",
    "DAEDALUS_RESTORE_ROUNDS": "6",
    "DAEDALUS_SIMULATOR_SEEDS": "30",
    "DAEDALUS_SLICE_ROUNDS": "6",
}


@dataclass(frozen=True, slots=True)
class Suite:
    """One command and where its JUnit reports appear."""

    name: str
    command: str
    reports: str = ""  # none: the exit code is the one result
    environment: dict[str, str] = field(default_factory=dict)
    may_skip_all: bool = False  # the machine may lack what it needs; the tests say so themselves
    goes_beside: bool = False  # runs while the next suites do: it leaves them a core and their ports
    wants_quiet: bool = False  # its tests watch clocks: nothing runs beside it


def gtest_suite(name: str, preset: str, label: str, doses: dict[str, str] | None = None) -> Suite:
    """The C++ tests of one preset that carry one label; `doses`: variables that say how much they draw."""
    reports = REPORTS / f"cpp-{preset}-{label}"
    return Suite(
        name=name,
        command=f"ctest --test-dir build/{preset} -L '^{label}$' --output-on-failure -j2",
        reports=f"{reports}/*.xml",
        environment={"GTEST_OUTPUT": f"xml:{reports}/", **(doses or {})},
    )


def program_suite(name: str, preset: str, label: str) -> Suite:
    """Programs of one preset that are tests as a whole: fuzzers, benchmarks in small doses."""
    report = REPORTS / f"programs-{preset}-{label}.xml"
    return Suite(
        name=name,
        command=f"ctest --test-dir build/{preset} -L '^{label}$' --output-on-failure -j2 --output-junit {report}",
        reports=str(report),
    )


def pytest_suite(
    name: str,
    paths: str,
    environment: dict[str, str] | None = None,
    *,
    may_skip_all: bool = False,
    goes_beside: bool = False,
    wants_quiet: bool = False,
) -> Suite:
    """Python tests below some paths."""
    report = REPORTS / f"python-{name.replace(' ', '-')}.xml"
    return Suite(
        name=name,
        command=f".venv/bin/python -m pytest -q -p no:cacheprovider --junitxml={report} {paths}",
        reports=str(report),
        environment=environment or {},
        may_skip_all=may_skip_all,
        goes_beside=goes_beside,
        wants_quiet=wants_quiet,
    )


FAST = [
    gtest_suite("C++", "release", "home"),
    program_suite("benchmarks, small", "release", "bench"),
    pytest_suite("schema compiler", "schema_compiler", goes_beside=True),
    Suite(
        name="Java",
        command="cd client-java && mvn -q -B test",
        reports="client-java/*/target/surefire-reports/TEST-*.xml",
    ),
    pytest_suite("commands", "tests/commands", goes_beside=True),  # A third of it is waiting: for clusters that start.
    pytest_suite("statements and answers", "tests/slt"),
    pytest_suite("clients of PostgreSQL", "tests/postgres tests/clients"),
    pytest_suite("oracle", "tests/oracle", {"DAEDALUS_ORACLE_QUERIES": "1000"}),
    pytest_suite("demo", "tests/demo", wants_quiet=True),
    pytest_suite("proof", "tests/proof"),
]

SLOW = [
    gtest_suite("C++ under ASan and UBSan", "asan", "home", ASAN_DOSES),
    gtest_suite("C++ under TSan", "tsan", "home"),
    gtest_suite("C++ slow", "release", "slow"),
    program_suite("fuzzers", "asan", "fuzz"),
    pytest_suite(
        "many expressions",
        "-k test_random_expressions tests/oracle",
        {"DAEDALUS_ORACLE_QUERIES": "8000", "DAEDALUS_SEED": SLOW_SEED},
    ),
    pytest_suite("process kills", "tests/kills", {"DAEDALUS_KILLS": "2"}, wants_quiet=True),
    pytest_suite("one attack", "-k order-by-at-once tests/attacks", wants_quiet=True),
]

# Each mutant is one that the area's tests have to notice; survivors are printed for a person to judge.
MUTATED_AREAS = {"engine": 12, "node": 10, "fan_outs": 6, "contract": 6, "normal_form": 4}

NIGHTLY = [
    Suite("build under ASan", "tools/build_preset.sh asan crossed_tests"),
    gtest_suite("C++ crossed, ASan and UBSan", "asan", "crossed", ASAN_DOSES),
    Suite("build under TSan", "tools/build_preset.sh tsan crossed_tests"),
    gtest_suite("C++ crossed, TSan", "tsan", "crossed"),
    Suite("build, optimised", "tools/build_preset.sh release crossed_tests"),
    gtest_suite("C++ crossed, release", "release", "crossed"),
    pytest_suite("oracle, many", "tests/oracle", {"DAEDALUS_ORACLE_QUERIES": "10000", "DAEDALUS_SEED": NIGHTLY_SEED}),
    pytest_suite("attacks", "tests/attacks", {"DAEDALUS_ATTACK_ROWS": "3000000"}, wants_quiet=True),
    pytest_suite("many kills", "tests/kills", {"DAEDALUS_KILLS": "100", "DAEDALUS_SUMS": "100000"}, wants_quiet=True),
    pytest_suite(
        "many moments",
        "tests/commands/test_one_moment.py",
        {"DAEDALUS_MOMENT_WRITES": "100000", "DAEDALUS_MOMENT_BLOCKS": "2000"},
        wants_quiet=True,
    ),
    pytest_suite(
        "large answers", "tests/commands/test_large_answers.py", {"DAEDALUS_LARGE_ROWS": "3000000"}, wants_quiet=True
    ),
    pytest_suite(
        "heavy statements",
        "tests/commands/test_heavy_queries.py",
        {"DAEDALUS_HEAVY_STATEMENTS": "1000"},
        wants_quiet=True,
    ),
    Suite("programs of clients", ".venv/bin/python tests/clients/run.py --check"),
    pytest_suite("deployment", "tests/deploy", may_skip_all=True),
    pytest_suite("Java installed", "tests/install"),
    *(
        Suite(f"mutation of {area}", f".venv/bin/python tools/mutate.py --area {area} --count {count} --seed {SEED}")
        for area, count in MUTATED_AREAS.items()
    ),
    Suite("mutation of Java", "tools/mutate_java.sh"),
]

LANES = {"fast": FAST, "slow": SLOW, "nightly": NIGHTLY}
