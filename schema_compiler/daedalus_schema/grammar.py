"""PostgreSQL's own grammar: libpg_query, loaded through ctypes.

Decides nothing about tables; it only turns text into PostgreSQL's parse tree, or into a syntax error with its place.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import json
import re
from typing import Any

PLAIN_NAME = re.compile(r"[a-z_][a-z0-9_]*")
LIBRARY_NAMES = ("libpg_query.so.1504.0", "libpg_query.so")


class GrammarMissingError(Exception):
    """libpg_query is not installed."""


class SqlSyntaxError(Exception):
    """PostgreSQL's grammar refuses the text; `character` counts from 0."""

    def __init__(self, message: str, character: int) -> None:
        super().__init__(message)
        self.character = character


class _Error(ctypes.Structure):
    _fields_ = (
        ("message", ctypes.c_char_p),
        ("funcname", ctypes.c_char_p),
        ("filename", ctypes.c_char_p),
        ("lineno", ctypes.c_int),
        ("cursorpos", ctypes.c_int),
        ("context", ctypes.c_char_p),
    )


class _ParseResult(ctypes.Structure):
    _fields_ = (
        ("parse_tree", ctypes.c_char_p),
        ("stderr_buffer", ctypes.c_char_p),
        ("error", ctypes.POINTER(_Error)),
    )


def _load() -> ctypes.CDLL:
    found = ctypes.util.find_library("pg_query")
    for name in (*LIBRARY_NAMES, *((found,) if found else ())):
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        library.pg_query_parse.restype = _ParseResult
        library.pg_query_parse.argtypes = [ctypes.c_char_p]
        library.pg_query_free_parse_result.restype = None
        library.pg_query_free_parse_result.argtypes = [_ParseResult]
        return library
    raise GrammarMissingError(f"cannot load {LIBRARY_NAMES[0]}; install Debian's libpg-query1504.0")


def parse(text: str) -> list[dict[str, Any]]:
    """The file's statements as PostgreSQL's raw parse nodes.

    Errors: SqlSyntaxError; GrammarMissingError. Precondition: no NUL in `text`.
    """
    library = _load()
    result = library.pg_query_parse(text.encode())
    try:
        if result.error:
            error = result.error.contents
            raise SqlSyntaxError(error.message.decode(), max(error.cursorpos - 1, 0))
        statements: list[dict[str, Any]] = json.loads(result.parse_tree)["stmts"]
        return statements
    finally:
        library.pg_query_free_parse_result(result)


def quoted(name: str) -> str:
    """An identifier as SQL text has it: in quotes unless the bare word means this very column or table.

    Errors: GrammarMissingError.
    """
    return name if _is_plain(name) else '"' + name.replace('"', '""') + '"'


def _is_plain(name: str) -> bool:
    """Returns whether the grammar reads the bare word as a name; keywords it takes, by their kind, for other things."""
    if not PLAIN_NAME.fullmatch(name):
        return False
    try:
        (statement,) = parse(f"SELECT {name} FROM {name}")
    except SqlSyntaxError:
        return False
    (target,) = statement["stmt"]["SelectStmt"]["targetList"]
    fields = target["ResTarget"]["val"].get("ColumnRef", {}).get("fields")
    return bool(fields == [{"String": {"sval": name}}])
