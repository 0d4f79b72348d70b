package org.daedalus.client;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.daedalus.client.internal.answers.ResultColumns;
import org.daedalus.wire.BatchFrame;
import org.daedalus.wire.ByteRange;
import org.daedalus.wire.ByteWriter;
import org.daedalus.wire.ColumnType;
import org.daedalus.wire.ColumnType.Kind;
import org.daedalus.wire.Frame;
import org.daedalus.wire.FrameType;
import org.daedalus.wire.Framer;
import org.daedalus.wire.PackedRows;
import org.daedalus.wire.WireException;
import org.daedalus.wire.WireTypes;
import org.daedalus.wire.v1.Column;
import org.daedalus.wire.v1.Hello;
import org.daedalus.wire.v1.KeepAlive;
import org.daedalus.wire.v1.Operation;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.QueryEnd;
import org.daedalus.wire.v1.QueryRows;
import org.daedalus.wire.v1.Result;
import org.daedalus.wire.v1.Role;
import org.daedalus.wire.v1.SegmentStamp;

/**
 * Measures what a query costs the client: processor time of its own thread and of the one that asks, against a socket
 * in the same process that answers every statement with one row of 27 columns, and knows nothing. Prints a line of JSON
 * for each round, of which the first ones warm up; then what decoding rows costs, every column of each.
 *
 * <p>Arguments: queries in flight, queries in a round, rounds, handles that are offered.
 */
public final class ClientCostProbe {
    private static final int COLUMNS = 27;
    private static final int STATEMENTS = 210;
    private static final int ROWS_DECODED = 500_000;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private ClientCostProbe() {}

