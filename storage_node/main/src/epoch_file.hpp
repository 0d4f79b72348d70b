// The one thing a node without durability keeps on disk: which epoch it has granted to whom.
#pragma once

#include <optional>
#include <string>

#include "daedalus/base/result.hpp"
#include "daedalus/node/requester.hpp"

namespace daedalus::node {

class EpochFile {
 public:
  /// `folder` is made on the first write if it is missing.
  explicit EpochFile(std::string folder) : folder_(std::move(folder)) {}

  /// What was written last; nothing when there is no file. Errors: 58030 unreadable or damaged,
  /// XX001 an epoch that cannot have come about; names the file.
  [[nodiscard]] Result<std::optional<EpochRecord>> read() const;
  /// Replaces the file and syncs file and folder: when it returns, the record outlives a power cut. Errors (58030).
  /// Blocks for as long as the disk takes.
  [[nodiscard]] Result<void> write(const EpochRecord& record) const;

  [[nodiscard]] std::string path() const { return folder_ + "/epoch"; }

 private:
  std::string folder_;
};

}  // namespace daedalus::node
