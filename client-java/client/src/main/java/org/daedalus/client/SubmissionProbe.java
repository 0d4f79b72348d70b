package org.daedalus.client;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.daedalus.client.internal.protocol.ReadTerms;
import org.daedalus.client.internal.protocol.Request;
import org.daedalus.wire.v1.Call;
import org.daedalus.wire.v1.DeletePart;
import org.daedalus.wire.v1.Expression;
import org.daedalus.wire.v1.OperationKind;
import org.daedalus.wire.v1.Operator;
import org.daedalus.wire.v1.Route;
import org.daedalus.wire.v1.SubmissionId;
import org.daedalus.wire.v1.SubmitBody;
import org.daedalus.wire.v1.UpdateBody;
import org.daedalus.wire.v1.UpdatePart;

/**
 * An update that changes no row, under a name of the caller's choice. Its timestamp is the same each time as
 * long as the writer remembers the name; submissions are forgotten oldest first, so that while a probe is remembered
 * everything submitted after it is, too.
 */
public final class SubmissionProbe extends Executable<SubmissionProbe, WriteOutcome> {
    private final TableDescription table;
    private final SubmissionId submission;

    SubmissionProbe(DaedalusClient client, TableDescription table, SubmissionName name) {
        super(client, WriteOutcome.class);
        this.table = table;
        this.submission = name.toMessage();
    }

    @Override
    CompletableFuture<Request.Content> content() {
        Expression nothing = call(Operator.OPERATOR_AND,
                call(Operator.OPERATOR_IS_NULL, firstColumn()), call(Operator.OPERATOR_IS_NOT_NULL, firstColumn()));
        SubmitBody body = SubmitBody.newBuilder()
                .setUpdate(UpdateBody.newBuilder().addParts(UpdatePart.newBuilder()
                        .setDelete(DeletePart.newBuilder().setFilter(nothing))))
                .addRoutes(Route.getDefaultInstance())
                .build();
        return CompletableFuture.completedFuture(new Request.Content(OperationKind.OPERATION_KIND_SUBMIT, null,
                body.toByteString(), submission, List.of(), table.reply().getMap().getVersion(), ReadTerms.NONE, 0, "",
                ""));
    }

    private static Expression firstColumn() {
        return Expression.newBuilder().setColumn(0).build();
    }

    private static Expression call(Operator operator, Expression... arguments) {
        return Expression.newBuilder()
                .setCall(Call.newBuilder().setOperator(operator).addAllArguments(List.of(arguments))).build();
    }
}
