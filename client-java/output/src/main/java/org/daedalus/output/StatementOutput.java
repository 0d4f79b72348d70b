package org.daedalus.output;

import java.io.PrintStream;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.RefusedRowsException;
import org.daedalus.client.WriteOutcome;

/** Prints what statements end in. Each call prints one statement's answer whole and flushes it. */
public interface StatementOutput {
    /** The formats there are, as {@code --format} names them in small letters. */
    enum Format {
        TABLE, UNALIGNED, CSV, TSV, MARKDOWN, JSON, JSONL;

        public StatementOutput open(PrintStream out, PrintStream err, Style style) {
            return switch (this) {
                case TABLE -> new TableOutput(out, err, style);
                case UNALIGNED -> new UnalignedOutput(out, err, style);
                case CSV -> new CsvOutput(out, err, style);
                case TSV -> new TsvOutput(out, err, style);
                case MARKDOWN -> new MarkdownOutput(out, err, style);
                case JSON -> new JsonOutput(out);
                case JSONL -> new JsonLinesOutput(out, err);
            };
        }
    }

    /** Reads and prints rows; throws what the answer ends in. */
    void rows(Answer answer, Elapsed elapsed);

    void written(WriteOutcome outcome, Origin origin, Elapsed elapsed);

    /** Says of an update that refused rows what it did, as {@link #written} has it, and the error. */
    void writtenInPart(RefusedRowsException refusal, Origin origin, Elapsed elapsed);

    void failed(DaedalusException failure, Origin origin);

    /** "1 row", "2 rows". */
    static String rows(long count) {
        return count + (count == 1 ? " row" : " rows");
    }
}
