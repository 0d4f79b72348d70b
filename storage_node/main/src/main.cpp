// daedalus-storage-node: flags, configuration, and the process itself.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <iostream>
#include <string>

#include "daedalus/allocator/allocator.hpp"
#include "daedalus/build/build.hpp"
#include "daedalus/configuration/table.hpp"
#include "daedalus/durability/data_directory.hpp"
#include "daedalus/durability/epoch_file.hpp"
#include "daedalus/durability/posix_disk.hpp"
#include "daedalus/logging/standard_error.hpp"
#include "daedalus/machine/machine.hpp"
#include "daedalus/machine/memory.hpp"
#include "node_configuration.hpp"
#include "node_memory.hpp"
#include "node_process.hpp"

namespace daedalus::node {
namespace {

constexpr const char* kProgram = "daedalus-storage-node";
constexpr int kFine = 0;
constexpr int kFailed = 1;
constexpr int kUsage = 2;

int report(const Error& error, int exit_code) {
  std::cerr << kProgram << ": " << configuration::to_line(error) << "\n";
  return exit_code;
}

int initialise(const NodeConfiguration& configuration) {
  durability::PosixDisk data(configuration.data_dir);
  if (auto made = durability::initialise(data, identity_of(configuration)); !made) {
    return report(made.error(), kFailed);
  }
  std::cout << configuration.data_dir << ": ready for node " << raw(configuration.node) << " of cluster "
            << configuration.cluster.cluster_id << "\n";
  return kFine;
}

int check_data(const NodeConfiguration& configuration) {
  durability::PosixDisk data(configuration.data_dir);
  if (auto same = durability::check_directory(data, identity_of(configuration)); !same) {
    return report(same.error(), kFailed);
  }
  if (auto known = durability::check_language(data, semantics::Language::own()); !known) {
    return report(known.error(), kFailed);
  }
  const auto epoch = durability::read_epoch(data);
  if (!epoch) {
    return report(epoch.error(), kFailed);
  }
  std::cout << configuration.data_dir << ": is that of node " << raw(configuration.node) << " of cluster "
            << configuration.cluster.cluster_id << "\n";
  if (*epoch) {
    const EpochRecord& record = **epoch;
    std::cout << fmt::format("epoch {} is held by \"{}\" at {}, who kept updates from {} on\n", raw(record.epoch),
                             record.holder, record.endpoint, raw(record.kept_from));
  }
  return kFine;
}

int serve(const NodeConfiguration& configuration, NodeKind kind) {
  log_to_standard_error(kProgram);
  // A write beyond the limit of a file's size fails then, and is told; the signal would end the process without a word.
  std::signal(SIGXFSZ, SIG_IGN);
  if (!keeps_freed_memory()) {
    spdlog::warn("MALLOC_CONF changes how freed memory is kept: the process may grow, or answer more slowly");
  }
  spdlog::info("{} {}, configuration {}, instruction set {}, NUMA nodes {}, durability {}", kProgram, build_text(),
               configuration.hash, instruction_set(), numa_map(), to_text(configuration.durability));
  if (kind == NodeKind::kVoid) {
    spdlog::warn("a void node: every query ends at once, without rows; for experiments only");
  }
  NodeProcess process(configuration, DAEDALUS_VERSION, kind);
  const auto finished = process.run();
  return finished ? kFine : report(finished.error(), kFailed);
}

int run(int argc, char** argv) {
  CLI::App app("Daedalus storage node: keeps partitions of a table in memory and scans them.", kProgram);
  std::string config;
  std::string check;
  bool is_void = false;
  auto* config_option = app.add_option("--config", config, "Serve as this storage_node.toml says");
  std::string init;
  auto* init_option = app.add_option("--init", init, "Make the data directory that this storage_node.toml names: once");
  auto* check_option = app.add_option("--check-config", check, "Check this storage_node.toml and start nothing");
  std::string data;
  auto* data_option =
      app.add_option("--check-data", data, "Check that the data directory is that of this storage_node.toml");
  config_option->excludes(check_option)->excludes(init_option)->excludes(data_option);
  check_option->excludes(init_option)->excludes(data_option);
  init_option->excludes(data_option);
  app.add_flag("--void", is_void, "For experiments: end every query at once, without looking for rows");
  app.set_version_flag("--version", std::string(kProgram) + " " + build_text());
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kFine : kUsage;
  }
  const std::string path = config + check + init + data;  // At most one of them is given.
  if (path.empty()) {
    return report(rejected("F0000", "nothing to do", "give --config, --check-config, --check-data or --init FILE"),
                  kUsage);
  }
  const auto configuration = read_node_configuration(path);
  if (!configuration) {
    return report(configuration.error(), kUsage);
  }
  const auto memory = machine_memory();
  if (const auto fits = memory ? check_total(configuration->demand, *memory) : Result<void>(); !fits) {
    return report(fits.error(), kUsage);
  }
  if (!check.empty()) {
    std::cout << check << ": fine\n";
    return kFine;
  }
  if (!init.empty()) {
    return initialise(*configuration);
  }
  if (!data.empty()) {
    return check_data(*configuration);
  }
  return serve(*configuration, is_void ? NodeKind::kVoid : NodeKind::kServing);
}

}  // namespace
}  // namespace daedalus::node

int main(int argc, char** argv) { return daedalus::node::run(argc, argv); }
