package org.daedalus.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.workload.SqlStatement;
import org.junit.jupiter.api.Test;

class UpdatesTest {
    private static final SqlStatement UPDATE = new SqlStatement("UPDATE t SET v = 1 WHERE id = $1", List.of(1));
    private static final LoadRun.Meter NOTHING = new LoadRun.Meter() {
        @Override
        public void begin(long nowNs) {}

        @Override
        public void end(long nowNs) {}
    };

    private final TestClock clock = new TestClock();

    @Test
    void shouldRecordThePausesBetweenAnswersWhileItIsMeasured() {
        AnswerGaps gaps = new AnswerGaps(new FakeTarget(clock, ms(2)).stalledUntil(ms(50)), clock, NOTHING);
        gaps.send(UPDATE); // Answered at 52 ms, before anything is measured.
        clock.waitUntil(ms(60));
        gaps.begin(clock.nowNs());
        for (int update = 0; update < 3; update++) {
            gaps.send(UPDATE); // Answered at 62, 64 and 66 ms.
        }
        clock.waitUntil(ms(100));
        gaps.send(UPDATE);
        clock.waitUntil(ms(110)); // Answered at 102 ms, 36 ms after the one before.
        gaps.end(clock.nowNs());
        gaps.send(UPDATE);
        clock.waitUntil(ms(900));
        assertThat(gaps.milliseconds(50)).isBetween(1.99, 2.01);
        assertThat(gaps.milliseconds(100)).isBetween(35.9, 36.1);
    }

    @Test
    void shouldNotTakeAFailureForAnAnswer() {
        FakeTarget failing = new FakeTarget(clock, ms(2), number -> FakeTarget.failure(Category.RETRY, "53000"));
        AnswerGaps gaps = new AnswerGaps(failing, clock, NOTHING);
        gaps.begin(clock.nowNs());
        gaps.send(UPDATE);
        clock.waitUntil(ms(10));
        assertThat(gaps.milliseconds(50)).isNaN();
    }

    @Test
    void shouldTakeAnotherKeyEachTimeAndOnlyThoseThereAre() {
        Supplier<SqlStatement> source = UpdatesCommand.source(UPDATE.text(), 1_000, 7);
        Set<Object> keys = new HashSet<>();
        for (int update = 0; update < 500; update++) {
            keys.add(source.get().parameters().get(0));
        }
        assertThat(keys).hasSizeGreaterThan(300).allMatch(key -> (int) key >= 0 && (int) key < 1_000);
        assertThat(UpdatesCommand.source(UPDATE.text(), 1_000, 8).get()).isNotEqualTo(
                UpdatesCommand.source(UPDATE.text(), 1_000, 7).get());
    }

    private static long ms(long milliseconds) {
        return TimeUnit.MILLISECONDS.toNanos(milliseconds);
    }
}
