package org.daedalus.client.internal.statements;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.UnsafeByteOperations;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.daedalus.wire.v1.StatementBody;

/** A statement's text, encoded once however often it is sent. Thread-safe. */
public final class StatementText {
    private final String sql;
    private final boolean isQuery;
    /** Made when it is first wanted; two threads that both make it make the same. */
    private volatile ByteString field;

    public StatementText(String sql) {
        this.sql = sql;
        this.isQuery = SqlText.isQuery(sql);
    }

    /** Says whether the statement can only read. */
    public boolean isQuery() {
        return isQuery;
    }

    public String sql() {
        return sql;
    }

    /** Returns the field {@code sql} of a StatementBody and, being of the same number there, of a ShapeBody. */
    public ByteString field() {
        ByteString known = field;
        if (known == null) {
            known = encode(sql);
            field = known;
        }
        return known;
    }

    private static ByteString encode(String sql) {
        byte[] utf8 = sql.getBytes(StandardCharsets.UTF_8);
        byte[] field = new byte[CodedOutputStream.computeByteArraySize(StatementBody.SQL_FIELD_NUMBER, utf8)];
        CodedOutputStream out = CodedOutputStream.newInstance(field);
        try {
            out.writeByteArray(StatementBody.SQL_FIELD_NUMBER, utf8);
            out.checkNoSpaceLeft();
        } catch (IOException e) {
            throw new IllegalStateException("a field has written more than its size", e);
        }
        return UnsafeByteOperations.unsafeWrap(field);
    }
}
