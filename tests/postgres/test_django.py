"""Django 5.2: rows that bulk_create writes by unnest(), what it reads, and its explain()."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import django  # type: ignore[import-untyped]
import pytest
from django.conf import settings  # type: ignore[import-untyped]
from django.db import connections, models  # type: ignore[import-untyped]
from django.test.utils import CaptureQueriesContext  # type: ignore[import-untyped]

settings.configure(USE_TZ=True, DATABASES={"default": {"ENGINE": "django.db.backends.postgresql"}})
django.setup()


class Kind(models.Model):  # type: ignore[misc]
    """A row of the table, some of its columns."""

    id = models.IntegerField(primary_key=True)
    yes = models.BooleanField(null=True)
    price = models.DecimalField(max_digits=12, decimal_places=3, null=True)
    day = models.DateField(null=True)
    tag = models.UUIDField(null=True)
    name = models.CharField(max_length=40, null=True)
    moment = models.DateTimeField(null=True)

    class Meta:
        app_label = "kinds"
        db_table = "kinds"
        managed = False


@pytest.fixture(params=[False, True], ids=["bound by the client", "bound by the server"])
def connection(table: str, request: pytest.FixtureRequest) -> Iterator[Any]:
    """Django's connection to a table without rows."""
    given = dict(part.split("=") for part in table.split())
    made = connections["default"]
    made.settings_dict.update(NAME=given["dbname"], USER=given["user"], HOST=given["host"], PORT=given["port"])
    made.settings_dict["OPTIONS"] = {"server_side_binding": request.param}
    yield made
    made.close()


def test_bulk_create_writes_by_unnest(connection: Any) -> None:
    moment = datetime.datetime(2024, 2, 3, 4, 5, 6, 7, datetime.UTC)
    rows = [
        Kind(id=number, yes=number % 2 == 0, price=Decimal("1.5"), day=moment.date(), name=f'{{n}}, "{number}"')
        for number in range(300)
    ]
    rows[7] = Kind(id=7, moment=moment)
    with CaptureQueriesContext(connection) as asked:
        Kind.objects.bulk_create(rows)
    [insert] = [query["sql"] for query in asked if query["sql"].startswith("INSERT")]
    assert "SELECT * FROM UNNEST(" in insert
    assert Kind.objects.count() == 300
    found = Kind.objects.get(id=8)
    assert (found.yes, found.price, found.day, found.name) == (True, Decimal("1.5"), moment.date(), '{n}, "8"')
    without = Kind.objects.get(id=7)
    assert (without.yes, without.name, without.moment) == (None, None, moment)


def test_a_plan_is_explained(connection: Any) -> None:
    Kind.objects.bulk_create([Kind(id=1), Kind(id=2)])
    plan = Kind.objects.filter(id=1).only("id").explain(verbose=True)
    assert plan.splitlines()[0] == "Sweep on public.kinds  (cost=0.00..0.03 rows=1 width=4)"
    assert '"Node Type": "Sweep"' in str(Kind.objects.all().explain(format="json")).replace("'", '"')
