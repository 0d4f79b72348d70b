package org.daedalus.channel;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.daedalus.wire.ArrivedResult;
import org.daedalus.wire.BatchFrame;
import org.daedalus.wire.Frame;
import org.daedalus.wire.FrameType;
import org.daedalus.wire.Framer;
import org.daedalus.wire.WireException;
import org.daedalus.wire.v1.Goodbye;
import org.daedalus.wire.v1.Hello;
import org.daedalus.wire.v1.KeepAlive;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.OperationBatch;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.Role;

/**
 * One connection's protocol: hello, keep-alive, batching, goodbye.
 *
 * <p>Decides what may be said when and what ends the connection. Knows no sockets, threads or clocks: bytes and {@code
 * nowNs}
 * go in, {@link Effects} come out. After every step the driver arms one timer at {@link #nextDeadlineNs()}. Once
 * effects with
 * a close reason have left, every further step does nothing. Not thread-safe.
 *
 * <p>Messages offered wait until {@link #flush}, so that all that one turn of the driver says leaves in few frames.
 * Messages delivered hold their own bytes: whoever keeps a part of one keeps that part alone, and not the frame.
 */
public final class Channel {
    /** The channel takes an offered message, or says why it does not. */
    public enum Offer {
        /** It leaves with the next flush. */
        ACCEPTED,
        /** It exceeds the largest frame that this side sends or the peer takes. */
        TOO_LARGE,
        /** Too much waits to be sent already; the same may be accepted later. */
        FULL,
        /** The connection is not up, or not any more. */
        DOWN
    }

    /** A protobuf field's tag and length around a message in a batch, at most. */
    private static final int BATCH_ENTRY_OVERHEAD = 8;
    private static final int PEER_FRAME_SIZE_MIN = 1 << 16;

    private final Hello ours;
    private final ChannelLimits limits;
    private final Framer framer;
    private final BatchFrame operations = new BatchFrame(FrameType.OPERATIONS);
    private final BatchFrame results = new BatchFrame(FrameType.RESULTS);
    private Effects waiting = new Effects();
    private long unflushedBytes;
    private Hello peer;
    private boolean closed;
    private long lastSentNs;
    private long lastReceivedNs;
    private int peerFrameSizeMax = Frame.SIZE_MAX;

    /** A connection that has just been made; the hello leaves with the first {@link #flush}. */
    public Channel(Hello ours, ChannelLimits limits, long nowNs) {
        this.ours = ours.toBuilder().setFrameSizeMax(limits.frameSizeMax()).build();
        this.limits = limits;
        this.framer = new Framer(limits.frameSizeMax());
        this.lastSentNs = nowNs;
        this.lastReceivedNs = nowNs;
        emit(FrameType.HELLO, this.ours);
    }

    /** Returns the peer's hello; null before it arrived. */
    public Hello peer() {
        return peer;
    }

    public boolean isUp() {
        return peer != null && !closed;
    }

    /** Returns the bytes offered and not yet handed to the driver. */
    public long unflushedBytes() {
        return unflushedBytes;
    }

    /** Largest message that can be offered, bytes of its encoding. */
    public int messageSizeMax() {
        return Math.min(peerFrameSizeMax, limits.frameSizeMax()) - Frame.OVERHEAD - BATCH_ENTRY_OVERHEAD;
    }

    /** Returns when {@link #onTick} has something to do, if nothing happens before. */
    public long nextDeadlineNs() {
        if (closed) {
            return Long.MAX_VALUE;
        }
        return Math.min(lastSentNs + limits.keepAliveNs(), lastReceivedNs + limits.deadNs());
    }

    /**
     * Queues an operation.
     *
     * @param unsentBytes bytes that left earlier steps and still wait in the driver
     */
    public Offer offer(Operation operation, long unsentBytes) {
        return offer(operations, operation, unsentBytes);
    }

    /** Queues operations that leave in one frame, or none of them; as {@link #offer(Operation, long)}. */
    public Offer offer(Outgoing outgoing, long unsentBytes) {
        int size = outgoing.size();
        Offer verdict = makeRoom(operations, size, unsentBytes);
        if (verdict == Offer.ACCEPTED) {
            CodedOutputStream out = operations.extend(size);
            try {
                outgoing.writeTo(out);
                out.checkNoSpaceLeft();
            } catch (IOException e) {
                throw new IllegalStateException("operations have written more than their size", e);
            }
            onAdded(operations, size);
        }
        return verdict;
    }

