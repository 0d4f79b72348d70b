package org.daedalus.writer;

import java.io.IOException;
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
import org.daedalus.wire.BuildVersion;
import org.daedalus.wire.Features;
import org.daedalus.wire.WireException;
import org.daedalus.wire.v1.Error;
import org.daedalus.wire.v1.Hello;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.Role;
import org.daedalus.wire.v1.StatusReply;
import org.daedalus.wire.v1.WriterStatus;
import org.daedalus.writer.journal.DiskFolder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out over TCP what {@link SubmissionDesk} and {@link WriterCore} decide: sends operations, takes those of
 * others, appends to the journal, sets timers, and answers. The network's thread runs everything but the methods that
 * come first.
 */
final class WriterDriver implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LogicalWriter.class);

    private final WriterOptions options;
    private final WriterCore core;
    private final SubmissionDesk desk;
    private final PeerNetwork network;
    /** Without a journal, which is null then, what this writer knows dies with it. */
    private final WriterJournal journal;
    private final DiskFolder folder;
    private final Map<Long, Peer> aggregators = new HashMap<>();
    /** These wait for answers to submissions; the desk bounds how many. */
    private final Map<Long, Consumer<Result>> waiters = new HashMap<>();
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private final CompletableFuture<WriterException> failed = new CompletableFuture<>();
    private long lastWaiter;
    private long armedNs = Long.MAX_VALUE;
    /** The end of this turn of the network's thread has been asked for. */
    private boolean endsTurn;
    private Error epochRefusalLogged;

    private WriterDriver(WriterOptions options, JournalOptions journalOptions, RecoveredJournal without)
            throws IOException {
        this.options = options;
        this.folder = journalOptions == null ? null : DiskFolder.open(journalOptions.folder());
        this.journal = journalOptions == null ? null : openJournal(journalOptions);
        this.core = new WriterCore(options, journal == null ? without : journal.recovered());
        this.desk = new SubmissionDesk(options, core, SubmissionDesk.WAITERS_MAX);
        Hello hello = Hello.newBuilder().setRole(Role.ROLE_WRITER).setName(options.name())
                .setSoftwareVersion(BuildVersion.VERSION)
                .setFeatures(Features.MOMENTS)
                .addAllLanguages(FunctionTable.get().language().hashes()).build();
        this.network = new PeerNetwork("writer", () -> hello,
                ChannelLimits.DEFAULT.withUnsentSizeMax(options.unsentBytesMax()), new Handler());
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

    /**
     * Starts to listen for submissions and to dial the aggregators.
     *
     * @param journalOptions null: there is no journal
     * @param without stands for the journal that there is not
     */
    static WriterDriver start(List<String> aggregators, WriterOptions options, JournalOptions journalOptions,
            RecoveredJournal without) throws IOException {
        WriterDriver driver = new WriterDriver(options, journalOptions, without);
        Endpoint endpoint = Endpoint.parse(options.endpoint());
        try {
            driver.network.listen(endpoint.host(), endpoint.port());
        } catch (IOException e) {
            driver.close();
            throw e;
        }
        aggregators.forEach(driver.network::dial);
        return driver;
    }

    CompletableFuture<Void> ready() {
        return ready.copy();
    }

    CompletableFuture<WriterException> failed() {
        return failed.copy();
    }

    /** Returns the desk, which may be used in submissions alone. */
    SubmissionDesk desk() {
        return desk;
    }

    /** Has the network's thread hand in a submission, whose answer {@code answer} gets; false: the writer is closed. */
    boolean submit(BiConsumer<Long, WriterEffects> submission, Consumer<Result> answer) {
        return network.execute(() -> {
            long waiter = register(answer);
            step(effects -> submission.accept(waiter, effects));
        });
    }

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

    // ---- The network's thread calls everything below. ----

    private void step(Consumer<WriterEffects> event) {
        doStep(event);
        if (!endsTurn) {
            endsTurn = network.execute(this::endTurn);
        }
    }

    /** Everything that had arrived is handed in: one mark is enough for all of it. */
    private void endTurn() {
        endsTurn = false;
        doStep(effects -> core.sendMarks(network.nowNs(), effects));
    }

    private void doStep(Consumer<WriterEffects> event) {
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
            boolean answers = !endpoint.equals(options.endpoint())
                    && WriterProbe.answers(endpoint, WriterProbe.WAIT_MAX_MS);
            network.execute(() -> step(effects -> core.onProbed(answers, network.nowNs(), effects)));
        }, "probe");
        prober.setDaemon(true);
        prober.start();
    }

    private long register(Consumer<Result> waiter) {
        lastWaiter++;
        waiters.put(lastWaiter, waiter);
        return lastWaiter;
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

    /** Says whether the journal is of the peer's cluster; where it is of another, nothing is said to this one. */
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
                step(effects -> core.onUp(peer.id(), Features.knowsMoments(peer.hello()), network.nowNs(), effects));
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
