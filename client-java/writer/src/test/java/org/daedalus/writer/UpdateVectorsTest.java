package org.daedalus.writer;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeSet;
import org.daedalus.wire.DescribedTable;
import org.daedalus.wire.WireException;
import org.daedalus.wire.v1.DescribeReply;
import org.daedalus.wire.v1.UpdateBody;
import org.junit.jupiter.api.Test;

/**
 * The writer refuses an update that a node would refuse, before it has a number; afterwards it would break the node.
 * The file is written from what a node does ({@code rpc/contract/tests/update_vectors_test.cpp}).
 */
class UpdateVectorsTest {
    private static final Path FILE = Path.of("../../rpc/vectors/updates.tsv");

    private static byte[] bodyOf(String pieces) {
        ByteString.Output body = ByteString.newOutput();
        for (String piece : pieces.split(" ")) {
            int star = piece.indexOf('*');
            byte[] bytes = HexFormat.of().parseHex(piece.substring(star + 1));
            for (int i = star < 0 ? 1 : Integer.parseInt(piece.substring(0, star)); i > 0; i--) {
                body.write(bytes, 0, bytes.length);
            }
        }
        return body.toByteString().toByteArray();
    }

    private static boolean isTaken(UpdateChecker checker, byte[] bytes) {
        try {
            UpdateBody body = UpdateBody.parseFrom(bytes);
            return checker.check(body, body.toByteString()) == null;
        } catch (InvalidProtocolBufferException e) {
            return false;
        }
    }

    @Test
    void shouldTakeNothingThatANodeRefuses() throws IOException, WireException {
        List<String> lines = Files.readAllLines(FILE);
        String[] table = lines.get(0).split("\t");
        assertThat(table[0]).isEqualTo("table");
        UpdateChecker checker = new UpdateChecker(
                DescribedTable.of(DescribeReply.parseFrom(HexFormat.of().parseHex(table[1]))));
        TreeSet<String> wrong = new TreeSet<>();
        for (String line : lines.subList(1, lines.size())) {
            String[] fields = line.split("\t", -1);
            boolean isTaken = isTaken(checker, bodyOf(fields[2]));
            String said = fields[0].split(":")[0];
            boolean isRight = switch (said) {
                case "both" -> isTaken;
                case "neither", "node" -> !isTaken;
                case "either" -> true;
                default -> throw new AssertionError(said);
            };
            if (!isRight) {
                wrong.add(fields[1] + " should be taken by " + fields[0] + (isTaken ? ", is taken" : ", is refused"));
            }
        }
        assertThat(wrong).isEmpty();
    }
}
