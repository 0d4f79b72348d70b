// The aggregator process: flags and configuration, then serve until asked to stop.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <exception>
#include <string>

#include "configuration.hpp"
#include "daedalus/allocator/allocator.hpp"
#include "daedalus/build/build.hpp"
#include "daedalus/configuration/table.hpp"
#include "daedalus/logging/standard_error.hpp"
#include "daedalus/machine/machine.hpp"
#include "server.hpp"

namespace daedalus::aggregator {
namespace {

constexpr int kFine = 0;
constexpr int kFailed = 1;
constexpr int kUsage = 2;

std::string who_may_enter(const Configuration& configuration) {
  std::string who;
  if (configuration.postgres_trusts_loopback) {
    who = "those of this machine without a password";
  }
  if (!configuration.postgres_paths.users.empty()) {
    who += fmt::format("{}users of {} with theirs", who.empty() ? "" : ", ", configuration.postgres_paths.users);
  }
  return who.empty() ? "but nobody may log in (postgres_users, postgres_trust)" : who;
}

int serve(const Configuration& configuration) {
  // A log that has met the limit of a file's size stays as it is; the signal would end the process without a word.
  std::signal(SIGXFSZ, SIG_IGN);
  if (!keeps_freed_memory()) {
    spdlog::warn("MALLOC_CONF changes how freed memory is kept: the process may grow, or answer more slowly");
  }
  spdlog::info("daedalus-aggregator {}, configuration {}, instruction set {}, NUMA {}", build_text(),
               configuration.hash, instruction_set(), numa_map());
  Server server(configuration, DAEDALUS_VERSION, raise_descriptor_limit());
  const auto address = server.listen(configuration.listen);
  if (!address) {
    spdlog::error("{}", configuration::to_line(address.error()));
    return kFailed;
  }
  spdlog::info("{} serves {} at {}: {} partitions on {} storage nodes", configuration.name,
               configuration.schema->table_name, *address, configuration.map->partition_count(),
               configuration.cluster.nodes.size());
  if (!configuration.postgres_listen.empty()) {
    const auto postgres_address = server.listen_postgres(configuration.postgres_listen);
    if (!postgres_address) {
      spdlog::error("{}", configuration::to_line(postgres_address.error()));
      return kFailed;
    }
    spdlog::info("clients of PostgreSQL's protocol are served at {}, {}", *postgres_address,
                 who_may_enter(configuration));
  }
  spdlog::info("ready");
  server.run();
  spdlog::info("stopped");
  return kFine;
}

int run(int argc, char** argv) {
  CLI::App app("Routes operations to storage nodes and merges what comes back.", "daedalus-aggregator");
  std::string config;
  std::string check_config;
  bool wants_version = false;
  auto* const what = app.add_option_group("what", "What to do");
  what->add_option("--config", config, "Serve with this configuration (aggregator.toml)");
  what->add_option("--check-config", check_config, "Check this configuration and start nothing");
  what->add_flag("--version", wants_version, "Print version, commit and build");
  what->require_option(1);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    return app.exit(problem) == 0 ? kFine : kUsage;
  }
  if (wants_version) {
    fmt::print("daedalus-aggregator {}\n", build_text());
    return kFine;
  }
  const auto configuration = read_configuration(check_config.empty() ? config : check_config);
  if (!configuration) {
    fmt::print(stderr, "daedalus-aggregator: {}\n", configuration::to_line(configuration.error()));
    return kUsage;
  }
  if (!check_config.empty()) {
    fmt::print("{}: fine (configuration {})\n", check_config, configuration->hash);
    return kFine;
  }
  return serve(*configuration);
}

}  // namespace
}  // namespace daedalus::aggregator

int main(int argc, char** argv) {
  daedalus::log_to_standard_error("aggregator");
  try {
    return daedalus::aggregator::run(argc, argv);
  } catch (const std::exception& problem) {
    spdlog::critical("{}", problem.what());
    return 1;
  }
}
