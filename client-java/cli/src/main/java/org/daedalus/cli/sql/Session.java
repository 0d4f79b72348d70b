package org.daedalus.cli.sql;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.daedalus.client.DaedalusClient;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.client.Outcome;
import org.daedalus.client.RefusedRowsException;
import org.daedalus.client.ResultSet;
import org.daedalus.client.TableDescription;
import org.daedalus.client.WriteOutcome;
import org.daedalus.output.Answer;
import org.daedalus.output.Elapsed;
import org.daedalus.output.Origin;
import org.daedalus.output.StatementOutput;

/**
 * One client, and where and how its answers are printed. Belongs to one thread. That thread may be interrupted while a
 * statement runs: it is cancelled then, and the session goes on.
 */
final class Session {
    /** The statement has been sent. */
    record Sent(Origin origin, CompletableFuture<Outcome> answer, Elapsed elapsed) {}

    static final Duration FIRST_CONTACT_MAX = Duration.ofSeconds(30);

    private final DaedalusClient client;
    private final Settings settings;
    private final Target standard;
    private final boolean interactive;
    private Target target;
    private boolean cancelled;
    private boolean quit;

    Session(DaedalusClient client, Settings settings) {
        this(client, settings, new Target.Standard(), false);
    }

    /** One of somebody who watches: {@code screen} is where answers go unless they are sent somewhere else. */
    Session(DaedalusClient client, Settings settings, Target screen, boolean interactive) {
        this.client = client;
        this.settings = settings;
        this.standard = screen;
        this.interactive = interactive;
        this.target = screen;
    }

    boolean isInteractive() {
        return interactive;
    }

    /** Returns the target of answers that are not sent somewhere else. */
    Target standard() {
        return standard;
    }

    DaedalusClient client() {
        return client;
    }

    Settings settings() {
        return settings;
    }

    Target target() {
        return target;
    }

    /** Sends answers somewhere else; returns where they went before. */
    Target redirect(Target next) {
        Target before = target;
        target = next;
        return before;
    }

    /** Lets nothing else be read. */
    void quit() {
        quit = true;
    }

    boolean hasQuit() {
        return quit;
    }

    /** Says whether a statement was cancelled since this was last asked. */
    boolean takeCancelled() {
        boolean was = cancelled;
        cancelled = false;
        return was;
    }

    /** Waits until the cluster can be asked, so that no latency has the setting up of connections in it. */
    void awaitContact() {
        awaitContact(FIRST_CONTACT_MAX);
    }

    void awaitContact(Duration max) {
        try {
            client.firstContact().get(max.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (java.util.concurrent.ExecutionException | java.util.concurrent.TimeoutException e) {
            return; // The first statement will say what is wrong.
        }
    }

    /** Sends a statement and prints what it ends in; false: an error. */
    boolean run(Origin origin) throws IOException {
        if (Description.isWanted(origin.sql())) {
            return describe(origin, Description.nameIn(origin.sql()));
        }
        if (ZoneStatement.isWanted(origin.sql())) {
            return runOnZone(origin);
        }
        return finish(send(origin));
    }

    Sent send(Origin origin) {
        Elapsed elapsed = new Elapsed();
        CompletableFuture<Outcome> answer =
                client.statement(origin.sql()).timeZone(settings.zone().nameToSend()).executeAsync();
        answer.whenComplete((outcome, failure) -> {
            if (!(outcome instanceof ResultSet)) {
                elapsed.stop();
            }
        });
        return new Sent(origin, answer, elapsed);
    }

    /** Waits for what was sent and prints what it ends in; false: an error. */
    boolean finish(Sent sent) throws IOException {
        return print(sent.origin(), sent.elapsed(), (output, out) -> {
            Outcome outcome = client.await(sent.answer());
            if (outcome instanceof ResultSet rows) {
                try (rows) {
                    output.rows(Answer.of(rows, settings.zone().zone()), sent.elapsed());
                }
            } else {
                output.written((WriteOutcome) outcome, sent.origin(), sent.elapsed());
            }
        });
    }

    /** SET, RESET and SHOW of the session's time zone. */
    private boolean runOnZone(Origin origin) throws IOException {
        Elapsed elapsed = new Elapsed();
        return print(origin, elapsed, (output, out) -> {
            Optional<Answer> shown = ZoneStatement.run(origin.sql(), settings);
            if (shown.isPresent()) {
                output.rows(shown.get(), elapsed);
            } else if (settings.format() == StatementOutput.Format.TABLE && !settings.tuplesOnly()) {
                out.println(Words.first(origin.sql()).toUpperCase(Locale.ROOT));
            }
        });
    }

    /** Prints the columns of the table; {@code name} is what the user calls it, null: whatever its name. */
    boolean describe(Origin origin, String name) throws IOException {
        Elapsed elapsed = new Elapsed();
        return print(origin, elapsed, (output, out) -> {
            TableDescription table = table();
            Description.checkName(table, name);
            boolean isForPeople = settings.format() == StatementOutput.Format.TABLE && !settings.tuplesOnly();
            if (isForPeople) {
                out.println("Table \"" + table.tableName() + "\"");
            }
            output.rows(Description.columnsOf(table), elapsed);
            if (isForPeople) {
                out.print(Description.footOf(table));
            }
        });
    }

    /** Returns the cluster's table; throws DaedalusException. */
    TableDescription table() {
        return client.await(client.describe());
    }

    private interface Printing {
        void printTo(StatementOutput output, PrintStream out);
    }

    private boolean print(Origin origin, Elapsed elapsed, Printing printing) throws IOException {
        PrintStream out = target.begin();
        StatementOutput output = settings.open(out, target);
        try {
            printing.printTo(output, out);
            return true;
        } catch (RefusedRowsException e) {
            output.writtenInPart(e, origin, elapsed);
            return false;
        } catch (DaedalusException e) {
            boolean interrupted = Thread.interrupted();
            cancelled |= interrupted;
            if (interrupted && e.category() == Category.RETRY) {
                System.err.println("Cancelled.");
            } else {
                output.failed(e, origin);
            }
            return false;
        } finally {
            target.end(out);
        }
    }
}
