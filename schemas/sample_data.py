"""Writes sample rows of a table as CSV: `python schemas/sample_data.py TABLE --rows N [--seed S] > FILE.csv`.

lineitem comes from tpchgen-cli and is the same for everybody, as TPC-H wants it; --seed is for the other tables. An
empty field is NULL. Rows are made one at a time, so that N may be as large as the disk.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import itertools
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TextIO

Row = list[object]  # None is NULL

LINES_PER_SCALE_FACTOR = 6_000_000  # of lineitem: TPC-H 3, table sizes
SCALE_FACTOR_MIN = 0.001

ORDER_COLUMNS = [
    "order_id", "line_number", "part_id", "quantity", "extended_price", "discount", "tax", "return_flag", "ship_date",
    "received_at", "ship_mode", "comment",
]  # fmt: skip
PARTS = 20_000
FIRST_DAY = datetime.date(2024, 1, 1)
DAYS = 730
ORDER_WISHES = ["leave at the door", "ring twice", "gift wrap", "call before delivery", "deliver after six"]

READING_COLUMNS = [
    "sensor_id", "taken_at", "site", "quantity", "value", "battery_volts", "signal_dbm", "status", "is_suspect",
    "calibrated_on", "note",
]  # fmt: skip
SENSORS = 500
SITES = ["ZRH1", "ZRH2", "BRN1", "GVA1", "BSL1"]
QUANTITIES = {"temperature": (21.0, 0.2), "humidity": (45.0, 0.5), "pressure": (962.0, 0.3), "vibration": (0.4, 0.05)}
FIRST_READING = datetime.datetime(2025, 1, 1)
MINUTES_PER_READING = 0.2


class SampleError(Exception):
    """The rows that were asked for cannot be made; the error says what to do."""


def lineitem(rows: int) -> Iterator[list[str]]:
    """The header and the first lines of a TPC-H database that is a little larger."""
    program = shutil.which("tpchgen-cli", path=str(Path(sys.executable).parent)) or shutil.which("tpchgen-cli")
    if program is None:
        raise SampleError("tpchgen-cli is not installed: install requirements-dev.txt")
    scale = max(1.02 * rows / LINES_PER_SCALE_FACTOR, SCALE_FACTOR_MIN)
    command = [program, "csv", "--scale-factor", f"{scale:.6f}", "--tables", "lineitem", "--stdout"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as generator:
        assert generator.stdout is not None
        made = 0
        for line in itertools.islice(csv.reader(generator.stdout), rows + 1):
            yield line
            made += 1
        generator.terminate()
    if made <= rows:  # The header is one of them.
        raise SampleError(f"tpchgen-cli ended after {made} lines; what it says is above")


def order_lines(rows: int, choice: random.Random) -> Iterator[Row]:
    """Orders of one to seven lines in order of time; a few parts are in most orders; the newest have not arrived."""
    order, written = 0, 0
    while written < rows:
        order += 1
        line_count = min(1 + int(choice.expovariate(0.6)), 7, rows - written)
        ordered_on = FIRST_DAY + datetime.timedelta(days=DAYS * written // rows)
        for line in range(1, line_count + 1):
            yield _order_line(order, line, ordered_on, choice)
        written += line_count


def _order_line(order: int, line: int, ordered_on: datetime.date, choice: random.Random) -> Row:
    last_day = FIRST_DAY + datetime.timedelta(days=DAYS)
    part = 1 + int(PARTS * choice.random() ** 3)
    quantity = min(1 + int(choice.expovariate(0.4)), 50)
    cents_each = 99 + part * 7919 % 50_000
    shipped = ordered_on + datetime.timedelta(days=1 + int(choice.expovariate(0.3)))
    received = datetime.datetime.combine(shipped, datetime.time(8)) + datetime.timedelta(
        minutes=round(choice.uniform(600, 9000))
    )
    is_shipped, is_received = shipped < last_day, received.date() < last_day
    return [
        order,
        line,
        part,
        f"{quantity}.00",
        f"{quantity * cents_each / 100:.4f}",
        choice.choice([0.05, 0.1, 0.25]) if choice.random() < 0.2 else None,
        None if choice.random() < 0.03 else choice.choice([0.026, 0.081, 0.081, 0.081]),
        choice.choices("NR", [95, 5])[0] if is_received else None,
        shipped if is_shipped else None,
        received if is_received else None,
        choice.choices(["RAIL", "TRUCK", "AIR", "COURIER"], [50, 30, 15, 5])[0],
        choice.choice(ORDER_WISHES) if choice.random() < 0.1 else None,
    ]


def sensor_readings(rows: int, choice: random.Random) -> Iterator[Row]:
    """Readings in order of time. Each sensor's value wanders; some sensors are wired, some were never calibrated."""
    values: dict[int, float] = {}
    now = FIRST_READING
    for _ in range(rows):
        now += datetime.timedelta(minutes=choice.expovariate(1 / MINUTES_PER_READING), milliseconds=1)
        sensor = 1 + int(SENSORS * choice.random() ** 2)
        quantity = list(QUANTITIES)[sensor % len(QUANTITIES)]
        usual, step = QUANTITIES[quantity]
        value = values[sensor] = values.get(sensor, usual) + choice.gauss(0, step)
        is_silent, is_wired = choice.random() < 0.02, sensor % 5 == 0
        yield [
            sensor,
            now.isoformat(sep=" ", timespec="milliseconds"),
            SITES[sensor * sensor % len(SITES)],
            quantity,
            None if is_silent else round(value, 3),
            None if is_wired else round(choice.uniform(2.7, 3.6), 2),
            None if is_wired else -choice.randint(40, 95),
            choice.choice([17, 23]) if is_silent else 0,
            not is_silent and abs(value - usual) > 10 * step,
            None if sensor % 3 == 0 else datetime.date(2024, 1 + sensor % 12, 1 + sensor % 28),
            "no answer" if is_silent and choice.random() < 0.5 else None,
        ]


