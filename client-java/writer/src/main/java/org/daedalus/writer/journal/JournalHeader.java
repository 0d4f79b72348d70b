package org.daedalus.writer.journal;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * The first page of a journal's file: which file of which journal it is, and what was true where it begins.
 *
 * @param journal drawn once, the same in all files of a journal
 * @param file counted up, never used twice; also in the file's name
 * @param firstPosition of its first record; whatever earlier files hold from there on was never durable
 * @param firstTimestamp of the first update in it
 * @param epoch the last one that the journal was used under; 0: none yet
 * @param firstEpoch since then nobody else has numbered
 * @param base what the nodes had accepted then
 * @param holder under which name the epoch is held
 * @param identity of the cluster
 * @param language the hash of the newest version of the language that the writer had then; 0: the first one
 */
public record JournalHeader(long journal, long file, long firstPosition, long firstTimestamp, long epoch,
        long firstEpoch, long base, String holder, Identity identity, long language) {
    /** Names the cluster whose updates a journal has. */
    public record Identity(String clusterId, String schemaFingerprint) {}

    /** Bytes before the first record. */
    public static final int SIZE = 4_096;

    static final int VERSION = 1;

    private static final long MAGIC = 0x4c4e524a44454144L; // "DAEDJRNL"
    private static final int CRC_OFFSET = 8;
    private static final int CHECKED_OFFSET = 12;
    private static final int FIXED_SIZE = 80;

    ByteBuffer encode() {
        ByteBuffer bytes = ByteBuffer.allocate(SIZE).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putLong(MAGIC).putInt(0).putInt(VERSION).putLong(language).putLong(journal).putLong(file)
                .putLong(firstPosition).putLong(firstTimestamp).putLong(epoch).putLong(firstEpoch).putLong(base);
        put(bytes, holder);
        put(bytes, identity.clusterId());
        put(bytes, identity.schemaFingerprint());
        bytes.putInt(CRC_OFFSET, checksum(bytes));
        return bytes.rewind();
    }

    private static void put(ByteBuffer bytes, String text) {
        byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
        bytes.putShort((short) encoded.length).put(encoded);
    }

    private static int checksum(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.array(), CHECKED_OFFSET, SIZE - CHECKED_OFFSET);
        return (int) crc.getValue();
    }

    /** Reads the {@link #SIZE} bytes that {@code name} begins with. */
    static JournalHeader decode(ByteBuffer read, String name) throws JournalException {
        ByteBuffer bytes = read.order(ByteOrder.LITTLE_ENDIAN).rewind();
        if (bytes.remaining() < SIZE || bytes.getLong() != MAGIC || bytes.getInt() != checksum(read)) {
            throw JournalReader.corrupt(name, 0, "its header is damaged");
        }
        int version = bytes.getInt();
        if (version != VERSION) {
            throw new JournalException(name + " has version " + version + " of the format; this program reads "
                    + VERSION, "start the program that wrote it");
        }
        long language = bytes.getLong();
        long[] numbers = new long[(FIXED_SIZE - bytes.position()) / Long.BYTES];
        for (int index = 0; index < numbers.length; index++) {
            numbers[index] = bytes.getLong();
        }
        String holder = text(bytes, name);
        Identity identity = new Identity(text(bytes, name), text(bytes, name));
        return new JournalHeader(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6],
                holder, identity, language);
    }

    private static String text(ByteBuffer bytes, String name) throws JournalException {
        int size = bytes.remaining() < Short.BYTES ? Integer.MAX_VALUE : Short.toUnsignedInt(bytes.getShort());
        if (size > bytes.remaining()) {
            throw JournalReader.corrupt(name, bytes.position(), "its header makes no sense");
        }
        byte[] encoded = new byte[size];
        bytes.get(encoded);
        return new String(encoded, StandardCharsets.UTF_8);
    }
}
