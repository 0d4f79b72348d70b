package org.daedalus.writer;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.daedalus.channel.ProcessEnd;
import org.daedalus.wire.BuildVersion;
import org.daedalus.writer.journal.JournalException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The logical writer as a small process of its own, for clusters whose base table has no process to embed it in. */
@Command(name = "daedalus-writer", mixinStandardHelpOptions = true, versionProvider = WriterProcess.Version.class,
        description = "The single source of updates of one cluster: takes submissions, numbers and sends them.")
public final class WriterProcess implements Callable<Integer> {
    private static final int FAILED = 1;

    /** Answers {@code --version}. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"daedalus-writer " + BuildVersion.text()};
        }
    }

    @Option(names = "--aggregators", required = true, split = ",", paramLabel = "HOST:PORT",
            description = "All aggregators of the cluster.")
    private List<String> aggregators;

    @Option(names = "--listen", required = true, paramLabel = "HOST:PORT", description = "Where to take submissions.")
    private String listen;

    @Option(names = "--name", defaultValue = "writer", description = "What others call this writer.")
    private String name;

    @Option(names = "--take-over", description = "Become the writer although another one answers.")
    private boolean takeOver;

    @Option(names = "--journal-dir", paramLabel = "DIR",
            description = "Where to keep updates until every node has them; needed where nodes keep rows on disk.")
    private Path journalFolder;

    @Option(names = "--no-journal-in", paramLabel = "DIR", hidden = true,
            description = "Keep no journal, whatever nodes keep. DIR is not looked at: it tells writers apart.")
    private Path noJournalFolder;

    @Option(names = "--journal-mib", defaultValue = "1024", paramLabel = "MIB",
            description = "Most that the journal may take on disk (default: ${DEFAULT-VALUE}).")
    private long journalMib;

    @Option(names = "--adopt",
            description = "Begin a new journal behind the updates that the cluster has from one that is lost.")
    private boolean adopts;

    /** Runs until it is told to stop, or must not number any more. */
    public static void main(String[] arguments) {
        BoundedErrorStream.install();
        ProcessEnd.onOutOfMemoryOf("daedalus-writer");
        System.exit(new CommandLine(new WriterProcess()).execute(arguments));
    }

    @Override
    public Integer call() throws InterruptedException, ExecutionException {
        WriterOptions options =
                WriterOptions.of(name, listen, takeOver).within(Runtime.getRuntime().maxMemory(), aggregators.size());
        try (LogicalWriter writer = start(options)) {
            Runtime.getRuntime().addShutdownHook(new Thread(writer::close, "drain"));
            writer.ready().thenRun(() -> System.err.println("ready"));
            WriterException why = writer.failed().get();
            String hint = why.error().getHint().isEmpty() ? "" : "; " + why.error().getHint();
            System.err.println("daedalus-writer: " + why.getMessage() + hint);
            return FAILED;
        } catch (JournalException e) {
            System.err.println("daedalus-writer: " + e.getMessage() + "; " + e.hint());
            return FAILED;
        } catch (IOException | IllegalArgumentException e) {
            System.err.println("daedalus-writer: " + e.getMessage());
            return FAILED;
        }
    }

    private LogicalWriter start(WriterOptions options) throws IOException {
        if (journalFolder == null) {
            return noJournalFolder == null ? LogicalWriter.start(aggregators, options)
                    : LogicalWriter.startWithoutJournal(aggregators, options);
        }
        return LogicalWriter.start(aggregators, options, new JournalOptions(journalFolder, journalMib << 20, adopts));
    }
}
