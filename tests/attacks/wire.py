"""The wire (docs/wire.md), as small as attacks need it: frames, and messages as numbered fields.

Written from the documents alone. It is not a client library: an attacker sends what he likes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

VERSION = 5
FRAME_SIZE_MAX = 16 << 20


class FrameType(IntEnum):
    """The type of a frame says what it carries."""

    HELLO = 1
    KEEP_ALIVE = 2
    OPERATIONS = 3
    RESULTS = 4
    GOODBYE = 5


class Role(IntEnum):
    """Whom a peer claims to be."""

    CLIENT = 1
    WRITER = 2
    AGGREGATOR = 3


class Kind(IntEnum):
    """Kinds of operations."""

    STATEMENT = 1
    DESCRIBE = 7
    STATUS = 8
    EPOCH = 9


# ---- frames ----


def _crc_table() -> list[int]:
    table = []
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
        table.append(crc)
    return table


CRC_TABLE = _crc_table()


def crc32c(data: bytes) -> int:
    """Castagnoli's checksum, a byte at a time: what attackers send is small, or made once."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = CRC_TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


def frame(kind: FrameType, payload: bytes = b"") -> bytes:
    """One whole frame."""
    head = struct.pack("<IBBH", len(payload) + 8, VERSION, kind, 0) + payload
    return head + struct.pack("<I", crc32c(head))


# ---- messages ----

Field = tuple[int, int | bytes | str]


def varint(number: int) -> bytes:
    """A Protocol Buffers varint."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def message(*fields: Field) -> bytes:
    """A message of (number, value) fields: integers as varints, bytes and text with their length."""
    out = bytearray()
    for number, value in fields:
        if isinstance(value, int):
            out += varint(number << 3) + varint(value)
        else:
            data = value.encode() if isinstance(value, str) else value
            out += varint(number << 3 | 2) + varint(len(data)) + data
    return bytes(out)


class MalformedError(Exception):
    """The bytes that came do not parse."""


class Message:
    """A parsed message: the values of each field, in order."""

    def __init__(self, data: bytes | memoryview) -> None:
        self.fields: dict[int, list[int | memoryview]] = {}
        view, at = memoryview(data), 0
        while at < len(view):
            tag, at = _read_varint(view, at)
            value: int | memoryview
            if tag & 7 == 0:
                value, at = _read_varint(view, at)
            elif tag & 7 in (1, 5):
                size = 8 if tag & 7 == 1 else 4
                value, at = int.from_bytes(view[at : at + size], "little"), at + size
            elif tag & 7 == 2:
                size, at = _read_varint(view, at)
                value, at = view[at : at + size], at + size
            else:
                raise MalformedError(f"wire type {tag & 7}")
            self.fields.setdefault(tag >> 3, []).append(value)

    def number(self, field_number: int) -> int:
        """The last value of an integer field; 0 where there is none."""
        value = self.fields.get(field_number, [0])[-1]
        if not isinstance(value, int):
            raise MalformedError(f"field {field_number} is no integer")
        return value

    def data(self, field_number: int) -> memoryview:
        """The last value of a field of bytes; empty where there is none."""
        value = self.fields.get(field_number, [memoryview(b"")])[-1]
        if isinstance(value, int):
            raise MalformedError(f"field {field_number} is no bytes")
        return value

    def text(self, field_number: int) -> str:
        """The last value of a text field."""
        return bytes(self.data(field_number)).decode()

    def messages(self, field_number: int) -> list[Message]:
        """Every message of a repeated field."""
        return [Message(value) for value in self.fields.get(field_number, []) if not isinstance(value, int)]

    def has(self, field_number: int) -> bool:
        """Returns whether the field is there."""
        return field_number in self.fields


def _read_varint(view: memoryview, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = view[at]
        number |= (byte & 0x7F) << shift
        at += 1
        if byte < 0x80:
            return number, at
        shift += 7


# ---- what attackers say ----


@dataclass(frozen=True, slots=True)
class Hello:
    """The first frame of a connection. The cluster's own words are only needed to pass for a part of it."""

    role: Role = Role.CLIENT
    name: str = "attacker"
    cluster_id: str = ""
    schema_fingerprint: str = ""
    map_version: int = 0

    def frame(self) -> bytes:
        """As it is sent."""
        return frame(
            FrameType.HELLO,
            message(
                (1, self.role),
                (2, self.name),
                (3, "attacks"),
                (4, self.cluster_id),
                (5, self.schema_fingerprint),
                (6, self.map_version),
                (8, FRAME_SIZE_MAX),
            ),
        )


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of a batch."""

    sequence: int
    kind: Kind
    body: bytes = b""
    seconds: float = 0.0  # until nobody wants the answer any more; 0: the receiver's default

    def encoded(self) -> bytes:
        """As an entry of an OperationBatch."""
        header = message((1, self.sequence), (2, self.kind), (5, int(self.seconds * 1e9)))
        return message((1, message((1, header), (2, self.body))))


def operations(batch: Iterable[Operation]) -> bytes:
    """A frame of operations."""
    return frame(FrameType.OPERATIONS, b"".join(operation.encoded() for operation in batch))


@dataclass(frozen=True, slots=True)
class Submission:
    """The id of a statement that writes, and since when it can have taken effect (docs/protocol.md, "Submissions")."""

    client: bytes
    number: int
    epoch: int
    numbered_after: int


def statement(sql: str, submission: Submission | None = None) -> bytes:
    """A StatementBody; statements that write carry a submission."""
    fields: list[Field] = [(1, sql)]
    if submission is not None:
        made = submission
        fields.append((3, message((1, made.client), (2, made.number), (3, made.epoch), (4, made.numbered_after))))
    return message(*fields)


def epoch(number: int, holder: str, endpoint: str, inquire: bool = False) -> bytes:
    """An EpochBody."""
    return message((1, number), (2, holder), (3, endpoint), (4, int(inquire)))


# ---- what attackers are told ----


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error, as far as it matters here."""

    sqlstate: str
    words: str
    category: int
    missing: tuple[int, ...] = ()  # nodes that an answer lacks

    @classmethod
    def parse(cls, error: Message) -> Refusal:
        """From an Error message."""
        missing = tuple(part.number(1) for part in error.messages(8))
        return cls(error.text(2), error.text(3), error.number(1), missing)


