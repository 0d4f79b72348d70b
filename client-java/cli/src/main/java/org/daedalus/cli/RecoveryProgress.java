package org.daedalus.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Follows the logs of storage nodes that bring their rows back: tells once a second how far they are, and judges
 * whether they get any further.
 */
final class RecoveryProgress {
    private static final Pattern STEP = Pattern.compile("recovering: (.*?)( in \\d+ s.*)?$");
    private static final long EACH_NS = 1_000_000_000L;
    private static final int NAMED_MAX = 4;
    private static final int LINES_MAX = 4;

    private final Consumer<String> out;
    private final Map<String, String> seen = new HashMap<>();
    private long nextNs = Long.MIN_VALUE;

    /** {@code out} gets a line at a time. */
    RecoveryProgress(Consumer<String> out) {
        this.out = out;
    }

    /** Says whether a node has ever got further. */
    boolean isAny() {
        return !seen.isEmpty();
    }

    /**
     * Reads the logs, at most once a second.
     *
     * @return whether any node has got further since the last look
     */
    boolean look(List<Launcher.Started> processes, long nowNs) throws IOException {
        if (nowNs < nextNs) {
            return false;
        }
        nextNs = nowNs + EACH_NS;
        List<String> said = new ArrayList<>();
        boolean isFurther = false;
        for (Launcher.Started process : processes) {
            Matcher step = lastStep(Launcher.tail(process.log(), LINES_MAX));
            if (step != null) {
                String before = seen.put(process.member().name(), step.group());
                if (!step.group().equals(before)) {
                    said.add(process.member().name() + ": " + step.group().substring("recovering: ".length()));
                }
                isFurther |= before == null || !step.group(1).equals(place(before));
            }
        }
        if (said.isEmpty()) {
            return false;
        }
        int named = Math.min(NAMED_MAX, said.size());
        out.accept("recovering: " + String.join("; ", said.subList(0, named))
                + (said.size() > named ? "; and " + (said.size() - named) + " more" : ""));
        return isFurther;
    }

    /** Returns the line without the time, which passes anyway. */
    private static String place(String line) {
        Matcher step = STEP.matcher(line);
        return step.find() ? step.group(1) : line;
    }

    /** Finds in the end of its log how far a node is; null: it does not recover. */
    private static Matcher lastStep(List<String> lines) {
        for (int line = lines.size() - 1; line >= 0; line--) {
            Matcher step = STEP.matcher(lines.get(line));
            if (step.find()) {
                return step;
            }
            if (lines.get(line).contains("recovered: ")) {
                return null;
            }
        }
        return null;
    }
}
