"""pg8000's DB-API, which opens a transaction before its first statement and prepares each one."""

from __future__ import annotations

import pg8000.dbapi
from steps import DATABASE, HOST, PORT, USER, take

connection = pg8000.dbapi.connect(user=USER, host=HOST, port=PORT, database=DATABASE)


def ask(sql: str, values: object = ()) -> list[object]:
    cursor = connection.cursor()
    cursor.execute(sql, values)
    return list(cursor.fetchall())


def tell(sql: str, values: object = ()) -> int:
    cursor = connection.cursor()
    cursor.execute(sql, values)
    connection.commit()
    return cursor.rowcount


def inserts_many() -> object:
    cursor = connection.cursor()
    cursor.executemany("INSERT INTO kinds (id, big) VALUES (%s, %s)", [(1100 + at, at) for at in range(20)])
    connection.commit()
    return ask("SELECT count(*) FROM kinds WHERE id BETWEEN 1100 AND 1199")


def updates() -> object:
    tell("INSERT INTO kinds (id, name) VALUES (%s, %s)", [1200, "before"])
    changed = tell("UPDATE kinds SET name = %s WHERE id = %s", ["after", 1200])
    return changed, ask("SELECT name FROM kinds WHERE id = 1200")


def deletes() -> object:
    tell("INSERT INTO kinds (id) VALUES (1300)")
    return tell("DELETE FROM kinds WHERE id = %s", [1300]), ask("SELECT count(*) FROM kinds WHERE id = 1300")


def rolls_back() -> object:
    cursor = connection.cursor()
    cursor.execute("INSERT INTO kinds (id) VALUES (1500)")
    connection.rollback()
    return ask("SELECT count(*) FROM kinds WHERE id = 1500")


def some() -> object:
    return ask("SELECT id, yes, price, day FROM kinds WHERE name = %s AND big > %s ORDER BY id", ["n3", 900])


def recover() -> None:
    connection.rollback()


take("connects", lambda: ask("SELECT 1"), recover)
take("looks up (parameters)", some, recover)
take("counts (count)", lambda: ask("SELECT count(*) FROM kinds WHERE id <= %s", [200]), recover)
take("inserts (execute)", lambda: tell("INSERT INTO kinds (id, name) VALUES (%s, %s)", [1000, "it's"]), recover)
take("inserts many (executemany)", inserts_many, recover)
take("updates (execute)", updates, recover)
take("deletes (execute)", deletes, recover)
take("rolls back (rollback)", rolls_back, recover)