    public static void main(String[] arguments) throws Exception {
        int inFlight = Integer.parseInt(arguments[0]);
        int total = Integer.parseInt(arguments[1]);
        int rounds = Integer.parseInt(arguments[2]);
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread server = new Thread(() -> serve(listener, Integer.parseInt(arguments[3])), "answers");
            server.setDaemon(true);
            server.start();
            try (DaedalusClient client = DaedalusClient.builder().aggregators("127.0.0.1:" + listener.getLocalPort())
                    .requestTimeout(Duration.ofSeconds(60)).inFlightMax(inFlight + 1).build()) {
                client.await(client.firstContact());
                String[] statements = new String[STATEMENTS];
                for (int number = 0; number < STATEMENTS; number++) {
                    statements[number] = statement(number);
                }
                for (int round = 0; round < rounds; round++) {
                    new Round(client, statements, total).run(inFlight);
                }
            }
        }
        for (int round = 0; round < rounds; round++) {
            decode();
        }
    }

    private static String statement(int number) {
        StringBuilder text = new StringBuilder("SELECT ");
        for (int column = 0; column < COLUMNS; column++) {
            text.append(column == 0 ? "" : ", ").append("some_column_").append(column);
        }
        return text + " FROM tickets WHERE provider = $1 AND product_id = $2 AND date_in = $3 AND sgt_qualifier = $4"
                + " AND cancel_flag = $5 AND cabin = $6 AND class_" + number + " = $7";
    }

    private static long cpuNs(String thread) {
        for (long id : THREADS.getAllThreadIds()) {
            if (THREADS.getThreadInfo(id) != null && THREADS.getThreadInfo(id).getThreadName().startsWith(thread)) {
                return THREADS.getThreadCpuTime(id);
            }
        }
        return 0;
    }

    private static final class Round {
        private final DaedalusClient client;
        private final String[] statements;
        private final int total;
        private final AtomicInteger asked = new AtomicInteger();
        private final CountDownLatch open;
        private Throwable failed;

        Round(DaedalusClient client, String[] statements, int total) {
            this.client = client;
            this.statements = statements;
            this.total = total;
            this.open = new CountDownLatch(total);
        }

        void run(int inFlight) throws InterruptedException {
            long clientNs = cpuNs("daedalus-client");
            long callerNs = THREADS.getCurrentThreadCpuTime();
            long startNs = System.nanoTime();
            for (int started = 0; started < inFlight; started++) {
                ask();
            }
            open.await();
            double seconds = (System.nanoTime() - startNs) / 1e9;
            System.out.printf("{\"in_flight\": %d, \"queries_per_second\": %.0f, \"client_thread_us\": %.2f, "
                    + "\"caller_us\": %.2f, \"failed\": \"%s\"}%n", inFlight, total / seconds,
                    (cpuNs("daedalus-client") - clientNs) / 1e3 / total,
                    (THREADS.getCurrentThreadCpuTime() - callerNs) / 1e3 / total, failed);
        }

        private void ask() {
            int number = asked.getAndIncrement();
            if (number >= total) {
                return;
            }
            client.query(statements[number % STATEMENTS], "LX", 318, "2013-02-08", "A", false, "Y", "Q" + number % 10)
                    .thenCompose(ResultSet::whole).whenComplete((rows, failure) -> {
                        if (failure != null) {
                            failed = failure;
                        } else {
                            rows.close();
                        }
                        ask();
                        open.countDown();
                    });
        }
    }

    private static List<ColumnType> types() {
        List<ColumnType> types = new ArrayList<>();
        ColumnType[] kinds = {ColumnType.charOf(6), ColumnType.of(Kind.INT), ColumnType.of(Kind.DATE),
            ColumnType.varcharOf(30), ColumnType.of(Kind.BOOL), ColumnType.of(Kind.TIMESTAMP),
            ColumnType.numericOf(10, 2), ColumnType.of(Kind.BIGINT), ColumnType.charOf(2)};
        for (int column = 0; column < COLUMNS; column++) {
            types.add(kinds[column % kinds.length]);
        }
        return types;
    }

    private static QueryRows rows(int count) {
        Object[] kinds = {"Q7XK2P", 318, java.time.LocalDate.of(2013, 2, 8), "Johannson-Bergmann", true,
            java.time.LocalDateTime.of(2013, 2, 8, 9, 15), new java.math.BigDecimal("119.50"), 42L, "LX"};
        Object[] values = new Object[COLUMNS];
        QueryRows.Builder rows = QueryRows.newBuilder().setRowCount(count);
        for (int column = 0; column < COLUMNS; column++) {
            values[column] = kinds[column % kinds.length];
            rows.addColumns(Column.newBuilder().setName("some_column_" + column)
                    .setType(WireTypes.toMessage(types().get(column))));
        }
        ByteWriter packed = new ByteWriter(512);
        for (int row = 0; row < count; row++) {
            PackedRows.append(types(), values, packed);
        }
        return rows.setRows(ByteString.copyFrom(packed.toByteArray())).build();
    }

    /** All values of all rows of one batch. */
    private static void decode() throws WireException {
        QueryRows batch = rows(1_000);
        ResultColumns columns = new ResultColumns(batch.getColumnsList());
        long startNs = THREADS.getCurrentThreadCpuTime();
        long hash = 0;
        RowReader reader = new RowReader(columns);
        for (int read = 0; read < ROWS_DECODED; read++) {
            if (!reader.hasNext()) {
                reader.use(ByteRange.of(batch.getRows().toByteArray()));
            }
            Row row = reader.next();
            for (int column = 0; column < COLUMNS; column++) {
                hash = 31 * hash + row.getObject(column).hashCode();
            }
        }
        double seconds = (THREADS.getCurrentThreadCpuTime() - startNs) / 1e9;
        System.out.printf("{\"rows_per_second\": %.0f, \"row_bytes\": %d, \"hash\": %d}%n", ROWS_DECODED / seconds,
                batch.getRows().size() / 1_000, hash);
    }

    // The other end.

    private static void serve(ServerSocket listener, int handles) {
        try (Socket socket = listener.accept()) {
            socket.setTcpNoDelay(true);
            OutputStream out = socket.getOutputStream();
            Hello hello = Hello.newBuilder().setRole(Role.ROLE_AGGREGATOR).setFrameSizeMax(Frame.SIZE_MAX)
                    .setShapeHandlesMax(handles).setShapeBytesMax(handles == 0 ? 0 : 1 << 22).build();
            out.write(new Frame(FrameType.HELLO, hello.toByteArray()).encode());
            Framer framer = new Framer(Frame.SIZE_MAX);
            BatchFrame answers = new BatchFrame(FrameType.RESULTS);
            Result rows = Result.newBuilder().setRows(rows(1)).build();
            Result end = Result.newBuilder().setEnd(QueryEnd.newBuilder().setRowCount(1)
                    .addStamps(SegmentStamp.newBuilder().setApplied(70_000).setDurable(70_000))).build();
            InputStream in = socket.getInputStream();
            byte[] bytes = new byte[1 << 18];
            for (int length = in.read(bytes); length >= 0; length = in.read(bytes)) {
                for (Frame frame : framer.feed(ByteBuffer.wrap(bytes, 0, length))) {
                    if (frame.type() == FrameType.OPERATIONS) {
                        answer(frame.payload(), answers, rows, end);
                    }
                }
                out.write(answers.isEmpty() ? new Frame(FrameType.KEEP_ALIVE,
                        KeepAlive.getDefaultInstance().toByteArray()).encode() : answers.take());
            }
        } catch (IOException | WireException e) {
            System.err.println("the answering end: " + e);
        }
    }

    /** Reads no more of operations than their sequences, so that this end costs little. */
    private static void answer(byte[] payload, BatchFrame answers, Result rows, Result end) throws IOException {
        CodedInputStream batch = CodedInputStream.newInstance(payload);
        while (batch.readTag() != 0) {
            Operation operation = Operation.parseFrom(batch.readBytes());
            if (operation.getHeader().getKind() == OperationKind.OPERATION_KIND_STATEMENT) {
                for (Result each : new Result[] {rows, end}) {
                    int sequenceSize = CodedOutputStream.computeUInt64Size(1, operation.getHeader().getSequence());
                    int size = sequenceSize + each.getSerializedSize();
                    CodedOutputStream out = answers.extend(BatchFrame.entrySize(size));
                    BatchFrame.writeEntryHead(out, size);
                    out.writeUInt64(1, operation.getHeader().getSequence());
                    each.writeTo(out);
                }
            }
        }
    }
}
