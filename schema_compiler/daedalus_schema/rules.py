"""The rules say what a table may be: RULES, and check(), which applies them all."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from daedalus_schema.constants import pack_default
from daedalus_schema.declaration import Column, Constraint, Declaration
from daedalus_schema.resolve import Problem, resolve
from daedalus_schema.source import Diagnostic
from daedalus_schema.types import Type

IDENTIFIER_SIZE_MAX = 63
COLUMNS_MAX = 1600
ROW_SIZE_MAX = 1 << 20

_RESERVED_COLUMNS = frozenset({"ctid", "xmin", "cmin", "xmax", "cmax", "tableoid"})

_CLAUSES = {
    "table-schema": "a table belongs to no schema here; write its bare name",
    "temporary-table": "TEMPORARY and UNLOGGED have no meaning here; write CREATE TABLE",
    "if-not-exists": "IF NOT EXISTS has no meaning here; write CREATE TABLE",
    "partition-of": "PARTITION OF is not supported; declare the columns, and partition with up --partition-by",
    "partition-by": "PARTITION BY is not supported; partition with up --partition-by",
    "inherits": "INHERITS is not supported; declare all columns in the table",
    "of-type": "OF type is not supported; declare the columns",
    "like": "LIKE is not supported; declare the columns",
    "storage-clause": "WITH, USING and TABLESPACE have no meaning here; leave them out",
    "on-commit": "ON COMMIT has no meaning here; leave it out",
}

_CONSTRAINTS = {
    "UNIQUE": ("unique", "UNIQUE is not supported; use PRIMARY KEY, or leave it to the base table"),
    "CHECK": ("check", "CHECK is not supported; leave it to the base table"),
    "FOREIGN": ("references", "REFERENCES is not supported; leave it to the base table"),
    "GENERATED": ("generated", "GENERATED columns are not supported; declare a plain column and insert its value"),
    "IDENTITY": ("generated", "GENERATED AS IDENTITY is not supported; use bigint and insert its value"),
    "EXCLUSION": ("exclude", "EXCLUDE is not supported; leave it to the base table"),
    "ATTR_DEFERRABLE": ("deferrable", "DEFERRABLE has no meaning here; leave it out"),
    "ATTR_NOT_DEFERRABLE": ("deferrable", "NOT DEFERRABLE has no meaning here; leave it out"),
    "ATTR_DEFERRED": ("deferrable", "INITIALLY DEFERRED has no meaning here; leave it out"),
    "ATTR_IMMEDIATE": ("deferrable", "INITIALLY IMMEDIATE has no meaning here; leave it out"),
}

Rule = Callable[[Declaration], Iterator[Diagnostic]]


def check(declaration: Declaration) -> list[Diagnostic]:
    """Every rule that `declaration` breaks, in source order; empty means that it may be emitted.

    Pure: opens no file, never raises.
    """
    found = {diagnostic for rule in RULES for diagnostic in rule(declaration)}
    return sorted(found, key=lambda diagnostic: (diagnostic.offset, diagnostic.rule, diagnostic.message))


def _only_columns_and_key(table: Declaration) -> Iterator[Diagnostic]:
    for clause in table.clauses:
        yield Diagnostic(clause.offset, clause.name, _CLAUSES[clause.name])


def _names(table: Declaration) -> Iterator[Diagnostic]:
    too_long = f"a name takes at most {IDENTIFIER_SIZE_MAX} bytes; shorten it"
    if table.name_size > IDENTIFIER_SIZE_MAX:
        yield Diagnostic(table.offset, "identifier-length", too_long)
    if not table.name.replace("$", "_").isidentifier() or not table.name.isascii():
        message = f'table name "{table.name}" names files, too; use ASCII letters, digits and underscores'
        yield Diagnostic(table.offset, "table-name", message)
    for column in table.columns:
        if column.name_size > IDENTIFIER_SIZE_MAX:
            yield Diagnostic(column.offset, "identifier-length", too_long)
        if column.name in _RESERVED_COLUMNS:
            message = f'column name "{column.name}" is PostgreSQL\'s own; choose another'
            yield Diagnostic(column.offset, "column-reserved", message)


def _column_count(table: Declaration) -> Iterator[Diagnostic]:
    if not table.columns:
        yield Diagnostic(table.offset, "column-count", "a table needs at least one column; declare one")
    if len(table.columns) > COLUMNS_MAX:
        message = f"a table has at most {COLUMNS_MAX} columns; split it"
        yield Diagnostic(table.columns[COLUMNS_MAX].offset, "column-count", message)


def _distinct_columns(table: Declaration) -> Iterator[Diagnostic]:
    seen: set[str] = set()
    for column in table.columns:
        if column.name in seen:
            message = f'column "{column.name}" is declared twice; rename one'
            yield Diagnostic(column.offset, "column-duplicate", message)
        seen.add(column.name)


def _types(table: Declaration) -> Iterator[Diagnostic]:
    for column in table.columns:
        resolved = resolve(column.type_name)
        if isinstance(resolved, Problem):
            yield Diagnostic(column.type_name.offset, resolved.rule, resolved.message)
        if column.collation_offset is not None:
            message = 'COLLATE is not supported, every string compares as under "C"; leave it out'
            yield Diagnostic(column.collation_offset, "collate", message)


def _row_size(table: Declaration) -> Iterator[Diagnostic]:
    types = [resolve(column.type_name) for column in table.columns]
    size = row_size_max([each for each in types if isinstance(each, Type)])
    if size > ROW_SIZE_MAX:
        message = f"a row takes up to {size} bytes, more than {ROW_SIZE_MAX}; shorten its strings"
        yield Diagnostic(table.offset, "row-size", message)


def row_size_max(types: list[Type]) -> int:
    """The most bytes a packed row takes, its own size field included (docs/wire.md)."""
    return 4 + (len(types) + 7) // 8 + sum(each.packed_size_max for each in types)


def _supported_constraints(table: Declaration) -> Iterator[Diagnostic]:
    columns = (constraint for column in table.columns for constraint in column.constraints)
    for constraint in (*columns, *table.constraints):
        if constraint.kind in _CONSTRAINTS:
            rule, message = _CONSTRAINTS[constraint.kind]
            yield Diagnostic(constraint.offset, rule, message)


def _of_kind(column: Column, kind: str) -> list[Constraint]:
    return [constraint for constraint in column.constraints if constraint.kind == kind]


def key_columns(table: Declaration) -> frozenset[str]:
    """Names of the columns that a PRIMARY KEY names, wherever it stands."""
    of_columns = {column.name for column in table.columns if _of_kind(column, "PRIMARY")}
    return frozenset(of_columns | {key for each in table.constraints if each.kind == "PRIMARY" for key in each.keys})


def is_nullable(table: Declaration, column: Column) -> bool:
    """Returns whether a column takes NULL: NOT NULL and PRIMARY KEY forbid it."""
    return not _of_kind(column, "NOTNULL") and column.name not in key_columns(table)


def _null_conflicts(table: Declaration) -> Iterator[Diagnostic]:
    for column in table.columns:
        allowed = _of_kind(column, "NULL")
        if allowed and not is_nullable(table, column):
            message = f'column "{column.name}" is both NULL and NOT NULL or part of the key; choose one'
            yield Diagnostic(allowed[0].offset, "null-conflict", message)


def _primary_key(table: Declaration) -> Iterator[Diagnostic]:
    of_columns = [each for column in table.columns for each in _of_kind(column, "PRIMARY")]
    of_table = [each for each in table.constraints if each.kind == "PRIMARY"]
    for extra in sorted((*of_columns, *of_table), key=lambda each: each.offset)[1:]:
        message = "a table has one primary key; write PRIMARY KEY (column, column) for a key of several columns"
        yield Diagnostic(extra.offset, "primary-key-multiple", message)
    names = {column.name for column in table.columns}
    for key in of_table:
        if key.including:
            yield Diagnostic(key.offset, "primary-key-include", "INCLUDE has no meaning here; leave it out")
        if key.using_index:
            message = "USING INDEX has no meaning here; write PRIMARY KEY (column)"
            yield Diagnostic(key.offset, "primary-key-index", message)
        for name in sorted(set(key.keys) - names):
            message = f'PRIMARY KEY names column "{name}", which is not declared; declare it'
            yield Diagnostic(key.offset, "primary-key-column", message)
        if len(set(key.keys)) < len(key.keys):
            message = "PRIMARY KEY names a column twice; name it once"
            yield Diagnostic(key.offset, "primary-key-duplicate", message)


def _defaults(table: Declaration) -> Iterator[Diagnostic]:
    for column in table.columns:
        defaults = _of_kind(column, "DEFAULT")
        for extra in defaults[1:]:
            yield Diagnostic(extra.offset, "default-multiple", f'column "{column.name}" has two defaults; keep one')
        resolved = resolve(column.type_name)
        for constraint in defaults[:1]:
            if isinstance(resolved, Problem) or constraint.default is None:
                continue
            packed = pack_default(resolved, constraint.default)
            if isinstance(packed, Problem):
                yield Diagnostic(constraint.default.offset, packed.rule, packed.message)
            elif packed is None and not is_nullable(table, column):
                message = f'DEFAULT NULL contradicts NOT NULL of column "{column.name}"; leave one out'
                yield Diagnostic(constraint.default.offset, "default-null", message)


RULES: tuple[Rule, ...] = (
    _only_columns_and_key,
    _names,
    _column_count,
    _distinct_columns,
    _types,
    _row_size,
    _supported_constraints,
    _null_conflicts,
    _primary_key,
    _defaults,
)
