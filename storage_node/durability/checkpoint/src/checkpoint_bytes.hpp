// Numbers in files, and the error for files that are not what was written.
#pragma once

#include <string>
#include <utility>

#include "daedalus/base/result.hpp"
#include "daedalus/durability/bytes.hpp"
#include "daedalus/durability/disk.hpp"

namespace daedalus::durability {

[[nodiscard]] inline Error corrupted(std::string what) {
  return {ErrorCategory::kFatal, kDataCorrupted, std::move(what),
          "The file is damaged: remove the node's data directory and let it be filled anew, or put back a copy of it.",
          0};
}

}  // namespace daedalus::durability
