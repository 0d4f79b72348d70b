package org.daedalus.client.internal.protocol;

import com.google.protobuf.ByteString;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.daedalus.client.internal.answers.ResultColumns;
import org.daedalus.client.internal.statements.StatementText;
import org.daedalus.wire.v1.Hello;

/**
 * Chooses the handles by which statements travel on one connection, and remembers the columns of their answers
 * (docs/wire.md, "Shapes"). This is the sender's side, which alone chooses.
 *
 * <p>Decides what is defined, and what is evicted for it: the handle that was not used for longest is defined anew. It
 * holds what the peer holds provided that every definition is sent, in order, before the operation that asked for it;
 * when one cannot be, {@link #giveUp} says so, and from then on everything travels whole. A definition is kept as long
 * as it has a handle or requests in flight. Pure; not thread-safe.
 */
final class StatementHandles {
    /** This side keeps so many for one connection, however many more the peer offers. */
    static final int HANDLES_MAX = 4_096;
    static final int BODY_SIZE_MAX = 64 << 10;

    /** One statement under one handle, from when it is defined. */
    static final class Definition {
        final int handle;
        /** The DEFINE has this sequence, and answers name the definition by it. */
        final long sequence;
        /** The columns are null until an answer has told them. */
        private ResultColumns columns;
        private boolean isSent;
        private boolean hasHandle = true;
        private int inFlight;

        private Definition(int handle, long sequence) {
            this.handle = handle;
            this.sequence = sequence;
        }

        /** Notes that the definition is about to be sent; returns false when it has been before. */
        boolean markSent() {
            boolean isFirst = !isSent;
            isSent = true;
            return isFirst;
        }

        /** Returns the columns of all its answers; null when no answer has brought them yet. */
        ResultColumns columns() {
            return columns;
        }
    }

    private final int handlesMax;
    private final long bodySizeMax;
    private final LongSupplier sequences;
    /** The one that was not used for longest comes first. */
    private final Map<String, Definition> bySql = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<Long, Definition> bySequence = new HashMap<>();
    private boolean givenUp;

    /**
     * Makes the handles of a connection that has just been made.
     *
     * @param hello the peer's
     * @param sequences of operations on the connection: the next one
     */
    StatementHandles(Hello hello, LongSupplier sequences) {
        this.handlesMax = (int) Math.min(HANDLES_MAX, Integer.toUnsignedLong(hello.getShapeHandlesMax()));
        this.bodySizeMax = Math.min(BODY_SIZE_MAX, Integer.toUnsignedLong(hello.getShapeBytesMax()));
        this.sequences = sequences;
    }

    /**
     * Returns the definition by which {@code text} travels, for one request until {@link #onOver}; null: it travels
     * whole. A new one has the next sequence, and must be sent.
     */
    Definition use(StatementText text) {
        if (handlesMax == 0 || givenUp) {
            return null;
        }
        Definition used = bySql.get(text.sql());
        if (used == null) {
            used = define(text);
        }
        if (used != null) {
            used.inFlight++;
        }
        return used;
    }

    /** A request that used the definition is not in flight any more. */
    void onOver(Definition used) {
        used.inFlight--;
        dropIfUnused(used);
    }

    /** All answers to what the DEFINE of this sequence defines have these columns. */
    void learn(long sequence, ResultColumns columns) {
        Definition definition = bySequence.get(sequence);
        if (definition != null) {
            definition.columns = columns;
        }
    }

    /** A definition was not sent: what the peer has in its handles is not known any more. */
    void giveUp() {
        givenUp = true;
        while (!bySql.isEmpty()) {
            evict();
        }
    }

    boolean hasGivenUp() {
        return givenUp;
    }

    /** Definitions that are kept. */
    int size() {
        return bySequence.size();
    }

    private Definition define(StatementText text) {
        ByteString body = text.field();
        if (body.size() > bodySizeMax) {
            return null;
        }
        int handle = bySql.size() < handlesMax ? bySql.size() + 1 : evict();
        Definition made = new Definition(handle, sequences.getAsLong());
        bySql.put(text.sql(), made);
        bySequence.put(made.sequence, made);
        return made;
    }

    /** Returns the handle that has become free. */
    private int evict() {
        Iterator<Definition> oldest = bySql.values().iterator();
        Definition evicted = oldest.next();
        oldest.remove();
        evicted.hasHandle = false;
        dropIfUnused(evicted);
        return evicted.handle;
    }

    private void dropIfUnused(Definition definition) {
        if (!definition.hasHandle && definition.inFlight == 0) {
            bySequence.remove(definition.sequence);
        }
    }
}
