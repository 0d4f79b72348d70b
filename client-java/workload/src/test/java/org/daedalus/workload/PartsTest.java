package org.daedalus.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@EnabledIf(value = "org.daedalus.workload.Flights#areThere", disabledReason = Flights.MISSING)
class PartsTest {
    @TempDir
    private Path folder;

    private Path file(String text) throws IOException {
        return Files.writeString(folder.resolve("flights.csv"), text);
    }

    private static String header() throws IOException {
        try (var lines = Files.lines(TestWorld.FLIGHTS)) {
            return lines.findFirst().orElseThrow();
        }
    }

    @Test
    void theScheduleIsTheWholeYear() {
        Schedule schedule = TestWorld.SCHEDULE;
        int cancelled = 0;
        for (int flight = 0; flight < schedule.size(); flight++) {
            cancelled += schedule.isCancelled(flight) ? 1 : 0;
            assertThat(schedule.arrival(flight)).isGreaterThan(schedule.departure(flight));
        }
        assertThat(schedule.size()).isEqualTo(336_776);
        assertThat(cancelled).isEqualTo(8_255);
        assertThat(schedule.lastDate() - schedule.firstDate() + 1).isEqualTo(365);
        assertThat(schedule.firstOn(schedule.firstDate() + 1)).isEqualTo(842);
    }

    @Test
    void aBadScheduleIsRefusedWithItsPlace() throws IOException {
        assertThatThrownBy(() -> Schedule.read(file("a,b\n"))).isInstanceOf(IOException.class)
                .hasMessageContaining("flights.csv:1: the header has no column \"year\"");
        assertThatThrownBy(() -> Schedule.read(file(header() + "\n2013,1\n")))
                .hasMessageContaining("flights.csv:2: 2 fields, column \"day\" is missing");
        String row = "2013,%s,1,517,515,2,830,819,11,UA,%s,N14228,EWR,IAH,227,1400,5,15,x\n";
        assertThatThrownBy(() -> Schedule.read(file(header() + "\n" + row.formatted("1", "seven"))))
                .hasMessageContaining("flights.csv:2: flight is \"seven\"");
        assertThatThrownBy(() -> Schedule.read(file(header() + "\n" + row.formatted("13", "7"))))
                .hasMessageContaining("flights.csv:2: year, month and day are no date");
        assertThatThrownBy(() -> Schedule.read(file(header() + "\n"))).hasMessageContaining("no flights");
    }

    @Test
    void referencesDiffer() {
        References references = new References(TestWorld.SEED);
        Set<String> seen = new HashSet<>();
        for (int number = 0; number < 300_000; number++) {
            seen.add(references.of(number));
        }
        seen.add(references.of(References.COUNT_MAX - 1));
        assertThat(seen).hasSize(300_001).allMatch(text -> text.length() == 6);
        assertThatThrownBy(() -> references.of(References.COUNT_MAX)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void csvKeepsApartNullAndEmptyAndQuotesWhatNeedsIt() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (CsvRows csv = new CsvRows(bytes)) {
            csv.nothing();
            csv.text("");
            csv.text("a,\"b\"\n\u00fc");
            csv.flag(true);
            csv.number(-120);
            csv.money(-5);
            csv.date(-1);
            csv.timestamp(-1);
            csv.character('x');
            csv.nothing();
            csv.endOfRow();
        }
        String text = bytes.toString(StandardCharsets.UTF_8);
        assertThat(text).startsWith("rloc,provider,product_id,date_in,sgt_qualifier,cancel_flag,").endsWith(
                "\n,\"\",\"a,\"\"b\"\"\n\u00fc\",t,-120,-0.05,1969-12-31,1969-12-31 23:59:59,x,\n");
    }

    @Test
    void csvIsWholeAcrossBuffers() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (CsvRows csv = new CsvRows(bytes)) {
            for (int i = 0; i < 100_000; i++) {
                csv.text("number");
                csv.number(i);
                csv.endOfRow();
            }
        }
        String[] lines = bytes.toString(StandardCharsets.UTF_8).split("\n");
        for (int i = 0; i < 100_000; i++) {
            assertThat(lines[i + 1]).isEqualTo("number," + i);
        }
    }

    @Test
    void theCommandsWriteTheirFiles() throws IOException {
        Path tickets = folder.resolve("tickets.csv");
        Path changes = folder.resolve("changes.sql");
        String flights = TestWorld.FLIGHTS.toString();
        assertThat(WorkloadCommand.execute("tickets", "--flights", flights, "--tickets", "1000", "--seed", "3", "--out",
                tickets.toString())).isZero();
        assertThat(WorkloadCommand.execute("changes", "--flights", flights, "--tickets", "1000", "--seed", "3",
                "--count", "100", "--out", changes.toString())).isZero();
        assertThat(Files.readAllLines(tickets)).hasSize(1_001);
        assertThat(Files.readAllLines(changes)).hasSize(100).allMatch(line -> line.endsWith(";"));
    }

    @Test
    void aCommandThatFailsSaysWhy() {
        StringWriter text = new StringWriter();
        CommandLine line = WorkloadCommand.commandLine().setErr(new PrintWriter(text, true));
        assertThat(line.execute("tickets", "--flights", "/nowhere.csv", "--tickets", "1", "--out", "x"))
                .isEqualTo(1);
        assertThat(line.execute("tickets", "--flights", TestWorld.FLIGHTS.toString(), "--tickets", "-1", "--out", "x"))
                .isEqualTo(2);
        assertThat(text.toString()).contains("/nowhere.csv does not exist", "--tickets");
    }
}
