package org.daedalus.writer;

import org.daedalus.wire.v1.Error;
import org.daedalus.wire.v1.ErrorCategory;
import org.daedalus.wire.v1.WriteRefused;

/** Errors of the wire, made in one place. */
final class Errors {
    static final String NOT_SUPPORTED = "0A000";
    static final String OBJECT_IN_USE = "55006";
    static final String INVALID_PARAMETER_VALUE = "22023";
    static final String NOT_IN_STATE = "55000";
    static final String ADMIN_SHUTDOWN = "57P01";
    static final String CANNOT_CONNECT_NOW = "57P03";
    static final String LIMIT_EXCEEDED = "53400";
    static final String DISK_FULL = "53100";
    static final String IO_ERROR = "58030";
    static final String CLUSTER_BROKEN = "F0000";
    /** A node that takes no more updates says this, for one because it was sent two updates under one number. */
    static final String NODE_BROKEN = "XX001";
    static final String OUTCOME_UNKNOWN = "08007";
    static final String PROTOCOL_VIOLATION = "08P01";

    static final String START_AFRESH = "start the cluster afresh and load it again";
    static final String STOP_OR_TAKE_OVER = "stop it first, or start this one with --take-over";

    private Errors() {}

    static Error retry(String sqlState, String message, String hint) {
        return make(ErrorCategory.ERROR_CATEGORY_RETRY, sqlState, message, hint);
    }

    static Error rejected(String sqlState, String message, String hint) {
        return make(ErrorCategory.ERROR_CATEGORY_REJECTED, sqlState, message, hint);
    }

    static Error unknown(String sqlState, String message, String hint) {
        return make(ErrorCategory.ERROR_CATEGORY_UNKNOWN, sqlState, message, hint);
    }

    static Error fatal(String sqlState, String message, String hint) {
        return make(ErrorCategory.ERROR_CATEGORY_FATAL, sqlState, message, hint);
    }

    /** Says whether a disk is full or broken: it stays so until somebody sees to it. */
    static boolean isOfDisk(Error error) {
        return error.getSqlstate().equals(DISK_FULL) || error.getSqlstate().equals(IO_ERROR);
    }

    static Error takenOver(String holder, long epoch) {
        return fatal(OBJECT_IN_USE, holder + " has taken over as the writer (epoch " + epoch + ")",
                "send updates to it");
    }

    /** Words why a node has refused an update for ever. */
    static Error broken(WriteRefused refused) {
        return fatal(CLUSTER_BROKEN, "node " + refused.getNode() + " refused update " + refused.getTimestamp() + ": "
                + refused.getError().getMessage(), START_AFRESH);
    }

    private static Error make(ErrorCategory category, String sqlState, String message, String hint) {
        return Error.newBuilder().setCategory(category).setSqlstate(sqlState).setMessage(message).setHint(hint).build();
    }
}
