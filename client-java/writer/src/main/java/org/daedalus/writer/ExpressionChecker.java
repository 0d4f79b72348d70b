package org.daedalus.writer;

import java.util.ArrayList;
import java.util.List;
import org.daedalus.wire.Constants;
import org.daedalus.wire.DescribedTable;
import org.daedalus.wire.WireException;
import org.daedalus.wire.WireTypes;
import org.daedalus.wire.v1.Call;
import org.daedalus.wire.v1.Constant;
import org.daedalus.wire.v1.Expression;
import org.daedalus.wire.v1.Type;
import org.daedalus.wire.v1.TypeKind;

/**
 * Checks what an update computes of a row: every function there is, of the arguments that it takes. Nodes type an
 * expression again by the same rules; what they would refuse must have no number.
 */
final class ExpressionChecker {
    /** Levels of an expression, and its columns, constants and calls, as nodes allow them. */
    private static final int DEPTH_MAX = 40;
    private static final int NODES_MAX = 16_384;

    private static final int BOOL = TypeKind.TYPE_KIND_BOOL_VALUE;

    /** Calls below are forms, which decide by themselves what their arguments are. */
    private static final int FUNCTIONS_FROM = 64;
    private static final int AND = 1;
    private static final int OR = 2;
    private static final int NOT = 3;
    private static final int IS_NULL = 4;
    private static final int IS_NOT_NULL = 5;
    private static final int IS_NOT_FALSE = 9;
    private static final int IS_DISTINCT = 10;
    private static final int IS_NOT_DISTINCT = 11;
    private static final int CASE = 12;
    private static final int COALESCE = 13;
    private static final int NULL_IF = 14;
    private static final int LEAST = 16;
    private static final int NOT_IN = 18;
    private static final int CAST = 19;

    private final DescribedTable table;
    private final FunctionTable functions;
    private final Language language;
    private int languageNeeded = 1;
    private int nodes;

    ExpressionChecker(DescribedTable table, FunctionTable functions) {
        this.table = table;
        this.functions = functions;
        this.language = functions.language();
    }

    /** The first version of the language that has all that was checked. */
    int languageNeeded() {
        return languageNeeded;
    }

    private void need(Language.Kind kind, int number) {
        languageNeeded = Math.max(languageNeeded, language.since(kind, number));
    }

    /** Refuses what is no condition over rows. */
    void checkCondition(Expression condition) throws RefusedUpdateException {
        if (check(condition) != BOOL) {
            throw malformed("a condition that is no boolean");
        }
    }

    /** Refuses what a column cannot be given. */
    void checkAssigned(DescribedTable.Column column, Expression value) throws RefusedUpdateException {
        int kind = check(value);
        int target = column.type().kind().ordinal() + 1;
        if (!functions.canAssign(kind, target)) {
            throw new RefusedUpdateException("42804", "column \"" + column.name() + "\" is of type " + column.type()
                    + " but its expression is of kind " + TypeKind.forNumber(kind));
        }
    }

    /** The kind of its values. */
    private int check(Expression expression) throws RefusedUpdateException {
        nodes = 0;
        return kindOf(expression, 1);
    }

    private int kindOf(Expression expression, int depth) throws RefusedUpdateException {
        if (depth > DEPTH_MAX) {
            throw new RefusedUpdateException("54001", "the expression has more than " + DEPTH_MAX
                    + " levels of nesting");
        }
        if (++nodes > NODES_MAX) {
            throw new RefusedUpdateException("54001", "the expression has more than " + NODES_MAX + " parts");
        }
        return switch (expression.getNodeCase()) {
            case COLUMN -> kindOfColumn(expression.getColumn());
            case CONSTANT -> kindOfConstant(expression.getConstant());
            case CALL -> kindOfCall(expression.getCall(), depth);
            case AGGREGATE -> throw new RefusedUpdateException("42803", "an aggregate in an update");
            case NODE_NOT_SET -> throw malformed("an empty expression");
        };
    }

    private int kindOfColumn(int position) throws RefusedUpdateException {
        if (position < 0 || position >= table.columns().size()) {
            throw new RefusedUpdateException("42703", "there is no column " + Integer.toUnsignedString(position));
        }
        return table.columns().get(position).type().kind().ordinal() + 1;
    }

