"""The tables that are attacked, and what is true of them: everything follows from a row's id."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROWS = int(os.environ.get("DAEDALUS_ATTACK_ROWS", "300000"))
CUSTOMERS = 1000
WIDE_ROWS = 200
WIDE_BYTES = 4090
TWO_NODES = ("--storage-nodes", "2", "--segments", "1", "--partition-by", "hash(id)")


@dataclass(frozen=True, slots=True)
class Table:
    """A table, its rows, and a look-up of one of them by key."""

    name: str
    ddl: str
    rows: int
    row: Callable[[int], tuple[int | str, ...]]  # by id
    looked_up: str  # the columns of a look-up, behind which stand WHERE id = …
    looked_up_columns: tuple[int, ...]
    up: tuple[str, ...]  # options of `daedalus up`
    batch_rows: int = 1000  # of one update while loading

    def look_up(self, row_id: int) -> str:
        """The statement that finds one row."""
        return f"SELECT {self.looked_up} FROM {self.name} WHERE id = {row_id}"

    def found(self, row_id: int) -> tuple[int | str, ...]:
        """Returns what the row must say."""
        row = self.row(row_id)
        return tuple(row[column] for column in self.looked_up_columns)

    def write_csv(self, path: Path) -> None:
        """All rows, ids from 1."""
        header = [line.split()[0] for line in self.ddl.split("(", 1)[1].split(", ")]
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(header)
            writer.writerows(self._all())

    def _all(self) -> Iterator[tuple[int | str, ...]]:
        return (self.row(row_id) for row_id in range(1, self.rows + 1))


def order(row_id: int) -> tuple[int | str, ...]:
    """A row of orders."""
    return (row_id, row_id * 7919 % CUSTOMERS, row_id % 997, f"note number {row_id % 89:08}")


def orders(rows: int) -> Table:
    """The table that most attacks are made on, with room for as many rows again."""
    return Table(
        name="orders",
        ddl="CREATE TABLE orders "
        "(id bigint NOT NULL, customer int NOT NULL, amount int NOT NULL, note varchar(24) NOT NULL);",
        rows=rows,
        row=order,
        looked_up="customer, amount",
        looked_up_columns=(1, 2),
        up=(*TWO_NODES, "--segment-mib", str(64 + rows // 8000)),
    )


ORDERS = orders(ROWS)
SMALL = orders(20_000)
COLD = orders(1)

WIDE = Table(
    name="pages",
    ddl="CREATE TABLE pages (id bigint NOT NULL, number int NOT NULL, text varchar(4096) NOT NULL);",
    rows=WIDE_ROWS,
    row=lambda row_id: (row_id, row_id * 31, f"{row_id:05}" * (WIDE_BYTES // 5)),
    looked_up="number",
    looked_up_columns=(1,),
    up=(*TWO_NODES, "--segment-mib", "128"),
    batch_rows=50,
)
