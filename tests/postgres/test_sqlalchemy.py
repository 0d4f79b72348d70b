"""SQLAlchemy 2, Core and ORM, and pandas on top of it: reads, inserts, and what is refused in a block."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from decimal import Decimal

import pandas  # type: ignore[import-untyped]
import pytest
import sqlalchemy
from sqlalchemy import orm


class Base(orm.DeclarativeBase):
    """All mapped classes share this."""


class Kind(Base):
    """A row of the table, some of its columns."""

    __tablename__ = "kinds"

    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    name: orm.Mapped[str | None]
    price: orm.Mapped[Decimal | None] = orm.mapped_column(sqlalchemy.Numeric(12, 3))
    at: orm.Mapped[datetime.datetime | None]


@pytest.fixture
def engine(table: str) -> Iterator[sqlalchemy.Engine]:
    settings = dict(part.split("=") for part in table.split())
    made = sqlalchemy.create_engine(
        f"postgresql+psycopg://{settings['user']}@{settings['host']}:{settings['port']}/{settings['dbname']}"
    )
    yield made
    made.dispose()


def test_core_inserts_and_selects(engine: sqlalchemy.Engine) -> None:
    kinds = sqlalchemy.Table("kinds", sqlalchemy.MetaData(), autoload_with=engine)
    with engine.begin() as connection:
        connection.execute(kinds.insert(), [{"id": id_, "name": f"n{id_ % 3}", "big": id_} for id_ in range(500)])
    with engine.connect() as connection:
        total = sqlalchemy.func.sum(kinds.c.big)
        grouped = sqlalchemy.select(kinds.c.name, total).group_by(kinds.c.name).order_by(kinds.c.name)
        assert connection.execute(grouped).all() == [(f"n{name}", sum(range(name, 500, 3))) for name in range(3)]
        some = sqlalchemy.select(kinds.c.id).where(kinds.c.id.in_([3, 5, 900]), kinds.c.name.like("n%")).order_by("id")
        assert connection.execute(some).scalars().all() == [3, 5]
        streamed = connection.execution_options(yield_per=64).execute(sqlalchemy.select(kinds.c.id))
        assert sum(len(part) for part in streamed.partitions()) == 500


def test_the_orm_adds_and_finds(engine: sqlalchemy.Engine) -> None:
    at = datetime.datetime(2013, 2, 8, 9, 30)
    with orm.Session(engine) as session:
        session.add_all([Kind(id=1, name="one", price=Decimal("1.500"), at=at), Kind(id=2)])
        session.commit()
    with orm.Session(engine) as session:
        found = session.get(Kind, 1)
        assert found is not None
        assert (found.name, found.price, found.at) == ("one", Decimal("1.500"), at)
        nameless = session.scalars(sqlalchemy.select(Kind).where(Kind.name.is_(None))).all()
        assert [kind.id for kind in nameless] == [2]


def test_an_update_wants_autocommit_and_says_so(engine: sqlalchemy.Engine) -> None:
    rename = sqlalchemy.update(Kind).where(Kind.id == 1).values(name="two")
    with orm.Session(engine) as session:
        session.add(Kind(id=1, name="one"))
        session.commit()
        with pytest.raises(sqlalchemy.exc.NotSupportedError, match="use autocommit"):
            session.execute(rename)
        session.rollback()
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        assert connection.execute(rename).rowcount == 1
        assert connection.execute(sqlalchemy.select(Kind.name)).scalars().all() == ["two"]


def test_pandas_reads_and_appends(engine: sqlalchemy.Engine) -> None:
    frame = pandas.DataFrame({"id": range(300), "twice": [id_ / 4 for id_ in range(300)]})
    assert frame.to_sql("kinds", engine, if_exists="append", index=False) is not None
    read = pandas.read_sql("SELECT id, twice FROM kinds ORDER BY id", engine)
    pandas.testing.assert_frame_equal(read, frame, check_dtype=False)
    means = pandas.read_sql(
        sqlalchemy.text("SELECT id % 2 AS odd, avg(twice) AS mean FROM kinds WHERE id < :end GROUP BY 1 ORDER BY 1"),
        engine,
        params={"end": 100},
    )
    assert means["mean"].tolist() == [12.25, 12.5]
