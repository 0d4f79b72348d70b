"""SQLAlchemy's ORM with its default driver and its default transactions."""

from __future__ import annotations

from decimal import Decimal

import sqlalchemy
from sqlalchemy import exists, func, orm, select
from sqlalchemy.dialects.postgresql import insert
from steps import DATABASE, HOST, PORT, USER, take


class Base(orm.DeclarativeBase):
    """All mapped classes share this."""


class Kind(Base):
    """A row of the table, some of its columns."""

    __tablename__ = "kinds"

    id: orm.Mapped[int] = orm.mapped_column(primary_key=True, autoincrement=False)
    yes: orm.Mapped[bool | None]
    big: orm.Mapped[int | None] = orm.mapped_column(sqlalchemy.BigInteger)
    name: orm.Mapped[str | None]
    price: orm.Mapped[Decimal | None] = orm.mapped_column(sqlalchemy.Numeric(12, 3))


engine = sqlalchemy.create_engine(f"postgresql+psycopg2://{USER}@{HOST}:{PORT}/{DATABASE}", pool_pre_ping=True)
RANGE = Kind.id <= 200


def session() -> orm.Session:
    return orm.Session(engine)


def all_of(statement: sqlalchemy.Select) -> list[list[object]]:
    with session() as opened:
        return [list(row) for row in opened.execute(statement).all()]


def reflects() -> object:
    inspector = sqlalchemy.inspect(engine)
    columns = [(column["name"], str(column["type"]), column["nullable"]) for column in inspector.get_columns("kinds")]
    return inspector.get_table_names(), columns, inspector.get_pk_constraint("kinds"), inspector.has_table("kinds")


def iterates() -> int:
    with session() as opened:
        stream = opened.scalars(select(Kind).where(RANGE).execution_options(yield_per=50))
        return sum(kind.id for part in stream.partitions() for kind in part)


def inserts() -> object:
    with session() as opened:
        opened.add(Kind(id=1000, name="it's", price=Decimal("12.500")))
        opened.commit()
    return all_of(select(Kind.name, Kind.price).where(Kind.id == 1000))


def inserts_many() -> object:
    with session() as opened:
        opened.add_all([Kind(id=1100 + at, big=at) for at in range(50)])
        opened.commit()
    return all_of(select(func.count()).where(Kind.id.between(1100, 1199)))


def inserts_and_reads_in_one() -> object:
    with session() as opened:
        opened.add(Kind(id=1150, name="flushed"))
        opened.flush()
        found = opened.scalars(select(Kind.name).where(Kind.id == 1150)).all()
        opened.commit()
    return list(found)


def updates() -> object:
    with session() as opened:
        opened.add(Kind(id=1200, name="before"))
        opened.commit()
        kind = opened.get(Kind, 1200)
        kind.name = "after"
        opened.commit()
    return all_of(select(Kind.name).where(Kind.id == 1200))


def updates_many() -> object:
    with engine.begin() as connection:
        connection.execute(sqlalchemy.insert(Kind), [{"id": 1250 + at, "big": at} for at in range(5)])
    with engine.begin() as connection:
        changed = connection.execute(
            sqlalchemy.update(Kind).where(Kind.id.between(1250, 1260)).values(big=Kind.big + 1)
        )
        return changed.rowcount


def deletes() -> object:
    with session() as opened:
        opened.add(Kind(id=1300))
        opened.commit()
        opened.delete(opened.get(Kind, 1300))
        opened.commit()
    return all_of(select(Kind.id).where(Kind.id == 1300))


def upserts() -> object:
    with engine.begin() as connection:
        for big in (1, 2):
            statement = insert(Kind).values(id=1720, big=big)
            connection.execute(statement.on_conflict_do_update(index_elements=["id"], set_={"big": big}))
    return all_of(select(Kind.big).where(Kind.id == 1720))


def commits() -> object:
    with session() as opened, opened.begin():
        opened.add(Kind(id=1400))
        opened.add(Kind(id=1401))
    return all_of(select(func.count()).where(Kind.id.in_([1400, 1401])))


def rolls_back() -> object:
    with session() as opened:
        opened.add(Kind(id=1500))
        opened.flush()
        opened.rollback()
    return all_of(select(Kind.id).where(Kind.id == 1500))


def nests() -> object:
    with session() as opened, opened.begin():
        opened.add(Kind(id=1600))
        with opened.begin_nested():
            opened.add(Kind(id=1601))
    return all_of(select(func.count()).where(Kind.id.in_([1600, 1601])))


def checks_out() -> object:
    found = []
    for _ in range(3):
        with engine.connect() as connection:
            found.append(connection.scalar(sqlalchemy.text("SELECT 1")))
    return found


counted = select(func.count()).select_from(select(Kind.name).where(RANGE).distinct().subquery())
grouped = select(Kind.name, func.count(), func.sum(Kind.big)).where(RANGE).group_by(Kind.name).order_by(Kind.name)
some = select(Kind.id, Kind.price).where(RANGE, Kind.name.in_(["n3", "n5"]), Kind.big > 900).order_by(Kind.id.desc())
take("connects", checks_out)
take("reads the catalogue (inspect)", reflects)
take("looks up (select)", lambda: all_of(some))
take("looks up by key (get)", lambda: all_of(select(Kind.name).where(Kind.id == 7)))
take("counts (count)", lambda: all_of(select(func.count()).select_from(Kind).where(RANGE, Kind.yes)))
take("counts the rows of a sub-query", lambda: all_of(counted))
take("asks whether there is one (exists)", lambda: all_of(select(exists().where(Kind.name == "n3"))))
take("groups (group_by)", lambda: all_of(grouped))
take("reads pages (limit, offset)", lambda: all_of(select(Kind.id).where(RANGE).order_by(Kind.id).limit(9).offset(90)))
take("reads in portions (yield_per)", iterates)
take("inserts (add, commit)", inserts)
take("inserts many (add_all)", inserts_many)
take("reads what it has flushed", inserts_and_reads_in_one)
take("updates an object (commit)", updates)
take("updates many (update)", updates_many)
take("deletes (delete)", deletes)
take("inserts or updates (on_conflict_do_update)", upserts)
take("commits (begin)", commits)
take("rolls back (rollback)", rolls_back)
take("nests transactions (begin_nested)", nests)
take("takes from its pool (pool_pre_ping)", checks_out)
