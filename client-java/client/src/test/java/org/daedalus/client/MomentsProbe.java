package org.daedalus.client;

import java.time.Duration;
import java.util.List;
import java.util.Scanner;

/**
 * Writes through one of two aggregators of a real cluster and reads at once through the other; then writes and reads
 * through both, of which one dies meanwhile, beside views that hold a moment. Says "views are held" when that may
 * happen, waits for a line, and says at the end one line of JSON. The table is that of {@link InFlightProbe}; each
 * update adds one to every row's n, and nobody else writes.
 *
 * <p>Arguments: two aggregators (a comma between them), updates in each half, rows in the table.
 */
public final class MomentsProbe {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final String SUM = "SELECT sum(n) AS s FROM numbers";

    private final int updates;
    private final int rows;
    private long sum;
    private int unseen;
    private int back;
    private int otherMoments;
    private int otherSums;

    private MomentsProbe(int updates, int rows) {
        this.updates = updates;
        this.rows = rows;
    }

    public static void main(String[] arguments) {
        String[] aggregators = arguments[0].split(",");
        MomentsProbe probe = new MomentsProbe(Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]));
        try (DaedalusClient first = client(aggregators[0]); DaedalusClient second = client(aggregators[1]);
                DaedalusClient either = client(aggregators[0], aggregators[1]);
                DaedalusClient neither = client(aggregators[1], aggregators[0])) {
            probe.sum = sumOf(first.await(first.query(SUM)));
            probe.writeAndReadElsewhere(first, second);
            probe.holdWhileOneDies(either, List.of(either, neither));
        }
        System.out.printf("{\"unseen\": %d, \"back\": %d, \"other_moments\": %d, \"other_sums\": %d}%n", probe.unseen,
                probe.back, probe.otherMoments, probe.otherSums);
    }

    private static DaedalusClient client(String... aggregators) {
        return DaedalusClient.builder().aggregators(aggregators).requestTimeout(TIMEOUT).build();
    }

    private static long sumOf(ResultSet answer) {
        return answer.toList().get(0).getLong("s");
    }

    private WriteOutcome write(DaedalusClient client) {
        WriteOutcome written = client.await(client.update("UPDATE numbers SET n = n + 1"));
        sum += rows;
        return written;
    }

    private void writeAndReadElsewhere(DaedalusClient writes, DaedalusClient reads) {
        for (int update = 0; update < updates; update++) {
            WriteOutcome written = write(writes);
            ResultSet answer = reads.await(reads.query(SUM));
            unseen += answer.moment() >= written.timestamp() && sumOf(answer) == sum ? 0 : 1;
        }
    }

    private void holdWhileOneDies(DaedalusClient client, List<DaedalusClient> holders) {
        List<ReadView> views = holders.stream().map(each -> each.await(each.readView())).toList();
        long sumThen = sum;
        System.out.println("views are held");
        new Scanner(System.in, java.nio.charset.StandardCharsets.UTF_8).nextLine();
        for (int update = 0; update < updates; update++) {
            WriteOutcome written = write(client);
            back += client.await(client.query(SUM)).moment() >= written.timestamp() ? 0 : 1;
            for (int holder = 0; holder < holders.size(); holder++) {
                check(holders.get(holder), views.get(holder), sumThen);
            }
        }
        views.forEach(ReadView::close);
    }

    private void check(DaedalusClient client, ReadView view, long sumThen) {
        ResultSet answer = client.statement(SUM).asQuery().at(view).execute();
        otherMoments += answer.moment() == view.moment() ? 0 : 1;
        otherSums += sumOf(answer) == sumThen ? 0 : 1;
    }
}
