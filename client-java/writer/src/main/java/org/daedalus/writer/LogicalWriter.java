package org.daedalus.writer;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.daedalus.client.DaedalusClient;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.RowBatch;
import org.daedalus.client.WriteOutcome;
import org.daedalus.client.internal.ClientAccess;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.Route;
import org.daedalus.wire.v1.SubmissionId;
import org.daedalus.wire.v1.UpdateBody;
import org.daedalus.wire.v1.WriteConfirmed;

/**
 * The single source of updates of one view, to embed in the process that maintains the base table: numbers updates,
 * sends them through aggregators, sends again, and tells when each has taken effect. Also takes submissions of others.
 *
 * <p>Decides nothing: hands submissions to {@link WriterDriver}, and makes futures of their answers. All methods may be
 * called from any thread.
 */
public final class LogicalWriter implements AutoCloseable {
    private final WriterDriver driver;
    private final OwnSubmissions ownSubmissions = new OwnSubmissions();

    private LogicalWriter(WriterDriver driver) {
        this.driver = driver;
    }

    /**
     * Starts to listen for submissions at the options' endpoint and to become the writer, without a journal: it fails
     * where storage nodes keep their rows on disk.
     *
     * @param aggregators host:port of each
     * @throws IOException when the endpoint cannot be listened at
     */
    public static LogicalWriter start(List<String> aggregators, WriterOptions options) throws IOException {
        return new LogicalWriter(WriterDriver.start(aggregators, options, null, RecoveredJournal.NONE));
    }

    /**
     * Starts a writer for somebody who knows that the cluster has to be loaded afresh if this writer ends at a bad
     * time.
     */
    static LogicalWriter startWithoutJournal(List<String> aggregators, WriterOptions options) throws IOException {
        return new LogicalWriter(WriterDriver.start(aggregators, options, null, RecoveredJournal.RENOUNCED));
    }

    /**
     * Starts a writer with a journal: its numbers and its answers outlive the process.
     *
     * @throws IOException when the endpoint cannot be listened at, or a {@link
     *     org.daedalus.writer.journal.JournalException} when the journal is used by another process or is damaged
     */
    public static LogicalWriter start(List<String> aggregators, WriterOptions options, JournalOptions journal)
            throws IOException {
        return new LogicalWriter(WriterDriver.start(aggregators, options.withJournalOf(journal.bytesMax()), journal,
                RecoveredJournal.NONE));
    }

    /** Completes when every node has granted the epoch: updates get numbers from now on. */
    public CompletableFuture<Void> ready() {
        return driver.ready();
    }

    /** Completes when this writer must not number any more: it was replaced, or the cluster lost rows. */
    public CompletableFuture<WriterException> failed() {
        return driver.failed();
    }

    /**
     * Submits one update; repeated under the same client and number, it takes effect once.
     *
     * @param id with {@code repeated} it may have been submitted before, to a writer of its epoch or a later one; the
     *     answer is UNKNOWN when this writer cannot know. Without, it is new, and needs client and number alone
     * @param routes of the parts, in order (docs/protocol.md)
     * @return its outcome, which may count refused rows, or a {@link WriterException}
     */
    public CompletableFuture<WriteConfirmed> submit(SubmissionId id, UpdateBody update, List<Route> routes) {
        return submit((waiter, effects) -> driver.desk().submit(waiter, id, update, routes, effects));
    }

    /**
     * Submits rows that were packed for the cluster's table ({@link DaedalusClient#rowBatch}), under the batch's
     * submission name where it has one. They take effect together.
     *
     * @return what the client's own submission of the batch would end in: its outcome, or a {@link DaedalusException}
     */
    public CompletableFuture<WriteOutcome> submit(RowBatch batch) {
        ClientAccess.PackedBatch packed = ClientAccess.get().packed(batch);
        SubmissionId id = packed.body().hasSubmission() ? packed.body().getSubmission() : ownSubmissions.next();
        return submit((waiter, effects) ->
                driver.desk().submitBatch(waiter, id, packed.body(), packed.table(), effects))
                .handle((confirmed, failure) -> {
                    if (failure != null) {
                        throw ClientAccess.get().failure(((WriterException) failure).error());
                    }
                    return ClientAccess.get().outcome(confirmed);
                });
    }

    private CompletableFuture<WriteConfirmed> submit(BiConsumer<Long, WriterEffects> submission) {
        CompletableFuture<WriteConfirmed> future = new CompletableFuture<>();
        if (!driver.submit(submission, result -> complete(future, result))) {
            future.completeExceptionally(new WriterException(
                    Errors.retry(Errors.ADMIN_SHUTDOWN, "the writer is closed", "")));
        }
        return future;
    }

    private static void complete(CompletableFuture<WriteConfirmed> future, Result result) {
        if (result.hasConfirmed()) {
            future.complete(result.getConfirmed());
        } else {
            future.completeExceptionally(new WriterException(
                    result.hasRefused() ? result.getRefused().getError() : result.getError()));
        }
    }

    /** Stops taking and sending updates; those without an outcome stay unknown. */
    @Override
    public void close() {
        driver.close();
    }
}
