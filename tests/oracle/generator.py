"""Random statements over one table: a stream that depends on the seed and on nothing else.

The generator does not look at answers. What it must know about rows (keys that are taken, values that occur) it keeps.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, localcontext

from daedalus_schema.schema import Column
from daedalus_schema.types import INTEGER_KINDS, STRING_KINDS, Kind, Type
from facts import Value, bounds, duck_type, is_floating, schema
from literals import number, quoted, stored_duck, stored_postgres
from predicates import Predicate, predicate
from statements import Measure, OrderKey, Output, Refused, Select, Statement, Write
from values import NULL_SHARE, present
from values import value as random_value

DAYS_MAX = 30
BAND_VALUE_MAX = 6000  # most flight numbers are below


@dataclass(frozen=True, slots=True)
class Table:
    """A table under test: which column is unique, if any, and which ones an UPDATE may not assign."""

    name: str
    key: str | None
    fixed: frozenset[str]
    band: str
    """An integer column whose values spread the rows: what DELETE is confined by."""
    base_rows: list[list[Value]]
    """Rows that new rows and constants are drawn from; empty: from values.py."""


class Generator:
    """Statements over `table`."""

    def __init__(self, table: Table, seed: int) -> None:
        self._table = table
        self._schema = schema(table.name)
        self._columns = list(self._schema.columns)
        self._choice = random.Random(seed)
        self._next_key = 1

    def statement(self, *, wants_rows: bool) -> Statement:
        """The next statement; more inserts while the table `wants_rows`."""
        draw = self._choice.random()
        if draw < (0.25 if wants_rows else 0.07):
            return self.insert(self._choice.choice([1, 1, 2, 5, 20]))
        if draw < 0.33:
            return self.update()
        if draw < 0.38:
            return self.delete()
        if draw < 0.4:
            return self.refused()
        return self.select()

    # ---- constants and rows ----

    def _probe(self, choice: random.Random, column: Column) -> Value:
        if self._table.base_rows and choice.random() < 0.85:
            drawn = choice.choice(self._table.base_rows)[self._columns.index(column)]
            if drawn is not None:
                return drawn
        if column.name == self._table.key:
            return choice.randint(0, self._next_key)
        return present(choice, column.type)

    def _predicate(self) -> Predicate:
        return predicate(self._choice, self._columns, self._probe)

    def _where(self, share: float = 0.85) -> tuple[str, str]:
        """A WHERE clause for both sides, or none."""
        if self._choice.random() >= share:
            return "", ""
        drawn = self._predicate()
        return f" WHERE {drawn.postgres}", f" WHERE {drawn.duck}"

    def row(self) -> list[Value]:
        """A row to insert, its key unused."""
        if self._table.base_rows:
            row = list(self._choice.choice(self._table.base_rows))
            for position, column in enumerate(self._columns):
                if self._choice.random() < 0.1 and column.nullable:
                    row[position] = None
        else:
            row = [random_value(self._choice, column) for column in self._columns]
        for position, column in enumerate(self._columns):
            if column.name == self._table.key:
                row[position] = self._next_key
                self._next_key += 1
        return row

    # ---- writes ----

    def insert(self, row_count: int) -> Write:
        """A multi-row INSERT, with all columns, with some of them, or without a column list."""
        choice = self._choice
        rows = [self.row() for _ in range(row_count)]
        positions = list(range(len(self._columns)))
        names = ""
        if choice.random() < 0.7:
            choice.shuffle(positions)
            positions = [i for i in positions if choice.random() < 0.8 or self._is_required(self._columns[i])]
            names = f" ({', '.join(self._columns[i].name for i in positions)})"
        written, stored = [], []
        for row in rows:
            texts = []
            kept = [default_value(column) for column in self._columns]
            for i in positions:
                text, kept[i] = self._written(self._columns[i], row[i])
                texts.append(text)
            written.append(f"({', '.join(texts)})")
            pairs = zip(self._columns, kept, strict=True)
            stored.append(f"({', '.join(stored_duck(column.type, value) for column, value in pairs)})")
        return Write(
            f"INSERT INTO {self._table.name}{names} VALUES {', '.join(written)}",
            f"INSERT INTO {self._table.name} VALUES {', '.join(stored)}",
            row_count=row_count,
        )

    def _is_required(self, column: Column) -> bool:
        return column.name == self._table.key or not (column.nullable or column.has_default)

    def _written(self, column: Column, value: Value) -> tuple[str, Value]:
        """An inserted value's text, and what is stored of it."""
        choice = self._choice
        if column.name != self._table.key and choice.random() < 0.05 and (column.has_default or column.nullable):
            return "DEFAULT", default_value(column)
        if column.type.kind is Kind.NUMERIC and isinstance(value, Decimal) and choice.random() < 0.1:
            finer = value + Decimal(choice.choice([1, 4])).scaleb(-column.type.scale - 1) if _has_room(value) else value
            half = finer + Decimal(5).scaleb(-column.type.scale - 1) if _has_room(value) else value
            wanted = choice.choice([finer, half])
            if abs(wanted) < 10 ** (column.type.precision - column.type.scale) - 1:
                return number(wanted), rounded(wanted, column.type.scale)
        return stored_postgres(choice, column.type, value), value

    def update(self) -> Write:
        """An UPDATE of one to three columns: constants, NULL, col = col ± constant."""
        choice = self._choice
        free = [column for column in self._columns if column.name not in self._table.fixed]
        assigned = choice.sample(free, choice.choice([1, 1, 2, 3]))
        postgres, duck, refusals = [], [], []
        for column in assigned:
            if _can_add(column.type) and choice.random() < 0.5:
                texts, refusal = self._addition(column)
                refusals += refusal
            else:
                value = None if column.nullable and choice.random() < NULL_SHARE else self._probe(choice, column)
                texts = (stored_postgres(choice, column.type, value), stored_duck(column.type, value))
            postgres.append(f"{column.name} = {texts[0]}")
            duck.append(f"{column.name} = {texts[1]}")
        where, duck_where = self._where(0.97)
        condition = duck_where.removeprefix(" WHERE ") or "true"
        refused = " OR ".join(refusals) or "false"
        table = self._table.name
        return Write(
            f"UPDATE {table} SET {', '.join(postgres)}{where}",
            f"UPDATE {table} SET {', '.join(duck)} WHERE ({condition}) AND ({refused}) IS NOT TRUE",
            matched=f"SELECT count(*) FROM {table} WHERE {condition}",
            refused=f"SELECT count(*) FROM {table} WHERE ({condition}) AND ({refused})",
        )

    def _addition(self, column: Column) -> tuple[tuple[str, str], list[str]]:
        """`col ± constant` on both sides, and the condition under which it overflows, for DuckDB."""
        choice, name, kind = self._choice, column.name, column.type.kind
        sign = choice.choice(["+", "-"])
        limits = bounds(column.type)
        if kind is Kind.DATE:
            days = choice.randint(0, DAYS_MAX)
            return (f"{name} {sign} {days}", f"{name} {sign} {days}"), []
        if limits is None:
            step = choice.randint(0, 40) / 4
            sum_text = f"CAST({name} AS DOUBLE) {sign} {step}"
            return (f"{name} {sign} {step}", f"CAST({sum_text} AS {duck_type(column.type)})"), []
        low, high = limits
        constant = self._step(column.type, high)
        with localcontext() as context:
            context.prec = 60
            least = low - constant if sign == "+" else low + constant
            greatest = high - constant if sign == "+" else high + constant
        wide = "HUGEINT" if kind in INTEGER_KINDS else f"DECIMAL(38,{column.type.scale})"
        overflow = f"CAST({name} AS {wide}) > CAST('{number(greatest)}' AS {wide})"
        if least > low:
            overflow = f"CAST({name} AS {wide}) < CAST('{number(least)}' AS {wide})"
        duck = f"CAST(CAST({name} AS {wide}) {sign} CAST('{number(constant)}' AS {wide}) AS {duck_type(column.type)})"
        guarded = f"CASE WHEN {overflow} THEN NULL ELSE {duck} END"
        return (f"{name} {sign} {number(constant)}", guarded), [overflow]

    def _step(self, column_type: Type, high: Decimal) -> Decimal:
        """Returns how much to add: mostly little, now and then so much that rows overflow."""
        if self._choice.random() < 0.8:
            return Decimal(self._choice.randint(0, 50)).scaleb(-column_type.scale)
        return high if self._choice.random() < 0.3 else Decimal(int(high) // 2)

    def delete(self) -> Write:
        """A DELETE that is confined to a band of one column, so that the table is never emptied."""
        drawn = self._predicate()
        table, band_column = self._table.name, self._table.band
        greatest = self._next_key if band_column == self._table.key else BAND_VALUE_MAX
        first = self._choice.randint(0, greatest)
        band = f"{band_column} BETWEEN {first} AND {first + greatest // 10}"
        postgres, duck = f"{band} AND ({drawn.postgres})", f"{band} AND ({drawn.duck})"
        return Write(
            f"DELETE FROM {table} WHERE {postgres}",
            f"DELETE FROM {table} WHERE {duck}",
            matched=f"SELECT count(*) FROM {table} WHERE {duck}",
        )

    def refused(self) -> Refused:
        """A statement with one mistake."""
        choice, table = self._choice, self._table.name
        free = [column for column in self._columns if column.name not in self._table.fixed]
        strings = [column for column in free if column.type.kind is Kind.VARCHAR and column.type.length < 100]
        small = [column for column in free if column.type.kind is Kind.SMALLINT]
        required = next(column for column in free if not column.nullable)
        mistakes = [
            (f"SELECT no_such_column FROM {table}", "42703"),
            ("SELECT count(*) FROM no_such_table", "42P01"),
            (f"SELECT FROM WHERE {table}", "42601"),
            (f"UPDATE {table} SET {choice.choice(small).name} = 32768", "22003"),
            (f"UPDATE {table} SET {choice.choice(strings).name} = {quoted('x' * 101)}", "22001"),
            (f"UPDATE {table} SET {required.name} = NULL", "23502"),
            (f"SELECT {required.name}, count(*) FROM {table}", "42803"),
            (f"SELECT sum({choice.choice(strings).name}) FROM {table}", "42883"),
            (f"SELECT {required.name} FROM {table} WHERE {choice.choice(small).name} = 'x'", "22P02"),
        ]
        return Refused(*choice.choice(mistakes))

    # ---- queries ----

    def select(self) -> Select:
        """A query; about half of them aggregate."""
        draw = self._choice.random()
        if draw < 0.5:
            return self._projection()
        return self._aggregation(
            [] if draw < 0.7 else self._choice.sample(self._columns, self._choice.choice([1, 1, 2, 3]))
        )

    def everything(self) -> Select:
        """The whole table."""
        outputs = [_column_output(column) for column in self._columns]
        duck = ", ".join(f"{output.duck} AS o{position}" for position, output in enumerate(outputs))
        table = self._table.name
        return Select(f"SELECT * FROM {table}", f"SELECT {duck} FROM {table}", outputs)

    def _projection(self) -> Select:
        choice = self._choice
        if choice.random() < 0.05:
            outputs = [_column_output(column) for column in self._columns]
            texts = ["*"]
        else:
            columns = choice.sample(self._columns, choice.randint(1, 6))
            outputs = [self._aliased(_column_output(column)) for column in columns]
            texts = [_as(output) for output in outputs]
        keys = [OrderKey(column.name, column.name) for column in choice.sample(self._columns, choice.randint(0, 3))]
        return self._finish(outputs, texts, keys, "", total_by=outputs)

    def _aliased(self, output: Output) -> Output:
        if self._choice.random() >= 0.15:
            return output
        name = f"out_{self._choice.randint(0, 999)}"
        return Output(
            output.postgres,
            output.duck,
            name,
            output.kind,
            output.scale,
            output.length,
            output.measure,
            output.can_order,
        )

    def _aggregation(self, group_by: list[Column]) -> Select:
        choice = self._choice
        groups = [_column_output(column) for column in group_by]
        aggregates = [self._aggregate() for _ in range(choice.randint(0 if groups else 1, 4))]
        outputs = groups + aggregates
        choice.shuffle(outputs)
        outputs = [self._aliased(output) for output in outputs]
        clause = f" GROUP BY {', '.join(column.name for column in group_by)}" if group_by else ""
        keys = []
        if group_by:
            orderable = [output for output in outputs if output.can_order]
            chosen = choice.sample(orderable, min(len(orderable), choice.randint(0, 2)))
            keys = [OrderKey(output.postgres, output.duck) for output in chosen]
        return self._finish(outputs, [_as(output) for output in outputs], keys, clause, total_by=groups)

    def _aggregate(self) -> Output:
        choice = self._choice
        column = choice.choice(self._columns)
        function = choice.choice(["count", "sum", "min", "max", "avg"])
        kind, name = column.type.kind, column.name
        is_number = kind in INTEGER_KINDS or is_floating(kind) or kind is Kind.NUMERIC
        if function == "count" or (function in {"sum", "avg"} and not is_number) or kind in {Kind.BOOL, Kind.UUID}:
            text = choice.choice(["count(*)", f"count({name})"])
            return Output(text, text, "count", Kind.BIGINT)
        text = f"{function}({name})"
        if function in {"min", "max"}:
            scale = column.type.scale if kind is Kind.NUMERIC else None
            return Output(text, text, function, kind, scale, length=column.type.length if kind is Kind.CHAR else 0)
        listed = f"list({name}) FILTER ({name} IS NOT NULL)"
        if is_floating(kind):
            if function == "sum":
                return Output(text, listed, function, kind, measure=Measure.FLOAT_SUM, can_order=False)
            return Output(text, listed, function, Kind.DOUBLE, measure=Measure.FLOAT_AVERAGE, can_order=False)
        if function == "avg":
            measure = Measure.EXACT_AVERAGE
            return Output(text, listed, function, Kind.NUMERIC, column.type.scale, measure=measure, can_order=False)
        result = Kind.BIGINT if kind in {Kind.SMALLINT, Kind.INT} else Kind.NUMERIC
        return Output(text, listed, function, result, column.type.scale, measure=Measure.EXACT_SUM, can_order=False)

    def _finish(
        self, outputs: list[Output], texts: list[str], keys: list[OrderKey], clause: str, total_by: list[Output]
    ) -> Select:
        """Adds WHERE, ORDER BY and LIMIT."""
        choice = self._choice
        where, duck_where = self._where()
        limit = choice.choice([None, None, 0, 1, 5, 50]) if choice.random() < 0.4 else None
        offset = choice.choice([0, 0, 1, 7, 100]) if limit is not None else choice.choice([0] * 19 + [3])
        is_total = False
        if (limit is not None or offset) and total_by:
            is_total = choice.random() < 0.9
            if is_total:
                named = {key.postgres for key in keys}
                rest = [OrderKey(output.postgres, output.duck) for output in total_by if output.postgres not in named]
                choice.shuffle(rest)
                keys = keys + rest
        order, duck_order = self._order_by(outputs, keys, texts)
        table = self._table.name
        tail = (f" LIMIT {limit}" if limit is not None else "") + (f" OFFSET {offset}" if offset else "")
        duck_outputs = [output.duck for output in outputs] + [key.duck for key in keys]
        duck_texts = ", ".join(f"{text} AS o{position}" for position, text in enumerate(duck_outputs))
        return Select(
            f"SELECT {', '.join(texts)} FROM {table}{where}{clause}{order}{tail}",
            f"SELECT {duck_texts} FROM {table}{duck_where}{clause}{duck_order}",
            outputs,
            order_key_count=len(keys),
            limit=limit,
            offset=offset,
            is_total=is_total,
        )

    def _order_by(self, outputs: list[Output], keys: list[OrderKey], texts: list[str]) -> tuple[str, str]:
        """ORDER BY for both sides; DuckDB's names keys by position and always says where NULLs go."""
        postgres, duck = [], []
        for position, key in enumerate(keys):
            descending = self._choice.random() < 0.5
            nulls = self._choice.choice(["", "", "NULLS FIRST", "NULLS LAST"])
            direction = self._choice.choice(["", "ASC"]) if not descending else "DESC"
            named = [i for i, output in enumerate(outputs) if output.postgres == key.postgres]
            text = key.postgres
            if named and texts != ["*"] and self._choice.random() < 0.3:
                text = str(named[0] + 1)
            postgres.append(" ".join(part for part in (text, direction, nulls) if part))
            implied = "NULLS FIRST" if descending else "NULLS LAST"
            duck.append(f"o{len(outputs) + position} {'DESC' if descending else 'ASC'} {nulls or implied}")
        if not keys:
            return "", ""
        return f" ORDER BY {', '.join(postgres)}", f" ORDER BY {', '.join(duck)}"


def _column_output(column: Column) -> Output:
    length = column.type.length if column.type.kind is Kind.CHAR else 0
    scale = column.type.scale if column.type.kind is Kind.NUMERIC else None
    return Output(column.name, column.name, column.name, column.type.kind, scale, length)


def _as(output: Output) -> str:
    return output.postgres if not output.name.startswith("out_") else f"{output.postgres} AS {output.name}"


def _can_add(column_type: Type) -> bool:
    kind = column_type.kind
    return kind not in STRING_KINDS and kind not in {Kind.BOOL, Kind.TIMESTAMP, Kind.TIMESTAMPTZ, Kind.TIME, Kind.UUID}


def _has_room(value: Decimal) -> bool:
    return len(value.as_tuple().digits) < 20


def rounded(value: Decimal, scale: int) -> Decimal:
    """Half away from zero, as PostgreSQL assigns a numeric."""
    with localcontext() as context:
        context.prec = 100
        return value.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP)


def default_value(column: Column) -> Value:
    """Returns the value that an INSERT stores in a column which it leaves out."""
    packed, kind = column.default, column.type.kind
    if packed is None:
        return None
    if kind is Kind.BOOL:
        return packed == b"\x01"
    if kind in STRING_KINDS:
        return packed[2:].decode()
    if kind in INTEGER_KINDS:
        return int.from_bytes(packed, "little", signed=True)
    if kind is Kind.NUMERIC:
        return Decimal(int.from_bytes(packed, "little", signed=True)).scaleb(-column.type.scale)
    return _DEFAULTS[column.name]


_DEFAULTS: dict[str, Value] = {
    "f8": 0.5,
    "d": "2013-01-01",
    "tod": "04:05:06",
    "tag": "00112233-4455-6677-8899-aabbccddeeff",
}
