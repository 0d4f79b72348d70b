"""One seed for every random test: printed at the start, taken back through DAEDALUS_SEED."""

from __future__ import annotations

import os
import secrets

import built_programs  # noqa: F401 - tests of experiments measure what other tests start
import hypothesis
import hypothesis.core
import pytest

SEED = int(os.environ.get("DAEDALUS_SEED") or secrets.randbelow(1 << 31))


def pytest_configure() -> None:
    hypothesis.core.global_force_seed = SEED  # type: ignore[assignment]
    hypothesis.settings.register_profile("daedalus", deadline=None, database=None, print_blob=False)
    hypothesis.settings.load_profile("daedalus")


def pytest_report_header() -> str:
    return f"random tests: DAEDALUS_SEED={SEED}"


@pytest.fixture(scope="session")
def daedalus_seed() -> int:
    return SEED
