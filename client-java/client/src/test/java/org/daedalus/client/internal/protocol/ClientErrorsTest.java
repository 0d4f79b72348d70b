package org.daedalus.client.internal.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.daedalus.client.DaedalusException;
import org.daedalus.client.DaedalusException.Category;
import org.daedalus.wire.v1.Error;
import org.daedalus.wire.v1.ErrorCategory;
import org.daedalus.wire.v1.WriteRefusal;
import org.daedalus.wire.v1.WriteRefused;
import org.junit.jupiter.api.Test;

/** Every failure that the client itself decides on has a category and an SQLSTATE. */
class ClientErrorsTest {
    private static DaedalusException refused(WriteRefusal reason) {
        return ClientErrors.refused(WriteRefused.newBuilder().setReason(reason).setRetryAfterNs(7_000_000).build());
    }

    @Test
    void shouldSayWhatEveryRefusalOfAnUpdateMeans() {
        assertThat(refused(WriteRefusal.WRITE_REFUSAL_OVERLOADED).category()).isEqualTo(Category.RETRY);
        assertThat(refused(WriteRefusal.WRITE_REFUSAL_OVERLOADED).retryAfter()).hasMillis(7);
        assertThat(refused(WriteRefusal.WRITE_REFUSAL_STALE_MAP).sqlState()).isEqualTo("55000");
        assertThat(refused(WriteRefusal.WRITE_REFUSAL_UNREACHABLE).category()).isEqualTo(Category.UNKNOWN);
        assertThat(refused(WriteRefusal.WRITE_REFUSAL_DIGEST_MISMATCH).category()).isEqualTo(Category.FATAL);
        assertThat(refused(WriteRefusal.WRITE_REFUSAL_STALE_EPOCH).category()).isEqualTo(Category.FATAL);
        assertThat(ClientErrors.refused(WriteRefused.newBuilder().setReason(WriteRefusal.WRITE_REFUSAL_REJECTED)
                .setError(Error.newBuilder().setCategory(ErrorCategory.ERROR_CATEGORY_REJECTED).setSqlstate("23502"))
                .build()).sqlState()).isEqualTo("23502");
    }

    @Test
    void shouldRejectWhatIsTooLargeAndRetryWhatFindsNoRoom() {
        assertThat(ClientErrors.sendRefused(true).category()).isEqualTo(Category.REJECTED);
        assertThat(ClientErrors.sendRefused(false).category()).isEqualTo(Category.RETRY);
    }
}
