package org.daedalus.cli.load;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.daedalus.cli.CliException;

/** Reads the records that stand, each quoted as one field, in a file that {@link RejectFile} wrote. */
final class MendedReader implements RecordSource {
    /** {@link RejectFile} writes this format. */
    static final CsvFormat FORMAT = CsvFormat.of(',');

    private final CsvReader file;
    private final CsvSplitter splitter;
    private byte[] record = {};
    private String problem;

    /**
     * Reads from a place after the file's own header on.
     *
     * @param delimiter of the records; the file itself has commas
     */
    MendedReader(CsvReader file, char delimiter) {
        this.file = file;
        this.splitter = new CsvSplitter(delimiter);
    }

    /** Makes a reader after the file's own header was read and found to be what it should be. */
    static MendedReader ofStart(CsvReader file, char delimiter) throws IOException, CliException {
        boolean hasHeader = file.next() && file.problem() == null
                && new String(file.raw(), StandardCharsets.UTF_8).equals(RejectFile.HEADER);
        if (!hasHeader) {
            throw CliException.usage("--mended needs a file that --reject-file wrote: its first line is "
                    + RejectFile.HEADER);
        }
        return new MendedReader(file, delimiter);
    }

    @Override
    public boolean next() throws IOException {
        if (!file.next()) {
            return false;
        }
        problem = file.problem();
        if (problem == null && file.fields().fieldCount() != RejectFile.COLUMN_COUNT) {
            problem = file.fields().fieldCount() + " fields instead of " + RejectFile.HEADER;
        }
        if (problem == null) {
            record = file.fields().copy(RejectFile.COLUMN_COUNT - 1);
            int end = splitter.split(record, 0, record.length, true);
            problem = end == CsvSplitter.MALFORMED ? "in the record: " + splitter.problem()
                    : end < record.length ? "more than one record stands where one should" : null;
        } else {
            record = file.raw();
        }
        return true;
    }

    @Override
    public CsvSplitter fields() {
        return splitter;
    }

    @Override
    public String problem() {
        return problem;
    }

    @Override
    public boolean isBlank() {
        return file.isBlank();
    }

    @Override
    public long line() {
        return file.line();
    }

    @Override
    public byte[] raw() {
        return record;
    }

    @Override
    public Place nextPlace() {
        return file.nextPlace();
    }

    @Override
    public int checksum() {
        return file.checksum();
    }
}
