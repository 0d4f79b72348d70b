package org.daedalus.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.daedalus.client.DaedalusException;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.workload.SqlStatement;
import org.junit.jupiter.api.Test;

/** The open loop in virtual time, on a cluster that does what the test says. */
class OpenLoopTest {
    private static final long MS = 1_000_000;
    private static final long SECOND = 1_000 * MS;
    private static final Duration LATENESS_MAX = Duration.ofMillis(100);
    private static final SqlStatement STATEMENT = new SqlStatement("SELECT 1", List.of());

    private final TestClock clock = new TestClock();
    private final List<List<Interval>> seconds = new ArrayList<>();

    private static Load load(double perSecond, int inFlightMax, Target target) {
        return new Load("queries", perSecond, inFlightMax, 7, () -> STATEMENT, target);
    }

    /** Runs for ten seconds, after one to warm up, and waits for answers for another five. */
    private List<LoadOutcome> run(Load... loads) {
        List<LoadOutcome> outcomes = new LoadRun(List.of(loads), clock, new OwnCost(), seconds::add).run(
                new LoadRun.Plan(
                Duration.ofSeconds(1), Duration.ofSeconds(10), Duration.ofSeconds(5), LATENESS_MAX));
        for (LoadOutcome outcome : outcomes) {
            long booked = outcome.report().total().endings().values().stream().mapToLong(Long::longValue).sum();
            assertThat(booked + outcome.unanswered()).as("what was due is counted once").isEqualTo(outcome.offered());
            assertThat(outcome.unanswered()).isNotNegative();
        }
        return outcomes;
    }

    private Interval total(LoadOutcome outcome) {
        return outcome.report().total();
    }

    @Test
    void shouldSayNothingOfTheGeneratorWhereTheClusterKeepsUp() {
        LoadOutcome outcome = run(load(200, 50, new FakeTarget(clock, MS))).get(0);
        assertThat(outcome.offered()).isBetween(1_800L, 2_200L);
        assertThat(total(outcome).answered()).isEqualTo(outcome.offered());
        assertThat(total(outcome).rows()).isEqualTo(outcome.offered());
        assertThat(outcome.generatorLimits()).isEmpty();
        assertThat(total(outcome).latencyMs(50)).isBetween(1.0, 2.0);
        assertThat(clock.nowNs()).isLessThan(11 * SECOND + 20 * MS);
    }

    @Test
    void shouldCountLatencyFromWhenARequestWasDueWhileTheClusterStalls() {
        LoadOutcome outcome = run(load(1_000, 5_000, new FakeTarget(clock, MS / 10).stalledUntil(2 * SECOND))).get(0);
        assertThat(total(outcome).answered()).isEqualTo(outcome.offered());
        // Requests that were due in the second of the stall waited for the rest of it: not one late answer, but a
        // thousand.
        assertThat(total(outcome).latency().getCountBetweenValues(100_000, 10_000_000)).isGreaterThan(900);
        assertThat(total(outcome).latencyMaxMs()).isCloseTo(1_100, within(150.0));
        assertThat(outcome.generatorLimits()).isEmpty();
    }

    @Test
    void shouldCountRefusedExpiredFailedAndUnknownApart() {
        Map<Ending, List<DaedalusException>> ways = new EnumMap<>(Ending.class);
        ways.put(Ending.REFUSED, List.of(FakeTarget.failure(Category.RETRY, "53000"),
                FakeTarget.failure(Category.RETRY, "53200"), FakeTarget.failure(Category.RETRY, "53300")));
        ways.put(Ending.EXPIRED, List.of(FakeTarget.failure(Category.RETRY, "57014")));
        ways.put(Ending.FAILED, List.of(FakeTarget.failure(Category.RETRY, "08001"),
                FakeTarget.failure(Category.RETRY, "08006"), FakeTarget.failure(Category.RETRY, "57P01"),
                FakeTarget.failure(Category.RETRY, "57P03"), FakeTarget.failure(Category.REJECTED, "42703"),
                FakeTarget.failure(Category.REJECTED, "53100"), FakeTarget.failure(Category.FATAL, "XX000")));
        ways.put(Ending.UNKNOWN, List.of(FakeTarget.failure(Category.UNKNOWN, "57014"),
                FakeTarget.failure(Category.UNKNOWN, "08007")));
        ways.forEach((ending, failures) -> failures.forEach(failure -> {
            FakeTarget target = new FakeTarget(clock, MS, number -> number % 2 == 0 ? failure : null);
            LoadOutcome outcome = run(load(100, 50, target)).get(0);
            assertThat(total(outcome).count(ending)).as("%s %s", failure.category(), failure.sqlState())
                    .isCloseTo(outcome.offered() / 2, within(1L));
            assertThat(total(outcome).answered() + total(outcome).count(ending)).isEqualTo(outcome.offered());
            assertThat(total(outcome).latency().getTotalCount()).isEqualTo(total(outcome).answered());
            assertThat(outcome.report().lastFailure()).isSameAs(failure);
        }));
    }

