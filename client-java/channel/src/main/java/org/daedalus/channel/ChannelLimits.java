package org.daedalus.channel;

/**
 * Times and sizes of a connection; {@link #DEFAULT} is what docs/wire.md says.
 *
 * @param keepAliveNs silence of ours after which a keep-alive is sent
 * @param deadNs silence of the peer's after which it is dead
 * @param frameSizeMax largest frame accepted, bytes
 * @param batchSizeTarget a batch is closed once its messages have this many bytes
 * @param unsentSizeMax most bytes that may wait to be sent; more is refused
 */
public record ChannelLimits(
        long keepAliveNs, long deadNs, int frameSizeMax, int batchSizeTarget, long unsentSizeMax) {
    public static final ChannelLimits DEFAULT =
            new ChannelLimits(500_000_000L, 2_000_000_000L, 16 << 20, 1 << 20, 64L << 20);

    /** Returns a copy with another bound of the bytes that wait to be sent. */
    public ChannelLimits withUnsentSizeMax(long bytes) {
        return new ChannelLimits(keepAliveNs, deadNs, frameSizeMax, batchSizeTarget, bytes);
    }
}
