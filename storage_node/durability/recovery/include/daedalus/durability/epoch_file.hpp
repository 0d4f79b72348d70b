// Which epoch a node has granted to whom: what it keeps on disk whatever its durability.
#pragma once

#include <optional>

#include "daedalus/base/result.hpp"
#include "daedalus/durability/disk.hpp"
#include "daedalus/node/requester.hpp"

namespace daedalus::durability {

constexpr const char* kEpochFile = "epoch";

/// Returns what was written last; nothing when there is no file. Errors: 58030 unreadable, XX001 damaged or an epoch
/// that cannot have come about; names the file.
[[nodiscard]] Result<std::optional<node::EpochRecord>> read_epoch(Disk& disk);
/// Replaces the file and syncs file and folder: when it returns, the record outlives a power cut. Makes the data
/// directory where it is missing. Errors (58030, 53100). Blocks for as long as the disk takes.
[[nodiscard]] Result<void> write_epoch(Disk& disk, const node::EpochRecord& record);

}  // namespace daedalus::durability
