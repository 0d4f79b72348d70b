#!/usr/bin/env bash
# Cores are pure: what the time is, what chance says, what a peer sends are handed in. This finds clocks, threads,
# randomness, sockets and files in their sources, C++ and Java; and what outlives a call without having been handed in:
# state of a thread.
#
#   tools/lint_cores.sh [FOLDER]    a tree other than this one, for tools/lint_test.sh
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

# Every C++ source below these is of a core...
cpp_cores=(
  semantics/values semantics/functions semantics/algebra semantics/answers
  storage_node/engine/include storage_node/engine/src
  storage_node/core/include storage_node/core/src
  aggregator/core/include aggregator/core/src
  aggregator/postgres/include aggregator/postgres/src
  rpc/channel/include rpc/channel/src
  rpc/merging/include rpc/merging/src
  rpc/contract/include rpc/contract/src
)
# ...but these:
cpp_drivers=(
  storage_node/engine/src/thread/          # The scan thread: it has the clock and goes to sleep.
  storage_node/engine/src/support/large_memory.cpp  # An allocator: large pieces come from the kernel.
  storage_node/engine/src/table/reserved_memory.cpp  # Before the first cycle: asks the kernel where memory lies.
)
# State of a thread is in these alone, where no answer depends on it:
cpp_thread_state=(
  semantics/values/numbers/spare_limbs.cpp  # Room for large numbers: an allocator, which Boost's numbers are not handed.
  semantics/functions/regular_expression/kept_expressions.cpp  # Expressions that were read: reading one anew gives the same.
  semantics/functions/include/daedalus/semantics/evaluation_watch.hpp  # The driver's watch, asked in the depth of evaluations.
)
# Every Java source of these modules is of a core or as pure as one...
java_cores=(wire channel client writer)
# ...but these:
java_drivers=(
  # Netty, its event loops, and the end of the process.
  channel/PeerConnection channel/PeerNetwork channel/ProcessEnd channel/Sockets
  # What threads of applications hold, and what hands it to them.
  client/ClusterQuestions client/DaedalusClient client/Executable client/ReadView client/ResultSet
  client/RowPublisher client/RowSubscription
  client/internal/answers/BufferSpace client/internal/answers/RowQueue
  client/internal/sending/Connections client/internal/sending/TurnQueue
  # In place of a cluster: it listens, and is asked by a test's thread.
  client/testing/FakeCluster
  # The writer's thread, its clock and its process; the journal's thread, and its files.
  writer/BoundedErrorStream writer/OwnSubmissions writer/WriterDriver writer/WriterProbe writer/WriterProcess
  writer/JournalOptions writer/journal/DiskFolder writer/journal/JournalLog
)

headers='atomic_wait|barrier|chrono|condition_variable|ctime|filesystem|fstream|future|latch|mutex|random|semaphore'
headers+='|shared_mutex|stop_token|thread|fcntl\.h|netdb\.h|poll\.h|pthread\.h|sched\.h|signal\.h|time\.h|unistd\.h'
headers+='|(arpa|net|netinet|sys)/.*|boost/asio.*'
names='chrono|filesystem|[io]?fstream|thread|jthread|this_thread|mutex|recursive_mutex|timed_mutex|shared_mutex'
names+='|scoped_lock|unique_lock|lock_guard|shared_lock|condition_variable(_any)?|async|future|promise|latch|barrier'
names+='|counting_semaphore|binary_semaphore|random_device|mt19937(_64)?|minstd_rand|default_random_engine'
names+='|uniform_(int|real)_distribution|rand|srand|time|clock|getenv'
calls='clock_gettime|gettimeofday|nanosleep|usleep|getrandom|getentropy|arc4random|rdtsc|__rdtsc|_rdrand[0-9]+_step'
calls+='|pthread_[a-z_]+|socket|epoll_[a-z0-9]+|syscall'
cpp="#include <($headers)>|\bstd::($names)\b|(^|[^A-Za-z0-9_.>])($calls)\(|(\.|->)(notify_(one|all)|wait)\("

java='System\.(nanoTime|currentTimeMillis|getenv|getProperty|exit)|\.now\(|\bClock\b|\b(Secure)?Random\b|randomUUID'
java+='|ThreadLocalRandom|Math\.random|\bThread\b|\bsynchronized\b|\.(wait|notify|notifyAll)\(\)|\bTimer\b|ForkJoinPool'
java+='|java\.util\.concurrent\.(locks|atomic|Exec|Scheduled|Thread|TimeUnit|Semaphore|Count|Cyclic|Blocking|Fork)'
java+='|java\.net\.|java\.nio\.(channels|file)|java\.io\.(File|RandomAccess)|io\.netty|javax\.net'

# search PATTERN FILE...: lines of code; a comment may speak of clocks.
search() {
  grep -HnE -- "$@" | grep -vE '^[^:]*:[0-9]+: *(//|/?\*)'
}

mapfile -t cpp_files < <(find "${cpp_cores[@]}" -name '*.?pp' | sort |
  grep -vF "$(printf '%s\n' "${cpp_drivers[@]}")")
mapfile -t java_files < <(for module in "${java_cores[@]}"; do
  find "client-java/$module/src/main/java" -name '*.java'
done | sort | grep -vE "/($(IFS='|' && echo "${java_drivers[*]}"))\.java$")
mapfile -t cpp_stateless < <(printf '%s\n' "${cpp_files[@]}" | grep -vxF "$(printf '%s\n' "${cpp_thread_state[@]}")")
for driver in "${cpp_drivers[@]}" "${cpp_thread_state[@]}" "${java_drivers[@]/#/client-java\/*\/src\/main\/java\/org\/daedalus\/}"; do
  # shellcheck disable=SC2086  # The pattern is to be expanded.
  [ -e $driver ] || [ -e $driver.java ] || { echo "lint: no such driver any more: $driver" >&2 && exit 1; }
done
found=$(search "$cpp" "${cpp_files[@]}" || true; search "$java" "${java_files[@]}" || true)
if [ -n "$found" ]; then
  printf '%s\n' "$found"
  echo "lint: a core knows no clock, thread, chance, socket or file: hand it in, or make it the driver's" >&2
  exit 1
fi
found=$(search '\bthread_local\b' "${cpp_stateless[@]}" || true)
if [ -n "$found" ]; then
  printf '%s\n' "$found"
  echo "lint: a core keeps nothing for its thread: hand it in, or give its reason in tools/lint_cores.sh" >&2
  exit 1
fi