    private int kindOfConstant(Constant constant) throws RefusedUpdateException {
        try {
            languageNeeded = Math.max(languageNeeded, Language.neededBy(Constants.toValue(constant)));
        } catch (WireException e) {
            throw malformed(e.getMessage());
        }
        need(Language.Kind.TYPE, constant.getType().getKindValue());
        return constant.getType().getKindValue();
    }

    private int kindOfCall(Call call, int depth) throws RefusedUpdateException {
        List<Integer> arguments = new ArrayList<>();
        for (Expression argument : call.getArgumentsList()) {
            arguments.add(kindOf(argument, depth + 1));
        }
        int number = call.getFunction();
        if (number >= 0 && number < FUNCTIONS_FROM) {
            return kindOfForm(number, arguments, call.getType());
        }
        FunctionTable.Function function = functions.function(number);
        if (function == null || !function.takes(arguments)) {
            throw malformed("no function number " + Integer.toUnsignedString(number) + " of kinds " + arguments);
        }
        if (!function.isExact()) {
            throw new RefusedUpdateException("0A000", function.name()
                    + " in UPDATE and DELETE is not supported: its last digits may differ from node to node");
        }
        need(Language.Kind.FUNCTION, number);
        return function.result();
    }

    private int kindOfForm(int form, List<Integer> arguments, Type target) throws RefusedUpdateException {
        int count = arguments.size();
        boolean isSound = switch (form) {
            case AND, OR -> count >= 2 && allAre(arguments, BOOL);
            case NOT -> count == 1 && allAre(arguments, BOOL);
            case IS_NULL, IS_NOT_NULL -> count == 1;
            case IS_DISTINCT, IS_NOT_DISTINCT, NULL_IF -> count == 2 && areComparable(arguments);
            case CASE -> isCase(arguments);
            case CAST -> count == 1 && canCast(arguments.get(0), target);
            default -> form > IS_NOT_NULL && form <= IS_NOT_FALSE ? count == 1 && allAre(arguments, BOOL)
                    : form >= COALESCE && form <= LEAST ? count >= 1 && allAre(arguments, arguments.get(0))
                    : form > LEAST && form <= NOT_IN && count >= 2 && allAre(arguments, arguments.get(0));
        };
        if (!isSound) {
            throw malformed("form " + form + " of kinds " + arguments);
        }
        return switch (form) {
            case CASE -> arguments.get(1);
            case CAST -> target.getKindValue();
            default -> form >= COALESCE && form <= LEAST ? arguments.get(0) : BOOL;
        };
    }

    private static boolean allAre(List<Integer> kinds, int kind) {
        return kinds.stream().allMatch(each -> each == kind);
    }

    private static boolean areComparable(List<Integer> kinds) {
        return kinds.get(0).equals(kinds.get(1)) || (isFloating(kinds.get(0)) && isFloating(kinds.get(1)));
    }

    private static boolean isFloating(int kind) {
        return kind == TypeKind.TYPE_KIND_REAL_VALUE || kind == TypeKind.TYPE_KIND_DOUBLE_VALUE;
    }

    /** Condition, value, condition, value, … and the value otherwise. */
    private static boolean isCase(List<Integer> arguments) {
        if (arguments.size() < 3 || arguments.size() % 2 == 0) {
            return false;
        }
        int kind = arguments.get(1);
        for (int at = 0; at + 1 < arguments.size(); at += 2) {
            if (arguments.get(at) != BOOL || arguments.get(at + 1) != kind) {
                return false;
            }
        }
        return arguments.get(arguments.size() - 1) == kind;
    }

    private boolean canCast(int from, Type target) throws RefusedUpdateException {
        try {
            WireTypes.read(target);
        } catch (WireException e) {
            throw malformed(e.getMessage());
        }
        need(Language.Kind.CAST, Language.castNumber(from, target.getKindValue()));
        need(Language.Kind.TYPE, target.getKindValue());
        return functions.canCast(from, target.getKindValue());
    }

    private static RefusedUpdateException malformed(String what) {
        return new RefusedUpdateException(Errors.PROTOCOL_VIOLATION, "what an update computes: " + what);
    }
}
