package org.daedalus.cli.load;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.daedalus.cli.CliException;
import org.daedalus.cli.RowCost;
import org.daedalus.wire.ColumnType;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** `daedalus schema`: proposes the table that a CSV file fits into. Asks no cluster. */
@Command(name = "schema", mixinStandardHelpOptions = true, description = {
    "Reads a CSV file as `load` does and proposes a CREATE TABLE for it, on standard output: `daedalus schema "
        + "rides.csv > rides.sql`. Says on standard error what a row takes and how many fit.",
    "Types are those that hold every value of the file, with room: numbers twice as large, strings half as long again. "
        + "A column without an empty field is NOT NULL. Read the proposal before `up --schema` makes a table of it."})
public final class SchemaCommand implements Callable<Integer> {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
    private static final long MEMORY_BYTES = 512L << 20;
    /** PostgreSQL's reserved words that could be the name of a column. */
    private static final Set<String> RESERVED = Set.of("all", "analyse", "analyze", "and", "any", "array", "as", "asc",
            "asymmetric", "both", "case", "cast", "check", "collate", "column", "constraint", "create", "current_date",
            "current_role", "current_time", "current_timestamp", "current_user", "default", "deferrable", "desc",
            "distinct", "do", "else", "end", "except", "false", "fetch", "for", "foreign", "from", "grant", "group",
            "having", "in", "initially", "intersect", "into", "lateral", "leading", "limit", "localtime",
            "localtimestamp", "not", "null", "offset", "on", "only", "or", "order", "placing", "primary", "references",
            "returning", "select", "session_user", "some", "symmetric", "table", "then", "to", "trailing", "true",
            "union", "unique", "user", "using", "variadic", "when", "where", "window", "with");

    @Parameters(index = "0", paramLabel = "FILE.csv|-", description = "the file to look at; - for standard input")
    private String what;

    @Option(names = "--table", paramLabel = "NAME", description = "default: the file's name")
    private String table;

    @Option(names = "--null", paramLabel = "TEXT", description = "an unquoted field with this text is NULL, too")
    private String nullText;

    @Mixin
    private CsvFormatOptions formatOptions;

    private final List<String> names = new ArrayList<>();
    private final List<ColumnGuess> guesses = new ArrayList<>();
    private long rows;
    private long badLines;
    private long firstBadLine;

    @Override
    public Integer call() throws CliException, IOException {
        CsvFormat format = formatOptions.format();
        LoadSource source = what.equals("-") ? LoadSource.standardInput() : LoadSource.of(LoadSource.path(what));
        try (InputStream bytes = source.encodedIn(format.encoding()).open(null)) {
            read(new CsvReader(bytes, format), format);
        } catch (IOException e) {
            throw CliException.failed(source.label() + ": cannot be read: " + LoadSource.reason(e));
        }
        print();
        return 0;
    }

    private void read(CsvReader records, CsvFormat format) throws CliException, IOException {
        if (!records.next() || records.problem() != null) {
            throw CliException.failed(what + ": line 1: "
                    + (records.problem() == null ? "the file is empty: a header is missing" : records.problem()));
        }
        CsvSplitter head = records.fields();
        if (head.endsInNothing()) {
            head.leaveOutLast(); // A delimiter ends every line.
        }
        for (int field = 0; field < head.fieldCount(); field++) {
            names.add(text(head, field).strip());
            guesses.add(new ColumnGuess(format));
        }
        checkNames();
        while (records.next()) {
            if (records.isBlank() && names.size() > 1) {
                continue;
            }
            if (records.problem() == null && records.fields().fieldCount() == names.size() + 1
                    && records.fields().endsInNothing()) {
                records.fields().leaveOutLast();
            }
            if (records.problem() != null || records.fields().fieldCount() != names.size()) {
                firstBadLine = badLines++ == 0 ? records.line() : firstBadLine;
                continue;
            }
            add(records.fields());
        }
    }

    private void checkNames() throws CliException {
        for (int column = 0; column < names.size(); column++) {
            String name = names.get(column);
            if (name.isEmpty() || names.subList(0, column).stream().anyMatch(name::equalsIgnoreCase)) {
                throw CliException.failed(what + ": line 1, column " + (column + 1) + ": "
                        + (name.isEmpty() ? "the header has no name here" : "\"" + name + "\" is named twice")
                        + ": give each column a name of its own");
            }
        }
    }

    private void add(CsvSplitter fields) {
        rows++;
        for (int field = 0; field < names.size(); field++) {
            String text = text(fields, field);
            if (!fields.isQuoted(field) && (text.isEmpty() || text.equals(nullText))) {
                guesses.get(field).addNull();
            } else {
                guesses.get(field).add(text);
            }
        }
    }

    private static String text(CsvSplitter fields, int field) {
        return new String(fields.copy(field), StandardCharsets.UTF_8);
    }

    private void print() {
        List<RowCost.Column> columns = new ArrayList<>();
        StringBuilder ddl = new StringBuilder("CREATE TABLE ").append(quote(tableName())).append(" (\n");
        int width = names.stream().mapToInt(name -> quote(name).length()).max().orElse(0);
        for (int column = 0; column < names.size(); column++) {
            ColumnGuess guess = guesses.get(column);
            String name = quote(names.get(column));
            columns.add(new RowCost.Column(name, guess.type(), guess.isNullable()));
            ddl.append("  ").append(name).append(" ".repeat(width - name.length() + 1)).append(guess.type())
                    .append(guess.isNullable() ? "" : " NOT NULL").append(column + 1 < names.size() ? ",\n" : "\n");
        }
        System.out.print(ddl.append(");\n"));
        System.out.flush();
        say(RowCost.of(columns));
    }

    private void say(RowCost cost) {
        System.err.printf(Locale.ROOT,
                "%,d %s read: a row takes %,.0f bytes, so that %,d fit into the 512 MiB "
                        + "that `up` takes by itself (--storage-nodes, --segments, --segment-mib)%n",
                rows, rows == 1 ? "row" : "rows", cost.bytes(), (long) (MEMORY_BYTES / cost.bytes()));
        if (!cost.noteOnStrings().isEmpty()) {
            System.err.println("NOTICE:  " + cost.noteOnStrings());
        }
        if (badLines > 0) {
            System.err.println("NOTICE:  " + badLines + (badLines == 1 ? " line is" : " lines are")
                    + " no record of " + names.size() + " fields and left out here, the first of them line "
                    + firstBadLine);
        }
        for (int column = 0; column < names.size(); column++) {
            if (guesses.get(column).sizeMax() > ColumnType.STRING_LENGTH_MAX) {
                System.err.println("WARNING:  " + quote(names.get(column)) + " has a value of "
                        + guesses.get(column).sizeMax() + " bytes: a string column has up to "
                        + ColumnType.STRING_LENGTH_MAX);
            }
        }
    }

    private String tableName() {
        if (table != null) {
            return table;
        }
        String file = what.equals("-") ? "rows" : LoadSource.fileName(what);
        String name = file.replaceFirst("\\.(gz|GZ)$", "").replaceFirst("\\.[^.]*$", "").toLowerCase(Locale.ROOT)
                .replaceAll("[^a-z0-9_]+", "_");
        return name.isEmpty() || Character.isDigit(name.charAt(0)) ? "t" + name : name;
    }

    /** A name as SQL takes it: a plain one in small letters, which `load` finds in any case. */
    private static String quote(String name) {
        String small = name.toLowerCase(Locale.ROOT);
        return PLAIN.matcher(name).matches() && !RESERVED.contains(small) ? small
                : "\"" + name.replace("\"", "\"\"") + "\"";
    }
}
