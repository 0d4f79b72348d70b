package org.daedalus.channel;

import java.util.ArrayList;
import java.util.List;
import org.daedalus.wire.ArrivedResult;
import org.daedalus.wire.v1.Hello;
import org.daedalus.wire.v1.Operation;

/**
 * One step of a {@link Channel} wants these done, in this order: send {@code frames}, report {@code peer}, deliver
 * operations and results, and last, if {@code closeReason} is set, close the connection.
 */
public final class Effects {
    private final List<byte[]> frames = new ArrayList<>();
    private final List<Operation> operations = new ArrayList<>();
    private final List<ArrivedResult> results = new ArrayList<>();
    private Hello peer;
    private String closeReason;
    private boolean helloRefused;

    /** Encoded frames to send, in order. */
    public List<byte[]> frames() {
        return frames;
    }

    /** Returns the peer's hello, when it arrived in this step; otherwise null. */
    public Hello peer() {
        return peer;
    }

    public List<Operation> operations() {
        return operations;
    }

    public List<ArrivedResult> results() {
        return results;
    }

    /** Returns why the connection is to be closed after the frames have been sent; null: it is not. */
    public String closeReason() {
        return closeReason;
    }

    /** Says whether the connection is closed because the peer's hello contradicts ours. */
    public boolean isHelloRefused() {
        return helloRefused;
    }

    void setHelloRefused() {
        helloRefused = true;
    }

    void setPeer(Hello hello) {
        peer = hello;
    }

    void setCloseReason(String reason) {
        closeReason = reason;
    }
}
