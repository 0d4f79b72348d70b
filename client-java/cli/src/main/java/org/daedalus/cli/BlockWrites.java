package org.daedalus.cli;

import java.util.Locale;

/**
 * Sessions of an aggregator begin with one of these as daedalus.block_writes (docs/postgres.md, "Writes in blocks"):
 * UPDATE and DELETE are refused in a block, or each write of a block takes effect at once.
 */
enum BlockWrites {
    REFUSE, IMMEDIATE;

    static BlockWrites parse(String text) throws CliException {
        for (BlockWrites each : values()) {
            if (each.word().equalsIgnoreCase(text)) {
                return each;
            }
        }
        throw CliException.usage("--block-writes must be refuse or immediate, not '" + text + "'");
    }

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the lines for an aggregator's configuration. */
    String aggregatorLines() {
        return this == REFUSE ? "" : "postgres_block_writes = " + ClusterPlan.quote(word()) + "\n";
    }
}
