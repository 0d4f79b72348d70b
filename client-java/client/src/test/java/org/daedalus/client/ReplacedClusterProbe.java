package org.daedalus.client;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.stream.Collectors;

/**
 * One client across two clusters at the same endpoints: describes the first, waits for a line of standard input, and
 * goes on with the second, whose table has one varchar column.
 *
 * <p>Arguments: aggregators (commas between them).
 */
public final class ReplacedClusterProbe {
    private ReplacedClusterProbe() {}

    public static void main(String[] arguments) throws Exception {
        try (DaedalusClient client = DaedalusClient.builder().aggregators(arguments[0].split(",")).build()) {
            RowBatch stale = client.rowBatch(describe(client)).add(1, 1);
            new BufferedReader(new InputStreamReader(System.in)).readLine();
            client.await(client.query("SELECT count(*) FROM others")).close(); // Connected again, to the new cluster.
            try {
                stale.execute();
            } catch (DaedalusException e) {
                System.out.println("stale batch: " + e.category() + " " + e.sqlState());
            }
            client.rowBatch(describe(client)).add("one").execute();
            System.out.println(client.select().execute().toList().size() + " row");
        }
    }

    private static TableDescription describe(DaedalusClient client) {
        TableDescription table = client.await(client.describe());
        System.out.println(table.tableName() + ": "
                + table.columns().stream().map(TableDescription.Column::name).collect(Collectors.joining(", ")));
        return table;
    }
}