    /** Queues a result; as {@link #offer(Operation, long)}. */
    public Offer offer(Result result, long unsentBytes) {
        return offer(results, result, unsentBytes);
    }

    private Offer offer(BatchFrame batch, MessageLite message, long unsentBytes) {
        int size = message.getSerializedSize();
        Offer verdict = makeRoom(batch, size, unsentBytes);
        if (verdict == Offer.ACCEPTED) {
            batch.add(message, size);
            onAdded(batch, size);
        }
        return verdict;
    }

    /** Makes room for so many bytes; once accepted, they fit the batch. */
    private Offer makeRoom(BatchFrame batch, int size, long unsentBytes) {
        Offer verdict = judge(size, unsentBytes);
        if (verdict == Offer.ACCEPTED && batch.payloadSize() + size > messageSizeMax()) {
            emit(batch);
        }
        return verdict;
    }

    private void onAdded(BatchFrame batch, int size) {
        unflushedBytes += size;
        if (batch.payloadSize() >= limits.batchSizeTarget()) {
            emit(batch);
        }
    }

    /**
     * Returns what has to leave although this side is still busy: everything queued and, if nothing is, a keep-alive,
     * once nothing was sent for as long as a keep-alive may take; otherwise nothing. A turn of the driver may take
     * longer than the silence after which the peer gives up, and the peer is to know that this side lives.
     */
    public Effects breathe(long nowNs) {
        if (closed || nowNs - lastSentNs < limits.keepAliveNs()) {
            return new Effects();
        }
        Effects effects = flush(nowNs);
        return effects.frames().isEmpty() ? keepAlive(nowNs) : effects;
    }

    /** Says whether silence would end the connection now. Bytes that have arrived and were not read are not silence. */
    public boolean seemsDead(long nowNs) {
        return !closed && nowNs - lastReceivedNs >= limits.deadNs();
    }

    /** Turns what has been queued into frames. */
    public Effects flush(long nowNs) {
        emit(operations);
        emit(results);
        Effects effects = waiting;
        waiting = new Effects();
        unflushedBytes = 0;
        if (!effects.frames().isEmpty()) {
            lastSentNs = nowNs;
        }
        return effects;
    }

    /** Takes bytes as they came, however they were cut: all of {@code bytes}, which is not kept. */
    public Effects onBytes(ByteBuffer bytes, long nowNs) {
        Effects effects = new Effects();
        if (closed) {
            return effects;
        }
        lastReceivedNs = nowNs;
        try {
            for (Frame frame : framer.feed(bytes)) {
                onFrame(frame, effects);
                if (closed) {
                    break;
                }
            }
        } catch (WireException | InvalidProtocolBufferException e) {
            fail("malformed input: " + e.getMessage(), effects);
        }
        return effects;
    }

    /** Does what is due when {@link #nextDeadlineNs()} has passed. Calling it early or late is harmless. */
    public Effects onTick(long nowNs) {
        Effects effects = new Effects();
        if (closed) {
            return effects;
        }
        if (seemsDead(nowNs)) {
            closed = true;
            effects.setCloseReason("nothing heard for " + limits.deadNs() / 1_000_000 + " ms");
        } else if (nowNs - lastSentNs >= limits.keepAliveNs()) {
            return keepAlive(nowNs);
        }
        return effects;
    }

    private Effects keepAlive(long nowNs) {
        emit(FrameType.KEEP_ALIVE, KeepAlive.getDefaultInstance());
        return flush(nowNs);
    }

    /** Says goodbye after everything queued and ends the connection. */
    public Effects close(String reason, long nowNs) {
        if (closed) {
            return new Effects();
        }
        Effects effects = flush(nowNs);
        fail(reason, effects);
        return effects;
    }

    private Offer judge(int size, long unsentBytes) {
        if (!isUp()) {
            return Offer.DOWN;
        }
        if (size > messageSizeMax()) {
            return Offer.TOO_LARGE;
        }
        return unflushedBytes + unsentBytes + size > limits.unsentSizeMax() ? Offer.FULL : Offer.ACCEPTED;
    }

