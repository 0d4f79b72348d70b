"""Measures what the disk under the nodes gives by itself: syncs of appended pieces, and reading from one end to the
other.
"""

from __future__ import annotations

import mmap
import os
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Self

MIB = 1 << 20
_DIRECT_PIECE = 4 * MIB
_WATCH_PAUSE_SECONDS = 0.05
_WATCH_PIECE = 4096


def write_file(path: Path, mib: int) -> None:
    """A file whose blocks are all there, on the disk."""
    with path.open("wb") as file:
        for _ in range(mib):
            file.write(os.urandom(MIB))
        file.flush()
        os.fsync(file.fileno())


def synced_pieces(folder: Path, piece_bytes: int, seconds: float, file_mib: int) -> list[float]:
    """Seconds that each write and fdatasync of a piece took, one behind the other in a file that was written before."""
    path = folder / "probe"
    write_file(path, file_mib)
    piece, spent, at = os.urandom(piece_bytes), [], 0
    descriptor = os.open(path, os.O_WRONLY)
    try:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            began = time.monotonic()
            os.pwrite(descriptor, piece, at)
            os.fdatasync(descriptor)
            spent.append(time.monotonic() - began)
            at = (at + piece_bytes) % (file_mib * MIB - piece_bytes)
    finally:
        os.close(descriptor)
        path.unlink()
    return spent


def forget(path: Path) -> None:
    """Takes a file out of the kernel's cache, so that it is read from the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fdatasync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(descriptor)


def read_rate(folder: Path, file_mib: int) -> float:
    """Bytes a second of one reader from one end to the other, past the kernel's cache."""
    path = folder / "probe"
    write_file(path, file_mib)
    forget(path)
    buffer = mmap.mmap(-1, _DIRECT_PIECE)
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECT)
    try:
        began, read = time.monotonic(), 0
        while got := os.readv(descriptor, [buffer]):
            read += got
        return read / (time.monotonic() - began)
    finally:
        os.close(descriptor)
        path.unlink()


class SyncWatch:
    """One small write and fdatasync after the other beside what is measured: how long a sync took then."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "watch"
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self.seconds: list[float] = []

    def __enter__(self) -> Self:
        write_file(self._path, 1)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()
        self._path.unlink()

    def _watch(self) -> None:
        descriptor, piece, at = os.open(self._path, os.O_WRONLY), os.urandom(_WATCH_PIECE), 0
        try:
            while not self._stop.wait(_WATCH_PAUSE_SECONDS):
                began = time.monotonic()
                os.pwrite(descriptor, piece, at)
                os.fdatasync(descriptor)
                self.seconds.append(time.monotonic() - began)
                at = (at + _WATCH_PIECE) % MIB
        finally:
            os.close(descriptor)
