package org.daedalus.writer.journal;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import java.util.zip.CRC32C;

/** Changes bytes of a journal's file and makes its checksums right again, which chance never would. */
public final class JournalForger {
    private static final int CRC_OFFSET = 8;
    private static final int CHECKED_OFFSET = 12;

    private JournalForger() {}

    /** A copy with up to four changes, of which most are in what the header and the records say. */
    public static byte[] forge(byte[] file, Random random) {
        byte[] forged = file.clone();
        for (int changes = 1 + random.nextInt(4); changes > 0 && forged.length > 0; changes--) {
            int at = random.nextBoolean()
                    ? random.nextInt(Math.min(forged.length, 120)) : random.nextInt(forged.length);
            forged[at] = random.nextBoolean() ? (byte) random.nextInt() : (byte) (forged[at] ^ 1 << random.nextInt(8));
        }
        int end = random.nextInt(8) == 0 ? random.nextInt(forged.length + 1) : forged.length;
        forged = java.util.Arrays.copyOf(forged, end);
        if (random.nextInt(4) > 0) {
            sign(forged);
        }
        return forged;
    }

    /** Completes the header and every frame, as long as each says where it ends. */
    private static void sign(byte[] file) {
        if (file.length < JournalHeader.SIZE) {
            return;
        }
        ByteBuffer bytes = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        CRC32C header = new CRC32C();
        header.update(file, CHECKED_OFFSET, JournalHeader.SIZE - CHECKED_OFFSET);
        bytes.putInt(CRC_OFFSET, (int) header.getValue());
        int at = JournalHeader.SIZE;
        while (at + JournalFrame.HEADER_SIZE <= file.length) {
            long payloadSize = bytes.getInt(at + Integer.BYTES);
            if (payloadSize < 0 || at + JournalFrame.HEADER_SIZE + payloadSize + Long.BYTES > file.length) {
                return;
            }
            JournalFrame.complete(bytes, at, (int) payloadSize, bytes.getLong(at + Long.BYTES),
                    JournalFrame.durable(bytes, at), JournalFrame.kind(bytes, at));
            at += JournalFrame.size((int) payloadSize);
        }
    }
}
