"""Tortoise over asyncpg: a model of a table that is there, each write as Tortoise sends it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from concurrent.futures import Future

from steps import DATABASE, HOST, PORT, USER, take
from tortoise import Tortoise, fields
from tortoise.functions import Count, Max
from tortoise.models import Model
from tortoise.transactions import in_transaction


class Kind(Model):
    """A row of the table, some of its columns."""

    id = fields.IntField(primary_key=True, generated=False)
    yes = fields.BooleanField(null=True)
    big = fields.BigIntField(null=True)
    price = fields.DecimalField(12, 3, null=True)
    name = fields.CharField(40, null=True)

    class Meta:
        """The table's name."""

        table = "kinds"


async def inserts() -> object:
    await Kind.create(id=1000, name="it's")
    return (await Kind.get(id=1000)).name


async def inserts_many() -> object:
    await Kind.bulk_create([Kind(id=1100 + at, big=at) for at in range(20)])
    return await Kind.filter(id__range=(1100, 1199)).count()


async def saves() -> object:
    kind = await Kind.create(id=1200, name="before")
    kind.name = "after"
    await kind.save()
    return (await Kind.get(id=1200)).name


async def updates_many() -> object:
    await Kind.create(id=1250)
    return await Kind.filter(id__range=(1250, 1260)).update(name="after")


async def updates_in_block() -> object:
    await Kind.create(id=1270, name="before")
    async with in_transaction() as block:
        return await Kind.filter(id=1270).using_db(block).update(name="after")


async def deletes() -> object:
    kind = await Kind.create(id=1300)
    await kind.delete()
    return await Kind.filter(id=1300).count()


async def gets_or_creates() -> object:
    return [(await Kind.get_or_create({"name": "new"}, id=1700))[1] for _ in range(2)]


async def commits() -> object:
    async with in_transaction() as block:
        await Kind.create(id=1400, using_db=block)
        await Kind.create(id=1401, using_db=block)
    return await Kind.filter(id__in=[1400, 1401]).count()


async def rolls_back() -> object:
    async with in_transaction() as block:
        await Kind.create(id=1500, using_db=block)
        await block.rollback()
    return await Kind.filter(id=1500).count()


async def main() -> None:
    await Tortoise.init(db_url=f"asyncpg://{USER}@{HOST}:{PORT}/{DATABASE}", modules={"models": ["__main__"]})
    few = Kind.filter(id__lte=200)
    await attempt("looks up (filter)", few.filter(name="n3", big__gt=900).order_by("-id").values_list("id", "price"))
    await attempt("looks up by key (get)", Kind.get(id=7).values("name"))
    await attempt("counts (count)", few.count())
    await attempt("asks whether there is one (exists)", few.filter(name="n3").exists())
    await attempt("groups (annotate, group_by)", few.annotate(n=Count("id"), most=Max("big")).group_by("name")
                  .order_by("name").values_list("name", "n", "most"))  # fmt: skip
    await attempt("reads pages (limit, offset)", few.order_by("id").limit(9).offset(60).values_list("id", flat=True))
    await attempt("inserts (create)", inserts())
    await attempt("inserts many (bulk_create)", inserts_many())
    await attempt("updates an object (save)", saves())
    await attempt("updates many (update)", updates_many())
    await attempt("updates in a block (in_transaction)", updates_in_block())
    await attempt("deletes an object (delete)", deletes())
    await attempt("inserts what is not there (get_or_create)", gets_or_creates())
    await attempt("commits (in_transaction)", commits())
    await attempt("rolls back (rollback)", rolls_back())
    await Tortoise.close_connections()


async def attempt(name: str, step: Awaitable[object]) -> None:
    """Takes a step, whose outcome is known before it is told."""
    future: Future[object] = Future()
    try:
        future.set_result(await step)
    except Exception as error:
        future.set_exception(error)
    take(name, future.result)


asyncio.run(main())