    private void onFrame(Frame frame, Effects effects) throws InvalidProtocolBufferException {
        if ((peer == null) != (frame.type() == FrameType.HELLO) && frame.type() != FrameType.GOODBYE) {
            fail(peer == null ? "the first frame is no hello" : "a second hello", effects);
            return;
        }
        switch (frame.type()) {
            case HELLO -> onHello(Hello.parseFrom(frame.payload()), effects);
            case KEEP_ALIVE -> KeepAlive.parseFrom(frame.payload());
            case OPERATIONS ->
                    effects.operations().addAll(OperationBatch.parseFrom(frame.payload()).getOperationsList());
            case RESULTS -> ArrivedResult.readBatch(frame.payload(), effects.results());
            case GOODBYE -> {
                closed = true;
                effects.setCloseReason("peer said goodbye: " + Goodbye.parseFrom(frame.payload()).getReason());
            }
            default -> throw new IllegalStateException("frame type " + frame.type());
        }
    }

    private void onHello(Hello hello, Effects effects) {
        String mismatch = mismatch(ours, hello);
        if (mismatch != null) {
            effects.setHelloRefused();
            fail(mismatch, effects);
            return;
        }
        peer = hello;
        peerFrameSizeMax = (int) Math.min(Frame.SIZE_MAX, Integer.toUnsignedLong(hello.getFrameSizeMax()));
        effects.setPeer(hello);
    }

    /** Returns the difference between two peers in a name that both know and must agree on; null when there is none. */
    private static String mismatch(Hello ours, Hello theirs) {
        if (theirs.getRole() == Role.UNRECOGNIZED || theirs.getRole() == Role.ROLE_UNSPECIFIED) {
            return "hello with unknown role " + theirs.getRoleValue();
        }
        if (Integer.compareUnsigned(theirs.getFrameSizeMax(), PEER_FRAME_SIZE_MIN) < 0) {
            return "hello with a frame maximum of " + Integer.toUnsignedString(theirs.getFrameSizeMax())
                    + " bytes, at least " + PEER_FRAME_SIZE_MIN + " are needed";
        }
        if (!shareLanguage(ours.getLanguagesList(), theirs.getLanguagesList())) {
            return theirs.getName() + " speaks language " + newest(theirs.getLanguagesList()) + ", this side "
                    + newest(ours.getLanguagesList()) + ", and neither build has the other's: run builds of which one "
                    + "is older than the other";
        }
        for (String[] pair : List.of(
                new String[] {"cluster id", ours.getClusterId(), theirs.getClusterId()},
                new String[] {"schema fingerprint", ours.getSchemaFingerprint(), theirs.getSchemaFingerprint()},
                new String[] {"map version", version(ours.getMapVersion()), version(theirs.getMapVersion())})) {
            if (!pair[1].isEmpty() && !pair[2].isEmpty() && !pair[1].equals(pair[2])) {
                return pair[0] + " differs: " + pair[1] + " here, " + pair[2] + " at " + theirs.getName();
            }
        }
        return null;
    }

    /**
     * Says whether one side's build has all that the other's may say. A peer that names no version has the first, as
     * all have.
     */
    private static boolean shareLanguage(List<Long> ours, List<Long> theirs) {
        return ours.isEmpty() || theirs.isEmpty() || ours.contains(theirs.get(theirs.size() - 1))
                || theirs.contains(ours.get(ours.size() - 1));
    }

    private static String newest(List<Long> languages) {
        return String.format("%016x", languages.get(languages.size() - 1));
    }

    private static String version(long version) {
        return version == 0 ? "" : Long.toUnsignedString(version);
    }

    private void fail(String reason, Effects effects) {
        closed = true;
        effects.frames().addAll(waiting.frames());
        waiting = new Effects();
        effects.frames().add(Frame.encode(FrameType.GOODBYE, Goodbye.newBuilder().setReason(reason).build()));
        effects.setCloseReason(reason);
    }

    private void emit(BatchFrame batch) {
        if (!batch.isEmpty()) {
            waiting.frames().add(batch.take());
        }
    }

    private void emit(FrameType type, MessageLite message) {
        waiting.frames().add(Frame.encode(type, message));
    }
}
