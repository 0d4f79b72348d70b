package org.daedalus.writer;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageOrBuilder;
import java.math.BigDecimal;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.daedalus.wire.ByteRange;
import org.daedalus.wire.ColumnType;
import org.daedalus.wire.DescribedTable;
import org.daedalus.wire.PackedRows;
import org.daedalus.wire.PackedScan;
import org.daedalus.wire.WireException;
import org.daedalus.wire.WireTypes;
import org.daedalus.wire.v1.Assignment;
import org.daedalus.wire.v1.Call;
import org.daedalus.wire.v1.Constant;
import org.daedalus.wire.v1.DescribeReply;
import org.daedalus.wire.v1.Error;
import org.daedalus.wire.v1.Expression;
import org.daedalus.wire.v1.InsertPart;
import org.daedalus.wire.v1.ModifyPart;
import org.daedalus.wire.v1.Operator;
import org.daedalus.wire.v1.Route;
import org.daedalus.wire.v1.TypeKind;
import org.daedalus.wire.v1.UpdateBody;
import org.daedalus.wire.v1.UpdatePart;

/**
 * Checks an update before it gets a number: everything that can be decided from it, the schema and the map alone. After
 * numbering nothing is refused any more, so what passes here must pass everywhere.
 */
final class UpdateChecker {
    private final DescribedTable table;
    private final List<ColumnType> types;
    private final PackedScan scan;
    private final Set<Integer> placement = new HashSet<>();
    private final FunctionTable functions;
    private NeededLanguage language;

    UpdateChecker(DescribedTable table) {
        this(table, FunctionTable.get());
    }

    UpdateChecker(DescribedTable table, FunctionTable functions) {
        this.table = table;
        this.functions = functions;
        this.types = table.types();
        this.scan = new PackedScan(types, table.columns().stream().map(DescribedTable.Column::nullable).toList());
        placement.addAll(description().getMap().getColumnsList());
        placement.addAll(description().getMap().getSegmentColumnsList());
    }

    DescribeReply description() {
        return table.reply();
    }

    /** Checks an update; returns null when it may be numbered, otherwise what is wrong, and where. */
    Error check(UpdateBody update, ByteString body) {
        language = new NeededLanguage(functions.language());
        try {
            checkShape(update);
            int bytesMax = description().getLimits().getUpdateBytesMax();
            if (body.size() > bytesMax) {
                throw new RefusedUpdateException("54000", "an update of " + body.size() + " bytes exceeds " + bytesMax);
            }
            long ordinal = 0;
            for (UpdatePart part : update.getPartsList()) {
                ordinal += checkPart(part, ordinal);
            }
            return null;
        } catch (RefusedUpdateException e) {
            return e.toError();
        }
    }

    /** Returns the first version of the language that has all of the update that was checked last. */
    int languageNeeded() {
        return language.version();
    }

    /** Checks routes; returns null when aggregators can follow them, otherwise what is wrong, and where. */
    Error checkRoutes(List<Route> routes) {
        try {
            new RouteChecker(table).check(routes);
            return null;
        } catch (RefusedUpdateException e) {
            return e.toError();
        }
    }

    /** Nodes read a body strictly: what they do not know, they refuse. */
    private void checkShape(UpdateBody update) throws RefusedUpdateException {
        if (update.getPartsCount() == 0) {
            throw new RefusedUpdateException(Errors.PROTOCOL_VIOLATION, "an update needs at least one part");
        }
        long partsMax = Integer.toUnsignedLong(description().getLimits().getUpdateRowsMax());
        if (update.getPartsCount() > partsMax) {
            throw new RefusedUpdateException("54000", "an update of " + update.getPartsCount()
                    + " parts, more than " + partsMax);
        }
        checkKnown(update);
        for (UpdatePart part : update.getPartsList()) {
            checkKnown(part);
            checkKnown(part.getInsert());
        }
    }

    private static void checkKnown(MessageOrBuilder message) throws RefusedUpdateException {
        if (!message.getUnknownFields().asMap().isEmpty()) {
            throw new RefusedUpdateException(Errors.PROTOCOL_VIOLATION, "an update with a field that is not known: "
                    + message.getUnknownFields().asMap().keySet());
        }
    }

