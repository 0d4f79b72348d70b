package org.daedalus.cli;

import com.google.protobuf.ByteString;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.daedalus.channel.ChannelLimits;
import org.daedalus.channel.Peer;
import org.daedalus.channel.PeerHandler;
import org.daedalus.channel.PeerNetwork;
import org.daedalus.cli.sql.Shell;
import org.daedalus.client.DaedalusClient;
import org.daedalus.wire.ByteWriter;
import org.daedalus.wire.ColumnType;
import org.daedalus.wire.PackedRows;
import org.daedalus.wire.WireTypes;
import org.daedalus.wire.v1.Column;
import org.daedalus.wire.v1.DescribeReply;
import org.daedalus.wire.v1.Hello;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.QueryEnd;
import org.daedalus.wire.v1.QueryRows;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.Role;
import org.daedalus.wire.v1.StatusReply;
import org.jline.terminal.Terminal;
import org.jline.terminal.impl.ExternalTerminal;

/**
 * Runs the usual commands against an aggregator inside this process. The build does so once and keeps the classes that
 * were loaded in
 * an archive, from which bin/daedalus starts in a fraction of the time.
 */
public final class ArchiveTraining {
    private ArchiveTraining() {}

    public static void main(String[] arguments) throws IOException {
        Hello hello = Hello.newBuilder().setRole(Role.ROLE_AGGREGATOR).setName("training").build();
        PrintStream out = System.out;
        try (PeerNetwork network = new PeerNetwork("training", () -> hello, ChannelLimits.DEFAULT, new Answers())) {
            String endpoint = "127.0.0.1:" + network.listen("127.0.0.1", 0).getPort();
            System.setOut(new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8));
            int failures = Main.runCommand("--version") + Main.runCommand("sql", "--help");
            for (String format : List.of("table", "csv", "json")) {
                failures += Main.runCommand("sql", "-c", "SELECT 1", "--format", format, "--cluster", endpoint);
            }
            failures += trainShell(endpoint);
            Main.runCommand("status", "--cluster", endpoint);
            if (failures > 0) {
                throw new IllegalStateException("training failed");
            }
        } finally {
            System.setOut(out);
        }
    }

    /** A short session of the shell, on a terminal that is a text. */
    private static int trainShell(String endpoint) throws IOException {
        Path history = Files.createTempFile("daedalus", "history");
        InputStream typed = new ByteArrayInputStream("SEL\t a;\n\\d\n\\q\n".getBytes(StandardCharsets.UTF_8));
        try (DaedalusClient client = DaedalusClient.builder().aggregators(endpoint).build();
                Terminal terminal = new ExternalTerminal(
                        "training", "xterm", typed, new ByteArrayOutputStream(), StandardCharsets.UTF_8)) {
            return Shell.train(client, terminal, history);
        } finally {
            Files.delete(history);
        }
    }

    private static final class Answers implements PeerHandler {
        @Override
        public void onUp(Peer peer) {
            // The client speaks first.
        }

        @Override
        public void onDown(Peer peer, String reason) {
            // The client has what it wanted.
        }

        @Override
        public void onOperation(Peer peer, Operation operation) {
            long sequence = operation.getHeader().getSequence();
            if (operation.getHeader().getKind() == OperationKind.OPERATION_KIND_STATUS) {
                StatusReply status = StatusReply.getDefaultInstance();
                peer.send(Result.newBuilder().setSequence(sequence).setStatus(status).build());
                return;
            }
            if (operation.getHeader().getKind() == OperationKind.OPERATION_KIND_DESCRIBE) {
                DescribeReply described = DescribeReply.newBuilder().setTableName("training").build();
                peer.send(Result.newBuilder().setSequence(sequence).setDescribed(described).build());
                return;
            }
            QueryRows.Builder rows = QueryRows.newBuilder().setRowCount(1);
            ByteWriter packed = new ByteWriter(64);
            List<ColumnType> types = List.of(ColumnType.of(ColumnType.Kind.INT), ColumnType.numericOf(0, 0),
                    ColumnType.varcharOf(3), ColumnType.of(ColumnType.Kind.TIMESTAMP));
            types.forEach(type -> rows.addColumns(Column.newBuilder().setName("a").setType(WireTypes.toMessage(type))));
            PackedRows.append(types, new Object[] {1, new java.math.BigDecimal("1.5"), "abc",
                java.time.LocalDateTime.of(2013, 1, 1, 5, 0)}, packed);
            rows.setRows(ByteString.copyFrom(packed.toByteArray()));
            peer.send(Result.newBuilder().setSequence(sequence).setRows(rows).build());
            peer.send(Result.newBuilder().setSequence(sequence).setEnd(QueryEnd.newBuilder().setRowCount(1)).build());
        }
    }
}
