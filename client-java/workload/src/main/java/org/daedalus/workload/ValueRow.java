package org.daedalus.workload;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

/** Collects one row as Java values, as parameters of SQL take them. */
final class ValueRow implements RowWriter {
    private final List<Object> values = new ArrayList<>(Column.count());

    List<Object> values() {
        return values;
    }

    @Override
    public void nothing() {
        values.add(null);
    }

    @Override
    public void flag(boolean value) {
        values.add(value);
    }

    @Override
    public void number(long value) {
        values.add(value);
    }

    @Override
    public void money(long hundredths) {
        values.add(BigDecimal.valueOf(hundredths, 2));
    }

    @Override
    public void date(int day) {
        values.add(LocalDate.ofEpochDay(day));
    }

    @Override
    public void timestamp(long second) {
        values.add(LocalDateTime.ofEpochSecond(second, 0, ZoneOffset.UTC));
    }

    @Override
    public void text(String value) {
        values.add(value);
    }

    @Override
    public void character(char value) {
        values.add(String.valueOf(value));
    }

    @Override
    public void endOfRow() {
        // A row is as long as its columns; nothing to close.
    }
}
