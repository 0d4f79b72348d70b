"""PostgreSQL's own protocol, as far as it takes to learn where in a statement its mistake is: no program of
PostgreSQL's says that as a number."""

from __future__ import annotations

from dataclasses import dataclass

from postgres_connection import PostgresConnection, error_fields


@dataclass(frozen=True, slots=True)
class Mistake:
    """An error: what, and where in the statement, from 1; 0: it is not said."""

    sqlstate: str
    message: str
    position: int


class PostgresWire(PostgresConnection):
    """One connection, and the mistakes of what is said over it."""

    def mistake(self, statement: str) -> Mistake | None:
        """Executes a statement; nothing where it has succeeded."""
        found = None
        for kind, body in self.ask(statement):
            if kind == b"E":
                fields = error_fields(body)
                found = Mistake(fields[b"C"], fields[b"M"], int(fields.get(b"P", "0")))
        return found
