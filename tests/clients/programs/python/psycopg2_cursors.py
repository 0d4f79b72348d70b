"""psycopg2, which opens a transaction before its first statement; its pool, named cursors and helpers."""

from __future__ import annotations

import io

import psycopg2
import psycopg2.extras
import psycopg2.pool
from psycopg2.extensions import TRANSACTION_STATUS_IDLE
from steps import DATABASE, HOST, PORT, USER, take

PLACE = {"host": HOST, "port": PORT, "user": USER, "dbname": DATABASE}
connection = psycopg2.connect(**PLACE)


def ask(sql: str, values: object = None) -> list[object]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return cursor.fetchall()


def tell(sql: str, values: object = None) -> int:
    with connection, connection.cursor() as cursor:
        cursor.execute(sql, values)
        return cursor.rowcount


def iterates() -> int:
    with connection, connection.cursor("portions") as cursor:
        cursor.itersize = 50
        cursor.execute("SELECT id FROM kinds WHERE id <= %s", [200])
        return sum(row[0] for row in cursor)


def inserts_many() -> object:
    with connection, connection.cursor() as cursor:
        cursor.executemany("INSERT INTO kinds (id, big) VALUES (%s, %s)", [(1100 + at, at) for at in range(20)])
    with connection, connection.cursor() as cursor:
        rows = [(1120 + at, at) for at in range(20)]
        psycopg2.extras.execute_values(cursor, "INSERT INTO kinds (id, big) VALUES %s", rows, page_size=10)
    with connection, connection.cursor() as cursor:
        rows = [(1140 + at, at) for at in range(20)]
        psycopg2.extras.execute_batch(cursor, "INSERT INTO kinds (id, big) VALUES (%s, %s)", rows, page_size=10)
    return ask("SELECT count(*), sum(big) FROM kinds WHERE id BETWEEN 1100 AND 1199")


def copies() -> object:
    with connection, connection.cursor() as cursor:
        cursor.copy_from(io.StringIO("1180\tcopied\n1181\t\\N\n"), "kinds", columns=("id", "name"))
    return ask("SELECT id, name FROM kinds WHERE id IN (1180, 1181) ORDER BY id")


def updates() -> object:
    tell("INSERT INTO kinds (id, name) VALUES (%s, %s)", [1200, "before"])
    changed = tell("UPDATE kinds SET name = %s WHERE id = %s", ["after", 1200])
    return changed, ask("SELECT name FROM kinds WHERE id = 1200")


def deletes() -> object:
    tell("INSERT INTO kinds (id) VALUES (1300)")
    return tell("DELETE FROM kinds WHERE id = %s", [1300]), ask("SELECT count(*) FROM kinds WHERE id = 1300")


def commits() -> object:
    with connection, connection.cursor() as cursor:
        for id_ in (1400, 1401):
            cursor.execute("INSERT INTO kinds (id) VALUES (%s)", [id_])
    return ask("SELECT count(*) FROM kinds WHERE id IN (1400, 1401)")


def rolls_back() -> object:
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO kinds (id) VALUES (1500)")
    connection.rollback()
    return ask("SELECT count(*) FROM kinds WHERE id = 1500")


def prepares() -> object:
    with connection, connection.cursor() as cursor:
        cursor.execute("PREPARE by_id AS SELECT name FROM kinds WHERE id = $1")
        cursor.execute("EXECUTE by_id (%s)", [7])
        found = cursor.fetchall()
        cursor.execute("DEALLOCATE by_id")
        return found


def pools() -> object:
    pool = psycopg2.pool.SimpleConnectionPool(1, 2, **PLACE)
    found = []
    for at in range(3):
        taken = pool.getconn()
        with taken.cursor() as cursor:
            cursor.execute("SELECT %s + 1", [at])
            found.append(cursor.fetchall())
        pool.putconn(taken)
    pool.closeall()
    return found


def resets() -> object:
    connection.rollback()
    connection.reset()
    return connection.get_transaction_status() == TRANSACTION_STATUS_IDLE


def some() -> object:
    return ask(
        "SELECT id, price, day FROM kinds WHERE name = %s AND big > %s AND id <= 200 ORDER BY id DESC", ["n3", 900]
    )


def listed() -> object:
    return ask("SELECT id FROM kinds WHERE id = ANY (%s) ORDER BY id", [[1, 2, 3]])


def recover() -> None:
    connection.rollback()


take("connects", lambda: ask("SELECT 1"), recover)
take("looks up (parameters)", some, recover)
take("looks up a list (= ANY)", listed, recover)
take("counts (count)", lambda: ask("SELECT count(*) FROM kinds WHERE id <= 200"), recover)
take("reads in portions (named cursor)", iterates, recover)
take("inserts (execute)", lambda: tell("INSERT INTO kinds (id, name) VALUES (%s, %s)", [1000, "it's"]), recover)
take("inserts many (executemany, execute_values, execute_batch)", inserts_many, recover)
take("copies (copy_from)", copies, recover)
take("updates (execute)", updates, recover)
take("deletes (execute)", deletes, recover)
take("commits (with connection)", commits, recover)
take("rolls back (rollback)", rolls_back, recover)
take("prepares (PREPARE, EXECUTE)", prepares, recover)
take("takes from its pool (SimpleConnectionPool)", pools, recover)
take("resets its connection (reset)", resets, recover)
