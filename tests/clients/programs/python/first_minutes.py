"""The first minutes of a tool with windows, which cannot be run here: the statements of a file of `words`."""

from __future__ import annotations

import os
import re
from pathlib import Path

import psycopg2
from steps import DATABASE, HOST, PORT, USER, take

WORDS = Path(__file__).resolve().parents[1] / "words"
connection = psycopg2.connect(host=HOST, port=PORT, user=USER, dbname=DATABASE)
connection.autocommit = True


def answers(statements: list[str], *, of_columns: bool) -> list[object]:
    """Returns what each statement comes to: its columns and, unless they alone are wanted, its rows or their count."""
    found = []
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
            columns = [column.name for column in cursor.description or ()]
            rows = None if of_columns else cursor.fetchall() if cursor.description else cursor.rowcount
            found.append([columns, rows])
    return found


for section in (WORDS / os.environ["CLIENT_WORDS"]).read_text(encoding="utf-8").split("-- step: ")[1:]:
    name, text = section.split("\n", 1)
    statements = [each.strip() for each in re.split(r";\n", text) if each.strip()]
    take(name.rstrip(" *"), lambda: answers(statements, of_columns=name.endswith("*")))  # noqa: B023 - taken at once
