package org.daedalus.writer;

/**
 * Says who the writer is, and bounds everything it keeps.
 *
 * @param name what others call the holder of the epoch
 * @param endpoint host:port at which it takes submissions
 * @param takeOver start although another writer is registered and answers
 * @param resendAfterNs without progress for so long, send again what nodes lack
 * @param epochRetryNs between two tries to learn or raise the epoch
 * @param updatesKeptMax most updates that some node still lacks
 * @param bytesKeptMax most bytes of their bodies and routes
 * @param submissionsKnownMax most submissions whose outcome can be repeated
 * @param submissionBytesMax most bytes of their ids and outcomes
 * @param unsentBytesMax most bytes that wait to be sent to one peer
 */
public record WriterOptions(
        String name,
        String endpoint,
        boolean takeOver,
        long resendAfterNs,
        long epochRetryNs,
        int updatesKeptMax,
        long bytesKeptMax,
        int submissionsKnownMax,
        long submissionBytesMax,
        long unsentBytesMax) {

    /** Room for one update of the largest size, whatever the heap. */
    private static final long UNSENT_BYTES_MIN = 10L << 20;
    /**
     * Each update that is kept takes so much of the heap at most: a small one takes 500 bytes beside its body and
     * routes.
     */
    private static final long HEAP_BYTES_PER_UPDATE = 4_096;

    /** Returns the options of docs/protocol.md. */
    public static WriterOptions of(String name, String endpoint, boolean takeOver) {
        return new WriterOptions(name, endpoint, takeOver, 1_000_000_000L, 500_000_000L, 65_536, 32L << 20,
                65_536, 32L << 20, 64L << 20);
    }

    /** Returns a copy that remembers no more than a journal of this size has room for beside its updates. */
    public WriterOptions withJournalOf(long journalBytes) {
        return new WriterOptions(name, endpoint, takeOver, resendAfterNs, epochRetryNs, updatesKeptMax, bytesKeptMax,
                submissionsKnownMax, Math.min(submissionBytesMax, journalBytes / 8), unsentBytesMax);
    }

    /**
     * Returns a copy with bounds in bytes that leave most of a small heap free.
     *
     * @param heapBytes the largest size of the heap
     * @param aggregators how many updates are sent to
     */
    public WriterOptions within(long heapBytes, int aggregators) {
        return new WriterOptions(name, endpoint, takeOver, resendAfterNs, epochRetryNs,
                (int) Math.min(updatesKeptMax, heapBytes / HEAP_BYTES_PER_UPDATE),
                Math.min(bytesKeptMax, heapBytes / 8), submissionsKnownMax,
                Math.min(submissionBytesMax, heapBytes / 16),
                Math.max(UNSENT_BYTES_MIN, Math.min(unsentBytesMax, heapBytes / 4 / aggregators)));
    }
}
