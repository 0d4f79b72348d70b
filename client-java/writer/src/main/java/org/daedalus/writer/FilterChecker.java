package org.daedalus.writer;

import java.util.List;
import org.daedalus.wire.ColumnType;
import org.daedalus.wire.DescribedTable;
import org.daedalus.wire.WireException;
import org.daedalus.wire.WireTypes;
import org.daedalus.wire.v1.Constant;
import org.daedalus.wire.v1.Expression;
import org.daedalus.wire.v1.Operator;

/**
 * Checks the filter of an update: AND and OR over comparisons between one column and constants of that column's own
 * type. Aggregators compile SQL to exactly this form, in which nothing is left that could fail later.
 */
final class FilterChecker {
    /**
     * Protocol Buffers are read 100 messages deep. A level of AND or OR is two, and around the deepest one are four of
     * a submission and four of a comparison.
     */
    private static final int DEPTH_MAX = 46;

    private final DescribedTable table;
    private final NeededLanguage language;
    private final int literalsMax;
    private int literals;

    /** Makes a checker that tells {@code language} what the filter needs. */
    FilterChecker(DescribedTable table, NeededLanguage language) {
        this.table = table;
        this.language = language;
        this.literalsMax = table.reply().getLimits().getLiteralsMax();
    }

    /** Refuses what is not in the form above, or beyond the cluster's declared bounds. */
    void check(Expression filter) throws RefusedUpdateException {
        checkCondition(filter, 1);
        if (literals > literalsMax) {
            throw new RefusedUpdateException("54001", "the condition has " + literals + " comparisons, more than "
                    + literalsMax);
        }
    }

    private void checkCondition(Expression condition, int depth) throws RefusedUpdateException {
        Operator operator = condition.hasCall() ? condition.getCall().getOperator() : Operator.OPERATOR_UNSPECIFIED;
        if (operator != Operator.OPERATOR_AND && operator != Operator.OPERATOR_OR) {
            checkLiteral(condition);
            return;
        }
        if (depth > DEPTH_MAX) {
            throw new RefusedUpdateException("54001", "the condition has more than " + DEPTH_MAX
                    + " levels of nesting");
        }
        if (condition.getCall().getArgumentsCount() == 0) {
            throw malformed(operator + " without operands");
        }
        for (Expression operand : condition.getCall().getArgumentsList()) {
            checkCondition(operand, depth + 1);
        }
    }

    private void checkLiteral(Expression literal) throws RefusedUpdateException {
        if (!literal.hasCall() || literal.getCall().getArgumentsCount() == 0
                || !literal.getCall().getArguments(0).hasColumn()) {
            throw malformed("not a comparison of a column");
        }
        List<Expression> arguments = literal.getCall().getArgumentsList();
        ColumnType type = CheckedColumns.at(table, arguments.get(0).getColumn()).type();
        List<Expression> constants = arguments.subList(1, arguments.size());
        Operator operator = literal.getCall().getOperator();
        boolean countOk = switch (operator) {
            case OPERATOR_EQUAL, OPERATOR_NOT_EQUAL, OPERATOR_LESS, OPERATOR_LESS_OR_EQUAL, OPERATOR_GREATER,
                    OPERATOR_GREATER_OR_EQUAL -> constants.size() == 1;
            case OPERATOR_STARTS_WITH, OPERATOR_NOT_STARTS_WITH -> constants.size() == 1 && type.isString();
            case OPERATOR_IN, OPERATOR_NOT_IN -> !constants.isEmpty();
            case OPERATOR_IS_NULL, OPERATOR_IS_NOT_NULL -> constants.isEmpty();
            default -> false;
        };
        if (!countOk) {
            throw malformed(operator + " of " + type + " with " + constants.size() + " constants");
        }
        for (Expression constant : constants) {
            checkConstant(type, constant);
        }
        literals += Math.max(1, constants.size());
    }

    private void checkConstant(ColumnType column, Expression expression) throws RefusedUpdateException {
        if (!expression.hasConstant()) {
            throw malformed("a column compared with something other than constants");
        }
        Constant constant = expression.getConstant();
        try {
            ColumnType type = WireTypes.read(constant.getType());
            if (!isComparable(column, type)) {
                throw malformed(column + " compared with " + type);
            }
            language.read(constant);
        } catch (WireException e) {
            throw malformed(e.getMessage());
        }
    }

    /**
     * A string may be longer than its column: it still orders. What is a char(n) compares without its trailing blanks,
     * which beside a varchar no node can say.
     */
    private static boolean isComparable(ColumnType column, ColumnType constant) {
        boolean isBlanks = column.kind() == ColumnType.Kind.VARCHAR && constant.kind() == ColumnType.Kind.CHAR;
        return column.isString() ? constant.isString() && !constant.equals(ColumnType.UNTYPED) && !isBlanks
                : constant.equals(column);
    }

    private static RefusedUpdateException malformed(String what) {
        return new RefusedUpdateException(Errors.PROTOCOL_VIOLATION, "condition not in normal form: " + what
                + "; send SQL text to have it brought there");
    }
}
