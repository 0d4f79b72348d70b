package org.daedalus.cli;

import java.io.IOException;
import java.time.Duration;
import org.daedalus.channel.Endpoint;
import org.daedalus.client.DaedalusClient;
import picocli.CommandLine.Option;

/** Says which cluster a command is about. */
public final class ClusterOption {
    @Option(names = "--cluster", paramLabel = "HOST:PORT[,HOST:PORT...]",
            description = "aggregators to talk to; else DAEDALUS_CLUSTER, else the last `up` on this machine")
    private String cluster;

    @Option(names = "--timeout", paramLabel = "SECONDS", defaultValue = "30",
            description = "how long to wait for an answer (default: ${DEFAULT-VALUE})")
    private double timeoutSeconds;

    /** Says whether somebody has named a cluster; else commands go to the last one that was started. */
    boolean isGiven() {
        return !given().isEmpty();
    }

    private String given() {
        return cluster != null ? cluster : System.getenv().getOrDefault("DAEDALUS_CLUSTER", "");
    }

    /** Returns the aggregators' endpoints. */
    public String[] endpoints() throws CliException, IOException {
        String given = given();
        if (given.isEmpty()) {
            given = StateDirectory.ofUser().lastEndpoint().orElseThrow(() -> CliException.failed(
                    "no cluster is known: start one with `daedalus up`, or give --cluster or DAEDALUS_CLUSTER"));
        }
        String[] endpoints = given.split(",");
        for (String endpoint : endpoints) {
            try {
                Endpoint.parse(endpoint);
            } catch (IllegalArgumentException e) {
                throw CliException.usage(e.getMessage());
            }
        }
        return endpoints;
    }

    /** Returns a client of that cluster. */
    public DaedalusClient connect() throws CliException, IOException {
        return connect(endpoints());
    }

    /** Returns a client of the cluster, which connects in the background. */
    public DaedalusClient connect(String[] endpoints) throws CliException {
        if (!(timeoutSeconds > 0) || timeoutSeconds > 86_400) {
            throw CliException.usage("--timeout must be above 0 and at most 86400 seconds");
        }
        return DaedalusClient.builder()
                .aggregators(endpoints)
                .name("daedalus-cli")
                .principal(System.getProperty("user.name", ""))
                .requestTimeout(Duration.ofNanos((long) (timeoutSeconds * 1e9)))
                .build();
    }
}
