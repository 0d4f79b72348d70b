#!/usr/bin/env bash
# Plants, one at a time in a copy, what the lints of this tree have to find, and what they have to let pass.
set -euo pipefail
cd "$(dirname "$0")/.."

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
git ls-files -z -- base cmake semantics storage_node aggregator rpc client-java schema_compiler tests docs ARCHITECTURE.md |
  xargs -0 cp --parents -t "$tree"

# expect FOUND|CLEAN FILE LINE: the verdict of $lint with LINE at the end of FILE.
expect() {
  local verdict=$1 file=$tree/$2 line=$3 got=CLEAN
  cp "$file" "$file.before"
  printf '%s\n' "$line" >> "$file"
  "$lint" "$tree" > /dev/null 2>&1 || got=FOUND
  mv "$file.before" "$file"
  if [ "$got" != "$verdict" ]; then
    echo "$lint: $got instead of $verdict: \"$line\" in $2" >&2
    exit 1
  fi
}

lint=tools/lint_cores.sh
expect CLEAN storage_node/core/src/ledger.cpp '// The clock is read by the driver, std::chrono and all.'
expect CLEAN storage_node/engine/src/thread/segment_thread.cpp '#include <chrono>'
expect CLEAN client-java/writer/src/main/java/org/daedalus/writer/WriterDriver.java 'long now = System.nanoTime();'
expect FOUND storage_node/core/src/ledger.cpp 'auto now = std::chrono::steady_clock::now();'
expect FOUND aggregator/core/src/core.cpp '#include <thread>'
expect FOUND storage_node/engine/src/sweep/cycle.cpp 'std::mutex mutex;'
expect FOUND storage_node/engine/src/kernels/native.cpp '  const auto chance = std::mt19937(7)();'
expect FOUND rpc/channel/src/channel.cpp 'int peer = ::socket(AF_INET, SOCK_STREAM, 0);'
expect FOUND rpc/merging/src/merge_scheduler.cpp '  woken.notify_one();'
expect FOUND rpc/contract/src/routes.cpp '#include <sys/socket.h>'
expect FOUND semantics/values/texts/text.cpp '  clock_gettime(CLOCK_MONOTONIC, &now);'
expect CLEAN semantics/values/numbers/spare_limbs.cpp 'thread_local int another = 0;'
expect FOUND semantics/values/texts/text.cpp 'thread_local int parsed = 0;'
expect FOUND client-java/writer/src/main/java/org/daedalus/writer/WriterCore.java 'long now = System.nanoTime();'
expect FOUND client-java/writer/src/main/java/org/daedalus/writer/UpdateChecker.java 'import java.util.Random;'
expect FOUND client-java/client/src/main/java/org/daedalus/client/internal/protocol/ClientCore.java 'synchronized (this) {}'
expect FOUND client-java/channel/src/main/java/org/daedalus/channel/Channel.java 'import io.netty.buffer.ByteBuf;'
expect FOUND client-java/wire/src/main/java/org/daedalus/wire/Framer.java 'var at = java.time.Instant.now();'

lint=tools/lint_includes.sh
expect CLEAN storage_node/engine/src/kernels/native.cpp '#include "codes.hpp"'
expect CLEAN semantics/values/texts/text.cpp '#include <fmt/format.h>'
expect FOUND storage_node/engine/src/kernels/native.cpp '#include <fmt/format.h>'
expect FOUND storage_node/engine/src/query/query_run.cpp '#include "daedalus/wire/v1/operations.pb.h"'
expect FOUND storage_node/engine/src/index/key_index.cpp '#include "../query/query_run.hpp"'
expect FOUND aggregator/postgres/src/copy/copy_in.cpp '#include "../session/session.hpp"'
expect FOUND semantics/values/texts/text.cpp '#include <boost/asio.hpp>'
expect FOUND semantics/values/include/daedalus/semantics/text.hpp '#include <fmt/format.h>'
expect FOUND semantics/algebra/condition.cpp '#include "../answers/merging/sort_key.hpp"'
expect FOUND semantics/functions/texts/like.cpp '#include "regular_expression/parser.hpp"'
expect FOUND base/include/daedalus/base/units.hpp '#include <google/protobuf/message.h>'
expect FOUND cmake/precompiled_standard.hpp '#include <google/protobuf/message.h>'

# Edges as CMake writes them, in the graph that lint_link_graph.py had it write of this tree.
cp build/lint/links/targets.dot "$tree"
lint=lint_link_graph
lint_link_graph() { .venv/bin/python tools/lint_link_graph.py --graph "$1/targets.dot"; }
expect CLEAN targets.dot '// daedalus_engine_query -> daedalus_engine_index'
expect CLEAN targets.dot '// cluster_test -> daedalus_sql'
expect CLEAN targets.dot '// sql_test -> daedalus_sql_grammar'
expect FOUND targets.dot '// daedalus_semantics_values -> daedalus_semantics_functions'
expect FOUND targets.dot '// daedalus_sql_binder -> daedalus_sql_condition'
expect FOUND targets.dot '// daedalus_postgres_wire -> daedalus_postgres_session'
expect FOUND targets.dot '// daedalus_sql -> daedalus_engine'
expect FOUND targets.dot '// daedalus_node_core -> daedalus_statement'
expect FOUND targets.dot '// routed_driver -> daedalus_engine'
expect FOUND targets.dot '// update_driver -> daedalus_sql'
expect FOUND targets.dot '// channel_test -> daedalus_node_core'
expect FOUND targets.dot '// daedalus_engine_table -> daedalus_engine_query'
expect FOUND targets.dot '// daedalus_engine_table -> fmt::fmt'
expect FOUND targets.dot '// daedalus_engine -> daedalus_precompiled_messages'
expect FOUND targets.dot '// daedalus_engine -> daedalus_engine_test_table'
expect FOUND targets.dot '// daedalus_semantics -> daedalus_contract'
expect FOUND targets.dot '// daedalus_semantics -> protobuf::libprotobuf'
expect FOUND targets.dot '// daedalus_aggregator_core -> GTest::gtest'

