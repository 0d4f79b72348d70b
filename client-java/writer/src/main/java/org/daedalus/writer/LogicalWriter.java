package org.daedalus.writer;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.daedalus.channel.Channel;
import org.daedalus.channel.ChannelLimits;
import org.daedalus.channel.Endpoint;
import org.daedalus.channel.Peer;
import org.daedalus.channel.PeerHandler;
import org.daedalus.channel.PeerNetwork;
import org.daedalus.client.DaedalusClient;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.RowBatch;
import org.daedalus.client.WriteOutcome;
import org.daedalus.client.internal.ClientAccess;
import org.daedalus.wire.BuildVersion;
import org.daedalus.wire.WireException;
import org.daedalus.wire.v1.Error;
import org.daedalus.wire.v1.Hello;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.Role;
import org.daedalus.wire.v1.Route;
import org.daedalus.wire.v1.StatusReply;
import org.daedalus.wire.v1.SubmissionId;
import org.daedalus.wire.v1.UpdateBody;
import org.daedalus.wire.v1.WriteConfirmed;
import org.daedalus.wire.v1.WriterStatus;
import org.daedalus.writer.journal.DiskFolder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The single source of updates of one view, to embed in the process that maintains the base table: numbers updates,
 * sends them through aggregators, sends again, and tells when each has taken effect. Also takes submissions of others.
 *
 * <p>Decides nothing: submissions are {@link SubmissionDesk}'s, the protocol is {@link WriterCore}'s; carries their
 * effects out over TCP. All methods may be called from any thread.
 */
