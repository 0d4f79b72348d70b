package org.daedalus.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.workload.SqlStatement;
import org.junit.jupiter.api.Test;

/** A closed stream keeps its number of operations in flight, in virtual time, and reports on itself. */
class ClosedStreamTest {
    private static final long MS = 1_000_000;
    private static final long SECOND = 1_000 * MS;
    private static final SqlStatement STATEMENT = new SqlStatement("SELECT 1", List.of());

    private final TestClock clock = new TestClock();
    private final List<String> metered = new ArrayList<>();
    private final LoadRun.Meter meter = new LoadRun.Meter() {
        @Override
        public void begin(long nowNs) {
            metered.add("begin " + nowNs / MS);
        }

        @Override
        public void end(long nowNs) {
            metered.add("end " + nowNs / MS);
        }
    };

    private static Load closed(int inFlight, Target target) {
        return new Load("queries", 0, inFlight, 7, () -> STATEMENT, target);
    }

    /** Runs for ten seconds, after one to warm up, and waits for answers for another five. */
    private List<LoadOutcome> run(Load... loads) {
        return new LoadRun(List.of(loads), clock, meter, second -> { }).run(new LoadRun.Plan(
                Duration.ofSeconds(1), Duration.ofSeconds(10), Duration.ofSeconds(5), Duration.ofMillis(100)));
    }

    @Test
    void shouldKeepSoManyInFlightAndCountWhatEndsInTime() throws Exception {
        FakeTarget target = new FakeTarget(clock, MS); // One after the other: a thousand a second.
        LoadOutcome outcome = run(closed(50, target)).get(0);
        assertThat(target.inFlightMost()).isEqualTo(50);
        Interval total = outcome.report().total();
        assertThat(total.answered()).as("neither before nor after the ten seconds").isCloseTo(10_000, within(1L));
        assertThat(total.seconds()).isCloseTo(10, within(1e-6));
        assertThat(total.answeredPerSecond()).isCloseTo(1_000, within(1.0));
        assertThat(total.latencyMs(50)).isCloseTo(50, within(1.0));
        assertThat(outcome.unanswered()).as("in flight when time was up").isEqualTo(50);
        assertThat(outcome.offered()).isEqualTo(total.answered() + 50);
        assertThat(outcome.generatorLimits()).isEmpty();
        assertThat(metered).containsExactly("begin 1000", "end 11000");
        assertThat(clock.nowNs()).as("ends when the last ones have").isLessThan(11 * SECOND + 60 * MS);
        JsonNode json = new ObjectMapper().readTree(OutcomeJson.of(List.of(outcome), OwnShare.NONE));
        assertThat(json.get("loop").asText()).isEqualTo("closed");
        assertThat(json.get("in_flight_max").asInt()).isEqualTo(50);
        assertThat(OutcomeText.of(List.of(outcome), OwnShare.NONE)).contains("50 in flight: 1,000 answered a second");
    }

    @Test
    void shouldComeBackAfterRefusalsWithoutSpinning() {
        FakeTarget target = new FakeTarget(clock, MS / 10, number -> FakeTarget.failure(Category.RETRY, "53000"));
        Interval total = run(closed(10, target)).get(0).report().total();
        assertThat(total.answered()).isZero();
        assertThat(total.refused()).as("ten every ten milliseconds").isBetween(9_000L, 11_000L);
    }

    @Test
    void shouldEndWhenDrainingHasTakenTooLong() {
        LoadOutcome outcome = run(closed(10, new FakeTarget(clock, FakeTarget.NEVER))).get(0);
        assertThat(outcome.unanswered()).isEqualTo(10);
        assertThat(outcome.report().total().answered()).isZero();
        assertThat(clock.nowNs()).isEqualTo(16 * SECOND);
    }

    @Test
    void shouldRunBesideUpdatesThatAreDueWhateverHappens() {
        FakeTarget updates = new FakeTarget(clock, MS);
        List<LoadOutcome> outcomes = run(closed(20, new FakeTarget(clock, 2 * MS)),
                new Load("updates", 100, 64, 9, () -> STATEMENT, updates));
        assertThat(outcomes.get(0).report().total().answered()).isCloseTo(5_000, within(2L));
        assertThat(outcomes.get(1).offered()).isBetween(850L, 1_150L);
        assertThat(outcomes.get(1).report().total().answered()).isEqualTo(outcomes.get(1).offered());
    }

    @Test
    void shouldSayThatItsOwnThreadWasTheBottleneck() throws Exception {
        LoadOutcome outcome = run(closed(1, new FakeTarget(clock, MS))).get(0);
        OwnShare busy = new OwnShare(9.5, "daedalus-client-1-1", 0.91);
        JsonNode json = new ObjectMapper().readTree(OutcomeJson.of(List.of(outcome), busy));
        assertThat(json.get("generator_limited").asBoolean()).isTrue();
        assertThat(json.get("generator").get("cpu_us_per_request").asDouble())
                .isEqualTo(9.5e6 / outcome.report().total().answered());
        assertThat(json.get("generator").get("limits").get(0).asText()).contains("daedalus-client-1-1", "91 %");
        assertThat(OutcomeText.of(List.of(outcome), busy)).startsWith("NOTE: the generator's own thread");
        JsonNode idle = new ObjectMapper().readTree(
                OutcomeJson.of(List.of(outcome), new OwnShare(9.5, "main", OwnShare.BUSY)));
        assertThat(idle.get("generator_limited").asBoolean()).isFalse();
    }

    @Test
    void shouldSeeWhichOfItsThreadsWasBusy() {
        OwnCost cost = new OwnCost();
        Thread.currentThread().setName("the busy one");
        long startNs = System.nanoTime();
        cost.begin(startNs);
        long cpuNs = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        long until = cpuNs + 200 * MS;
        while (cpuNs < until) {
            cpuNs = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        }
        long endNs = System.nanoTime();
        cost.end(endNs);
        assertThat(cost.share().busiestThread()).isEqualTo("the busy one");
        assertThat(cost.share().busiestShare()).isCloseTo(200.0 * MS / (endNs - startNs), within(0.2));
        assertThat(cost.share().cpuSeconds()).isGreaterThan(0.15);
    }
}
