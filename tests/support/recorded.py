"""Takes what real clients send from a plain PostgreSQL's log while they use it, and says it again to two servers."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import psycopg
from plain_postgres import OWNER, SUPERUSER, plain_postgres
from psycopg import pq

LOGGING = ("logging_collector=on", "log_destination=jsonlog", "log_statement=all", "log_min_messages=error")
SAID = re.compile(r"^(?:statement|execute (?:<unnamed>|[^:]*)): (.*)$", re.DOTALL)
PARAMETER = re.compile(r"\$\d+ = (?:(NULL)|'((?:[^']|'')*)')")
ASKS = re.compile(r"^[\s(]*(SELECT|WITH|VALUES|TABLE|SHOW)\b", re.IGNORECASE)
OF_CATALOGUE = re.compile(r"\b(pg_\w+|information_schema)\b|::reg", re.IGNORECASE)
# These say who one is talking to, or change what comes: no answer of one server is to be another's.
OWN = re.compile(
    r"\b(version|pg_backend_pid|inet_\w+|pg_sleep|generate_series|current_user|session_user|current_timestamp|now)\b"
    r"|set_config|pg_is_in_recovery|server_version|pg_settings"
    r"|pg_stat_|pg_locks|pg_get_viewdef|data_directory|pg_proc d\b|pg_\w*size|pg_database|pg_roles|\w+acl\b"
    r"|initprivs|relfrozenxid|pg_attver",
    re.IGNORECASE,
)
WRITES = re.compile(r"\bUPDATE\b|\bFOR SHARE\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Recorded:
    """One statement of a client, with its parameters as text."""

    client: str
    sql: str
    parameters: tuple[str | None, ...]

    @property
    def is_of_catalogue(self) -> bool:
        """Returns whether it looks there, and not only at the table."""
        return OF_CATALOGUE.search(self.sql) is not None


@dataclass(frozen=True, slots=True)
class Said:
    """A server said this to a statement: columns and rows as text, or the tag of a command, or an error's code."""

    sqlstate: str | None
    columns: tuple[tuple[str, int], ...] = ()
    rows: tuple[tuple[str | None, ...], ...] = ()
    tag: str = ""


@contextlib.contextmanager
def recording_postgres(ddl: str, database: str) -> Iterator[str]:
    """A plain PostgreSQL that writes down what it is asked."""
    with plain_postgres(ddl, database, *LOGGING) as dsn:
        yield dsn


def log_size(dsn: str) -> int:
    """Returns the size of the log of a recording_postgres()."""
    with as_superuser(dsn) as connection:
        row = connection.execute("SELECT (pg_stat_file(pg_current_logfile('jsonlog'))).size").fetchone()
    assert row is not None
    return int(row[0])


def as_superuser(dsn: str) -> psycopg.Connection:
    """A connection that may read the log."""
    return psycopg.connect(dsn.replace(f"user={OWNER}", f"user={SUPERUSER}"), autocommit=True)


def only_asks(sql: str) -> bool:
    """Says whether a statement changes nothing, and its answer is not one server's own."""
    return bool(ASKS.match(sql)) and not OWN.search(sql) and not WRITES.search(sql)


def record(
    dsn: str, client: str, use: Callable[[str], object], wanted: Callable[[str], bool] = only_asks
) -> list[Recorded]:
    """Returns what `use` makes a client say to a recording_postgres(), each once, in order: what is `wanted` of it."""
    begin = log_size(dsn)
    use(dsn)
    with as_superuser(dsn) as connection:
        row = connection.execute("SELECT pg_read_file(pg_current_logfile('jsonlog'), %s, 1 << 28)", [begin]).fetchone()
    assert row is not None
    found: dict[Recorded, None] = {}
    for line in row[0].splitlines():
        entry = json.loads(line)
        said = SAID.match(entry.get("message", ""))
        if said and entry.get("user") != SUPERUSER and wanted(said[1]):
            values = PARAMETER.findall(entry.get("detail", ""))
            parameters = tuple(None if null else text.replace("''", "'") for null, text in values)
            found[Recorded(client, said[1].rstrip(" ;\n"), parameters)] = None
    return list(found)


class Teller:
    """Says statements to one server. `numbers` are those that another one has for the same things."""

    def __init__(self, dsn: str, numbers: dict[str, str]) -> None:
        self._connection = psycopg.connect(dsn, autocommit=True)
        self._there = numbers
        self._back = {ours: theirs for theirs, ours in numbers.items()}

    def say(self, recorded: Recorded) -> Said:
        """Says it, by the extended protocol where it has parameters."""
        sql = replaced(recorded.sql, self._there)
        values = [None if value is None else replaced(value, self._there).encode() for value in recorded.parameters]
        connection = self._connection.pgconn
        result = connection.exec_params(sql.encode(), values) if values else connection.exec_(sql.encode())
        if result.status == pq.ExecStatus.COMMAND_OK:
            return Said(None, tag=(result.command_status or b"").decode())
        if result.status != pq.ExecStatus.TUPLES_OK:
            return Said((result.error_field(pq.DiagnosticField.SQLSTATE) or b"").decode())
        columns = tuple((result.fname(at) or b"", result.ftype(at)) for at in range(result.nfields))
        rows = [
            tuple(self._text(result.get_value(row, column)) for column in range(result.nfields))
            for row in range(result.ntuples)
        ]
        return Said(None, tuple((name.decode(), type_) for name, type_ in columns), tuple(sorted(rows, key=repr)))

    def _text(self, value: bytes | None) -> str | None:
        return None if value is None else replaced(value.decode(), self._back)

    def close(self) -> None:
        """Ends its connection."""
        self._connection.close()


def replaced(text: str, numbers: dict[str, str]) -> str:
    """The text with some numbers in place of others, where they stand alone."""
    return re.sub(r"\b\d{5,}\b", lambda found: numbers.get(found[0], found[0]), text)


NUMBERED = """
SELECT 'class ' || relname, oid::text FROM pg_class WHERE relname LIKE 'kinds%'
UNION ALL SELECT 'type ' || typname, oid::text FROM pg_type WHERE typname LIKE '%kinds'
UNION ALL SELECT 'constraint ' || conname, oid::text FROM pg_constraint WHERE conname LIKE 'kinds%'
UNION ALL SELECT 'file ' || relname, relfilenode::text FROM pg_class WHERE relname LIKE 'kinds%'
UNION ALL SELECT 'role', oid::text FROM pg_roles WHERE rolname = 'daedalus'
"""


def numbers_of(dsn: str) -> dict[str, str]:
    """Returns what the catalogue calls the table and what belongs to it, by name."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        return {str(name): str(oid) for name, oid in connection.execute(NUMBERED.encode())}


def tellers(theirs: str, ours: str) -> tuple[Teller, Teller]:
    """One for the server that was recorded, one for another."""
    here, there = numbers_of(theirs), numbers_of(ours)
    return Teller(theirs, {}), Teller(ours, {here[name]: there[name] for name in here if name in there})


def compare(recorded: Sequence[Recorded], theirs: Teller, ours: Teller) -> list[tuple[Recorded, Said, Said]]:
    """Returns the statements that the two answer in different ways."""
    found = []
    for statement in recorded:
        expected, said = theirs.say(statement), ours.say(statement)
        if expected != said:
            found.append((statement, expected, said))
    return found