    /** Returns how many rows the part inserts. */
    private long checkPart(UpdatePart part, long ordinal) throws RefusedUpdateException {
        switch (part.getPartCase()) {
            case INSERT:
                checkInsert(part.getInsert(), ordinal);
                return Integer.toUnsignedLong(part.getInsert().getRowCount());
            case MODIFY:
                checkModify(part.getModify());
                return 0;
            case DELETE:
                if (part.getDelete().hasFilter()) {
                    checkFilter(part.getDelete().getFilter());
                }
                checkResiduals(part.getDelete().getResidualsList());
                return 0;
            default:
                throw new RefusedUpdateException(Errors.PROTOCOL_VIOLATION, "an update part of no known kind");
        }
    }

    private void checkInsert(InsertPart part, long ordinal) throws RefusedUpdateException {
        long rowCount = Integer.toUnsignedLong(part.getRowCount());
        long rowsMax = Integer.toUnsignedLong(description().getLimits().getUpdateRowsMax());
        if (ordinal + rowCount > rowsMax) {
            throw new RefusedUpdateException("54000", "an update inserts " + (ordinal + rowCount)
                    + " rows, more than " + rowsMax);
        }
        if (part.getFirstOrdinal() != ordinal) {
            throw new RefusedUpdateException(Errors.PROTOCOL_VIOLATION, "rows start at ordinal "
                    + Integer.toUnsignedString(part.getFirstOrdinal()) + " instead of " + ordinal);
        }
        long found = scan.countSound(part.getRows().toByteArray());
        found = found == PackedScan.NOT_SOUND ? checkRows(part) : found;
        if (scan.hasInfinity()) {
            language.need(Language.INFINITY_SINCE);
        }
        if (found != rowCount || found == 0) {
            throw new RefusedUpdateException(Errors.PROTOCOL_VIOLATION, "an insert announces " + rowCount
                    + " rows and brings " + found);
        }
    }

    /** Looks at every value; says how many rows there are. */
    private long checkRows(InsertPart part) throws RefusedUpdateException {
        long found = 0;
        try {
            PackedRows rows = new PackedRows(types, ByteRange.of(part.getRows().toByteArray()));
            while (rows.hasNext()) {
                found++;
                checkRow(rows.next(), found);
            }
        } catch (WireException e) {
            throw new RefusedUpdateException(Errors.PROTOCOL_VIOLATION, "row " + found + ": " + e.getMessage());
        }
        return found;
    }

    private void checkRow(Object[] values, long row) throws RefusedUpdateException {
        for (int column = 0; column < values.length; column++) {
            language.need(Language.neededBy(values[column]));
            if (values[column] != null) {
                checkNumeric(column, values[column], row);
            } else if (!table.columns().get(column).nullable()) {
                throw new RefusedUpdateException("23502", "row " + row + ": null value in column \""
                        + table.columns().get(column).name() + "\" violates not-null constraint");
            }
        }
    }

    private void checkNumeric(int column, Object value, long row) throws RefusedUpdateException {
        if (value instanceof BigDecimal number && !types.get(column).holds(number)) {
            throw new RefusedUpdateException("22003", "row " + row + ": column \"" + table.columns().get(column).name()
                    + "\" of type " + types.get(column) + " cannot hold " + number);
        }
    }

    private void checkModify(ModifyPart part) throws RefusedUpdateException {
        if (part.getAssignmentsCount() == 0) {
            throw new RefusedUpdateException(Errors.PROTOCOL_VIOLATION, "an update part without assignments");
        }
        Set<Integer> assigned = new HashSet<>();
        for (Assignment assignment : part.getAssignmentsList()) {
            checkAssignment(assignment, assigned);
        }
        if (part.hasFilter()) {
            checkFilter(part.getFilter());
        }
        checkResiduals(part.getResidualsList());
    }

    private void checkFilter(Expression filter) throws RefusedUpdateException {
        new FilterChecker(table, language).check(filter);
    }

    private void checkResiduals(List<Expression> residuals) throws RefusedUpdateException {
        int residualsMax = functions.limit("clauses");
        if (residuals.size() > residualsMax) {
            throw new RefusedUpdateException("54001", "the condition has more than " + residualsMax
                    + " parts that are computed");
        }
        for (Expression residual : residuals) {
            new ExpressionChecker(table, functions, language).checkCondition(residual);
        }
    }