@dataclass(slots=True)
class Rows:
    """Rows of an answer, packed as they came."""

    types: list[int] = field(default_factory=list)
    packed: list[bytes] = field(default_factory=list)
    count: int = 0
    size: int = 0

    def values(self) -> list[tuple[object, ...]]:
        """Every row; only types that attacks ask for."""
        rows: list[tuple[object, ...]] = []
        for piece in self.packed:
            rows.extend(_unpack(self.types, piece))
        return rows


INTEGERS = {2: 2, 3: 4, 4: 8}  # smallint, int, bigint
CHAR, VARCHAR = 10, 11


def _unpack(types: Sequence[int], packed: bytes) -> Iterable[tuple[object, ...]]:
    at, nulls_size = 0, (len(types) + 7) // 8
    while at < len(packed):
        end = at + 4 + int.from_bytes(packed[at : at + 4], "little")
        nulls = packed[at + 4 : at + 4 + nulls_size]
        at += 4 + nulls_size
        row: list[object] = []
        for column, kind in enumerate(types):
            if nulls[column // 8] >> column % 8 & 1:
                row.append(None)
            elif kind in INTEGERS:
                row.append(int.from_bytes(packed[at : at + INTEGERS[kind]], "little", signed=True))
                at += INTEGERS[kind]
            elif kind in (CHAR, VARCHAR):
                size = int.from_bytes(packed[at : at + 2], "little")
                row.append(packed[at + 2 : at + 2 + size].decode())
                at += 2 + size
            else:
                raise MalformedError(f"values of type {kind} are not read here")
        if at != end:
            raise MalformedError("a row is longer than its values")
        yield tuple(row)
