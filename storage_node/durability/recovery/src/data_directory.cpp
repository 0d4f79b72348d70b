#include "daedalus/durability/data_directory.hpp"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <sstream>

#include "daedalus/durability/checkpoint_files.hpp"
#include "daedalus/durability/node_log.hpp"
#include "sealed_file.hpp"

namespace daedalus::durability {

namespace {

constexpr const char* kIdentityFile = "identity";
constexpr const char* kVersion = "1";

/// One line a value: its name, a blank, the rest of the line.
std::string to_lines(const DataIdentity& identity) {
  return fmt::format(
      "version {}\ncluster {}\nnode {}\nschema {}\nmap {}\nsegments {}\nchunk_rows {}\nchunks {}\nlanguage {:016x}\n",
      kVersion, identity.cluster_id, raw(identity.node), identity.schema_fingerprint, identity.map, identity.segments,
      identity.chunk_rows, identity.chunk_count, identity.language);
}

std::optional<DataIdentity> from_lines(const std::string& lines) {
  std::map<std::string, std::string> values;
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);) {
    const size_t blank = line.find(' ');
    if (blank == std::string::npos) {
      return std::nullopt;
    }
    values[line.substr(0, blank)] = line.substr(blank + 1);
  }
  bool is_sound = values["version"] == kVersion;
  const auto number = [&](const char* name) {
    const std::string& text = values[name];
    uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    is_sound = is_sound && error == std::errc{} && end == text.data() + text.size();
    return value;
  };
  DataIdentity identity{values["cluster"],  NodeId{number("node")}, values["schema"], values["map"],
                        number("segments"), number("chunk_rows"),   number("chunks")};
  // The first version was written before there were others: those who wrote it said nothing of it.
  if (const std::string& text = values["language"]; !text.empty()) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), identity.language, 16);
    is_sound = is_sound && error == std::errc{} && end == text.data() + text.size();
  }
  return is_sound ? std::optional(identity) : std::nullopt;
}

Error differs(const Disk& disk, const std::string& what) {
  return Error{ErrorCategory::kFatal, "55000", fmt::format("{}: {}", disk.path_of(""), what),
               "start the node as it was configured when this directory was made, or with another data_dir", 0};
}

}  // namespace

Result<std::optional<DataIdentity>> read_identity(Disk& disk) {
  const auto content = read_sealed(disk, kIdentityFile);
  if (!content) {
    return content.error();
  }
  if (!*content) {
    return std::optional<DataIdentity>();
  }
  auto identity = from_lines(**content);
  if (!identity) {
    return damaged_file(disk, kIdentityFile);
  }
  return std::optional(std::move(*identity));
}

Result<void> initialise(Disk& disk, const DataIdentity& identity) {
  if (auto made = disk.make_folder(""); !made) {
    return made;
  }
  const auto found = disk.list("");
  if (!found) {
    return found.error();
  }
  if (!found->empty()) {
    return Error{ErrorCategory::kRejected, "55000",
                 fmt::format("{} is not empty: there is \"{}\" in it", disk.path_of(""), found->front()),
                 "name another data_dir, or remove what is in this one if nobody needs it", 0};
  }
  for (const char* folder : {kUpdatesFolder, kOutcomesFolder, kCheckpointFolder}) {
    if (auto made = disk.make_folder(folder); !made) {
      return made;
    }
  }
  return write_sealed(disk, kIdentityFile, to_lines(identity));
}

Result<void> check_identity(const Disk& disk, const DataIdentity& found, const DataIdentity& configured) {
  const auto compare = [&](const char* what, const auto& there, const auto& here) -> Result<void> {
    if (there == here) {
      return {};
    }
    return differs(disk, fmt::format("its data is of {} {}, the node is configured for {}", what, there, here));
  };
  for (const Result<void>& compared :
       {compare("cluster", found.cluster_id, configured.cluster_id),
        compare("node", raw(found.node), raw(configured.node)),
        compare("schema", found.schema_fingerprint, configured.schema_fingerprint),
        compare("partition map", found.map, configured.map), compare("segments:", found.segments, configured.segments),
        compare("segments with chunks of so many rows:", found.chunk_rows, configured.chunk_rows),
        compare("segments of so many chunks:", found.chunk_count, configured.chunk_count)}) {
    if (!compared) {
      return compared;
    }
  }
  return {};
}

namespace {

Result<DataIdentity> identity_in(Disk& disk) {
  const auto found = read_identity(disk);
  if (!found) {
    return found.error();
  }
  if (!*found) {
    return Error{ErrorCategory::kFatal, "55000",
                 fmt::format("{} is not the data directory of a storage node", disk.path_of("")),
                 "if this node never had any data, make it with --init FILE; else find out where its data went", 0};
  }
  return **found;
}

Result<void> check_language(const Disk& disk, const DataIdentity& found, const semantics::Language& language) {
  if (language.version_of(found.language)) {
    return {};
  }
  return Error{ErrorCategory::kFatal, "55000",
               fmt::format("{}: its log is in language {:016x}, which this build does not have: a newer build, or one "
                           "with other functions, has written to it",
                           disk.path_of(""), found.language),
               "start the build that wrote it, or a newer one", 0};
}

}  // namespace

Result<void> check_directory(Disk& disk, const DataIdentity& configured) {
  const auto found = identity_in(disk);
  return found ? check_identity(disk, *found, configured) : found.error();
}

Result<void> check_language(Disk& disk, const semantics::Language& language) {
  const auto found = identity_in(disk);
  return found ? check_language(disk, *found, language) : found.error();
}

Result<void> claim_language(Disk& disk, const semantics::Language& language) {
  auto found = identity_in(disk);
  if (!found) {
    return found.error();
  }
  if (auto known = check_language(disk, *found, language); !known || found->language == language.hash()) {
    return known;
  }
  found->language = language.hash();
  return write_sealed(disk, kIdentityFile, to_lines(*found));
}

}  // namespace daedalus::durability
