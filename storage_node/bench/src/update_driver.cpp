// update_driver: pre-encoded updates of one row each, numbered as a writer would, to one node, as fast as it confirms
// them. One JSON object on standard output.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <ctime>
#include <string>

#include "node_connection.hpp"

namespace daedalus::node::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Arguments {
  std::string node;
  uint32_t rows = 100'000;
  double seconds = 5;
  double warm_up_seconds = 1;
  UpdateLimits limits;
};

double own_cpu_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

Result<void> drive(NodeConnection& node, const NumberedUpdates& updates, double seconds) {
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < end) {
    if (auto done = node.step(updates); !done) {
      return done;
    }
  }
  return {};
}

Result<std::string> measure(const Arguments& arguments) {
  auto node = NodeConnection::open(arguments.node, arguments.limits);
  if (!node) {
    return node.error();
  }
  if (auto inserted = node->insert_rows(arguments.rows); !inserted) {
    return inserted.error();
  }
  const NumberedUpdates updates(arguments.rows);
  if (auto warm = drive(*node, updates, arguments.warm_up_seconds); !warm) {
    return warm.error();
  }
  const auto began = Clock::now();
  const double cpu = own_cpu_seconds();
  const uint64_t before = node->confirmed();
  if (auto done = drive(*node, updates, arguments.seconds); !done) {
    return done.error();
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
  const double spent = own_cpu_seconds() - cpu;
  const uint64_t confirmed = node->confirmed() - before;
  if (auto drained = node->drain(); !drained) {
    return drained.error();
  }
  const uint64_t inserts = (uint64_t{arguments.rows} + 999) / 1000;
  return fmt::format(
      R"({{"confirmed": {}, "confirmed_per_second": {:.1f}, "driver_busy": {:.3f}, "all": {}, "rows_missed": {}}})",
      confirmed, static_cast<double>(confirmed) / seconds, spent / seconds, node->confirmed(),
      arguments.rows + node->confirmed() - inserts - node->rows_applied());
}

}  // namespace
}  // namespace daedalus::node::bench

int main(int count, char** values) {
  using daedalus::node::bench::Arguments;
  Arguments arguments;
  CLI::App app{"Sends a node updates of one row each, as fast as it confirms them."};
  app.add_option("--node", arguments.node, "IP:PORT of a node without a writer")->required();
  app.add_option("--rows", arguments.rows, "rows to insert first")->check(CLI::Range(1u, 100'000'000u));
  app.add_option("--seconds", arguments.seconds, "measured")->check(CLI::Range(0.1, 3600.0));
  app.add_option("--warm-up-seconds", arguments.warm_up_seconds)->check(CLI::Range(0.0, 3600.0));
  app.add_option("--batch", arguments.limits.batch, "updates a frame")->check(CLI::Range(1u, 10'000u));
  app.add_option("--in-flight", arguments.limits.in_flight, "at least a batch")->check(CLI::Range(1u, 100'000u));
  CLI11_PARSE(app, count, values);
  if (arguments.limits.in_flight < arguments.limits.batch) {
    fmt::print(stderr, "update_driver: --in-flight must be at least --batch\n");
    return 2;
  }
  const auto measured = daedalus::node::bench::measure(arguments);
  if (!measured) {
    fmt::print(stderr, "update_driver: {}\n", measured.error().message);
    return 1;
  }
  fmt::print("{}\n", *measured);
  return 0;
}