MAKERS: dict[str, tuple[list[str], Callable[[int, random.Random], Iterator[Row]]]] = {
    "order_lines": (ORDER_COLUMNS, order_lines),
    "sensor_readings": (READING_COLUMNS, sensor_readings),
}


def lines_of(table: str, rows: int, seed: int) -> Iterable[list[str] | Row]:
    """Header and rows; the same for the same arguments."""
    if table == "lineitem":
        yield from lineitem(rows)
        return
    columns, make = MAKERS[table]
    yield columns
    yield from make(rows, random.Random(seed))


def write(table: str, rows: int, seed: int, sink: TextIO) -> None:
    """Writes CSV with a header."""
    writer = csv.writer(sink, lineterminator="\n")
    for line in lines_of(table, rows, seed):
        writer.writerow(["" if value is None else value for value in line])


def main() -> int:
    parser = argparse.ArgumentParser(description="Writes sample rows of a table in schemas/ as CSV.")
    parser.add_argument("table", choices=["lineitem", *MAKERS])
    parser.add_argument("--rows", type=int, default=10_000, metavar="N", help="default: %(default)s")
    parser.add_argument("--seed", type=int, metavar="S", help="other rows for another seed (default: 1)")
    arguments = parser.parse_args()
    if arguments.rows < 1:
        parser.error(f"--rows must be at least 1, not {arguments.rows}")
    if arguments.table == "lineitem" and arguments.seed is not None:
        parser.error("lineitem is the same for everybody: leave out --seed")
    try:
        write(arguments.table, arguments.rows, 1 if arguments.seed is None else arguments.seed, sys.stdout)
        sys.stdout.flush()
    except BrokenPipeError:  # Whoever reads has had enough; what is still buffered must not be complained about.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except SampleError as error:
        print(f"sample_data: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
