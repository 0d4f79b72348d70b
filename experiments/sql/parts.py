"""The parts of the proof."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable

from experiments.harness.context import Context
from experiments.harness.record import ROOT
from experiments.sql.statements import (
    PRODUCT,
    PRODUCT_BYTES,
    Q1,
    Q6,
    any_queries,
    q6_variants,
    residuals,
    residuals_without_kernel,
)
from experiments.sql.world import Cycles, Duck, VoidPointError, agree

_ANSWERED = re.compile(
    r"(\d+) of (\d+) have an answer: (\d+) are refused here \(.*?\), (\d+) are on the list of differ"
)
_DIFFERENT = re.compile(r"(\d+) of \d+ differ:")
_STATEMENT_SECONDS_MAX = 1_500


def statements(context: Context) -> None:
    """Random statements for PostgreSQL and for the compiler. Error: VoidPointError where the judge is not installed."""
    count = context.plan.section("statements")["count"]
    test = ROOT / "tests" / "oracle" / "test_statements_against_postgres.py"
    # The test draws half as many random statements as it is told.
    environment = {**os.environ, "DAEDALUS_ORACLE_QUERIES": str(2 * count)}
    finished = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-s", "-k", "test_random_expressions", str(test)],
        capture_output=True, text=True, timeout=_STATEMENT_SECONDS_MAX, check=False, cwd=ROOT, env=environment,
    )  # fmt: skip
    found, wrong = _ANSWERED.search(finished.stdout), _DIFFERENT.search(finished.stdout)
    if wrong is not None:
        raise VoidPointError(f"{wrong.group()} {finished.stdout[wrong.end() :].strip()[:2000]}")
    if found is None or finished.returncode != 0:
        raise VoidPointError(f"the judge says: {finished.stdout.strip()[-500:]}")
    answered, asked, refused, listed = (int(number) for number in found.groups())
    result = {"asked": asked, "answered": answered, "refused": refused, "listed": listed, "different": 0}
    context.add({"part": "statements"}, result)


def alone(context: Context, cycles: Cycles, duck: Duck) -> None:
    """Q6 and Q1 alone, and DuckDB's."""
    runs = context.plan.section("window")["runs"]
    for name, statement in (("q6", Q6), ("q1", Q1)):
        ours, answers = cycles.run([statement], runs)
        duck.run(statement)
        theirs = [duck.run(statement) for _ in range(runs)]
        wrong = 0 if agree(answers[0], theirs[0][1]) else 1
        result = {"ms": ours, "duck_ms": [took for took, _ in theirs], "checked": 1, "wrong": wrong}
        context.add({"part": name}, result)


def variants(context: Context, cycles: Cycles, duck: Duck) -> None:
    """Many variants of Q6 at once; some of them by DuckDB, one at a time."""
    plan, runs = context.plan.section("variants"), context.plan.section("window")["runs"]
    for name in ("few", "many"):
        asked = q6_variants(plan[name], plan["seed"])
        ours, answers = cycles.run(asked, runs)
        theirs = [duck.run(statement) for statement in asked[: plan["duck"]]]
        one = sorted(took for took, _ in theirs)[len(theirs) // 2]
        wrong = sum(not agree(answer, rows) for answer, (_, rows) in zip(answers, theirs, strict=False))
        result = {
            "statements": len(asked), "ms": ours, "duck_ms": [one * len(asked)] * runs,
            "checked": len(theirs), "wrong": wrong,
        }  # fmt: skip
        context.add({"part": f"variants_{name}"}, result)


def product(context: Context, cycles: Cycles, duck: Duck) -> None:
    """sum(a * b) alone, and reading both columns."""
    runs = context.plan.section("window")["runs"]
    ours, answers = cycles.run([PRODUCT], runs)
    _, rows = duck.run(PRODUCT)
    wrong = 0 if agree(answers[0], rows) else 1
    result = {"ms": ours, "read_ms": cycles.read(PRODUCT_BYTES, runs), "checked": 1, "wrong": wrong}
    context.add({"part": "product"}, result)


def residual_cycles(context: Context, cycles: Cycles, duck: Duck) -> None:
    """Statements that are residuals as a whole, and any-query statements with a residual and without."""
    plan, runs = context.plan.section("residuals"), context.plan.section("window")["runs"]
    count, seed = plan["statements"], plan["seed"]
    for name, asked in (
        ("residuals", residuals(count, seed)),
        ("residuals_without_kernel", residuals_without_kernel(count, seed)),
    ):
        ours, answers = cycles.run(asked, runs)
        looked_at = range(0, count, count // 8 + 1)
        wrong = sum(not agree(answers[number], duck.run(asked[number])[1]) for number in looked_at)
        context.add({"part": name}, {"statements": count, "ms": ours, "checked": len(looked_at), "wrong": wrong})
    without, _ = cycles.run(any_queries(count, seed, plan["share"], with_residual=False), runs)
    with_some, _ = cycles.run(any_queries(count, seed, plan["share"], with_residual=True), runs)
    context.add({"part": "beside"}, {"statements": count, "ms": with_some, "without_ms": without})


Part = Callable[[Context, Cycles, Duck], None]

EVERY_PART: tuple[Part, ...] = (alone, variants, product, residual_cycles)