public final class LogicalWriter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LogicalWriter.class);
    /** Another writer that takes no connection for so long is none any more. */
    static final int PROBE_MAX_MS = 1_000;

    private final WriterOptions options;
    private final WriterCore core;
    private final SubmissionDesk desk;
    private final PeerNetwork network;
    /** Null: what this writer knows dies with it. */
    private final WriterJournal journal;
    private final DiskFolder folder;
    private final Map<Long, Peer> aggregators = new HashMap<>();
    /** Whoever waits for the answer to a submission; the desk bounds how many. */
    private final Map<Long, Consumer<Result>> waiters = new HashMap<>();
    private final OwnSubmissions ownSubmissions = new OwnSubmissions();
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private final CompletableFuture<WriterException> failed = new CompletableFuture<>();
    private long lastWaiter;
    private long armedNs = Long.MAX_VALUE;
    private Error epochRefusalLogged;

    /**
     * Opens the journal, if there is one.
     *
     * @param journalOptions null: there is none
     */
    private LogicalWriter(WriterOptions options, JournalOptions journalOptions) throws IOException {
        this(options, journalOptions, RecoveredJournal.NONE);
    }

    private LogicalWriter(WriterOptions options, JournalOptions journalOptions, RecoveredJournal without)
            throws IOException {
        this.options = options;
        this.folder = journalOptions == null ? null : DiskFolder.open(journalOptions.folder());
        this.journal = journalOptions == null ? null : openJournal(journalOptions);
        this.core = new WriterCore(options, journal == null ? without : journal.recovered());
        this.desk = new SubmissionDesk(options, core, SubmissionDesk.WAITERS_MAX);
        Hello hello = Hello.newBuilder().setRole(Role.ROLE_WRITER).setName(options.name())
                .setSoftwareVersion(BuildVersion.VERSION)
                .addAllLanguages(FunctionTable.get().language().hashes()).build();
        this.network = new PeerNetwork("writer", () -> hello,
                ChannelLimits.DEFAULT.withUnsentSizeMax(options.unsentBytesMax()), new Handler());
    }

    /**
     * Starts to listen for submissions at the options' endpoint and to become the writer, without a journal: it fails
     * where storage nodes keep their rows on disk.
     *
     * @param aggregators host:port of each
     * @throws IOException when the endpoint cannot be listened at
     */
    public static LogicalWriter start(List<String> aggregators, WriterOptions options) throws IOException {
        return start(aggregators, new LogicalWriter(options, null));
    }

    /** The same of somebody who knows that the cluster has to be loaded afresh if this writer ends at a bad moment. */
    static LogicalWriter startWithoutJournal(List<String> aggregators, WriterOptions options) throws IOException {
        return start(aggregators, new LogicalWriter(options, null, RecoveredJournal.RENOUNCED));
    }

    /**
     * The same, with a journal: what it has numbered and whom it has answered outlives the process.
     *
     * @throws IOException when the endpoint cannot be listened at, or a {@link
     *     org.daedalus.writer.journal.JournalException} when the journal is used by another process or is damaged
     */
    public static LogicalWriter start(List<String> aggregators, WriterOptions options, JournalOptions journal)
            throws IOException {
        return start(aggregators, new LogicalWriter(options.withJournalOf(journal.bytesMax()), journal));
    }

    private static LogicalWriter start(List<String> aggregators, LogicalWriter writer) throws IOException {
        Endpoint endpoint = Endpoint.parse(writer.options.endpoint());
        try {
            writer.network.listen(endpoint.host(), endpoint.port());
        } catch (IOException e) {
            writer.close();
            throw e;
        }
        aggregators.forEach(writer.network::dial);
        return writer;
    }

    private WriterJournal openJournal(JournalOptions journalOptions) throws IOException {
        try {
            WriterJournal opened = WriterJournal.open(folder, new SecureRandom().nextLong(), journalOptions,
                    options, new JournalListener());
            LOG.info("journal {}", opened.describe());
            return opened;
        } catch (IOException e) {
            folder.close();
            throw e;
        }
    }

    /** Completes when every node has granted the epoch: updates get numbers from now on. */
    public CompletableFuture<Void> ready() {
        return ready.copy();
    }

    /** Completes when this writer must not number any more: it was replaced, or the cluster lost rows. */
    public CompletableFuture<WriterException> failed() {
        return failed.copy();
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
        return submit((waiter, effects) -> desk.submit(waiter, id, update, routes, effects));
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
        return submit((waiter, effects) -> desk.submitBatch(waiter, id, packed.body(), packed.table(), effects))
                .handle((confirmed, failure) -> {
                    if (failure != null) {
                        throw ClientAccess.get().failure(((WriterException) failure).error());
                    }
                    return ClientAccess.get().outcome(confirmed);
                });
    }

    private CompletableFuture<WriteConfirmed> submit(BiConsumer<Long, WriterEffects> submission) {
        CompletableFuture<WriteConfirmed> future = new CompletableFuture<>();
        boolean taken = network.execute(() -> {
            long waiter = register(result -> complete(future, result));
            step(effects -> submission.accept(waiter, effects));
        });
        if (!taken) {
            future.completeExceptionally(new WriterException(
                    Errors.retry(Errors.ADMIN_SHUTDOWN, "the writer is closed", "")));
        }
        return future;
    }

    /** Stops taking and sending updates; those without an outcome stay unknown. */
    @Override
    public void close() {
        network.close();
        if (journal != null) {
            journal.close();
            try {
                folder.close();
            } catch (IOException e) {
                LOG.warn("the journal's folder stays locked: {}", e.getMessage());
            }
        }
    }

    // ---- everything below runs on the network's thread ----

    private void step(Consumer<WriterEffects> event) {
        WriterCore.Phase before = core.phase();
        WriterEffects effects = new WriterEffects();
        event.accept(effects);
        journal(effects);
        desk.settle(effects);
        carryOut(effects);
        if (core.phase() != before) {
            onPhase();
        }
        logEpochRefusal();
        arm(effects.deadlineNs());
    }

    /** Without a journal, what is to be appended to it counts as appended at once. */
    private void journal(WriterEffects effects) {
        if (journal != null) {
            journal.append(effects, core.keptFrom() - 1);
            journal.clean(core.known());
            core.onJournalState(journal.state());
        } else if (!effects.records().isEmpty()) {
            core.onJournaled(core.lastNumbered(), network.nowNs(), effects);
        }
    }

    /** The writer asks again by itself; whoever waits for it wants to know why. Each reason is said once. */
    private void logEpochRefusal() {
        Error refusal = core.epochRefusal();
        if (refusal != null && !refusal.equals(epochRefusalLogged)) {
            LOG.warn("the epoch is not raised yet: {} ({}){}", refusal.getMessage(), refusal.getSqlstate(),
                    refusal.getHint().isEmpty() ? "" : "; " + refusal.getHint());
        }
        epochRefusalLogged = refusal;
    }

    private void carryOut(WriterEffects effects) {
        for (WriterEffects.Send send : effects.sends()) {
            Peer peer = aggregators.get(send.peer());
            if (peer != null && peer.send(send.operation()) != Channel.Offer.ACCEPTED) {
                LOG.debug("an operation to {} did not fit; it is sent again later", peer.address());
                core.onUnsent(send.peer(), send.operation().getHeader().getSequence());
            }
        }
        for (WriterEffects.Answer answer : effects.answers()) {
            waiters.remove(answer.waiter()).accept(answer.result());
        }
        if (effects.described() != null) {
            describe(effects);
        }
        if (effects.probe() != null) {
            probe(effects.probe());
        }
    }

    private void describe(WriterEffects effects) {
        try {
            desk.onDescribed(effects.described());
        } catch (WireException e) {
            LOG.error("an aggregator described the table in a way that makes no sense: {}", e.getMessage());
        }
        onPhase();
    }

    private void onPhase() {
        if (core.phase() == WriterCore.Phase.ACTIVE && desk.isDescribed() && ready.complete(null)) {
            LOG.info("epoch {}: numbering from {}", core.epoch(), core.lastNumbered() + 1);
        } else if (core.phase() == WriterCore.Phase.FAILED) {
            WriterException why = new WriterException(core.failure());
            if (failed.complete(why)) {
                LOG.error("not the writer: {}", why.getMessage());
                ready.completeExceptionally(why);
            }
        }
    }

    private void arm(long deadlineNs) {
        if (deadlineNs < armedNs) {
            armedNs = deadlineNs;
            network.schedule(() -> onTimer(deadlineNs), deadlineNs - network.nowNs());
        }
    }

    private void onTimer(long deadlineNs) {
        if (armedNs == deadlineNs) {
            armedNs = Long.MAX_VALUE;
        }
        step(effects -> core.onDeadline(network.nowNs(), effects));
    }

    private void probe(String endpoint) {
        Thread prober = new Thread(() -> {
            boolean answers = !endpoint.equals(options.endpoint()) && answers(endpoint, PROBE_MAX_MS);
            network.execute(() -> step(effects -> core.onProbed(answers, network.nowNs(), effects)));
        }, "probe");
        prober.setDaemon(true);
        prober.start();
    }

    static boolean answers(String endpoint, int maxMs) {
        try (Socket socket = new Socket()) {
            Endpoint parsed = Endpoint.parse(endpoint);
            socket.connect(new InetSocketAddress(parsed.host(), parsed.port()), maxMs);
            return true;
        } catch (IOException | IllegalArgumentException e) {
            return false;
        }
    }

    private long register(Consumer<Result> waiter) {
        lastWaiter++;
        waiters.put(lastWaiter, waiter);
        return lastWaiter;
    }

    private static void complete(CompletableFuture<WriteConfirmed> future, Result result) {
        if (result.hasConfirmed()) {
            future.complete(result.getConfirmed());
        } else {
            future.completeExceptionally(new WriterException(
                    result.hasRefused() ? result.getRefused().getError() : result.getError()));
        }
    }

    private void onStatus(Peer peer, Operation operation) {
        Runtime runtime = Runtime.getRuntime();
        WriterStatus.Builder status = core.status()
                .setVersion(BuildVersion.VERSION)
                .setProcessId(ProcessHandle.current().pid())
                .setSubmissionsWaiting(desk.waiterCount())
                .setHeapBytesUsed(runtime.totalMemory() - runtime.freeMemory())
                .setHeapBytesMax(runtime.maxMemory());
        answer(peer, operation.getHeader().getSequence(),
                Result.newBuilder().setStatus(StatusReply.newBuilder().setWriter(status)));
    }

    private static void answer(Peer peer, long sequence, Result.Builder result) {
        if (peer.send(result.setSequence(sequence).build()) == Channel.Offer.FULL) {
            peer.close("too many answers wait for this peer");
        }
    }

    /** Carries what the journal's thread says over to the network's. */
    private final class JournalListener implements WriterJournal.Listener {
        @Override
        public void onJournaled(long through) {
            network.execute(() -> step(effects -> core.onJournaled(through, network.nowNs(), effects)));
        }

        @Override
        public void onProblem(IOException reason) {
            network.execute(() -> {
                journal.onProblem(reason);
                core.onJournalState(journal.state());
                LOG.warn("journal: {}", reason == null ? "it can be written again" : reason.toString());
            });
        }

        @Override
        public void onLost(String reason) {
            network.execute(() -> step(effects -> core.onJournalLost(journal.lost(reason), effects)));
        }
    }

    /** False: the journal is of another cluster, and nothing is said to this one. */
    private boolean isOfThisCluster(Peer peer) {
        Error wrong = journal == null ? null
                : journal.belongsTo(peer.hello().getClusterId(), peer.hello().getSchemaFingerprint());
        if (wrong != null) {
            step(effects -> core.onJournalLost(wrong, effects));
        }
        return wrong == null;
    }

    private final class Handler implements PeerHandler {
        @Override
        public void onUp(Peer peer) {
            if (peer.dialledEndpoint().isPresent() && isOfThisCluster(peer)) {
                aggregators.put(peer.id(), peer);
                step(effects -> core.onUp(peer.id(), network.nowNs(), effects));
            }
        }

        @Override
        public void onDown(Peer peer, String reason) {
            if (aggregators.remove(peer.id()) != null) {
                step(effects -> core.onDown(peer.id(), network.nowNs(), effects));
            }
        }

        @Override
        public void onDialFailed(String endpoint, String reason) {
            LOG.debug("aggregator {}: {}", endpoint, reason);
        }

        @Override
        public void onOperation(Peer peer, Operation operation) {
            switch (operation.getHeader().getKind()) {
                case OPERATION_KIND_STATUS -> onStatus(peer, operation);
                default -> {
                    long sequence = operation.getHeader().getSequence();
                    long waiter = register(result -> answer(peer, sequence, result.toBuilder()));
                    step(effects -> desk.onOperation(waiter, operation, effects));
                }
            }
        }

        @Override
        public void onResult(Peer peer, Result result) {
            step(effects -> core.onResult(peer.id(), result, network.nowNs(), effects));
        }
    }
}
