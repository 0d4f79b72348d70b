// One run of the cluster simulator, told event by event: `make sim SEED=N`.
#include <cstdio>
#include <cstdlib>

#include "simulated_cluster.hpp"

int main(int argument_count, char** arguments) {
  using namespace daedalus::testing;
  char* end = nullptr;
  const uint64_t seed = argument_count == 2 ? std::strtoull(arguments[1], &end, 10) : 0;
  if (end == nullptr || *end != '\0' || *arguments[1] == '\0') {
    std::fprintf(stderr, "%s SEED: a seed is a number, as a failing test prints it\n", arguments[0]);
    return 2;
  }
  RunOptions options = options_of(seed);
  options.on_event = [](const std::string& line) { std::printf("%s\n", line.c_str()); };
  std::printf("seed %lu: %s\n", seed, describe(options).c_str());
  const RunReport report = SimulatedCluster(options).run();
  for (const std::string& violation : report.violations) {
    std::printf("VIOLATION: %s\n", violation.c_str());
  }
  std::printf(
      "seed %lu: %u updates confirmed, %u unknown; %u queries complete, %u failed cleanly, %u aborted; %zu "
      "violations\n",
      seed, report.updates_confirmed, report.updates_unknown, report.queries_complete, report.queries_failed,
      report.queries_aborted, report.violations.size());
  return report.violations.empty() ? 0 : 1;
}
