"""The functions of the judge's own catalogue: every ordinary one of our kinds that says something of values."""

from __future__ import annotations

import re

from statement_twins import KINDS, Entry, Twins

# Functions that speak of the server, the session, the schema or the planner are not drawn.
NOT_OF_VALUES = {
    r"pg_(?!size_)": "processes, files, locks, statistics and encodings of the server",
    r"(has|row_security)_.*(privilege|active)": "who may do what: there are no roles here",
    r"(txid|pg_xact)_": "transactions and their numbers",
    r"inet_": "the addresses of a connection",
    r"current_setting|current_query": "settings and the statement of a session",
    r"(now|transaction_timestamp|statement_timestamp)$": "the clock: compared by the tests of now()",
    r"age\(1\)": "the clock, too: since the day began",
    r"version$": "the name of a program",
    r"lo_": "large objects on the server",
    r"(bpchar|varchar|interval)$": "casts to a length: whether they are computed hangs on the planner",
    r"(gin|ts|xml|gist|brin|spg)_": "steps of indexes and documents of types that are not here",
}

# Variadic ones are drawn from our own table; the catalogue's sets and procedures are no expressions.
_QUERY = """
    SELECT quote_ident(proname), proname, coalesce((SELECT string_agg(format_type(a, NULL), ',' ORDER BY n)
        FROM unnest(proargtypes) WITH ORDINALITY u(a, n)), ''), format_type(prorettype, NULL), provolatile
    FROM pg_proc
    WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind = 'f' AND NOT proretset AND provariadic = 0
        AND provolatile IN ('i', 's') AND prorettype = ANY ({kinds})
        AND NOT EXISTS (SELECT FROM unnest(proargtypes) a WHERE a <> ALL ({kinds}))
    ORDER BY proname, proargtypes::text"""


def says_nothing_of_values(name: str, arguments: int) -> bool:
    return any(re.match(pattern, name) or re.match(pattern, f"{name}({arguments})") for pattern in NOT_OF_VALUES)


def catalogue(twins: Twins) -> list[Entry]:
    """Read from the PostgreSQL that judges."""
    kinds = "ARRAY[" + ", ".join(f"'{kind}'::regtype" for kind in KINDS) + "]"
    entries = []
    for line in twins.asked(_QUERY.format(kinds=kinds)):
        spelling, name, arguments, result, volatility = line.split("\x1f")
        taken = arguments.split(",") if arguments else []
        if not says_nothing_of_values(name, len(taken)):
            entries.append(Entry(name, False, taken, result, volatility, spelling))
    return entries
