package org.daedalus.writer;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.List;
import org.daedalus.wire.ByteWriter;
import org.daedalus.wire.ColumnType;
import org.daedalus.wire.Constants;
import org.daedalus.wire.DescribedTable;
import org.daedalus.wire.PackedRows;
import org.daedalus.wire.WireException;
import org.daedalus.wire.WireTypes;
import org.daedalus.wire.v1.Assignment;
import org.daedalus.wire.v1.Call;
import org.daedalus.wire.v1.Column;
import org.daedalus.wire.v1.DeletePart;
import org.daedalus.wire.v1.DescribeReply;
import org.daedalus.wire.v1.Error;
import org.daedalus.wire.v1.Expression;
import org.daedalus.wire.v1.InsertPart;
import org.daedalus.wire.v1.Limits;
import org.daedalus.wire.v1.ModifyPart;
import org.daedalus.wire.v1.Operator;
import org.daedalus.wire.v1.PartitionMap;
import org.daedalus.wire.v1.UpdateBody;
import org.daedalus.wire.v1.UpdatePart;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class UpdateCheckerTest {
    private static final ColumnType INT = ColumnType.of(ColumnType.Kind.INT);
    private static final ColumnType DATE = ColumnType.of(ColumnType.Kind.DATE);
    private static final ColumnType PRICE = ColumnType.numericOf(5, 2);
    private static final ColumnType NAME = ColumnType.varcharOf(4);
    private static final List<ColumnType> TYPES = List.of(INT, INT, PRICE, NAME, DATE);
    private static final int ID = 0;
    private static final int PLACE = 1;
    private static final int PRICE_COLUMN = 2;
    private static final int NAME_COLUMN = 3;
    private static final int DAY = 4;

    private UpdateChecker checker;

    @BeforeEach
    void describeTable() throws WireException {
        DescribeReply.Builder reply = DescribeReply.newBuilder().setTableName("items")
                .setMap(PartitionMap.newBuilder().setVersion(1).addColumns(PLACE))
                .setLimits(Limits.newBuilder().setClausesMax(2).setLiteralsMax(4).setUpdateRowsMax(3)
                        .setUpdateBytesMax(10_000));
        List<String> names = List.of("id", "place", "price", "name", "day");
        for (int column = 0; column < TYPES.size(); column++) {
            reply.addColumns(Column.newBuilder().setName(names.get(column))
                    .setType(WireTypes.toMessage(TYPES.get(column))).setNullable(column > PLACE));
        }
        checker = new UpdateChecker(DescribedTable.of(reply.build()));
    }

    @Test
    void shouldAcceptWhatCanOnlySucceed() {
        assertThat(check(insert(0, new Object[] {1, 2, new BigDecimal("999.99"), "abcd", null}))).isNull();
        assertThat(check(modify(NAME_COLUMN, constant(NAME, "x"), null))).isNull();
        assertThat(check(modify(PRICE_COLUMN, sum(PRICE_COLUMN, constant(PRICE, new BigDecimal("1.50"))), null)))
                .isNull();
        assertThat(check(modify(DAY, sum(DAY, constant(INT, 3)), null))).isNull();
        assertThat(check(delete(compare(Operator.OPERATOR_EQUAL, ID, constant(INT, 3))))).isNull();
        assertThat(check(delete(compare(Operator.OPERATOR_LESS, NAME_COLUMN,
                constant(ColumnType.varcharOf(30), "longer than its column"))))).isNull();
    }

    @Test
    void shouldAskForNodesThatTakeInfinity() {
        Object[] finite = {1, 2, null, null, LocalDate.of(2013, 1, 1)};
        Object[] infinite = {1, 2, null, null, LocalDate.MAX};
        Object[] notAscii = {1, 2, null, "é", LocalDate.MIN}; // Rows that need a closer look.
        needs(1, insert(0, finite));
        needs(Language.INFINITY_SINCE, insert(0, finite, infinite));
        needs(1, insert(0, finite));
        needs(Language.INFINITY_SINCE, insert(0, notAscii));
        needs(Language.INFINITY_SINCE, modify(DAY, constant(DATE, LocalDate.MIN), null));
        needs(1, modify(DAY, constant(DATE, null), null));
        needs(Language.INFINITY_SINCE,
                delete(compare(Operator.OPERATOR_LESS, DAY, constant(DATE, LocalDate.MAX))));
    }

    private void needs(int language, UpdatePart part) {
        assertThat(check(part)).isNull();
        assertThat(checker.languageNeeded()).isEqualTo(language);
    }

    @Test
    void shouldRefuseRowsThatBreakTheSchema() {
        refuses(insert(0, new Object[] {null, 2, null, null, null}), "23502", "row 1: null value in column \"id\"");
        refuses(insert(1, new Object[] {1, 2, null, null, null}), "08P01", "ordinal 1 instead of 0");
        Object[] row = {1, 2, null, null, null};
        refuses(insert(0, row, row, row, row), "54000", "4 rows, more than 3");
        InsertPart short1 = insert(0, row).getInsert().toBuilder().setRowCount(2).build();
        refuses(UpdatePart.newBuilder().setInsert(short1).build(), "08P01", "announces 2 rows and brings 1");
        InsertPart cut = short1.toBuilder().setRows(short1.getRows().substring(0, 9)).build();
        refuses(UpdatePart.newBuilder().setInsert(cut).build(), "08P01", "packed row of 9 bytes, 5 left");
    }

    @Test
    void shouldRefuseNumbersBeyondTheColumnsPrecision() {
        InsertPart.Builder part =
                insert(0, new Object[] {1, 2, new BigDecimal("1.00"), null, null}).getInsert().toBuilder();
        byte[] rows = part.getRows().toByteArray();
        rows[4 + 1 + 4 + 4 + 3] = 1; // Bits 24.. of the unscaled price.
        refuses(UpdatePart.newBuilder().setInsert(part.setRows(ByteString.copyFrom(rows))).build(), "22003",
                "column \"price\" of type numeric(5,2) cannot hold");
    }

    @Test
    void shouldRefuseAssignmentsThatCannotBeKept() {
        refuses(modify(PLACE, constant(INT, 1), null), "0A000", "column \"place\" decides where rows live");
        refuses(modify(ID, constant(INT, null), null), "23502", "column \"id\"");
        refuses(modify(NAME_COLUMN, constant(INT, 1), null), "42804",
                "column \"name\" is of type character varying(4)");
        refuses(modify(NAME_COLUMN, sum(NAME_COLUMN, constant(NAME, "x")), null), "42883", "cannot be added to");
        refuses(modify(ID, sum(PRICE_COLUMN, constant(PRICE, BigDecimal.ONE)), null), "0A000", "itself plus or minus");
        refuses(modify(9, constant(INT, 1), null), "42703", "no column 9");
        UpdatePart once = modify(ID, constant(INT, 1), null);
        refuses(UpdatePart.newBuilder().setModify(once.getModify().toBuilder()
                .addAssignments(once.getModify().getAssignments(0))).build(), "42601", "\"id\" is assigned twice");
    }

    @Test
    void shouldRefuseConditionsThatAreNotInNormalForm() {
        refuses(delete(compare(Operator.OPERATOR_EQUAL, 77, constant(INT, 1))), "42703", "no column 77");
        refuses(delete(compare(Operator.OPERATOR_EQUAL, ID, constant(NAME, "1"))), "08P01",
                "integer compared with character varying(4)");
        refuses(delete(compare(Operator.OPERATOR_EQUAL, NAME_COLUMN, constant(ColumnType.UNTYPED, "1"))), "08P01",
                "not in normal form");
        refuses(delete(compare(Operator.OPERATOR_STARTS_WITH, ID, constant(INT, 1))), "08P01", "STARTS_WITH");
        refuses(delete(call(Operator.OPERATOR_NOT, compare(Operator.OPERATOR_IS_NULL, ID))), "08P01",
                "not a comparison of a column");
    }

    @Test
    void shouldRefuseConditionsBeyondTheDeclaredBounds() {
        Expression one = compare(Operator.OPERATOR_IS_NULL, NAME_COLUMN);
        Expression four = call(Operator.OPERATOR_OR, call(Operator.OPERATOR_AND, one, one),
                call(Operator.OPERATOR_AND, one, one));
        assertThat(check(delete(four))).as("trees of AND and OR are conditions").isNull();
        refuses(delete(call(Operator.OPERATOR_OR, four, one)), "54001", "5 comparisons, more than 4");
        Expression deep = one;
        for (int i = 0; i < 46; i++) {
            deep = call(i % 2 == 0 ? Operator.OPERATOR_AND : Operator.OPERATOR_OR, deep);
        }
        assertThat(check(delete(deep))).isNull();
        refuses(delete(call(Operator.OPERATOR_AND, deep)), "54001", "46 levels");
    }

    @Test
    void shouldRefuseUpdatesOfNothing() {
        assertThat(checker.check(UpdateBody.getDefaultInstance(), ByteString.EMPTY).getMessage())
                .contains("at least one part");
        refuses(UpdatePart.getDefaultInstance(), "08P01", "no known kind");
    }

    @Test
    void shouldTakeAsMuchAsTheClusterDeclares() {
        Object[] row = {1, 2, null, null, null};
        assertThat(check(insert(0, row, row, row))).isNull();
        UpdateBody twice = UpdateBody.newBuilder().addParts(insert(0, row, row)).addParts(insert(2, row, row)).build();
        assertThat(checker.check(twice, twice.toByteString()).getMessage()).contains("inserts 4 rows, more than 3");
        UpdateBody one = UpdateBody.newBuilder().addParts(insert(0, row)).build();
        assertThat(checker.check(one, ByteString.copyFrom(new byte[10_000]))).isNull();
        assertThat(checker.check(one, ByteString.copyFrom(new byte[10_001])).getSqlstate()).isEqualTo("54000");
    }

    @Test
    void shouldCheckTheConditionOfAModification() {
        refuses(modify(ID, constant(INT, 1), compare(Operator.OPERATOR_EQUAL, 77, constant(INT, 1))), "42703",
                "no column 77");
        assertThat(check(modify(ID, constant(INT, 1), compare(Operator.OPERATOR_EQUAL, ID, constant(INT, 1)))))
                .isNull();
    }

    private void refuses(UpdatePart part, String sqlState, String message) {
        Error error = check(part);
        assertThat(error).as(message).isNotNull();
        assertThat(error.getMessage()).contains(message);
        assertThat(error.getSqlstate()).isEqualTo(sqlState);
    }

    private Error check(UpdatePart part) {
        UpdateBody body = UpdateBody.newBuilder().addParts(part).build();
        return checker.check(body, body.toByteString());
    }

    private static UpdatePart insert(int firstOrdinal, Object[]... rows) {
        ByteWriter packed = new ByteWriter(64);
        for (Object[] row : rows) {
            PackedRows.append(TYPES, row, packed);
        }
        return UpdatePart.newBuilder().setInsert(InsertPart.newBuilder()
                .setRows(ByteString.copyFrom(packed.toByteArray())).setRowCount(rows.length)
                .setFirstOrdinal(firstOrdinal)).build();
    }

    private static UpdatePart modify(int column, Expression value, Expression filter) {
        ModifyPart.Builder part = ModifyPart.newBuilder()
                .addAssignments(Assignment.newBuilder().setColumn(column).setValue(value));
        if (filter != null) {
            part.setFilter(filter);
        }
        return UpdatePart.newBuilder().setModify(part).build();
    }

    private static UpdatePart delete(Expression filter) {
        return UpdatePart.newBuilder().setDelete(DeletePart.newBuilder().setFilter(filter)).build();
    }

    private static Expression constant(ColumnType type, Object value) {
        return Expression.newBuilder().setConstant(Constants.of(type, value)).build();
    }

    private static Expression sum(int column, Expression constant) {
        return call(Operator.OPERATOR_ADD, Expression.newBuilder().setColumn(column).build(), constant);
    }

    private static Expression compare(Operator operator, int column, Expression... constants) {
        Call.Builder call = Call.newBuilder().setOperator(operator)
                .addArguments(Expression.newBuilder().setColumn(column));
        call.addAllArguments(List.of(constants));
        return Expression.newBuilder().setCall(call).build();
    }

    private static Expression call(Operator operator, Expression... arguments) {
        return Expression.newBuilder().setCall(Call.newBuilder().setOperator(operator)
                .addAllArguments(List.of(arguments))).build();
    }
}
