"""Turns the parse tree of a CREATE TABLE, unjudged, into a model that rules can look at.

Keeps everything that a rule may want to refuse, each with its place. Decides only what is shape, never what is allowed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from daedalus_schema.source import Source

Node = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Constant:
    """A literal: `kind` is null, bool, number or string; `text` is what PostgreSQL's grammar made of it."""

    kind: str
    text: str
    offset: int
    cast: TypeName | None = None


@dataclass(frozen=True, slots=True)
class NotConstant:
    """An expression that is no literal; `what` names it."""

    what: str
    offset: int


@dataclass(frozen=True, slots=True)
class TypeName:
    """A type as written: `name` is PostgreSQL's internal one (`int4`); a modifier that is no integer is None."""

    name: str
    modifiers: tuple[int | None, ...]
    is_array: bool
    is_set: bool
    offset: int


@dataclass(frozen=True, slots=True)
class Constraint:
    """A constraint of a column or of the table; `kind` is PostgreSQL's name without its prefix (`CHECK`)."""

    kind: str
    offset: int
    keys: tuple[str, ...] = ()
    including: bool = False
    using_index: bool = False
    default: Constant | NotConstant | None = None


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    offset: int
    type_name: TypeName
    constraints: tuple[Constraint, ...]
    collation_offset: int | None
    name_size: int


@dataclass(frozen=True, slots=True)
class Clause:
    """Anything else that was written; `name` is a rule's name."""

    name: str
    offset: int


@dataclass(frozen=True, slots=True)
class Declaration:
    """One CREATE TABLE."""

    name: str
    offset: int
    name_size: int
    columns: tuple[Column, ...]
    constraints: tuple[Constraint, ...]
    clauses: tuple[Clause, ...] = field(default=())


def declare(source: Source, create: Node, statement_offset: int) -> Declaration:
    """Turns a CreateStmt node into a Declaration. Pure."""
    relation = create["relation"]
    offset = int(relation.get("location", 0))
    elements: list[Node] = create.get("tableElts", [])
    columns = [_column(source, node["ColumnDef"]) for node in elements if "ColumnDef" in node]
    constraints = [_constraint(source, node["Constraint"]) for node in elements if "Constraint" in node]
    likes = [
        Clause("like", int(node["TableLikeClause"]["relation"].get("location", offset)))
        for node in elements
        if "TableLikeClause" in node
    ]
    name = str(relation["relname"])
    name_offset = offset if "schemaname" not in relation else -1
    return Declaration(
        name=name,
        offset=offset,
        name_size=source.identifier_size(name_offset) if name_offset >= 0 else len(name.encode()),
        columns=tuple(columns),
        constraints=tuple(constraints),
        clauses=(*likes, *_table_clauses(create, offset, statement_offset)),
    )


def _table_clauses(create: Node, offset: int, statement_offset: int) -> list[Clause]:
    relation = create["relation"]
    clauses = []
    if "schemaname" in relation:
        clauses.append(Clause("table-schema", offset))
    if relation.get("relpersistence", "p") != "p":
        clauses.append(Clause("temporary-table", statement_offset))
    if create.get("if_not_exists"):
        clauses.append(Clause("if-not-exists", statement_offset))
    if "partbound" in create:
        clauses.append(Clause("partition-of", int(create["inhRelations"][0]["RangeVar"].get("location", offset))))
    elif "inhRelations" in create:
        clauses.append(Clause("inherits", int(create["inhRelations"][0]["RangeVar"].get("location", offset))))
    if "partspec" in create:
        clauses.append(Clause("partition-by", int(create["partspec"].get("location", offset))))
    if "ofTypename" in create:
        clauses.append(Clause("of-type", int(create["ofTypename"].get("location", offset))))
    if "options" in create:
        clauses.append(Clause("storage-clause", int(create["options"][0]["DefElem"].get("location", offset))))
    elif "tablespacename" in create or "accessMethod" in create:
        clauses.append(Clause("storage-clause", offset))
    if create.get("oncommit", "ONCOMMIT_NOOP") != "ONCOMMIT_NOOP":
        clauses.append(Clause("on-commit", offset))
    return clauses


def _column(source: Source, node: Node) -> Column:
    offset = int(node.get("location", 0))
    collation = node.get("collClause")
    return Column(
        name=str(node["colname"]),
        offset=offset,
        type_name=_type_name(node["typeName"]),
        constraints=tuple(_constraint(source, item["Constraint"]) for item in node.get("constraints", [])),
        collation_offset=int(collation.get("location", offset)) if collation else None,
        name_size=source.identifier_size(offset),
    )


def _strings(nodes: list[Node]) -> tuple[str, ...]:
    return tuple(str(node["String"].get("sval", "")) for node in nodes)


