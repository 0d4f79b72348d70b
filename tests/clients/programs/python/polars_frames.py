"""Polars: frames by ADBC, which copies in binary, and by ConnectorX, which reads parts beside each other."""

from __future__ import annotations

import polars
from steps import DATABASE, HOST, PORT, USER, take

URI = f"postgresql://{USER}@{HOST}:{PORT}/{DATABASE}"
SOME = "SELECT id, yes, big, name, day FROM kinds WHERE id <= 200 ORDER BY id"
GROUPED = "SELECT name, count(*) AS n, sum(big)::bigint AS total FROM kinds WHERE id <= 200 GROUP BY name ORDER BY name"


def rows(frame: polars.DataFrame) -> list[list[object]]:
    return [[str(value) for value in row] for row in frame.rows()]


def parts() -> object:
    sql = "SELECT id, big FROM kinds WHERE id <= 200"
    return polars.read_database_uri(sql, URI, engine="connectorx", partition_on="id", partition_num=2).sort("id").shape


def appends() -> object:
    frame = polars.DataFrame(
        {"id": range(1100, 1120), "big": range(20)}, schema={"id": polars.Int32, "big": polars.Int64}
    )
    frame.write_database("kinds", URI, if_table_exists="append", engine="adbc")
    return rows(polars.read_database_uri("SELECT id FROM kinds WHERE id BETWEEN 1100 AND 1199 ORDER BY id", URI))


def replaces() -> object:
    frame = polars.DataFrame({"id": [1, 2]})
    return frame.write_database("others", URI, if_table_exists="replace", engine="adbc")


take("reads (ADBC)", lambda: rows(polars.read_database_uri(SOME, URI, engine="adbc")))
take("reads (ConnectorX)", lambda: rows(polars.read_database_uri(SOME, URI, engine="connectorx")))
take("groups (ADBC)", lambda: rows(polars.read_database_uri(GROUPED, URI, engine="adbc")))
take("groups (ConnectorX)", lambda: rows(polars.read_database_uri(GROUPED, URI, engine="connectorx")))
take("reads in parts (ConnectorX, partition_on)", parts)
take("appends (write_database)", appends)
take("makes a table (write_database, replace)", replaces)
