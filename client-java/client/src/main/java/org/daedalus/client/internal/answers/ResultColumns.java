package org.daedalus.client.internal.answers;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.daedalus.client.ResultColumn;
import org.daedalus.wire.ColumnType;
import org.daedalus.wire.WireException;
import org.daedalus.wire.WireTypes;
import org.daedalus.wire.v1.Column;

/** The columns of one answer, found by name: exactly, or else without regard to case; the first of equal names wins. */
public final class ResultColumns {
    private final List<ResultColumn> list;
    private final List<ColumnType> types;
    /**
     * Maps every name to its column; null before a name was asked for. Two threads that both make the map make equal
     * ones.
     */
    private volatile Map<String, Integer> indexes;

    public ResultColumns(List<Column> columns) throws WireException {
        List<ResultColumn> read = new ArrayList<>(columns.size());
        List<ColumnType> readTypes = new ArrayList<>(columns.size());
        for (Column column : columns) {
            ColumnType type = WireTypes.read(column.getType());
            read.add(new ResultColumn(column.getName(), type));
            readTypes.add(type);
        }
        list = Collections.unmodifiableList(read);
        types = Collections.unmodifiableList(readTypes);
    }

    /** Many answers are read by position alone: names are looked at when the first one is asked for. */
    private static Map<String, Integer> indexesOf(List<ResultColumn> list) {
        Map<String, Integer> indexes = new HashMap<>();
        for (int index = 0; index < list.size(); index++) {
            indexes.putIfAbsent(list.get(index).name(), index);
        }
        for (int index = 0; index < list.size(); index++) {
            indexes.putIfAbsent(list.get(index).name().toLowerCase(Locale.ROOT), index);
        }
        return indexes;
    }

    public List<ResultColumn> list() {
        return list;
    }

    public List<ColumnType> types() {
        return types;
    }

    public int indexOf(String name) {
        Map<String, Integer> known = indexes;
        if (known == null) {
            known = indexesOf(list);
            indexes = known;
        }
        Integer index = known.get(name);
        if (index == null) {
            index = known.get(name.toLowerCase(Locale.ROOT));
        }
        if (index == null) {
            throw new IllegalArgumentException("no column \"" + name + "\" in the answer, which has "
                    + list.stream().map(ResultColumn::name).toList());
        }
        return index;
    }
}
