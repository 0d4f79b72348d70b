"""One connection to a cluster, with nothing between an attack and the socket.

Keeps itself alive, as the wire asks for, unless it is told to be silent; reads only while somebody waits for an answer,
so that not to read is simply not to ask for what has come.
"""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import threading
import time
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from attacks.wire import (
    FrameType,
    Hello,
    Kind,
    MalformedError,
    Message,
    Operation,
    Refusal,
    Rows,
    Submission,
    frame,
    operations,
    statement,
)

KEEP_ALIVE = frame(FrameType.KEEP_ALIVE)
KEEP_ALIVE_SECONDS = 0.4
ANSWER_SECONDS_MAX = 30.0


class ConnectionLostError(Exception):
    """The other side closed, or was silent for too long."""


@dataclass(slots=True)
class Answer:
    """All that came back for one operation, whole or not."""

    rows: Rows = field(default_factory=Rows)
    refusal: Refusal | None = None
    confirmed: Message | None = None
    reply: Message | None = None  # the result itself, of other kinds
    seconds: float = 0.0
    is_whole: bool = False  # its end has come, or a confirmation, and the count agrees

    @property
    def is_ended(self) -> bool:
        return self.is_whole or self.refusal is not None


class Client:
    """A connection. One thread at a time may ask and read; keep-alives leave from a thread of their own."""

    def __init__(self, port: int, hello: Hello | None = None, receive_buffer: int = 0) -> None:
        self._socket = socket.socket()
        if receive_buffer:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self._socket.settimeout(ANSWER_SECONDS_MAX)
        self._socket.connect(("127.0.0.1", port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._sending = threading.Lock()
        self._closed = threading.Event()
        self._unread = bytearray()
        self._sequence = 0
        self._name = os.urandom(16)
        self._known: tuple[int, int] | None = None  # the writer's epoch, and up to where updates had numbers then
        self.answers: dict[int, Answer] = {}
        self.goodbye = ""
        self._send((hello or Hello()).frame())
        self.hello = self._read_hello()
        self._keeper = threading.Thread(target=self._keep_alive, daemon=True)
        self._keeper.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Goes without a word."""
        self._closed.set()
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    # ---- asking ----

    def ask_all(self, statements: list[str], seconds: float = ANSWER_SECONDS_MAX, writes: bool = False) -> list[int]:
        """Sends statements in one frame; returns their numbers on this connection. Reads nothing."""
        epoch, numbered_after = self._what_is_known() if writes else (0, 0)
        batch = []
        for sql in statements:
            self._sequence += 1
            submission = Submission(self._name, self._sequence, epoch, numbered_after) if writes else None
            batch.append(Operation(self._sequence, Kind.STATEMENT, statement(sql, submission), seconds))
            self.answers[self._sequence] = Answer()
        self._send(operations(batch))
        return [operation.sequence for operation in batch]

    def ask(self, sql: str, seconds: float = ANSWER_SECONDS_MAX, writes: bool = False) -> Answer:
        """One statement and its whole answer."""
        started = time.monotonic()
        number = self.ask_all([sql], seconds, writes)[0]
        answer = self.wait_for([number], seconds + 5)[0]
        answer.seconds = time.monotonic() - started
        return answer

    def operate(self, kind: Kind, body: bytes = b"") -> Answer:
        """Any other operation and its reply."""
        self._sequence += 1
        self.answers[self._sequence] = Answer()
        self._send(operations([Operation(self._sequence, kind, body)]))
        return self.wait_for([self._sequence])[0]

    def _what_is_known(self) -> tuple[int, int]:
        """Submissions say what their client knew, so that no other writer takes them for new."""
        if self._known is None:
            reply = self.operate(Kind.DESCRIBE).reply
            assert reply is not None
            described = reply.messages(7)[0]
            self._known = described.number(7), described.number(12)
        return self._known

    # ---- reading ----

    def wait_for(self, numbers: list[int], seconds: float = ANSWER_SECONDS_MAX) -> list[Answer]:
        """Reads until these have ended; an answer that has not when the connection goes, or after `seconds`, raises."""
        deadline = time.monotonic() + seconds
        while not all(self.answers[number].is_ended for number in numbers):
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError(f"no answer within {seconds:.0f} s")
            self.read_some(left)
        return [self.answers.pop(number) for number in numbers]

    def read_some(self, seconds: float) -> None:
        """Takes in whatever one read brings."""
        self._socket.settimeout(seconds)
        try:
            data = self._socket.recv(1 << 20)
        except TimeoutError:
            raise TimeoutError(f"nothing came within {seconds:.1f} s") from None
        except OSError as error:
            raise ConnectionLostError(str(error)) from error
        if not data:
            raise ConnectionLostError(self.goodbye or "closed by the other side")
        self._unread += data
        while len(self._unread) >= 4:
            size = 4 + struct.unpack_from("<I", self._unread)[0]
            if len(self._unread) < size:
                return
            whole = bytes(self._unread[:size])
            del self._unread[:size]
            self._on_frame(whole[5], whole[8:-4])

    def _on_frame(self, kind: int, payload: bytes) -> None:
        if kind == FrameType.GOODBYE:
            self.goodbye = Message(payload).text(1)
        elif kind == FrameType.RESULTS:
            for result in Message(payload).messages(1):
                self._on_result(result)

    def _on_result(self, result: Message) -> None:
        answer = self.answers.get(result.number(1))
        if answer is None or answer.is_ended:
            raise MalformedError(f"a result for operation {result.number(1)}, which has none coming")
        if result.has(2):
            self._on_rows(answer, result.messages(2)[0])
        elif result.has(3):
            if result.messages(3)[0].number(1) != answer.rows.count:
                raise MalformedError("an answer ended with another number of rows than came")
            answer.is_whole = True
        elif result.has(4):
            answer.confirmed, answer.is_whole = result.messages(4)[0], True
        elif result.has(5):
            answer.refusal = Refusal.parse(Message(result.messages(5)[0].data(8)))
        elif result.has(6):
            answer.refusal = Refusal.parse(result.messages(6)[0])
        else:
            answer.reply, answer.is_whole = result, True

    @staticmethod
    def _on_rows(answer: Answer, rows: Message) -> None:
        if rows.has(1):
            answer.rows.types = [column.messages(2)[0].number(1) for column in rows.messages(1)]
        packed = bytes(rows.data(2))
        answer.rows.packed.append(packed)
        answer.rows.count += rows.number(3)
        answer.rows.size += len(packed)

    def _read_hello(self) -> Message:
        data = b""
        while len(data) < 4 or len(data) < 4 + struct.unpack_from("<I", data)[0]:
            piece = self._socket.recv(1 << 16)
            if not piece:
                raise ConnectionLostError("closed before its hello")
            data += piece
        size = 4 + struct.unpack_from("<I", data)[0]
        self._unread += data[size:]
        if data[5] == FrameType.GOODBYE:
            raise ConnectionLostError(Message(data[8 : size - 4]).text(1))
        return Message(data[8 : size - 4])

    # ---- staying ----

    def _send(self, data: bytes) -> None:
        try:
            with self._sending:
                self._socket.sendall(data)
        except OSError as error:
            raise ConnectionLostError(str(error)) from error

    def _keep_alive(self) -> None:
        while not self._closed.wait(KEEP_ALIVE_SECONDS):
            try:
                self._send(KEEP_ALIVE)
            except ConnectionLostError:
                return
