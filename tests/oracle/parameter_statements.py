"""Random statements whose parameters stand in one to three places each, declared or not."""

from __future__ import annotations

import random
from dataclasses import dataclass

from parameter_values import ARRAYS, ELEMENTS, TEXTS

# Columns, and the numbers of their types in pg_type.
COLUMNS = {"b": 16, "s": 21, "i": 23, "l": 20, "r": 700, "d": 701, "n": 1700, "day": 1082, "at": 1114}
COLUMNS |= {"c": 1042, "v": 1043, "moment": 1184, "clock": 1083, "tag": 2950}
_ALIKE = [["s", "i", "l", "r", "d", "n"], ["day", "at", "moment"], ["c", "v"], ["b"], ["tag"], ["clock"]]
_CASTS = ["int", "bigint", "smallint", "real", "float8", "numeric", "text", "varchar", "bpchar", "date", "timestamp"]
_CASTS += ["timestamptz", "boolean", "time", "interval", "uuid"]
_NAMES = {16: "bool", 21: "int2", 23: "int4", 20: "int8", 700: "float4", 701: "float8", 1700: "numeric", 1082: "date"}
_NAMES |= {1114: "timestamp", 1184: "timestamptz", 1042: "bpchar", 1043: "varchar", 1083: "time", 2950: "uuid"}
_NAMES |= {25: "text", 1186: "interval"}
_LITERALS = {16: "true", 21: "1", 23: "2", 20: "1", 700: "1.5", 701: "2.5", 1700: "1.25", 1082: "'2013-01-01'"}
_LITERALS |= {1114: "'2013-01-01 05:00:00'", 1042: "'ab'", 1043: "'ab'", 1184: "'2013-01-01 00:00:00+00'"}
_LITERALS |= {1083: "'12:30'", 2950: "'00112233-4455-6677-8899-aabbccddeeff'"}

# {x}: a column. {y}: another of its kind. {p}: a parameter. {z}: a literal of the column's kind. {t}: a type.
_CONDITIONS = [
    *("{x} = {p}", "{x} = {p}", "{p} = {x}", "{x} <> {p}", "{x} < {p}", "{x} >= {p}", "{x} IN ({p}, {p})"),
    *("{x} IN ({p}, {z})", "{x} NOT IN ({p})", "{x} BETWEEN {p} AND {p}", "{x} = ANY({p})", "{x} = ANY({p})"),
    *("{x} <> ALL({p})", "{x} < ANY({p})", "{x} = ANY(ARRAY[{p}, {p}])", "{p} = ANY(ARRAY[{z}, {p}])"),
    *("coalesce({x}, {p}) = {z}", "coalesce({p}, {x}) = {p}", "greatest({x}, {p}) > {z}", "nullif({x}, {p}) IS NULL"),
    *("{x} IS NOT DISTINCT FROM {p}", "{p} IS NULL", "{p} < {z}", "({x}, {y}) = ({p}, {p})", "({x}, {y}) < ({p}, {p})"),
    *("CASE WHEN {x} = {p} THEN {p} ELSE {p} END = {z}", "CASE {x} WHEN {p} THEN true WHEN {z} THEN false END"),
    *("{x} = ANY({p}::{t}[])", "{x} = ANY(CAST({p} AS {t}[]))", "{p}::{t} = {x}", "CAST({p} AS {t}) IS NULL"),
]
_OUTPUTS = [
    *("{x}", "{p}", "{p}::{t}", "coalesce({x}, {p})", "coalesce({p}, {p})", "greatest({p}, {z})", "{x} = {p}"),
    *("CASE WHEN {x} = {p} THEN {p} ELSE {p} END", "least({x}, {p})", "{p} = ANY({p})"),
    *("count(*) FILTER (WHERE {x} = {p})", "count({p})", "CASE {p} WHEN {p} THEN 1 WHEN {z} THEN 2 END"),
]
# Only some kinds of columns have these, by the first of the kind.
_CONDITIONS_OF = {
    "s": ["{x} + {p} > {p}", "{x} - {p} = {y}", "abs({p}) = {x}", "{x} = {y} + {p}", "{x} * {p} < {p}"],
    "day": ["{x} - {p} = {y}", "{x} + {p} > {p}", "date_trunc({p}, {x}) = {y}"],
    "c": [
        *("{x} LIKE {p}", "{x} NOT LIKE {p}", "{x} ~ {p}", "length({p}) = 2", "upper({p}) = {x}"),
        *("{p} || {x} = 'abab'", "{x} || {p} = {y}", "starts_with({x}, {p})"),
    ],
    "b": ["{p}", "NOT {p}", "{p} IS TRUE", "{p} = {p}", "{x} AND {p}"],
}
_OUTPUTS_OF = {
    "s": ["{x} + {p}", "{p} + {p}", "- {p}", "sum({x} + {p})", "{p} * 2", "round({p}, 1)"],
    "day": ["date_trunc({p}, {x})", "{x} - {p}"],
    "c": ["{p} || {x}", "upper({p})", "concat(length({p}), {x})", "repeat({p}, {p})", "length({p})", "{x} || {p}"],
    "b": ["CASE WHEN {p} THEN {p} ELSE {z} END", "{p} AND {p}"],
}
_SETS = ["{x} = {p}", "{x} = {p}", "{x} = coalesce({p}, {x})", "{x} = {p}::{t}", "{x} = nullif({p}, {p})"]
_SETS += ["{x} = CASE WHEN {p} = {y} THEN {p} ELSE {x} END", "{x} = greatest({x}, {p})"]
_VALUES = ["{p}", "{p}", "{p}", "{p}::{t}", "coalesce({p}, {p})", "coalesce({p}, {z})"]
_AGGREGATES = ("count(", "sum(")