    @Test
    void shouldKeepBackWhatExceedsTheInFlightMaximumAndSayThatThisHeldItBack() {
        FakeTarget target = new FakeTarget(clock, 10 * MS); // A hundred a second of a thousand that are offered.
        LoadOutcome outcome = run(load(1_000, 50, target)).get(0);
        assertThat(target.inFlightMost()).isEqualTo(50);
        assertThat(total(outcome).count(Ending.NOT_SENT_IN_FLIGHT)).isBetween(8_500L, 9_500L);
        assertThat(total(outcome).count(Ending.NOT_SENT_BEHIND)).isZero();
        assertThat(total(outcome).refused()).isZero();
        assertThat(outcome.generatorLimits()).hasSize(1);
        assertThat(outcome.generatorLimits().get(0)).contains("in-flight maximum held the generator back");
        assertThat(total(outcome).latencyMs(50)).as("50 in front of it").isCloseTo(500, within(20.0));
        assertThat(clock.nowNs()).as("half a second's work is left").isLessThan(12 * SECOND);
    }

    @Test
    void shouldStopInTimeAndSaySoWhereTheGeneratorItselfCannotKeepItsSchedule() {
        FakeTarget target = new FakeTarget(clock, MS).slowToSend(5 * MS); // 200 a second, of 2,000.
        LoadOutcome outcome = run(load(2_000, 4_096, target)).get(0);
        assertThat(target.inFlightMost()).as("what is in flight is not what held it back").isLessThan(100);
        assertThat(total(outcome).count(Ending.NOT_SENT_BEHIND)).isBetween(17_000L, 19_000L);
        assertThat(total(outcome).count(Ending.NOT_SENT_IN_FLIGHT)).isZero();
        assertThat(outcome.generatorLimits()).hasSize(1);
        assertThat(outcome.generatorLimits().get(0)).contains("behind its own schedule");
        assertThat(outcome.lateness().getMaxValue()).isLessThanOrEqualTo(100_100);
        assertThat(clock.nowNs()).isLessThan(11 * SECOND + LATENESS_MAX.toNanos() + 20 * MS);
    }

    @Test
    void shouldSayThatItSentLateWhereItCameToAllOfThemInTheEnd() {
        int[] number = {0};
        Target pausing = statement -> {
            clock.spend(++number[0] % 100 == 0 ? 60 * MS : 0);
            return new FakeTarget(clock, MS).send(statement);
        };
        LoadOutcome outcome = run(load(500, 4_096, pausing)).get(0);
        assertThat(total(outcome).notSent()).isZero();
        assertThat(outcome.generatorLimits()).hasSize(1);
        assertThat(outcome.generatorLimits().get(0)).contains("sent late").contains("in their latencies");
        // Fifty pauses, and thirty that fell due in each: all of them count from when they were due.
        assertThat(total(outcome).latency().getCountBetweenValues(10_000, 100_000)).isGreaterThan(800);
    }

    @Test
    void shouldEndWhenDrainingHasTakenTooLongAndCallTheRestUnanswered() {
        FakeTarget target = new FakeTarget(clock, FakeTarget.NEVER);
        LoadOutcome outcome = run(load(100, 400, target)).get(0);
        assertThat(target.sent()).isEqualTo(400);
        assertThat(outcome.unanswered()).as("of 400, those sent while it warmed up are not reported")
                .isBetween(250L, 350L);
        assertThat(total(outcome).notSent()).isEqualTo(outcome.offered() - outcome.unanswered());
        assertThat(clock.nowNs()).isEqualTo(16 * SECOND);
        assertThat(total(outcome).latencyMs(99)).isNaN();
    }

