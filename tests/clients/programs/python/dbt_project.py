"""dbt: a project with a source, tests of it and a model, as its first hour goes."""

from __future__ import annotations

import contextlib
import io
import json
import os
from pathlib import Path

from dbt.cli.main import dbtRunner
from steps import DATABASE, HOST, PORT, USER, take

folder = Path(os.environ["CLIENT_FOLDER"]) / "project"
FILES = {
    "dbt_project.yml": (
        "name: desk\nversion: '1.0'\nprofile: desk\nmodel-paths: [models]\nflags: {send_anonymous_usage_stats: false}\n"
    ),
    "profiles.yml": (
        f"desk:\n  target: here\n  outputs:\n    here: {{type: postgres, host: {HOST}, port: {PORT}, user: {USER}, "
        f"password: none, dbname: {DATABASE}, schema: public, threads: 1}}\n"
    ),
    "models/sources.yml": """
version: 2
sources:
  - name: desk
    schema: public
    tables:
      - name: kinds
        loaded_at_field: moment
        columns:
          - name: id
            tests: [unique, not_null]
          - name: name
            tests:
              - accepted_values: {values: [n0, n1, n2, n3, n4, n5, n6]}
""",
    "models/view_of_kinds.sql": "SELECT name, count(*) AS n FROM {{ source('desk', 'kinds') }} GROUP BY name",
    "models/table_of_kinds.sql": "{{ config(materialized='table') }} SELECT id FROM {{ source('desk', 'kinds') }}",
}


class FailedError(Exception):
    """A command of dbt that did not succeed: it shows the server's message without its code."""


def dbt(*words: str) -> object:
    """Runs a command and returns what it came to, node by node. Error: FailedError one of them."""
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        done = dbtRunner().invoke([*words, "--project-dir", str(folder), "--profiles-dir", str(folder), "--quiet"])
    if done.exception:
        raise FailedError(" ".join(str(done.exception).split()))
    results = getattr(done.result, "results", [])
    wrong = [result.message for result in results if result.status in ("error", "runtime error")]
    if wrong:
        raise FailedError(next((line.strip() for line in wrong[0].splitlines()[1:] if line.strip()), wrong[0]))
    return done.success, sorted((result.node.name, str(result.status), result.failures) for result in results)


def shows() -> object:
    done = dbtRunner().invoke(
        ["show", "--inline", "SELECT name, sum(big) AS total FROM kinds WHERE id <= 200 GROUP BY name ORDER BY name",
         "--project-dir", str(folder), "--profiles-dir", str(folder), "--quiet", "--limit", "7"]
    )  # fmt: skip
    if not done.success:
        raise FailedError(" ".join(str(done.exception).split()))
    table = done.result.results[0].agate_table
    return [[str(value) for value in row] for row in table.rows]


def describes() -> object:
    dbt("docs", "generate")
    catalog = json.loads((folder / "target" / "catalog.json").read_text())
    kinds = catalog["sources"].get("source.desk.desk.kinds", {"columns": {}})
    return catalog["errors"], [(column["name"], column["type"]) for column in kinds["columns"].values()]


for name, text in FILES.items():
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)

take("connects (dbt debug)", lambda: dbt("debug", "--connection"))
take("tests a source (dbt test)", lambda: dbt("test", "--select", "source:desk"))
take("reads rows (dbt show)", shows)
take("makes a view (dbt run)", lambda: dbt("run", "--select", "view_of_kinds"))
take("makes a table (dbt run)", lambda: dbt("run", "--select", "table_of_kinds"))
take("describes the schema (dbt docs generate)", describes)
