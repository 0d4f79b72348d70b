"""How values, types and columns are written in a file."""

from __future__ import annotations

NULL = "NULL"
EMPTY = "(empty)"

TYPES = {
    16: "bool", 17: "bytea", 18: "char", 19: "name", 20: "int8", 21: "int2", 23: "int4", 25: "text", 26: "oid",
    194: "pg_node_tree", 700: "float4", 701: "float8", 705: "unknown", 1042: "bpchar", 1043: "varchar", 1082: "date",
    1083: "time", 1114: "timestamp", 1184: "timestamptz", 1186: "interval", 1700: "numeric", 2205: "regclass",
    2950: "uuid", 1000: "_bool", 1003: "_name", 1005: "_int2", 1007: "_int4", 1009: "_text", 1015: "_varchar",
    1016: "_int8", 1022: "_float8", 1182: "_date",
}  # fmt: skip
OIDS = {name: oid for oid, name in TYPES.items()}

# The letters behind `query`.
LETTERS = {"I": "an integer", "R": "another number", "B": "a boolean", "T": "anything else"}
_LETTER_OF = {"int2": "I", "int4": "I", "int8": "I", "float4": "R", "float8": "R", "numeric": "R", "bool": "B"}

_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def type_name(oid: int) -> str:
    """PostgreSQL's name of a type, or its number where no case has needed its name yet."""
    return TYPES.get(oid, str(oid))


def letter_of(oid: int) -> str:
    """The letter of a type behind `query`."""
    return _LETTER_OF.get(type_name(oid), "T")


def escaped(text: str) -> str:
    """A text within one line: what would end the line, and what nobody sees, is spelled."""
    return "".join(_ESCAPES.get(char) or (char if char.isprintable() else _hex(char)) for char in text)


def shown(value: bytes | None) -> str:
    """A value in a row. What could be taken for another value, or is cut off by editors, is spelled in bytes."""
    if value is None:
        return NULL
    if not value:
        return EMPTY
    try:
        text = escaped(value.decode())
    except UnicodeDecodeError:
        text = "".join(escaped(chr(byte)) if byte < 0x80 else f"\\x{byte:02x}" for byte in value)
    if text in (NULL, EMPTY):
        return _hex(text[0]) + text[1:]
    return text[:-1] + "\\x20" if text.endswith(" ") else text


def _hex(char: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in char.encode())
