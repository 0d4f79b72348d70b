package org.daedalus.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

@EnabledIf(value = "org.daedalus.workload.Flights#areThere", disabledReason = Flights.MISSING)
class ChangeSourceTest {
    private static final int COUNT = 24_000;
    private static final int BOOKINGS = 20_000;

    private static List<Change> changes;

    @BeforeAll
    static void change() {
        changes = take(source(TestWorld.SEED), COUNT);
    }

    private static ChangeSource source(long seed) {
        return new ChangeSource(TestWorld.generator(), BOOKINGS, seed, ChangeProportions.defaults(),
                Duration.ofSeconds(1));
    }

    private static List<Change> take(ChangeSource source, int count) {
        List<Change> taken = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            taken.add(source.next());
        }
        return taken;
    }

    private static double share(ChangeKind.Verb verb) {
        return changes.stream().filter(change -> change.kind().verb() == verb).count() / (double) COUNT;
    }

    @Test
    void sameSeedGivesTheSameChanges() {
        assertThat(take(source(7), 2_000)).isEqualTo(take(source(7), 2_000)).isNotEqualTo(take(source(8), 2_000));
    }

    @Test
    void insertsAndDeletesAreEachATenthOfTheUpdates() {
        double updates = share(ChangeKind.Verb.UPDATE);
        assertThat(updates).isCloseTo(1 / 1.2, within(0.02));
        assertThat(share(ChangeKind.Verb.INSERT) / updates).isCloseTo(0.1, within(0.015));
        assertThat(share(ChangeKind.Verb.DELETE) / updates).isCloseTo(0.1, within(0.015));
    }

    @Test
    void everyKindComesAsOftenAsItsWeight() {
        Map<ChangeKind, Integer> counts = new EnumMap<>(ChangeKind.class);
        changes.forEach(change -> counts.merge(change.kind(), 1, Integer::sum));
        ChangeProportions.defaults().weights().forEach((kind, weight) -> {
            if (kind != ChangeKind.PURGE) { // It ends where the table has become young.
                assertThat(counts.get(kind) * 1_200.0 / COUNT).as(kind.name())
                        .isCloseTo(weight, within(12.0 + weight * 0.1));
            }
        });
        assertThat(counts.get(ChangeKind.PURGE)).isBetween(20, 26);
    }

    @Test
    void aStatementIsTheVerbOfItsKind() {
        assertThat(changes).allMatch(change -> change.statement().text().startsWith(switch (change.kind().verb()) {
            case UPDATE -> "UPDATE tickets SET ";
            case INSERT -> "INSERT INTO tickets VALUES (";
            case DELETE -> "DELETE FROM tickets WHERE ";
        }));
    }

    @Test
    void mostUpdatesAreByReferenceAndArrivalAndNoneChangesTheReference() {
        for (Change change : changes) {
            String text = change.statement().text();
            assertThat(text).doesNotContain("SET rloc", ", rloc =");
            if (change.kind().verb() == ChangeKind.Verb.UPDATE && change.kind() != ChangeKind.REACCOMMODATION) {
                assertThat(text).contains(" WHERE rloc = $", " AND arrival = $");
            }
        }
    }

    @Test
    void burstsHitFlightsThatReallyWereCancelledOrLongDelayedAndEachOnce() {
        Schedule schedule = TestWorld.SCHEDULE;
        Set<Integer> hit = new HashSet<>();
        int cancelled = 0;
        for (int i = 0; i < changes.size(); i++) {
            Change change = changes.get(i);
            if (change.kind() != ChangeKind.REACCOMMODATION || !hit.add(change.flight())) {
                continue;
            }
            int flight = change.flight();
            assertThat(schedule.isCancelled(flight) || schedule.delayMinutes(flight) >= 180).isTrue();
            assertThat(change.statement().toLiteralSql()).contains(" WHERE provider = '" + schedule.carrier(flight)
                    + "' AND product_id = " + schedule.flight(flight) + " AND date_in = '2013-02-");
            int burst = i;
            assertThat(changes.subList(i, Math.min(COUNT, i + 3)))
                    .allMatch(next -> next.flight() == flight && next.kind() == changes.get(burst).kind());
            cancelled += schedule.isCancelled(flight) ? 1 : 0;
        }
        assertThat(hit).hasSizeGreaterThan(300);
        assertThat(cancelled).isGreaterThan(250);
    }

    @Test
    void aNewBookingHasAllValuesOfItsRows() {
        for (Change change : changes) {
            if (change.kind() == ChangeKind.NEW_BOOKING) {
                String text = change.statement().text();
                int rows = text.split("\\), \\(", -1).length;
                assertThat(rows).isBetween(1, 36);
                assertThat(text.chars().filter(c -> c == ',').count()).isEqualTo(rows * 47L - 1);
            }
        }
    }

    @Test
    void purgesTakeOneDateAfterTheOtherAndNoYoungOne() {
        List<String> purges = changes.stream().filter(change -> change.kind() == ChangeKind.PURGE)
                .map(change -> change.statement().toLiteralSql()).toList();
        assertThat(purges.get(0)).endsWith("BETWEEN '2013-01-01' AND '2013-01-01'");
        assertThat(purges.get(1)).endsWith("BETWEEN '2013-01-01' AND '2013-01-02'");
        String youngest = "DELETE FROM tickets WHERE date_in BETWEEN '2013-01-01' AND '2013-01-25'";
        assertThat(purges).isSorted().allMatch(purge -> purge.compareTo(youngest) <= 0);
    }

    @Test
    void theClockMovesWithThePaceAndEndsWithTheSchedule() {
        ChangeSource days = new ChangeSource(TestWorld.generator(), BOOKINGS, 1, ChangeProportions.defaults(),
                Duration.ofDays(1));
        List<Change> year = take(days, 500);
        assertThat(year.get(0).at()).isEqualTo("2013-02-08T07:00:00");
        assertThat(year.get(499).at()).isEqualTo("2013-12-31T00:00:00");
    }

    @Test
    void literalsAreWrittenForAnyDatabase() {
        SqlStatement statement = new SqlStatement.Builder().add("a = ").value("it's $1").add(", b = ").value(null)
                .add(", c = ").timestamp(0).add(", d = ").date(1).add(", e = ").value(true).build();
        assertThat(statement.text()).isEqualTo("a = $1, b = NULL, c = $2, d = $3, e = $4");
        assertThat(statement.toLiteralSql())
                .isEqualTo("a = 'it''s $1', b = NULL, c = '1970-01-01 00:00:00', d = '1970-01-02', e = true");
    }

    @Test
    void refusesProportionsThatMeanNothing() {
        assertThatThrownBy(() -> new ChangeProportions(Map.of(ChangeKind.SEAT, 0)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("from 1 to 1000000");
        assertThatThrownBy(() -> new ChangeProportions(Map.of(ChangeKind.SEAT, -1)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("weights start at 0");
    }
}
