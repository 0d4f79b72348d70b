"""Statements as both sides get them, and what is needed to compare their answers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from daedalus_schema.types import Kind


class Measure(Enum):
    """How an output's expected value comes from what DuckDB returns for it."""

    VALUE = "value"  # as it is
    EXACT_SUM = "exact sum"  # a list of exact numbers to be added
    EXACT_AVERAGE = "exact average"  # the same, to be divided as PostgreSQL does
    FLOAT_SUM = "float sum"  # a list of floats to be added, compared within a tolerance
    FLOAT_AVERAGE = "float average"


@dataclass(frozen=True, slots=True)
class Output:
    """One output column: its text on both sides and PostgreSQL's result type."""

    postgres: str
    duck: str
    name: str
    kind: Kind
    scale: int | None = None  # numeric results: digits after the point, where the type fixes them
    length: int = 0  # char(n): bytes to pad to
    measure: Measure = Measure.VALUE
    can_order: bool = True


@dataclass(frozen=True, slots=True)
class OrderKey:
    """One ORDER BY key, also asked of DuckDB as an output of its own."""

    postgres: str
    duck: str


@dataclass(frozen=True, slots=True)
class Select:
    postgres: str
    duck: str
    """Yields `order_key_count` order keys after the outputs; has no LIMIT."""
    outputs: list[Output]
    order_key_count: int = 0
    limit: int | None = None
    offset: int = 0
    is_total: bool = False
    """Whether the order leaves no ties, so that the rows within a limit are determined."""


@dataclass(frozen=True, slots=True)
class Write:
    """An INSERT, UPDATE or DELETE; `refused` and `matched` ask DuckDB, before the write, how many rows it meets."""

    postgres: str
    duck: str
    matched: str | None = None
    refused: str | None = None
    row_count: int = 0


@dataclass(frozen=True, slots=True)
class Refused:
    """A statement that must be refused, and change nothing."""

    postgres: str
    sqlstate: str


Statement = Select | Write | Refused
