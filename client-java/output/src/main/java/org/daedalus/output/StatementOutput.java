package org.daedalus.output;

import java.io.PrintStream;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.RefusedRowsException;
import org.daedalus.client.ResultSet;
import org.daedalus.client.WriteOutcome;

/** Prints what statements end in. Each call prints one statement's answer whole and flushes it. */
public interface StatementOutput {
    /** The formats there are, as {@code --format} names them in small letters. */
    enum Format {
        TABLE, CSV, JSON;

        public StatementOutput open(PrintStream out, PrintStream err) {
            return switch (this) {
                case TABLE -> new TableOutput(out, err);
                case CSV -> new CsvOutput(out, err);
                case JSON -> new JsonOutput(out);
            };
        }
    }

    /** Reads and prints rows; throws what the answer ends in. {@code startNs} is when the statement was sent. */
    void rows(ResultSet rows, long startNs);

    void written(WriteOutcome outcome, long startNs);

    /** An update that refused rows: what it did, as {@link #written} has it, and the error. */
    void writtenInPart(RefusedRowsException refusal, String sql, long startNs);

    void failed(DaedalusException failure, String sql);

    /** Milliseconds since {@code startNs}, with microseconds. */
    static String elapsedMs(long startNs) {
        long micros = (System.nanoTime() - startNs) / 1_000;
        return micros / 1_000 + "." + String.format("%03d", micros % 1_000);
    }
}
