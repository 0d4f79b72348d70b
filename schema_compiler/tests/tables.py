"""The tables that tests compile, and rows of them."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

from compiled_library import CompiledLibrary
from daedalus_schema import emit
from daedalus_schema.compile import compile_source
from daedalus_schema.schema import Column, Schema
from daedalus_schema.source import Diagnostic, Source
from daedalus_schema.types import Kind
from hypothesis import strategies as st
from packed_twin import Value

SCHEMAS = Path(__file__).resolve().parents[2] / "schemas"
TABLES = ("flights", "every_type", "tickets", "order_lines")
SLOTS = 131  # more than two words of NULL bits

_KEPT = tempfile.TemporaryDirectory(prefix="daedalus-schema-")


def schema_of(text: str) -> Schema:
    compiled = compile_source(Source("test.sql", text))
    assert isinstance(compiled, Schema), compiled
    return compiled


def errors_of(text: str) -> list[str]:
    """Rendered errors of a text."""
    source = Source("test.sql", text)
    compiled = compile_source(source)
    assert not isinstance(compiled, Schema)
    assert all(isinstance(each, Diagnostic) for each in compiled)
    return [source.render(each) for each in compiled]


@functools.cache
def table(name: str) -> tuple[Schema, CompiledLibrary]:
    """A checked-in table, compiled and loaded once."""
    schema = schema_of((SCHEMAS / f"{name}.sql").read_text())
    emit.write(schema, Path(_KEPT.name), build=True)
    return schema, CompiledLibrary(Path(_KEPT.name) / f"{name}.so", SLOTS)


def values(column: Column) -> st.SearchStrategy[Value]:
    """Any value of a column, NULL included where it is allowed."""
    drawn = _values(column)
    return st.none() | drawn if column.nullable else drawn


def _values(column: Column) -> st.SearchStrategy[Value]:
    kind = column.type.kind
    if kind is Kind.BOOL:
        return st.booleans()
    if kind is Kind.REAL:
        return st.floats(width=32, allow_nan=False)
    if kind is Kind.DOUBLE:
        return st.floats(allow_nan=False)
    if kind is Kind.NUMERIC:
        bound = 10**column.type.precision - 1
        return st.integers(-bound, bound)
    if kind in {Kind.CHAR, Kind.VARCHAR}:
        length = column.type.length
        text = st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=min(length, 64))
        return st.just("x" * length) | text.filter(lambda drawn: len(drawn.encode()) <= length)
    bits = 8 * column.type.plane_width - 1
    return st.integers(-(1 << bits), (1 << bits) - 1)


def rows(schema: Schema) -> st.SearchStrategy[list[Value]]:
    return st.tuples(*(values(column) for column in schema.columns)).map(list)
