"""A compiled schema, loaded and called through the C interface of abi.h."""

from __future__ import annotations

import ctypes
import mmap
from pathlib import Path

from daedalus_schema.types import Kind

PAGE = mmap.PAGESIZE
PREFIX_SIZE = 8  # bytes of a longer string in its column's plane; the others are its tail
STRING_KINDS = {Kind.CHAR, Kind.VARCHAR}

StoreRow = ctypes.CFUNCTYPE(
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_uint32,
    ctypes.POINTER(ctypes.c_void_p),
    ctypes.POINTER(ctypes.c_void_p),
    ctypes.c_uint32,
)


class ColumnAbi(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("kind", ctypes.c_uint8),
        ("nullable", ctypes.c_uint8),
        ("has_default", ctypes.c_uint8),
        ("default_is_null", ctypes.c_uint8),
        ("precision", ctypes.c_uint32),
        ("scale", ctypes.c_uint32),
        ("length", ctypes.c_uint32),
        ("plane_width", ctypes.c_uint32),
        ("default_packed", ctypes.POINTER(ctypes.c_uint8)),
        ("default_packed_size", ctypes.c_uint32),
    )


class SchemaAbi(ctypes.Structure):
    _fields_ = (
        ("abi_version", ctypes.c_uint32),
        ("column_count", ctypes.c_uint32),
        ("fingerprint", ctypes.c_char_p),
        ("table_name", ctypes.c_char_p),
        ("columns", ctypes.POINTER(ColumnAbi)),
        ("primary_key", ctypes.POINTER(ctypes.c_uint32)),
        ("primary_key_count", ctypes.c_uint32),
        ("packed_row_size_max", ctypes.c_uint32),
        ("store_row", StoreRow),
    )


class GuardedBuffer:
    """Memory that ends where a page begins that must not be touched: one byte too far kills the process."""

    def __init__(self, size_max: int) -> None:
        pages = (size_max + PAGE - 1) // PAGE + 1
        self._map = mmap.mmap(-1, pages * PAGE)
        self._address = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
        self._end = self._address + (pages - 1) * PAGE
        libc = ctypes.CDLL(None, use_errno=True)
        libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        assert libc.mprotect(self._end, PAGE, 0) == 0

    def before_guard(self, size: int) -> int:
        """Address of the last `size` bytes that may be touched."""
        return self._end - size

    def put(self, content: bytes) -> int:
        address = self.before_guard(len(content))
        ctypes.memmove(address, content, len(content))
        return address


class CompiledLibrary:
    """Planes of `slots` slots beside the library's descriptor and codec."""

    def __init__(self, path: Path, slots: int) -> None:
        self._library = ctypes.CDLL(str(path))
        self._library.daedalus_schema.restype = ctypes.POINTER(SchemaAbi)
        self.descriptor: SchemaAbi = self._library.daedalus_schema().contents
        self.columns = [self.descriptor.columns[i] for i in range(self.descriptor.column_count)]
        self.slots = slots
        words = (slots + 63) // 64
        self.prefixes = [ctypes.create_string_buffer(_prefix_width(column) * slots) for column in self.columns]
        self.tails = [ctypes.create_string_buffer(_tail_width(column) * slots) for column in self.columns]
        self.nulls = [ctypes.create_string_buffer(8 * words) for _ in self.columns]
        self._plane_pointers = _pointers([*self.prefixes, *self.tails])
        self._null_pointers = _pointers(self.nulls)
        self._input = GuardedBuffer(self.descriptor.packed_row_size_max + 64)

    def fill(self, byte: int) -> None:
        for buffer in (*self.prefixes, *self.tails, *self.nulls):
            ctypes.memset(buffer, byte, len(buffer))

    def store(self, row: bytes, slot: int) -> int:
        """Return code of store_row; `row` without its u32 size."""
        address = self._input.put(row)
        return int(self.descriptor.store_row(None, address, len(row), self._plane_pointers, self._null_pointers, slot))

    def is_null(self, column: int, slot: int) -> bool:
        return bool(self.nulls[column].raw[slot // 8] >> (slot % 8) & 1)

    def plane_value(self, column: int, slot: int) -> bytes:
        """A value, its tail included."""
        prefix = _prefix_width(self.columns[column])
        tail = _tail_width(self.columns[column])
        return (
            self.prefixes[column].raw[slot * prefix : (slot + 1) * prefix]
            + self.tails[column].raw[slot * tail : (slot + 1) * tail]
        )


def _tail_width(column: ColumnAbi) -> int:
    return max(0, column.plane_width - PREFIX_SIZE) if column.kind in STRING_KINDS else 0


def _prefix_width(column: ColumnAbi) -> int:
    return int(column.plane_width - _tail_width(column))


def _pointers(buffers: list[ctypes.Array[ctypes.c_char]]) -> ctypes.Array[ctypes.c_void_p]:
    return (ctypes.c_void_p * len(buffers))(*(ctypes.addressof(buffer) for buffer in buffers))
