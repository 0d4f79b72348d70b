package org.daedalus.writer;

import java.util.ArrayList;
import java.util.List;
import org.daedalus.wire.ColumnType;
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
    private static final int BOOL = TypeKind.TYPE_KIND_BOOL_VALUE;

    private final DescribedTable table;
    private final FunctionTable functions;
    private final NeededLanguage language;
    private final int depthMax;
    private final int nodesMax;
    private int nodes;

    /** Makes a checker that tells {@code language} what expressions need. */
    ExpressionChecker(DescribedTable table, FunctionTable functions, NeededLanguage language) {
        this.table = table;
        this.functions = functions;
        this.language = language;
        this.depthMax = functions.limit("call depth");
        this.nodesMax = functions.limit("call nodes");
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
        if (!functions.canAssign(kind, numberOf(column.type()))) {
            throw new RefusedUpdateException("42804", "column \"" + column.name() + "\" is of type " + column.type()
                    + " but its expression is of kind " + TypeKind.forNumber(kind));
        }
    }

    /** Returns the kind of the expression's values. */
    private int check(Expression expression) throws RefusedUpdateException {
        nodes = 0;
        return kindOf(expression, 1);
    }

    private int kindOf(Expression expression, int depth) throws RefusedUpdateException {
        if (depth > depthMax) {
            throw new RefusedUpdateException("54001", "the expression has more than " + depthMax
                    + " levels of nesting");
        }
        if (++nodes > nodesMax) {
            throw new RefusedUpdateException("54001", "the expression has more than " + nodesMax + " parts");
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
        return numberOf(CheckedColumns.at(table, position).type());
    }

    private static int numberOf(ColumnType type) {
        return type.kind().ordinal() + 1;
    }

    private int kindOfConstant(Constant constant) throws RefusedUpdateException {
        try {
            language.read(constant);
        } catch (WireException e) {
            throw malformed(e.getMessage());
        }
        language.need(Language.Kind.TYPE, constant.getType().getKindValue());
        return constant.getType().getKindValue();
    }

    private int kindOfCall(Call call, int depth) throws RefusedUpdateException {
        List<Integer> arguments = new ArrayList<>();
        for (Expression argument : call.getArgumentsList()) {
            arguments.add(kindOf(argument, depth + 1));
        }
        int number = call.getFunction();
        if (functions.isForm(number)) {
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
        language.need(Language.Kind.FUNCTION, number);
        return function.result();
    }

    private int kindOfForm(int number, List<Integer> arguments, Type target) throws RefusedUpdateException {
        int count = arguments.size();
        String form = functions.form(number);
        boolean isSound = switch (form) {
            case "and", "or" -> count >= 2 && allAre(arguments, BOOL);
            case "not", "is true", "is not true", "is false", "is not false" -> count == 1 && allAre(arguments, BOOL);
            case "is null", "is not null" -> count == 1;
            case "is distinct from", "is not distinct from", "nullif" -> count == 2 && areComparable(arguments);
            case "case" -> isCase(arguments);
            case "coalesce", "greatest", "least" -> count >= 1 && allAre(arguments, arguments.get(0));
            case "in", "not in" -> count >= 2 && allAre(arguments, arguments.get(0));
            case "cast" -> count == 1 && canCast(arguments.get(0), target);
            default -> false;
        };
        if (!isSound) {
            throw malformed("form " + number + " of kinds " + arguments);
        }
        return switch (form) {
            case "case" -> arguments.get(1);
            case "cast" -> target.getKindValue();
            case "coalesce", "nullif", "greatest", "least" -> arguments.get(0);
            default -> BOOL;
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
        language.need(Language.Kind.CAST, Language.castNumber(from, target.getKindValue()));
        language.need(Language.Kind.TYPE, target.getKindValue());
        return functions.canCast(from, target.getKindValue());
    }

    private static RefusedUpdateException malformed(String what) {
        return new RefusedUpdateException(Errors.PROTOCOL_VIOLATION, "what an update computes: " + what);
    }
}
