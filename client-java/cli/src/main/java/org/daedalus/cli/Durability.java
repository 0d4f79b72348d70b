package org.daedalus.cli;

/**
 * Says when a storage node calls an update durable (docs/configuration.md).
 *
 * @param syncMs how long an update may wait to be synced; of async alone, else 0
 */
record Durability(Mode mode, int syncMs) {
    static final Durability DEFAULT = new Durability(Mode.SYNC, 0);
    static final int SYNC_MS_DEFAULT = 50;
    static final int SYNC_MS_MAX = 60_000;

    /** Has the names of storage_node.toml. */
    enum Mode {
        SYNC, ASYNC, OFF;

        String word() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }

        static Mode parse(String text) throws CliException {
            for (Mode mode : values()) {
                if (mode.word().equals(text)) {
                    return mode;
                }
            }
            throw CliException.usage("--durability must be sync, async or off, not '" + text + "'");
        }
    }

    /** Says whether the table outlives its processes. */
    boolean keepsRows() {
        return mode != Mode.OFF;
    }

    /** Lines of a storage node's configuration. */
    String nodeLines() {
        return "durability = " + ClusterPlan.quote(mode.word()) + "\n"
                + (mode == Mode.ASYNC ? "sync_ms = " + syncMs + "\n" : "");
    }

    /** Writes the options of `up`. */
    @Override
    public String toString() {
        return "--durability " + mode.word() + (mode == Mode.ASYNC ? " --sync-ms " + syncMs : "");
    }
}
