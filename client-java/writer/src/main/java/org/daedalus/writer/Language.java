package org.daedalus.writer;

import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.daedalus.wire.PackedValues;

/**
 * The language of updates: which numbers of functions, casts and kinds of values may be in them, and since which
 * version each is there (docs/wire.md, "The language"). Numbers are only ever added, and each addition makes a new
 * version.
 *
 * <p>Versions are counted from 1, and each has a hash. A build knows those of all versions that its own contains.
 */
final class Language {
    /** Infinity of a date or timestamp is a value since this version: older nodes take it for a time out of range. */
    static final int INFINITY_SINCE = 2;

    /** Numbers are of these kinds, named by the words of {@code rpc/vectors/language.tsv}. */
    enum Kind {
        FUNCTION, TYPE, CAST, AGGREGATE
    }

    /** A number that came later than with the first version. */
    record Number(Kind kind, int number) {}

    private final List<Long> hashes;
    private final Map<Number, Integer> later;

    /** {@code hashes}: of all versions, the oldest first. */
    Language(List<Long> hashes, Map<Number, Integer> later) {
        this.hashes = List.copyOf(hashes);
        this.later = Map.copyOf(later);
    }

    /** Returns the first version whose nodes take the value, null among them. */
    static int neededBy(Object value) {
        return PackedValues.isInfinite(value) ? INFINITY_SINCE : 1;
    }

    static int castNumber(int from, int to) {
        return from * 1_000 + to;
    }

    int version() {
        return hashes.size();
    }

    long hash() {
        return hashes.get(hashes.size() - 1);
    }

    /** Returns the hashes of all versions, the oldest first. */
    List<Long> hashes() {
        return hashes;
    }

    /** 0, which was written before there were hashes, is the first version's; empty: this build does not have it. */
    OptionalInt versionOf(long hash) {
        if (hash == 0) {
            return OptionalInt.of(1);
        }
        int place = hashes.indexOf(hash);
        return place < 0 ? OptionalInt.empty() : OptionalInt.of(place + 1);
    }

    /** Returns the first version that has the number. */
    int since(Kind kind, int number) {
        return later.getOrDefault(new Number(kind, number), 1);
    }
}
