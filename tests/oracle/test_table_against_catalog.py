"""The table of functions and casts against the catalog of PostgreSQL 15: what is here is there, of the same result."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass

import pytest
from expressions import COLUMNS
from sessions import POSTGRES_BIN, running_postgres
from statement_twins import are_there, casts, functions

pytestmark = pytest.mark.skipif(
    not are_there(), reason="not run: PostgreSQL 15 is not installed here, or the programs are not built"
)

KINDS = list(COLUMNS)
STRINGS = ("character", "character varying", "text")


@dataclass(frozen=True, slots=True)
class Catalog:
    """PostgreSQL's catalog says this of our kinds of values."""

    functions: dict[tuple[str, tuple[str, ...]], tuple[str, str]]  # name, arguments → result, volatility
    operators: dict[tuple[str, tuple[str, ...]], tuple[str, str]]
    casts: dict[tuple[str, str], str]  # → context


def rows(port: int, query: str) -> list[list[str]]:
    command = [str(POSTGRES_BIN / "psql"), "-X", "-q", "-A", "-t", "-F", "\t", "-h", "127.0.0.1", "-p", str(port)]
    command += ["-U", "oracle", "-c", query, "postgres"]
    done = subprocess.run(command, text=True, capture_output=True, check=True, timeout=60)
    return [line.split("\t") for line in done.stdout.splitlines()]


def kinds_of(arguments: str) -> tuple[str, ...]:
    return tuple(arguments.split(",")) if arguments else ()


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    with running_postgres() as port:
        called = rows(
            port,
            "SELECT proname, coalesce((SELECT string_agg(format_type(a, NULL), ',' ORDER BY n) "
            "FROM unnest(proargtypes) WITH ORDINALITY u(a, n)), ''), format_type(prorettype, NULL), provolatile "
            "FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind = 'f'",
        )
        signs = rows(
            port,
            "SELECT oprname, concat_ws(',', format_type(nullif(oprleft, 0), NULL), format_type(oprright, NULL)), "
            "format_type(oprresult, NULL), provolatile FROM pg_operator JOIN pg_proc p ON p.oid = oprcode",
        )
        cast = rows(
            port, "SELECT format_type(castsource, NULL), format_type(casttarget, NULL), castcontext FROM pg_cast"
        )
    return Catalog(
        {(name, kinds_of(taken)): (result, volatility) for name, taken, result, volatility in called},
        {(name, kinds_of(taken)): (result, volatility) for name, taken, result, volatility in signs},
        {(source, target): context for source, target, context in cast},
    )


def test_every_entry_is_postgres_own(catalog: Catalog) -> None:
    wrong = []
    for entry in functions() + functions("names"):
        there = catalog.operators if entry.is_operator else catalog.functions
        found = there.get((entry.name, tuple(entry.arguments)))
        if found != (entry.result, entry.volatility):
            wrong.append(f"{entry}: PostgreSQL has {found}")
    assert not wrong, "\n".join(wrong)


def test_every_cast_is_postgres_own(catalog: Catalog) -> None:
    def in_catalog(source: str, target: str) -> str | None:
        """As PostgreSQL casts: by pg_cast, and without an entry there through text, where that is written."""
        context = catalog.casts.get((source, target))
        if context is None:
            return "e" if source in STRINGS or target in STRINGS else None
        return "i" if context == "i" else "e"

    pairs = [(source, target) for source in KINDS for target in KINDS if source != target]
    expected = {pair: how for pair in pairs if (how := in_catalog(*pair)) is not None}
    assert casts() == expected