def _type_name(node: Node) -> TypeName:
    names = _strings(node.get("names", []))
    if len(names) > 1 and names[0] == "pg_catalog":
        names = names[1:]
    return TypeName(
        name=".".join(names),
        modifiers=tuple(_modifier(item) for item in node.get("typmods", [])),
        is_array="arrayBounds" in node,
        is_set=bool(node.get("setof")),
        offset=int(node.get("location", 0)),
    )


def _modifier(node: Node) -> int | None:
    constant = node.get("A_Const", {})
    # libpg_query's JSON prints integers of zero and below as {}; neither is a legal modifier but a scale of zero.
    return int(constant["ival"].get("ival", 0)) if "ival" in constant else None


def _constraint(source: Source, node: Node) -> Constraint:
    kind = str(node["contype"]).removeprefix("CONSTR_")
    raw = node.get("raw_expr")
    return Constraint(
        kind=kind,
        offset=int(node.get("location", 0)),
        keys=_strings(node.get("keys", [])),
        including="including" in node,
        using_index="indexname" in node,
        default=_constant(source, raw, int(node.get("location", 0))) if raw and kind == "DEFAULT" else None,
    )


def _constant(source: Source, node: Node, outer: int) -> Constant | NotConstant:
    """A literal, a signed literal, or a literal under one cast."""
    if "A_Const" in node:
        return _literal(source, node["A_Const"])
    if "TypeCast" in node:
        cast = node["TypeCast"]
        inner = _constant(source, cast["arg"], outer)
        if isinstance(inner, Constant) and inner.cast is None:
            return Constant(inner.kind, inner.text, inner.offset, _type_name(cast["typeName"]))
        return inner if isinstance(inner, NotConstant) else NotConstant("a cast of a cast", inner.offset)
    if "A_Expr" in node:
        return _signed(source, node["A_Expr"], outer)
    return NotConstant(*_describe(node, outer))


def _signed(source: Source, node: Node, outer: int) -> Constant | NotConstant:
    offset = int(node.get("location", outer))
    operator = _strings(node.get("name", []))
    if "lexpr" not in node and operator in {("-",), ("+",)} and "rexpr" in node:
        inner = _constant(source, node["rexpr"], offset)
        if isinstance(inner, Constant) and inner.kind == "number":
            text = _negated(inner.text) if operator == ("-",) else inner.text
            return Constant("number", text, offset, inner.cast)
    return NotConstant("an expression", _leftmost(node, offset))


def _leftmost(node: Node, outer: int) -> int:
    left = node.get("lexpr")
    if not isinstance(left, dict):
        return outer
    inner = next(iter(left.values()))
    return int(inner.get("location", outer)) if isinstance(inner, dict) else outer


def _describe(node: Node, outer: int) -> tuple[str, int]:
    name, inner = next(iter(node.items()))
    offset = int(inner.get("location", outer)) if isinstance(inner, dict) else outer
    if name == "FuncCall":
        return f"{'.'.join(_strings(inner.get('funcname', [])))}()", offset
    if name == "SQLValueFunction":
        return str(inner.get("op", "")).removeprefix("SVFOP_"), offset
    return "an expression", max(offset, 0)


def _negated(text: str) -> str:
    return text[1:] if text.startswith("-") else "-" + text


def _literal(source: Source, node: Node) -> Constant | NotConstant:
    offset = int(node.get("location", 0))
    if node.get("isnull"):
        return Constant("null", "NULL", offset)
    if "boolval" in node:
        return Constant("bool", "true" if node["boolval"].get("boolval") else "false", offset)
    if "sval" in node:
        return Constant("string", str(node["sval"].get("sval", "")), offset)
    if "fval" in node:
        return Constant("number", str(node["fval"]["fval"]), offset)
    if "ival" in node:
        value = node["ival"].get("ival")
        return Constant("number", str(value) if value is not None else _integer_at(source, offset), offset)
    return NotConstant("a bit string", offset)


_SKIPPED = re.compile(rb"\s+|--[^\n]*\n|/\*.*?\*/|\(", re.DOTALL)
_DIGITS = re.compile(rb"[0-9]+")


def _integer_at(source: Source, offset: int) -> str:
    """The integer literal at `offset`, its signs folded; libpg_query's JSON leaves out what is not positive."""
    negative, at, text = False, offset, source.bytes
    while at < len(text):
        digits = _DIGITS.match(text, at)
        if digits:
            value = int(digits.group())
            return str(-value if negative else value)
        skipped = _SKIPPED.match(text, at)
        if skipped:
            at = skipped.end()
        else:
            negative ^= text[at : at + 1] == b"-"
            at += 1
    return "0"
