// Says where a checkpoint's files are, and which of them count.
//
// Decides which manifest is the newest valid one. Changes nothing on disk. Not for scan threads: it reads.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daedalus/durability/checkpoint_format.hpp"
#include "daedalus/durability/disk.hpp"

namespace daedalus::durability {

/// The folder of checkpoints in a data directory.
constexpr const char* kCheckpointFolder = "checkpoint";

[[nodiscard]] std::string manifest_name(uint64_t number);
[[nodiscard]] std::string data_file_name(uint32_t segment, uint64_t number);
/// The number that a file of the folder, named without it, has in its name; nothing where it is none of a checkpoint's.
[[nodiscard]] std::optional<uint64_t> number_in(const std::string& file);

/// The newest valid manifest; nothing where there is none at all. One that is torn counts as none as long as there is
/// an older one. Error (XX001): there are some, and none is valid.
[[nodiscard]] Result<std::optional<Manifest>> find_manifest(Disk& disk);

/// The data files of a segment, by number, their headers checked.
using DataFiles = std::map<uint64_t, std::unique_ptr<File>>;
[[nodiscard]] Result<DataFiles> open_data_files(Disk& disk, uint32_t segment, const SegmentManifest& manifest);

/// A block with its header, checked. Error: names the file and the offset.
struct ReadBlock {
  BlockHeader header;
  std::string bytes;
};
[[nodiscard]] Result<ReadBlock> read_block(const File& file, const BlockPlace& place);

/// Reads every block that the manifest names. Error (XX001): one is not what was written, or is another's.
[[nodiscard]] Result<void> verify(Disk& disk, const Manifest& manifest);

}  // namespace daedalus::durability
