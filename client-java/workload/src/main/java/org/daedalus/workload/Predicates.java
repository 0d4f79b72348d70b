package org.daedalus.workload;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Writes queries whose conditions all hold for one given ticket, so that no answer is empty while that one exists. */
final class Predicates {
    private static final double RANGE_SHARE = 0.2;
    private static final int PREFIX_SIZE_MIN = 4;
    private static final int RANGE_DAYS_MAX = 3;
    private static final int FETCHED_MEAN = 27;
    private static final int FETCHED_SPREAD = 10;
    static final int FETCHED_VARIANTS = 2 * FETCHED_SPREAD + 1;

    private final Draws draws;

    Predicates(Draws draws) {
        this.draws = draws;
    }

    /** Asks for {@code fetched} under conditions on {@code columns}. */
    SqlStatement query(String fetched, Set<Column> columns, Set<Column> ranges, Ticket ticket) {
        List<Object> values = ticket.values();
        SqlStatement.Builder query = new SqlStatement.Builder().add("SELECT ").add(fetched)
                .add(" FROM tickets WHERE ");
        String joint = "";
        for (Column column : columns) {
            query.add(joint);
            joint = " AND ";
            Object value = values.get(column.ordinal());
            if (value == null) {
                query.add(column.sqlName()).add(" IS NULL");
            } else if (ranges.contains(column)) {
                range(query, column, value);
            } else {
                query.add(column.sqlName()).add(" = ").value(value);
            }
        }
        return query.build();
    }

    /** Chooses the columns that are asked for by range: one in five of those that have an order worth asking. */
    Set<Column> someRanges(Set<Column> columns) {
        Set<Column> ranges = EnumSet.noneOf(Column.class);
        for (Column column : columns) {
            boolean ordered = column.kind() != Column.Kind.FLAG && column.kind() != Column.Kind.CODE;
            if (ordered && column != Column.RLOC && draws.chance(RANGE_SHARE)) {
                ranges.add(column);
            }
        }
        return ranges;
    }

    /** Names the attributes to fetch: 17 to 37; 27 on average over all {@code variant}s from 0 to 20. */
    String fetched(int variant) {
        int count = FETCHED_MEAN - FETCHED_SPREAD + variant % FETCHED_VARIANTS;
        List<Integer> order = new ArrayList<>();
        for (int column = 0; column < Column.count(); column++) {
            order.add(column);
        }
        for (int i = 0; i < count; i++) {
            Collections.swap(order, i, i + draws.below(order.size() - i));
        }
        List<Integer> chosen = order.subList(0, count);
        Collections.sort(chosen);
        StringBuilder names = new StringBuilder();
        for (int column : chosen) {
            names.append(names.isEmpty() ? "" : ", ").append(Column.at(column).sqlName());
        }
        return names.toString();
    }

    private void range(SqlStatement.Builder query, Column column, Object value) {
        query.add(column.sqlName());
        int before = draws.below(RANGE_DAYS_MAX);
        int after = draws.below(RANGE_DAYS_MAX);
        if (value instanceof LocalDate date) {
            query.add(" BETWEEN ").value(date.minusDays(before)).add(" AND ").value(date.plusDays(after));
        } else if (value instanceof LocalDateTime time) {
            query.add(" >= ").value(time.minusHours(before)).add(" AND ").add(column.sqlName()).add(" < ")
                    .value(time.plusHours(1L + after));
        } else if (value instanceof BigDecimal amount) {
            query.add(" BETWEEN ").value(amount.subtract(BigDecimal.valueOf(before))).add(" AND ")
                    .value(amount.add(BigDecimal.valueOf(after)));
        } else if (value instanceof Long number) {
            query.add(" BETWEEN ").value(number - before).add(" AND ").value(number + after);
        } else {
            String text = (String) value;
            String prefix = text.substring(0, Math.min(text.length(), PREFIX_SIZE_MIN));
            query.add(" LIKE ").value(prefix + "%");
        }
    }
}
