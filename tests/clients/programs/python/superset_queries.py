"""Superset's query layer without its pages: a database, a dataset, and the queries that charts are made of."""

from __future__ import annotations

import logging
import os
import sys
import warnings

from steps import DATABASE, HOST, PORT, USER, take

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
os.environ["SUPERSET_SECRET_KEY"] = "nothing is kept"
out, sys.stdout = sys.stdout, sys.stderr  # Its loggers begin before they can be told not to.

from superset.app import create_app  # noqa: E402 - wants its settings

app = create_app()
app.config["SQLALCHEMY_DATABASE_URI"] = "sqlite://"
sys.stdout = out

with app.app_context():
    from superset.connectors.sqla.models import SqlaTable, SqlMetric, TableColumn
    from superset.models.core import Database
    from superset.sql.parse import Table

    database = Database(
        database_name="kinds", sqlalchemy_uri=f"postgresql+psycopg2://{USER}@{HOST}:{PORT}/{DATABASE}", extra="{}"
    )
    dataset = SqlaTable(table_name="kinds", schema="public", database=database)
    table = Table("kinds", "public")

    def columns() -> object:
        found = database.get_columns(table)
        dataset.columns = [
            TableColumn(
                column_name=column["column_name"], type=str(column["type"]), is_dttm=column["column_name"] == "at"
            )
            for column in found
        ]
        dataset.metrics = [SqlMetric(metric_name="count", expression="COUNT(*)")]
        return [(column["column_name"], str(column["type"])) for column in found]

    def asked(**query: object) -> object:
        whole = {"granularity": None, "from_dttm": None, "to_dttm": None, "is_timeseries": False, "filter": [], **query}
        result = dataset.query(whole)
        if result.error_message:
            raise RuntimeError(result.error_message)
        return result.df.astype(str).values.tolist()

    few = {"col": "id", "op": "<=", "val": 200}
    total = {"expressionType": "SIMPLE", "aggregate": "SUM", "column": {"column_name": "big"}, "label": "total"}
    distinct = {
        "expressionType": "SIMPLE",
        "aggregate": "COUNT_DISTINCT",
        "column": {"column_name": "name"},
        "label": "n",
    }

    def connects() -> object:
        with database.get_sqla_engine() as engine:
            connection = engine.raw_connection()
            return engine.dialect.do_ping(connection)

    take("connects (test connection)", connects)
    take(
        "lists tables (get_all_table_names_in_schema)",
        lambda: sorted(name for name, *_ in database.get_all_table_names_in_schema(catalog=None, schema="public")),
    )
    take("lists schemas", lambda: sorted(database.get_all_schema_names(catalog=None) - {"pg_toast"}))
    take("reads the catalogue (get_columns)", columns)
    take(
        "previews a table (select_star)",
        lambda: database.get_df(database.select_star(table, limit=5, latest_partition=False)).shape[1],
    )
    take(
        "makes a table chart", lambda: asked(columns=["id", "name"], filter=[few], orderby=[("id", True)], row_limit=9)
    )
    take(
        "makes a bar chart",
        lambda: asked(
            groupby=["name"],
            columns=["name"],
            metrics=["count", total],
            filter=[few],
            orderby=[(total, False)],
            row_limit=5,
        ),
    )
    take("makes a big number", lambda: asked(metrics=[distinct], filter=[few], columns=[]))
    take(
        "fills a filter's list (values_for_column)",
        lambda: sorted(map(str, dataset.values_for_column("name", limit=100))),
    )
    take(
        "runs a text in SQL Lab (get_df)",
        lambda: database.get_df(
            "SELECT name, count(*) AS n FROM kinds WHERE id <= 200 GROUP BY name ORDER BY name"
        ).values.tolist(),
    )
