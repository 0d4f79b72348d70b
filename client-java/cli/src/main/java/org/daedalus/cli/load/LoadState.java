package org.daedalus.cli.load;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.daedalus.client.SubmissionName;

/**
 * Says how far a file has been loaded into a cluster; {@link LoadProgress} keeps it. Batches are numbered from 1, in
 * file order, and submitted under (client, number).
 */
final class LoadState {
    /** Says how the load ended, if it did. */
    enum Phase {
        /** It goes on, or was interrupted. */
        UNDER_WAY,
        /** Rows were refused that were part of a batch: it cannot go on without losing them. */
        BROKEN,
        /** Everything is in, and nobody has been told. */
        COMPLETE,
        /** Everything is in, and the user knows. */
        REPORTED
    }

    /**
     * Everything before is in, or set aside.
     *
     * @param batches how many of them
     * @param rejectSize bytes of the reject file
     */
    record Settled(RecordSource.Place place, long batches, long rowsIn, long rowsAside, long rejectSize) {}

    /**
     * No batch beyond was ever sent.
     *
     * @param checksum of the file up to the offset: batches are the same again as long as it is
     */
    record Sent(long batches, long offset, int checksum) {}

    /**
     * The last probe that was confirmed before any batch that is not settled was sent; number 0: none yet.
     *
     * @param epoch the writer's, or an earlier one: none of these batches can have taken effect before it
     */
    record Probe(long number, long timestamp, long epoch) {
        /** Returns the name that an unsettled batch was sent under, as one that may have been sent before. */
        SubmissionName repeated(SubmissionName batch) {
            return batch.again(epoch, timestamp);
        }

        /** Returns the probe itself, submitted again as {@code id}. */
        SubmissionName again(SubmissionName id) {
            return id.again(epoch, timestamp - 1);
        }
    }

    String file = "";
    String cluster = "";
    /** 16 bytes, hexadecimal: the submissions' client. */
    String client = "";
    /** The batches depend on these options besides the file. */
    String options = "";
    String rejectFile = "";
    /** The reject file was made by this load, or was about to be: what is in it may be written over. */
    boolean rejectFileMade;
    Phase phase = Phase.UNDER_WAY;
    /** Says why the phase is BROKEN. */
    String problem = "";
    Settled settled = new Settled(new RecordSource.Place(0, 1), 0, 0, 0, 0);
    Sent sent = new Sent(0, 0, 0);
    Probe probe = new Probe(0, 0, 0);
    /** The highest timestamp of a confirmed batch. */
    long timestamp;

    /** Lines of key=value. */
    String encode() {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("file", file);
        values.put("cluster", cluster);
        values.put("client", client);
        values.put("options", options);
        values.put("reject_file", rejectFile);
        values.put("reject_file_made", rejectFileMade);
        values.put("phase", phase);
        values.put("problem", problem);
        values.put("settled_offset", settled.place().offset());
        values.put("settled_line", settled.place().line());
        values.put("settled_batches", settled.batches());
        values.put("rows_in", settled.rowsIn());
        values.put("rows_aside", settled.rowsAside());
        values.put("reject_size", settled.rejectSize());
        values.put("sent_batches", sent.batches());
        values.put("sent_offset", sent.offset());
        values.put("sent_checksum", sent.checksum());
        values.put("probe_number", probe.number());
        values.put("probe_timestamp", probe.timestamp());
        values.put("probe_epoch", probe.epoch());
        values.put("timestamp", timestamp);
        StringBuilder text = new StringBuilder();
        values.forEach((key, value) -> text.append(key).append('=')
                .append(URLEncoder.encode(value.toString(), StandardCharsets.UTF_8)).append('\n'));
        return text.toString();
    }

    /** Reads what {@link #encode} wrote; throws IllegalArgumentException when it did not. */
    static LoadState decode(String text) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String line : text.split("\n")) {
            int at = line.indexOf('=');
            if (at > 0) {
                values.put(line.substring(0, at), URLDecoder.decode(line.substring(at + 1), StandardCharsets.UTF_8));
            }
        }
        LoadState state = new LoadState();
        state.file = text(values, "file");
        state.cluster = text(values, "cluster");
        state.client = text(values, "client");
        state.options = text(values, "options");
        state.rejectFile = text(values, "reject_file");
        state.rejectFileMade = Boolean.parseBoolean(text(values, "reject_file_made"));
        state.phase = Phase.valueOf(text(values, "phase"));
        state.problem = text(values, "problem");
        state.settled = new Settled(
                new RecordSource.Place(number(values, "settled_offset"), number(values, "settled_line")),
                number(values, "settled_batches"), number(values, "rows_in"), number(values, "rows_aside"),
                number(values, "reject_size"));
        state.sent = new Sent(number(values, "sent_batches"), number(values, "sent_offset"),
                (int) number(values, "sent_checksum"));
        // A state without it is an older version's: then no epoch is the right one.
        state.probe = new Probe(number(values, "probe_number"), number(values, "probe_timestamp"),
                Long.parseLong(values.getOrDefault("probe_epoch", "0")));
        state.timestamp = number(values, "timestamp");
        return state;
    }

    private static String text(Map<String, String> values, String key) {
        String value = values.get(key);
        if (value == null) {
            throw new IllegalArgumentException(key + " is missing");
        }
        return value;
    }

    private static long number(Map<String, String> values, String key) {
        return Long.parseLong(text(values, key));
    }
}
