package org.daedalus.client;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.daedalus.wire.ColumnType;
import org.daedalus.wire.WireException;
import org.daedalus.wire.v1.Column;

/** The columns of one answer, found by name: exactly, or else without regard to case; the first of equal names wins. */
final class ResultColumns {
    private final List<ResultColumn> list;
    private final List<ColumnType> types;
    private final Map<String, Integer> indexes = new HashMap<>();

    ResultColumns(List<Column> columns) throws WireException {
        List<ResultColumn> read = new ArrayList<>(columns.size());
        for (Column column : columns) {
            read.add(new ResultColumn(column.getName(), ColumnType.fromWire(column.getType())));
        }
        list = List.copyOf(read);
        types = list.stream().map(ResultColumn::type).toList();
        for (int index = 0; index < list.size(); index++) {
            indexes.putIfAbsent(list.get(index).name(), index);
        }
        for (int index = 0; index < list.size(); index++) {
            indexes.putIfAbsent(list.get(index).name().toLowerCase(Locale.ROOT), index);
        }
    }

    List<ResultColumn> list() {
        return list;
    }

    List<ColumnType> types() {
        return types;
    }

    int indexOf(String name) {
        Integer index = indexes.get(name);
        if (index == null) {
            index = indexes.get(name.toLowerCase(Locale.ROOT));
        }
        if (index == null) {
            throw new IllegalArgumentException("no column \"" + name + "\" in the answer");
        }
        return index;
    }
}
