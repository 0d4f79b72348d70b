"""peewee: a model of a table that is there."""

from __future__ import annotations

import peewee
from steps import DATABASE, HOST, PORT, USER, take

database = peewee.PostgresqlDatabase(DATABASE, host=HOST, port=PORT, user=USER)


class Kind(peewee.Model):
    """A row of the table, some of its columns."""

    id = peewee.IntegerField(primary_key=True)
    yes = peewee.BooleanField(null=True)
    big = peewee.BigIntegerField(null=True)
    price = peewee.DecimalField(12, 3, null=True)
    name = peewee.CharField(40, null=True)

    class Meta:
        """The table's name."""

        database = database
        table_name = "kinds"


rows = Kind.select().where(Kind.id <= 200)


def reads_catalogue() -> object:
    columns = [(column.name, column.data_type, column.null) for column in database.get_columns("kinds")]
    return database.get_tables(), columns, database.get_primary_keys("kinds"), database.table_exists("kinds")


def inserts() -> object:
    Kind.create(id=1000, name="it's")
    return list(Kind.select(Kind.name).where(Kind.id == 1000).tuples())


def inserts_many() -> object:
    with database.atomic():
        Kind.insert_many([{"id": 1100 + at, "big": at} for at in range(20)]).execute()
    return Kind.select().where(Kind.id.between(1100, 1199)).count()


def saves() -> object:
    Kind.create(id=1200, name="before")
    kind = Kind.get_by_id(1200)
    kind.name = "after"
    return kind.save(), Kind.get_by_id(1200).name


def saves_in_block() -> object:
    Kind.create(id=1270, name="before")
    with database.atomic():
        kind = Kind.get_by_id(1270)
        kind.name = "after"
        return kind.save()


def deletes() -> object:
    kind = Kind.create(id=1300)
    return kind.delete_instance(), Kind.get_or_none(Kind.id == 1300)


def upserts() -> object:
    for big in (1, 2):
        Kind.insert(id=1720, big=big).on_conflict(conflict_target=[Kind.id], update={Kind.big: big}).execute()
    return Kind.get_by_id(1720).big


def rolls_back() -> object:
    with database.atomic() as block:
        Kind.create(id=1500)
        block.rollback()
    return Kind.select().where(Kind.id == 1500).count()


def nests() -> object:
    with database.atomic():
        Kind.create(id=1600)
        with database.atomic():
            Kind.create(id=1601)
    return Kind.select().where(Kind.id.in_([1600, 1601])).count()


def groups() -> object:
    count = peewee.fn.COUNT(Kind.id)
    return list(rows.select(Kind.name, count, peewee.fn.SUM(Kind.big)).group_by(Kind.name).order_by(Kind.name).tuples())


def recover() -> None:
    if not database.is_closed():
        database.rollback()


some = rows.where((Kind.name == "n3") & (Kind.big > 900)).order_by(Kind.id.desc())
take("connects", database.connect, recover)
take("reads the catalogue (get_columns)", reads_catalogue, recover)
take("looks up (where)", lambda: [(kind.id, kind.price) for kind in some], recover)
take("looks up by key (get_by_id)", lambda: Kind.get_by_id(7).name, recover)
take("counts (count)", lambda: rows.count(), recover)
take("asks whether there is one (exists)", lambda: some.exists(), recover)
take("groups (group_by)", groups, recover)
take("reads pages (paginate)", lambda: [kind.id for kind in rows.order_by(Kind.id).paginate(3, 30)], recover)
take("reads one by one (iterator)", lambda: sum(kind.id for kind in rows.iterator()), recover)
take("inserts (create)", inserts, recover)
take("inserts many (insert_many)", inserts_many, recover)
take("updates an object (save)", saves, recover)
take("updates in a block (atomic, save)", saves_in_block, recover)
take("deletes (delete_instance)", deletes, recover)
take("inserts or updates (on_conflict)", upserts, recover)
take("rolls back (atomic)", rolls_back, recover)
take("nests blocks (atomic in atomic)", nests, recover)