    @Test
    void shouldOfferUpdatesBesideQueriesWithCountsLatenciesAndBoundsOfTheirOwn() throws Exception {
        FakeTarget queries = new FakeTarget(clock, MS);
        FakeTarget updates = new FakeTarget(clock, 20 * MS,
                number -> number % 10 == 0 ? FakeTarget.failure(Category.UNKNOWN, "57014") : null);
        List<LoadOutcome> outcomes = run(load(300, 64, queries),
                new Load("updates", 100, 8, 9, () -> STATEMENT, updates));
        assertThat(total(outcomes.get(0)).answered()).isEqualTo(outcomes.get(0).offered());
        assertThat(outcomes.get(0).offered()).isBetween(2_700L, 3_300L);
        assertThat(outcomes.get(0).generatorLimits()).isEmpty();
        LoadOutcome changed = outcomes.get(1);
        assertThat(changed.offered()).isBetween(850L, 1_150L);
        assertThat(updates.inFlightMost()).isEqualTo(8);
        assertThat(total(changed).unknown()).isBetween(40L, 60L);
        assertThat(total(changed).count(Ending.NOT_SENT_IN_FLIGHT)).isGreaterThan(300);
        assertThat(total(changed).latencyMs(50)).isGreaterThan(100);
        JsonNode json = new ObjectMapper().readTree(OutcomeJson.of(outcomes, OwnShare.NONE));
        assertThat(json.get("generator_limited").asBoolean()).isTrue();
        assertThat(json.get("answered").asLong()).isEqualTo(total(outcomes.get(0)).answered());
        assertThat(json.get("updates").get("unknown").asLong()).isEqualTo(total(changed).unknown());
        assertThat(json.get("updates").get("not_sent_because").get("in_flight_max").asLong())
                .isEqualTo(total(changed).notSent());
        assertThat(json.get("updates").get("per_second")).hasSameSizeAs(json.get("per_second"));
        assertThat(OutcomeText.of(outcomes, OwnShare.NONE))
                .startsWith("NOTE: the in-flight maximum held the generator back")
                .contains("queries: ").contains("updates: ").contains(" unknown, ").contains(" (");
    }

    @Test
    void shouldAddUpToTheSecondsThatItShowedLive() {
        LoadOutcome outcome = run(load(500, 20, new FakeTarget(clock, 3 * MS))).get(0);
        assertThat(seconds).hasSameSizeAs(outcome.report().intervals()).hasSizeBetween(11, 12);
        for (Ending ending : Ending.values()) {
            assertThat(seconds.stream().mapToLong(second -> second.get(0).count(ending)).sum())
                    .isEqualTo(total(outcome).count(ending));
        }
        assertThat(seconds.subList(0, 10)).allSatisfy(
                second -> assertThat(second.get(0).seconds()).isCloseTo(1, within(0.001)));
    }

    @Test
    void shouldLeaveTheWarmUpOutAndKeepItInFlight() {
        FakeTarget target = new FakeTarget(clock, MS).stalledUntil(3 * SECOND);
        LoadOutcome outcome = run(load(100, 50, target)).get(0);
        assertThat(outcome.offered()).isBetween(900L, 1_100L);
        assertThat(total(outcome).count(Ending.NOT_SENT_IN_FLIGHT)).as("the warm-up's queries were in the way")
                .isBetween(150L, 250L);
        assertThat(total(outcome).answered()).isEqualTo(target.sent() - 50);
    }

    @Test
    void shouldCountEverythingOnceAndStopInTimeWhateverClusterAndGeneratorDo() {
        String given = System.getenv("DAEDALUS_SEED");
        long seed = given == null || given.isEmpty() ? new Random().nextInt(1 << 30) : Long.parseLong(given);
        System.out.println("DAEDALUS_SEED=" + seed);
        Random random = new Random(seed);
        for (int round = 0; round < 50; round++) {
            long startNs = clock.nowNs();
            long sendingNs = random.nextInt(3) == 0 ? random.nextInt(20) * MS : 0;
            FakeTarget target = new FakeTarget(clock, random.nextInt(10) == 0 ? FakeTarget.NEVER
                    : 1 + random.nextInt(20) * MS, number -> switch (random.nextInt(5)) {
                        case 0 -> FakeTarget.failure(Category.values()[random.nextInt(4)], "57014");
                        case 1 -> FakeTarget.failure(Category.RETRY, "53000");
                        default -> null;
                    }).slowToSend(sendingNs);
            run(load(1 + random.nextInt(2_000), 1 + random.nextInt(500), target));
            assertThat(clock.nowNs() - startNs).as("seed %d, round %d", seed, round)
                    .isLessThanOrEqualTo(16 * SECOND + LATENESS_MAX.toNanos() + sendingNs);
        }
    }
}
