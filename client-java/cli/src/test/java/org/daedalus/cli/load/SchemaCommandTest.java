package org.daedalus.cli.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.daedalus.cli.Main;
import org.daedalus.cli.Said;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The command proposes a table for a file. */
class SchemaCommandTest {
    @RegisterExtension
    private final Said said = new Said();

    @TempDir
    private Path directory;

    private int propose(String name, String csv, String... options) throws Exception {
        Path file = Files.writeString(directory.resolve(name), csv);
        String[] arguments = new String[options.length + 2];
        arguments[0] = "schema";
        arguments[1] = file.toString();
        System.arraycopy(options, 0, arguments, 2, options.length);
        said.forget();
        return Main.runCommand(arguments);
    }

    /** The type that is proposed for a column with these values, and whether it is NOT NULL. */
    private String typeOf(String... values) throws Exception {
        assertThat(propose("one.csv", "c,d\n" + String.join(",x\n", values) + ",x\n")).isZero();
        return said.out().lines().filter(line -> line.startsWith("  c ")).findFirst().orElseThrow()
                .replaceFirst("^ +c +", "").replaceFirst(",$", "");
    }

    @Test
    void shouldProposeATableWithRoomForMore() throws Exception {
        assertThat(propose("Bike rides.csv", "Ride,city,started at,order\n1,Z\u00fcrich,2024-05-01 07:55:00,a\n"
                + "70000,Genf,2024-05-01 08:02:00,\n")).isZero();
        assertThat(said.out()).isEqualTo("""
                CREATE TABLE bike_rides (
                  ride         integer NOT NULL,
                  city         character varying(16) NOT NULL,
                  "started at" timestamp without time zone NOT NULL,
                  "order"      character varying(8)
                );
                """);
        assertThat(said.err()).startsWith("2 rows read: a row takes 44 bytes, so that 12,");
    }

    @Test
    void shouldTakeTheTypeThatHoldsAllValues() throws Exception {
        assertThat(typeOf("1", "-7")).isEqualTo("smallint NOT NULL");
        assertThat(typeOf("1", "20000", "")).isEqualTo("integer");
        assertThat(typeOf("2000000000")).isEqualTo("bigint NOT NULL");
        assertThat(typeOf("10000000000000000000")).isEqualTo("numeric(21,0) NOT NULL");
        assertThat(typeOf("1", "4.20", "13.5")).isEqualTo("numeric(5,2) NOT NULL");
        assertThat(typeOf("1e5", "2.5")).isEqualTo("double precision NOT NULL");
        assertThat(typeOf("true", "F")).isEqualTo("boolean NOT NULL");
        assertThat(typeOf("2024-02-29", "2024-01-01")).isEqualTo("date NOT NULL");
        assertThat(typeOf("2024-02-29", "2024-01-01 10:00")).isEqualTo("timestamp without time zone NOT NULL");
        assertThat(typeOf("2024-02-29T10:00:00Z", "2024-01-01 10:00:00+02")).startsWith("timestamp with time zone");
        assertThat(typeOf("10:00", "23:59:59.5")).isEqualTo("time without time zone NOT NULL");
        assertThat(typeOf("2023-02-29")).as("there is no such day").startsWith("character varying(16)");
        assertThat(typeOf("6f1c9f5e-3c4d-4d27-9a6c-0a1b2c3d4e5f")).isEqualTo("uuid NOT NULL");
        assertThat(typeOf("08001", "1")).as("a code keeps its zero").startsWith("character varying(8)");
        assertThat(typeOf("", "")).as("nothing is known").isEqualTo("character varying(40)");
        assertThat(typeOf("\"\"", "a")).as("a quoted empty field is a string")
                .isEqualTo("character varying(8) NOT NULL");
    }

    @Test
    void shouldSayWhatIsWrongWithAFileAndWhatTakesTheMemory() throws Exception {
        assertThat(propose("a.csv", "")).isEqualTo(1);
        assertThat(said.err()).contains("a header is missing");
        assertThat(propose("a.csv", "x,X\n1,2\n")).isEqualTo(1);
        assertThat(said.err()).contains("line 1, column 2: \"X\" is named twice");
        assertThat(propose("a.csv", "x,,y\n1,2,3\n")).isEqualTo(1);
        assertThat(said.err()).contains("the header has no name here");
        assertThat(propose("a.csv", "x;y\n1;" + "l".repeat(4_100) + "\n1\n", "--delimiter", ";", "--table", "t"))
                .isZero();
        assertThat(said.out()).startsWith("CREATE TABLE t (");
        assertThat(said.err()).contains("NOTICE:  strings take 4,100 of the 4,1").contains("y character varying(4100)")
                .contains("1 line is no record of 2 fields and left out here, the first of them line 3")
                .contains("WARNING:  y has a value of 4100 bytes: a string column has up to 4096");
    }

    @Test
    void shouldReadTheFileAsLoadIsToldTo() throws Exception {
        byte[] file = "# sales\nOrt;Preis;Tag;Zeit;\nZ\u00fcrich;3,50;31.12.2023;01.01.2024 07:05;\n"
                .getBytes(java.nio.charset.Charset.forName("cp1252"));
        Path path = Files.write(directory.resolve("sales.csv"), file);
        assertThat(Main.runCommand("schema", path.toString(), "--encoding", "cp1252", "--comment", "#", "--delimiter",
                ";", "--decimal-comma", "--date-format", "dd.MM.yyyy[ HH:mm]")).isZero();
        assertThat(said.out()).isEqualTo("""
                CREATE TABLE sales (
                  ort   character varying(16) NOT NULL,
                  preis numeric(4,2) NOT NULL,
                  tag   date NOT NULL,
                  zeit  timestamp without time zone NOT NULL
                );
                """);
    }
}
