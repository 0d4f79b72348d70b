package org.daedalus.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

@EnabledIf(value = "org.daedalus.workload.Flights#areThere", disabledReason = Flights.MISSING)
class QueriesTest {
    private static final int COUNT = 40_000;
    private static final Pattern CONDITION = Pattern.compile("\\b([a-z_]+) (?:=|BETWEEN|>=|LIKE|IS)");
    private static final int BOOKINGS = 20_000;

    private record Asked(int fetched, Set<Column> conditions, String text) {}

    private static List<Asked> take(Supplier<SqlStatement> queries, int count) {
        List<Asked> taken = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            taken.add(asked(queries.get().text()));
        }
        return taken;
    }

    private static Asked asked(String text) {
        String[] parts = text.split(" FROM tickets WHERE ");
        Set<Column> conditions = EnumSet.noneOf(Column.class);
        Matcher matcher = CONDITION.matcher(parts[1]);
        while (matcher.find()) {
            conditions.add(Column.valueOf(matcher.group(1).toUpperCase(Locale.ROOT)));
        }
        return new Asked(parts[0].split(",").length, conditions, text);
    }

    private static List<Asked> bookingQueries(int count) {
        return take(new BookingQueries(TestWorld.generator(), BOOKINGS, TestWorld.SEED)::next, count);
    }

    private static List<Asked> anyQueries(double skew, int count) {
        return take(new AnyQueries(TestWorld.generator(), BOOKINGS, TestWorld.SEED, skew)::next, count);
    }

    private static double share(List<Asked> queries, Column column) {
        return queries.stream().filter(asked -> asked.conditions.contains(column)).count() / (double) queries.size();
    }

    private static double meanConditions(List<Asked> queries) {
        return queries.stream().mapToInt(asked -> asked.conditions.size()).average().orElseThrow();
    }

    private static double meanFetched(List<Asked> queries) {
        return queries.stream().mapToInt(Asked::fetched).average().orElseThrow();
    }

    @Test
    void bookingQueriesAskAsTheBookingSystemDoes() {
        List<Asked> queries = bookingQueries(COUNT);
        assertThat(meanConditions(queries)).isCloseTo(8.5, within(0.05));
        assertThat(meanFetched(queries)).isCloseTo(27, within(0.15));
        assertThat(1 - share(queries, Column.PRODUCT_ID)).isCloseTo(0.0022, within(0.0012));
        assertThat(share(queries, Column.PROVIDER)).isEqualTo(1);
        assertThat(share(queries, Column.DATE_IN)).isGreaterThan(0.99);
        assertThat(share(queries, Column.SGT_QUALIFIER)).isGreaterThan(0.94);
        assertThat(share(queries, Column.CANCEL_FLAG)).isGreaterThan(0.94);
        double both = queries.stream().filter(asked -> asked.conditions.contains(Column.PRODUCT_ID)
                && asked.conditions.contains(Column.DATE_IN)).count() / (double) COUNT;
        assertThat(both).isCloseTo(0.995, within(0.002));
        double ranges = queries.stream().filter(asked -> asked.text.contains("date_in BETWEEN")).count()
                / (double) COUNT;
        assertThat(ranges).isCloseTo(0.3, within(0.02));
    }

    @Test
    void anyQueriesDrawNineAttributesByZipf() {
        for (double skew : new double[] {0, 1, 2}) {
            List<Asked> queries = anyQueries(skew, 10_000);
            assertThat(meanConditions(queries)).isCloseTo(9, within(0.1));
            assertThat(meanFetched(queries)).isCloseTo(27, within(0.3));
        }
        List<Asked> uniform = anyQueries(0, 20_000);
        for (Column column : Column.values()) {
            assertThat(share(uniform, column)).as(column.sqlName()).isCloseTo(9 / 47.0, within(0.02));
        }
        List<Asked> skewed = anyQueries(2, 5_000);
        assertThat(share(skewed, Column.RLOC)).isGreaterThan(0.98);
        assertThat(share(skewed, Column.PHONE)).isLessThan(0.05);
    }

    @Test
    void sameSeedGivesTheSameQueries() {
        assertThat(anyQueries(1, 500)).isEqualTo(anyQueries(1, 500));
        assertThat(bookingQueries(500)).isEqualTo(bookingQueries(500));
    }

    @Test
    void refusesASkewThatIsNone() {
        assertThatThrownBy(() -> new AnyQueries(TestWorld.generator(), 1, 1, -1))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("from 0 to 10");
        assertThatThrownBy(() -> new BookingQueries(TestWorld.generator(), 0, 1))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("at least one");
    }
}
