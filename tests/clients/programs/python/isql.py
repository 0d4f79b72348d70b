"""psqlODBC below unixODBC's isql, which is given a statement a line."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from steps import DATABASE, HOST, PORT, USER, take

DRIVER = "PostgreSQL Unicode"
ISQL_SECONDS_MAX = 60
folder = Path(os.environ["CLIENT_FOLDER"])


class RefusedError(Exception):
    """An error that the driver has passed on."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.sqlstate = code


def isql(*statements: str) -> list[str]:
    """Returns what isql says to some statements. Error: RefusedError one of them."""
    source = (
        f"[kinds]\nDriver = {DRIVER}\nServername = {HOST}\nPort = {PORT}\nDatabase = {DATABASE}\nUserName = {USER}\n"
    )
    (folder / "odbc.ini").write_text(source)
    said = subprocess.run(
        ["isql", "-b", "-v", "-d,", "kinds"],
        input="\n".join(statements) + "\n",
        capture_output=True,
        text=True,
        timeout=ISQL_SECONDS_MAX,
        env={**os.environ, "ODBCINI": str(folder / "odbc.ini")},
        check=False,
    )
    wrong = re.search(r"\[(\w{5})\].*?ERROR: *(.*?);?$", said.stdout + said.stderr, re.MULTILINE)
    if wrong:
        raise RefusedError(wrong[1], wrong[2])
    if said.returncode:
        raise RuntimeError(said.stdout + said.stderr)
    return said.stdout.splitlines()


def updates() -> object:
    return isql(
        "INSERT INTO kinds (id, name) VALUES (1200, 'before')",
        "UPDATE kinds SET name = 'after' WHERE id = 1200",
        "SELECT name FROM kinds WHERE id = 1200",
    )


take("connects", lambda: isql("SELECT 1"))
take("reads the catalogue (SQLTables)", lambda: isql("help"))
# The catalogue's number of the table is each server's own.
take("reads the catalogue (SQLColumns)", lambda: re.sub(r"\b1\d{4}\b", "", "\n".join(isql("help kinds"))))
take("looks up", lambda: isql("SELECT id, yes, price, day FROM kinds WHERE name = 'n3' AND big > 900 ORDER BY id"))
take("counts", lambda: isql("SELECT count(*) FROM kinds WHERE id <= 200"))
take(
    "inserts",
    lambda: isql("INSERT INTO kinds (id, name) VALUES (1000, 'one')", "SELECT name FROM kinds WHERE id = 1000"),
)
take("updates", updates)
take("deletes", lambda: isql("INSERT INTO kinds (id) VALUES (1300)", "DELETE FROM kinds WHERE id = 1300"))
