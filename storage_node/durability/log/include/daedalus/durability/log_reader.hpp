// Reads a log from its first record to its last, and says where it ends.
//
// Decides what is a tail that a crash tore, which is cut, and what is damage, which is an error: a record that is not
// valid although something written after it knew it to be durable. Refuses to know what records mean.
#pragma once

#include <functional>
#include <string>

#include "daedalus/base/result.hpp"
#include "daedalus/durability/disk.hpp"
#include "daedalus/durability/log_format.hpp"
#include "daedalus/durability/record_log.hpp"

namespace daedalus::durability {

struct ReadLogOptions {
  LogKind kind = LogKind::kUpdates;
  std::string folder;
  /// Every record that ends later than this has to be there; error where the log begins after it.
  Timestamp after{};
  bool is_older_wanted = false;  ///< Reads older records that are still there, too.
};

/// Gets each record that is wanted, in order; an error ends the reading with it.
using TakeRecord = std::function<Result<void>(Timestamp last, std::string_view payload)>;

/// Errors: XX001 with file, offset and what to do where the log is damaged or does not reach back to `after`; what the
/// disk says. Memory: one file at a time.
[[nodiscard]] Result<LogEnd> read_log(Disk& disk, const ReadLogOptions& options, const TakeRecord& take);

}  // namespace daedalus::durability