    private void checkAssignment(Assignment assignment, Set<Integer> assigned) throws RefusedUpdateException {
        int position = assignment.getColumn();
        DescribedTable.Column column = CheckedColumns.at(table, position);
        if (!assigned.add(position)) {
            throw new RefusedUpdateException("42601", "column \"" + column.name() + "\" is assigned twice");
        }
        if (placement.contains(position)) {
            throw new RefusedUpdateException("0A000", "column \"" + column.name()
                    + "\" decides where rows live and cannot be updated; delete the row and insert it anew");
        }
        Expression value = assignment.getValue();
        if (value.hasConstant()) {
            checkSet(column, value.getConstant());
        } else if (value.hasColumn() || value.getCall().getFunction() != 0) {
            new ExpressionChecker(table, functions, language).checkAssigned(column, value);
        } else {
            checkAdd(column, position, value.getCall());
        }
    }

    private void checkSet(DescribedTable.Column column, Constant constant) throws RefusedUpdateException {
        Object value = valueOf(column, constant);
        if (value == null && !column.nullable()) {
            throw new RefusedUpdateException("23502", "null value in column \"" + column.name()
                    + "\" violates not-null constraint");
        }
    }

    private void checkAdd(DescribedTable.Column column, int position, Call call)
            throws RefusedUpdateException {
        boolean sum = (call.getOperator() == Operator.OPERATOR_ADD || call.getOperator() == Operator.OPERATOR_SUBTRACT)
                && call.getArgumentsCount() == 2
                && call.getArguments(0).hasColumn() && call.getArguments(0).getColumn() == position
                && call.getArguments(1).hasConstant();
        if (!sum) {
            throw new RefusedUpdateException("0A000", "column \"" + column.name()
                    + "\" can be set to a constant, or to itself plus or minus a constant");
        }
        switch (column.type().kind()) {
            case BOOL, TIMESTAMP, TIMESTAMPTZ, INTERVAL, TIME, UUID, CHAR, VARCHAR, TEXT ->
                throw new RefusedUpdateException("42883",
                    "column \"" + column.name() + "\" of type " + column.type() + " cannot be added to");
            default -> {
                // Numbers and dates can.
            }
        }
        Constant constant = call.getArguments(1).getConstant();
        ColumnType type = addedType(column.type(), constant);
        Object value = valueOf(new DescribedTable.Column(column.name(), type, true, null), constant);
        if (value == null) {
            throw new RefusedUpdateException(Errors.PROTOCOL_VIOLATION,
                    "NULL added to column \"" + column.name() + "\"");
        }
        if (call.getOperator() == Operator.OPERATOR_SUBTRACT && isLeast(value)) {
            throw new RefusedUpdateException("22003", "the constant subtracted from column \"" + column.name()
                    + "\" is out of range: " + value + " has no opposite");
        }
    }

    /** Nodes add the opposite of what is subtracted, in the constant's own type. */
    private static boolean isLeast(Object value) {
        return value.equals(Short.MIN_VALUE) || value.equals(Integer.MIN_VALUE) || value.equals(Long.MIN_VALUE);
    }

    /** Days for dates; real takes double precision, too, and rounds the sum; for the rest the column's own type. */
    private static ColumnType addedType(ColumnType column, Constant constant) {
        return switch (column.kind()) {
            case DATE -> ColumnType.of(ColumnType.Kind.INT);
            case REAL -> constant.getType().getKind() == TypeKind.TYPE_KIND_DOUBLE
                    ? ColumnType.of(ColumnType.Kind.DOUBLE) : column;
            default -> column;
        };
    }

    private Object valueOf(DescribedTable.Column column, Constant constant) throws RefusedUpdateException {
        try {
            ColumnType type = WireTypes.read(constant.getType());
            if (!type.equals(column.type())) {
                throw new RefusedUpdateException("42804", "column \"" + column.name() + "\" is of type " + column.type()
                        + " but the value is of type " + type);
            }
            return language.read(constant);
        } catch (WireException e) {
            throw new RefusedUpdateException(Errors.PROTOCOL_VIOLATION, "column \"" + column.name() + "\": "
                    + e.getMessage());
        }
    }
}
