package org.daedalus.cli;

import java.util.OptionalInt;

/**
 * Bounds what one answer of a local cluster may take (docs/configuration.md, "Large answers"). Decides; does nothing.
 *
 * @param mib of one answer, at nodes and aggregators; nothing: what these take by themselves
 */
record AnswerRoom(OptionalInt mib) {
    static final int MIB_MIN = 4;
    /** So that {@code answer_memory_mib}, twice as much, is within its own range. */
    static final int MIB_MAX = 1 << 19;

    /** All answers of a process together take so much by default. */
    private static final int NODE_MEMORY_MIB = 256;
    private static final int AGGREGATOR_MEMORY_MIB = 512;
    /**
     * Aggregators take so many of the largest at once by default. With one alone, the largest would be refused: an
     * eighth is for small answers.
     */
    private static final int LARGEST_AT_ONCE = 2;

    /** Lines of a storage node's configuration. */
    String nodeLines() {
        return lines(NODE_MEMORY_MIB);
    }

    /** Lines of an aggregator's configuration. */
    String aggregatorLines() {
        return lines(AGGREGATOR_MEMORY_MIB);
    }

    /** Returns what answers of all processes may take beyond what they may by default. */
    long raisedMib(int storageNodes, int aggregators) {
        return (long) storageNodes * (memoryMib(NODE_MEMORY_MIB) - NODE_MEMORY_MIB)
                + (long) aggregators * (memoryMib(AGGREGATOR_MEMORY_MIB) - AGGREGATOR_MEMORY_MIB);
    }

    private String lines(int memoryMibDefault) {
        if (mib.isEmpty()) {
            return "";
        }
        int memoryMib = memoryMib(memoryMibDefault);
        return (memoryMib > memoryMibDefault ? "answer_memory_mib = " + memoryMib + "\n" : "")
                + "answer_mib = " + mib.getAsInt() + "\n";
    }

    private int memoryMib(int memoryMibDefault) {
        return Math.max(memoryMibDefault, LARGEST_AT_ONCE * mib.orElse(0));
    }
}