@dataclass(frozen=True, slots=True)
class Asked:
    """A statement, and what its client declares of its parameters: 0 for nothing."""

    sql: str
    declared: tuple[int, ...]

    def names(self) -> list[str]:
        """The declared types as PREPARE spells them."""
        return [_name(oid) for oid in self.declared]


def _name(oid: int) -> str:
    return f"{_NAMES[ELEMENTS[oid]]}[]" if oid in ELEMENTS else _NAMES.get(oid, "unknown")


class Drawer:
    """Draws one statement."""

    def __init__(self, choice: random.Random) -> None:
        self._choice = choice
        self._count = choice.choice((1, 1, 2, 2, 3))
        self._kinds = choice.choice((*_ALIKE, _ALIKE[0], _ALIKE[1], _ALIKE[2], _ALIKE[2]))
        self._wanted: list[int] = [0] * self._count
        self._uses = [0] * self._count

    def statement(self) -> Asked:
        draw = self._choice.random()
        if draw < 0.55:
            sql = self._select()
        elif draw < 0.7:
            sql = f"DELETE FROM t WHERE {self._condition()}"
        elif draw < 0.85:
            sql = f"UPDATE t SET {self._set()} WHERE {self._condition()}"
        else:
            sql = self._insert()
        return Asked(sql, self._declared())

    def _select(self) -> str:
        aggregates, outputs = False, []
        for _ in range(self._choice.choice((1, 1, 1, 2))):
            outputs.append(self._filled(self._form(_OUTPUTS, _OUTPUTS_OF)) if self._choice.random() < 0.5 else "i")
            aggregates = aggregates or outputs[-1].startswith(_AGGREGATES)
        if aggregates:
            outputs = [each if each.startswith(_AGGREGATES) else "count(*)" for each in outputs]
        sql = f"SELECT {', '.join(outputs)} FROM t"
        if self._choice.random() < 0.8:
            sql += f" WHERE {self._condition()}"
        drawn = self._choice.random()
        if drawn < 0.05 and not aggregates:
            sql += f" ORDER BY {self._filled('{x} = {p}')}, i"
        elif drawn < 0.1:
            sql += self._filled(" LIMIT {p}") if aggregates else self._filled(" ORDER BY i LIMIT {p} OFFSET {p}")
        elif drawn < 0.13:
            sql += self._filled(" HAVING count(*) > {p}") if aggregates else ""
        return sql

    def _insert(self) -> str:
        column, other = self._column(), self._choice.choice(("v", "c", "n", "at"))
        names = ["i", column] if column in (other, "i") else ["i", column, other]
        names = list(dict.fromkeys(names))
        rows = []
        for _ in range(self._choice.choice((1, 1, 2))):
            values = ["9", *(self._value(name) for name in names[1:])]
            rows.append(f"({', '.join(values)})")
        returning = f" RETURNING {self._filled(self._choice.choice(('{x}', '{p}', '{x} = {p}')))}"
        returning = returning if self._choice.random() < 0.3 and "(" not in returning else ""
        return f"INSERT INTO t ({', '.join(names)}) VALUES {', '.join(rows)}{returning}"

    def _value(self, column: str) -> str:
        return self._filled(self._choice.choice(_VALUES), column)

    def _form(self, common: list[str], of_kinds: dict[str, list[str]]) -> str:
        drawn = self._choice.random() < 0.95
        own = of_kinds.get(self._kinds[0], []) if drawn else self._choice.choice([*of_kinds.values()])
        return self._choice.choice(own if own and self._choice.random() < 0.4 else common)

    def _condition(self) -> str:
        parts = [
            self._filled(self._form(_CONDITIONS, _CONDITIONS_OF)) for _ in range(self._choice.choice((1, 1, 2, 2, 3)))
        ]
        return self._choice.choice((" AND ", " OR ")).join(parts)

    def _set(self) -> str:
        column = self._choice.choice([name for name in COLUMNS if name != "i"])
        return self._filled(self._choice.choice(_SETS), column)

    def _column(self) -> str:
        return self._choice.choice(self._kinds if self._choice.random() < 0.97 else list(COLUMNS))

    def _filled(self, form: str, column: str | None = None) -> str:
        column = column or self._column()
        other = self._choice.choice(next(kinds for kinds in _ALIKE if column in kinds))
        oid = COLUMNS[column]
        text = form.replace("{x}", column).replace("{y}", other).replace("{z}", _LITERALS[oid])
        while "{t}" in text:
            own = [_NAMES[COLUMNS[name]] for name in self._kinds]
            text = text.replace("{t}", self._choice.choice(own if self._choice.random() < 0.8 else _CASTS), 1)
        is_array = "ANY({p})" in form or "ALL({p})" in form or "}[]" in form
        while "{p}" in text:
            text = text.replace("{p}", self._parameter(ARRAYS[oid] if is_array else oid), 1)
        return text

    def _parameter(self, wanted: int) -> str:
        free = [number for number in range(self._count) if self._uses[number] < 3]
        if not free:
            self._count += 1
            self._wanted.append(0)
            self._uses.append(0)
            free = [self._count - 1]
        unused = [number for number in free if self._uses[number] == 0]
        number = unused[0] if unused and self._choice.random() < 0.5 else self._choice.choice(free)
        if unused and number > unused[0]:
            number = unused[0]
        self._uses[number] += 1
        self._wanted[number] = self._wanted[number] or wanted
        return f"${number + 1}"

    def _declared(self) -> tuple[int, ...]:
        used = max((number + 1 for number, uses in enumerate(self._uses) if uses), default=0)
        return tuple(self._declaration(wanted) for wanted in self._wanted[:used])

    def _declaration(self, wanted: int) -> int:
        drawn = self._choice.random()
        if drawn < 0.55:
            return 0
        if drawn < 0.8:
            return wanted
        if drawn > 0.97:
            return self._choice.choice([*TEXTS, *ARRAYS.values()])
        near = [COLUMNS[name] for name in self._kinds] + [25, 1043]
        element = self._choice.choice(near)
        return ARRAYS[element] if wanted in ELEMENTS else element
