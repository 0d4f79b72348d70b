package org.daedalus.cli.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.daedalus.client.DaedalusClient;
import org.daedalus.client.FakeAggregator;
import org.jline.reader.Candidate;
import org.jline.reader.impl.DefaultParser;
import org.junit.jupiter.api.Test;

/** The completer offers words in an order. */
class ShellCompleterTest {
    @Test
    void shouldOfferColumnsBeforeFunctionsAndFunctionsBeforeKeywords() throws Exception {
        List<Candidate> offered = new ArrayList<>();
        try (FakeAggregator fake = new FakeAggregator((self, operation) -> { });
                DaedalusClient client = DaedalusClient.builder().aggregators(fake.endpoint()).build()) {
            ShellCompleter completer = new ShellCompleter(client.await(client.describe()), List.of());
            String line = "SELECT ";
            completer.complete(null, new DefaultParser().parse(line, line.length()), offered);
        }
        Collections.sort(offered); // As the reader does.
        List<String> words = offered.stream().map(Candidate::value).toList();
        assertThat(words.subList(0, 2)).containsExactly("rloc", "product_id");
        assertThat(words.get(2)).isEqualTo(FunctionList.names().get(0) + "(");
        assertThat(words.indexOf("FROM")).isGreaterThan(words.indexOf("abs("));
    }
}
