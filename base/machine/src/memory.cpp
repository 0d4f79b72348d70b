#include "daedalus/machine/memory.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string_view>

namespace daedalus {

namespace {

/// The files of one version of control groups.
struct GroupFiles {
  const char* limit;
  const char* used;
  const char* cached;  ///< In memory.stat: used for files, and given back on demand.
};
constexpr GroupFiles kFirstVersion = {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};
constexpr GroupFiles kSecondVersion = {"memory.max", "memory.current", "inactive_file"};

std::optional<uint64_t> read_number(const std::string& path) {
  std::ifstream in(path);
  uint64_t number = 0;
  // Version 2 writes "max" for no bound.
  return in >> number ? std::optional(number) : std::nullopt;
}

/// The number behind a name, in a file of lines of both.
std::optional<uint64_t> read_named(const std::string& path, std::string_view name) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string found;
    uint64_t number = 0;
    if (words >> found && found == name && words >> number) {
      return number;
    }
  }
  return std::nullopt;
}

void bound_by(const std::string& folder, const GroupFiles& files, MachineMemory& memory) {
  const auto limit = read_number(folder + "/" + files.limit);
  if (!limit) {
    return;
  }
  memory.total_bytes = std::min(memory.total_bytes, *limit);
  const uint64_t used = read_number(folder + "/" + files.used).value_or(0);
  const uint64_t cached = read_named(folder + "/memory.stat", files.cached).value_or(0);
  const uint64_t held = used - std::min(used, cached);
  memory.available_bytes = std::min(memory.available_bytes, *limit - std::min(*limit, held));
}

/// The group and all above it. In a container the path may be one of the host, of which only the root is to be seen.
void bound_by_groups(const std::string& root, std::string path, const GroupFiles& files, MachineMemory& memory) {
  while (true) {
    bound_by(root + path, files, memory);
    const size_t slash = path.rfind('/');
    if (path.empty() || slash == std::string::npos) {
      return;
    }
    path.resize(slash);
  }
}

bool names_memory(const std::string& controllers) {
  std::istringstream names(controllers);
  for (std::string name; std::getline(names, name, ',');) {
    if (name == "memory") {
      return true;
    }
  }
  return false;
}

}  // namespace

std::optional<MachineMemory> machine_memory(const MemorySources& sources) {
  const auto total = read_named(sources.proc + "/meminfo", "MemTotal:");
  const auto available = read_named(sources.proc + "/meminfo", "MemAvailable:");
  if (!total || !available) {
    return std::nullopt;
  }
  MachineMemory memory{*total << 10, *available << 10};
  // Lines of "number:controllers:path"; number 0 is version 2, which has all controllers.
  std::ifstream groups(sources.proc + "/self/cgroup");
  for (std::string number, controllers, path;
       std::getline(groups, number, ':') && std::getline(groups, controllers, ':') && std::getline(groups, path);) {
    if (number == "0") {
      bound_by_groups(sources.control_groups, path, kSecondVersion, memory);
    } else if (names_memory(controllers)) {
      bound_by_groups(sources.control_groups + "/memory", path, kFirstVersion, memory);
    }
  }
  return memory;
}

}  // namespace daedalus
