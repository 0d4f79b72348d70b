package org.daedalus.output;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.daedalus.client.ResultColumn;
import org.daedalus.client.WriteOutcome;

/**
 * One object per row, on one line, with values as in {@link JsonOutput}. A second column of a name is called name_2.
 * Errors go to the error stream.
 */
public final class JsonLinesOutput extends TextOutput {
    private List<ResultColumn> columns = List.of();
    private List<String> names = List.of();

    public JsonLinesOutput(PrintStream out, PrintStream err) {
        super(out, err, Style.DEFAULT);
    }

    @Override
    void head(List<ResultColumn> head, StringBuilder text) {
        columns = head;
        names = unique(head);
    }

    @Override
    void row(String[] cells, StringBuilder text) {
        Json json = new Json().open('{');
        for (int column = 0; column < cells.length; column++) {
            JsonOutput.value(columns.get(column).type(), cells[column], json.key(names.get(column)));
        }
        text.append(json.close('}')).append('\n');
    }

    @Override
    public void written(WriteOutcome outcome, Origin origin, Elapsed elapsed) {
        if (outcome.returned().isKnown()) {
            rows(Answer.of(outcome.returned()), elapsed);
            return;
        }
        out.println(JsonOutput.effect(outcome, elapsed, new Json().open('{')).close('}'));
        out.flush();
    }

    private static List<String> unique(List<ResultColumn> columns) {
        Set<String> taken = new HashSet<>();
        List<String> names = new ArrayList<>();
        for (ResultColumn column : columns) {
            String name = column.name();
            for (int number = 2; !taken.add(name); number++) {
                name = column.name() + "_" + number;
            }
            names.add(name);
        }
        return names;
    }
}
