"""Each file of cases, in each protocol: a cluster and PostgreSQL 15 answer what the file says."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from slt.reading import FormatError, read
from slt.records import Protocol
from slt.running import complaints
from slt.servers import Servers, are_there

FOLDER = Path(__file__).resolve().parent

pytestmark = pytest.mark.skipif(not are_there(), reason="not run: PostgreSQL 15 is not installed here")


@pytest.fixture(scope="module")
def servers() -> Iterator[Servers]:
    with contextlib.ExitStack() as stack:
        yield Servers(stack)


def runs() -> Iterator[tuple[Path, Protocol]]:
    """A file that cannot be read is run once, and fails."""
    for path in sorted(FOLDER.rglob("*.slt")):
        try:
            protocols = read(path).protocols
        except FormatError:
            protocols = (Protocol.SIMPLE,)
        yield from ((path, protocol) for protocol in protocols)


@pytest.mark.parametrize(
    ("path", "protocol"), [pytest.param(*run, id=f"{run[0].relative_to(FOLDER)}-{run[1]}") for run in runs()]
)
def test_both_answer_what_the_file_says(servers: Servers, path: Path, protocol: Protocol) -> None:
    file = read(path)
    wrong = complaints(file, protocol, servers.sides(file.table))
    assert not wrong, "\n".join(wrong)
