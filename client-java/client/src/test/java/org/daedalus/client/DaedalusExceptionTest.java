package org.daedalus.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.wire.v1.Error;
import org.daedalus.wire.v1.ErrorCategory;
import org.daedalus.wire.v1.MissingPart;
import org.daedalus.wire.v1.QueryRows;
import org.daedalus.wire.v1.Result;
import org.junit.jupiter.api.Test;

/** Every way to fail has a category and an SQLSTATE. */
class DaedalusExceptionTest {
    private static DaedalusException answered(Result.Builder answer) throws Exception {
        try (FakeAggregator fake = new FakeAggregator((self, operation) -> self.answer(operation, answer.clone()));
                DaedalusClient client = DaedalusClient.builder().aggregators(fake.endpoint())
                        .requestTimeout(Duration.ofSeconds(20)).build()) {
            return catchThrowableOfType(DaedalusException.class,
                    () -> client.await(client.query("SELECT 1").thenCompose(ResultSet::whole)));
        }
    }

    @Test
    void shouldKeepAllThatTheClusterSays() throws Exception {
        Error.Builder error = Error.newBuilder().setSqlstate("08006").setMessage("node 1 is lost").setDetail("a detail")
                .setHint("a hint").setPosition(8).setRetryAfterNs(5_000_000)
                .addMissing(MissingPart.newBuilder().setNode(1).setPartition(2).setReason("no answer"));
        for (Category category : Category.values()) {
            error.setCategory(ErrorCategory.valueOf("ERROR_CATEGORY_" + category));
            DaedalusException failure = answered(Result.newBuilder().setError(error));
            assertThat(failure.category()).isEqualTo(category);
            assertThat(failure.sqlState()).isEqualTo("08006");
            assertThat(failure).hasMessage("node 1 is lost");
            assertThat(failure.detail()).isEqualTo("a detail");
            assertThat(failure.hint()).isEqualTo("a hint");
            assertThat(failure.position()).isEqualTo(8);
            assertThat(failure.retryAfter()).hasMillis(5);
            assertThat(failure.missing()).containsExactly(new DaedalusException.Missing(1, 2, "no answer"));
        }
    }

    @Test
    void shouldCallAnAnswerThatMakesNoSenseFatal() throws Exception {
        assertThat(answered(Result.newBuilder()).category()).isEqualTo(Category.FATAL);
        assertThat(answered(Result.newBuilder().setEnd(org.daedalus.wire.v1.QueryEnd.getDefaultInstance())).sqlState())
                .isEqualTo("08P01");
        QueryRows unknownType = QueryRows.newBuilder().addColumns(org.daedalus.wire.v1.Column.newBuilder()
                .setType(org.daedalus.wire.v1.Type.newBuilder().setKindValue(99))).build();
        assertThat(answered(Result.newBuilder().setRows(unknownType)).category()).isEqualTo(Category.FATAL);
    }

    @Test
    void shouldTranslateFailuresOfTheApplicationAndOfTheClientItself() {
        DaedalusException known = new DaedalusException(Category.RETRY, "53000", "full");
        assertThat(Executable.asDaedalusException(new CompletionException(known))).isSameAs(known);
        assertThat(Executable.asDaedalusException(new IllegalArgumentException("no")).category())
                .isEqualTo(Category.REJECTED);
        assertThat(Executable.asDaedalusException(new CancellationException()).sqlState()).isEqualTo("57014");
        assertThat(Executable.asDaedalusException(new TimeoutException()).category()).isEqualTo(Category.RETRY);
        DaedalusException bug = Executable.asDaedalusException(new ArithmeticException("/ by zero"));
        assertThat(bug.category()).isEqualTo(Category.FATAL);
        assertThat(bug).hasCauseInstanceOf(ArithmeticException.class);
    }

    @Test
    void shouldKeepEverythingWhenItIsThrownWhereItIsWaitedFor() {
        DaedalusException failure = DaedalusException.of(Error.newBuilder().setSqlstate("42703").setPosition(3)
                .setCategory(ErrorCategory.ERROR_CATEGORY_REJECTED).setMessage("no such column").build());
        DaedalusException copy = failure.rethrown();
        assertThat(copy).hasMessage("no such column").hasCause(failure);
        assertThat(copy.position()).isEqualTo(3);
        assertThat(copy.category()).isEqualTo(Category.REJECTED);
    }

    @Test
    void shouldSayEverythingToALog() {
        DaedalusException failure = DaedalusException.of(Error.newBuilder().setSqlstate("42703").setPosition(8)
                .setCategory(ErrorCategory.ERROR_CATEGORY_REJECTED).setMessage("column \"setat\" does not exist")
                .setHint("perhaps seat").build());
        assertThat(failure).hasToString("org.daedalus.client.DaedalusException: REJECTED 42703:"
                + " column \"setat\" does not exist (position 8); hint: perhaps seat");
        assertThat(new DaedalusException(Category.RETRY, "08001", "nobody is there"))
                .hasToString("org.daedalus.client.DaedalusException: RETRY 08001: nobody is there");
    }
}
