"""One connection to a server, over which requests are sent by either protocol."""

from __future__ import annotations

import struct

from postgres_connection import PostgresConnection, message

from slt.answers import Answer, Reader
from slt.records import Protocol, Request

# Behind these a server has nothing more to say before a Sync.
ENDS = (b"C", b"E", b"I")
SYNC, FLUSH, COPY_DONE = message(b"S"), message(b"H"), message(b"c")
NOTHING_TO_COPY = message(b"f", b"the record says nothing behind <<<<\0")


class Session(PostgresConnection):
    """A connection that trusts its server to end each answer."""

    def say(self, request: Request, protocol: Protocol) -> Answer:
        """Sends a request and takes the whole answer."""
        if protocol is Protocol.SIMPLE:
            self.send(message(b"Q", request.sql.encode() + b"\0"))
            return self._answer(request, sync=b"")
        # A Sync that a server reads while it waits for rows is passed over, one behind an error is not: so where rows
        # are to be sent, it goes behind them.
        self.send(_extended(request) + (SYNC if request.copied is None else FLUSH))
        return self._answer(request, sync=SYNC, is_synced=request.copied is None)

    def _answer(self, request: Request, sync: bytes, *, is_synced: bool = True) -> Answer:
        reader = Reader()
        for kind, body in self.messages():
            reader.take(kind, body)
            if kind == b"G":
                self.send(_copied(request) + sync)
                is_synced = True
            elif kind in ENDS and not is_synced:
                self.send(sync)
                is_synced = True
        return reader.answer()


def _copied(request: Request) -> bytes:
    """The rows of a COPY FROM STDIN."""
    return NOTHING_TO_COPY if request.copied is None else message(b"d", request.copied.encode()) + COPY_DONE


def _extended(request: Request) -> bytes:
    """Parse, Bind, Describe and Execute, without a name, without a limit of rows; everything as text."""
    oids = [parameter.type_oid for parameter in request.parameters]
    parse = b"\0" + request.sql.encode() + b"\0" + struct.pack(f"!h{len(oids)}i", len(oids), *oids)
    texts = [None if parameter.text is None else parameter.text.encode() for parameter in request.parameters]
    values = b"".join(struct.pack("!i", -1) if text is None else struct.pack("!i", len(text)) + text for text in texts)
    bind = b"\0\0" + struct.pack("!hh", 0, len(texts)) + values + struct.pack("!h", 0)
    execute = b"\0" + struct.pack("!i", 0)
    return message(b"P", parse) + message(b"B", bind) + message(b"D", b"P\0") + message(b"E", execute)
