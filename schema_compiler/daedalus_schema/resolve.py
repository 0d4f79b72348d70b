"""From a type as written to a column type, or to the rule it breaks and the alternative."""

from __future__ import annotations

from dataclasses import dataclass

from daedalus_schema.declaration import TypeName
from daedalus_schema.types import NUMERIC_PRECISION_MAX, STRING_LENGTH_MAX, Kind, Type


@dataclass(frozen=True, slots=True)
class Problem:
    """A broken rule whose place the caller knows."""

    rule: str
    message: str


_PLAIN = {
    "bool": Kind.BOOL,
    "int2": Kind.SMALLINT,
    "int4": Kind.INT,
    "int8": Kind.BIGINT,
    "float4": Kind.REAL,
    "float8": Kind.DOUBLE,
    "date": Kind.DATE,
    "uuid": Kind.UUID,
}

_WITH_MICROSECONDS = {"time": Kind.TIME, "timestamp": Kind.TIMESTAMP, "timestamptz": Kind.TIMESTAMPTZ}

# PostgreSQL's name → (rule, spelling, what to write instead).
_REFUSED: dict[str, tuple[str, str, str]] = {
    "text": ("type-text", "text", "varchar(n) with 1 <= n <= 4096 bytes"),
    "citext": ("type-text", "citext", "varchar(n) with 1 <= n <= 4096 bytes"),
    "name": ("type-text", "name", "varchar(63)"),
    "char": ("type-internal-char", '"char"', "char(1)"),
    "timetz": ("type-timetz", "time with time zone", "time, or timestamptz"),
    "interval": ("type-interval", "interval", "bigint, in a unit of your choice"),
    "smallserial": ("type-serial", "smallserial", "smallint"),
    "serial2": ("type-serial", "serial2", "smallint"),
    "serial": ("type-serial", "serial", "bigint"),
    "serial4": ("type-serial", "serial4", "bigint"),
    "bigserial": ("type-serial", "bigserial", "bigint"),
    "serial8": ("type-serial", "serial8", "bigint"),
    "json": ("type-json", "json", "varchar(n), or one column per member"),
    "jsonb": ("type-json", "jsonb", "varchar(n), or one column per member"),
    "xml": ("type-xml", "xml", "varchar(n), or one column per element"),
    "bytea": ("type-bytea", "bytea", "varchar(n), as hexadecimal digits"),
    "money": ("type-money", "money", "numeric(p,s)"),
    "bit": ("type-bit", "bit", "bool columns, or bigint"),
    "varbit": ("type-bit", "bit varying", "bool columns, or bigint"),
    "oid": ("type-oid", "oid", "bigint"),
    "inet": ("type-network", "inet", "varchar(43)"),
    "cidr": ("type-network", "cidr", "varchar(43)"),
    "macaddr": ("type-network", "macaddr", "char(17)"),
    "macaddr8": ("type-network", "macaddr8", "char(23)"),
    "point": ("type-geometric", "point", "two columns of double precision"),
    "tsvector": ("type-text-search", "tsvector", "varchar(n)"),
    "tsquery": ("type-text-search", "tsquery", "varchar(n)"),
    "hstore": ("type-json", "hstore", "one column per key"),
}
_REFUSED |= {
    name: ("type-geometric", name, "one column of double precision per coordinate")
    for name in ("line", "lseg", "box", "path", "polygon", "circle")
}
_REFUSED |= {
    name: ("type-range", name, "two columns, one for each bound")
    for name in ("int4range", "int8range", "numrange", "tsrange", "tstzrange", "daterange")
}

SUPPORTED = (
    "bool, smallint, int, bigint, real, double precision, numeric(p,s), date, time, timestamp, timestamptz, uuid, "
    "char(n), varchar(n)"
)


def resolve(written: TypeName) -> Type | Problem:
    """The column type that `written` names, or the first rule it breaks. Pure."""
    if written.is_set:
        return Problem("type-setof", "SETOF is no column type; write the element type")
    if written.is_array:
        return Problem("type-array", "arrays are not supported; use one column per element, or one row per element")
    if written.name in _REFUSED:
        rule, spelling, alternative = _REFUSED[written.name]
        return Problem(rule, f"type {spelling} is not supported; use {alternative}")
    if written.name in _PLAIN:
        return Type(_PLAIN[written.name])
    if written.name in _WITH_MICROSECONDS:
        return _with_microseconds(written)
    if written.name == "numeric":
        return _numeric(written)
    if written.name in {"bpchar", "varchar"}:
        return _string(written)
    return Problem("type-unknown", f'type "{written.name}" is not supported; use one of {SUPPORTED}')


def _with_microseconds(written: TypeName) -> Type | Problem:
    name = written.name
    if written.modifiers not in {(), (6,)}:
        code = "time-precision" if name == "time" else "timestamp-precision"
        return Problem(code, f"{name} keeps microseconds and takes no precision; use {name}")
    return Type(_WITH_MICROSECONDS[name])


def _numeric(written: TypeName) -> Type | Problem:
    modifiers = written.modifiers
    if not modifiers:
        return Problem("numeric-precision", "numeric needs a precision; use numeric(p,s) with 1 <= p <= 38")
    precision, scale = modifiers[0], modifiers[1] if len(modifiers) > 1 else 0
    if len(modifiers) > 2 or precision is None or scale is None:
        return Problem("numeric-precision", "numeric takes a precision and a scale; use numeric(p,s)")
    if not 1 <= precision <= NUMERIC_PRECISION_MAX:
        alternative = "a precision of 1 to 38" + (", or double precision" if precision > NUMERIC_PRECISION_MAX else "")
        return Problem("numeric-precision", f"precision {precision} is out of range; use {alternative}")
    if not 0 <= scale <= precision:
        return Problem("numeric-scale", f"scale {scale} is out of range; use a scale of 0 to {precision}")
    return Type(Kind.NUMERIC, precision=precision, scale=scale)


def _string(written: TypeName) -> Type | Problem:
    kind = Kind.CHAR if written.name == "bpchar" else Kind.VARCHAR
    if not written.modifiers:
        rule = "char-length" if kind is Kind.CHAR else "varchar-length"
        spelling = "bpchar" if kind is Kind.CHAR else "varchar"
        alternative = "char(n)" if kind is Kind.CHAR else "varchar(n)"
        return Problem(rule, f"{spelling} needs a length; use {alternative} with 1 <= n <= 4096 bytes")
    length = written.modifiers[0]
    if length is None or not 1 <= length <= STRING_LENGTH_MAX:
        return Problem("string-length", "the length is out of range; use 1 to 4096 bytes")
    return Type(kind, length=length)