lint=lint_results
lint_results() { .venv/bin/python tools/lint_results.py "$1"; }
expect CLEAN semantics/values/texts/text.cpp 'bool f(Result<int> made) { return made.has_value(); }'
expect CLEAN semantics/values/texts/text.cpp 'void f(std::optional<int> found) { if (found.has_value()) {} }'
expect FOUND semantics/values/texts/text.cpp 'void f() { const Result<int> made = g(); if (!made.has_value()) {} }'
expect FOUND tests/cluster/judging/judge.cpp 'void f() { Result<void> done = g(); CHECK(!done.has_error()); }'

lint=lint_given_up
# Spelled in two halves so that it does not find this file.
lint_given_up() { .venv/bin/python tools/lint_given_up.py "$1"; }
expect CLEAN semantics/values/texts/text.cpp 'int compile_pools() { return 7; }'
expect FOUND semantics/values/texts/text.cpp 'int compile_''pool() { return 7; }'
expect FOUND client-java/wire/src/main/java/org/daedalus/wire/Framer.java '// See Compile''Pool.'

# A fragment in each kind of comment, in a folder of their own.
mkdir "$tree/comments"
touch "$tree/comments/text.cpp" "$tree/comments/Framer.java" "$tree/comments/sent.py"
lint=lint_comments
lint_comments() { .venv/bin/python tools/lint_comments.py --tree "$1/comments" --count-max 0; }
expect CLEAN comments/text.cpp '/// Reads a row.
/// What it returns is empty at the end.'
expect CLEAN comments/text.cpp 'const char* question = "// What is it?";'
expect CLEAN comments/Framer.java '/* Whatever comes is held. */'
expect FOUND comments/text.cpp '/// What a row has.'
expect FOUND comments/text.cpp 'int rows = 0;  // Of all nodes.'
expect FOUND comments/Framer.java '/**
 * Whether it holds.
 */'
expect FOUND comments/sent.py '# The same once more.'
expect FOUND comments/sent.py 'def planted() -> None:
    """Where it was planted."""'

lint=lint_names
lint_names() { .venv/bin/python tools/lint_names.py "$1"; }
# shellcheck disable=SC2016  # Backticks of Markdown.
{
  expect CLEAN docs/limits.md '| a limit | 7 | it is refused | `SequencerTranscript.Holds`, `test_wire::test_frames_are_those_of_the_vectors` |'
  expect CLEAN docs/limits.md '| a limit | 7 | it is refused | `postgres/savepoints.slt` |'
  expect CLEAN docs/limits.md 'Outside of a table `NoTest.Here` is prose.'
  expect FOUND docs/limits.md '| a limit | 7 | it is refused | `SequencerTranscript.Hold` |'
  expect FOUND docs/limits.md '| a limit | 7 | it is refused | `FramerTest.shouldHoldPartialFrame` |'
  expect FOUND docs/limits.md '| a limit | 7 | it is refused | `test_wire::test_frames` |'
  expect FOUND docs/limits.md '| a limit | 7 | it is refused | `postgres/no_such_file.slt` |'
  expect FOUND docs/limits.md '| a limit | 7 | it is refused | tests of the sequencer |'
  expect CLEAN aggregator/README.md '
| rule | folder | decided by | tests |
| --- | --- | --- | --- |
| which update is next | `storage_node/core` | `Sequencer`, `sequencer` | `SequencerTranscript.Holds` |'
  for home in '`storage_node/no_room` | `Sequencer`' '`storage_node/core` | `Sequenser`' '`storage_node/core` | the sequencer' \
    '`storage_node/core` | `SequencerTranscript`'; do
    expect FOUND aggregator/README.md "
| rule | folder | decided by | tests |
| --- | --- | --- | --- |
| which update is next | $home | \`SequencerTranscript.Holds\` |"
  done
  expect FOUND docs/decisions/README.md '- [999](999-a-decision-that-nobody-took.md) A decision that nobody took'
  expect FOUND docs/decisions/README.md '- [1](001-lengths-of-char-n-and-varchar-n-count-bytes.md) Lengths'
  expect FOUND docs/postgres.md '
| what | | test |
| --- | --- | --- |
| logging in | yes | `StartupTest.LetsEverybodyIn` |'
}

lint=lint_links
lint_links() { .venv/bin/python tools/lint_links.py "$1"; }
# Links lead out of the folders that the copy has, so what they lead to is made first.
while read -r outside; do
  mkdir -p "$tree/$(dirname "$outside")"
  [ -e "$tree/$outside" ] || cp -r "$outside" "$tree/$outside"
done < <(git ls-files '*.md' deploy schemas experiments bin LICENSE)
# shellcheck disable=SC2016  # Backticks of Markdown.
expect CLEAN docs/limits.md '[The wire](wire.md#frames), and `[code](no_such_file.md)` is none.'
expect FOUND docs/limits.md '[The wire](no_such_page.md)'
expect FOUND docs/limits.md '[The wire](wire.md#no-such-heading)'
