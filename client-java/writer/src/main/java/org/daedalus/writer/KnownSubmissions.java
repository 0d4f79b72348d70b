package org.daedalus.writer;

import java.util.LinkedHashMap;
import java.util.Map;
import org.daedalus.wire.v1.WriteConfirmed;

/** The last submissions and their outcomes, so that a repeated one is answered and not applied again. */
final class KnownSubmissions {
    /** One submission; its outcome is null until it is confirmed. */
    static final class Known {
        final long timestamp;
        WriteConfirmed confirmed;

        Known(long timestamp) {
            this.timestamp = timestamp;
        }
    }

    private final Map<SubmissionKey, Known> byKey = new LinkedHashMap<>();
    private final int max;

    KnownSubmissions(int max) {
        this.max = max;
    }

    /** Null when it is not known, or not any more. */
    Known find(SubmissionKey submission) {
        return byKey.get(submission);
    }

    void add(SubmissionKey submission, long timestamp) {
        byKey.put(submission, new Known(timestamp));
        if (byKey.size() > max) {
            byKey.remove(byKey.keySet().iterator().next());
        }
    }
}
