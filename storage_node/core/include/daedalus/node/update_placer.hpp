// Turns an update's bytes into the work of each segment of this node.
//
// Decides which segment gets which rows and parts. Knows neither what came before nor the segments themselves: the same
// record gives the same work, so a log that is replayed can be placed ahead of those who apply it, by another thread
// that has a placer of its own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/contract/translate.hpp"
#include "daedalus/engine/operation.hpp"
#include "daedalus/node/effects.hpp"
#include "daedalus/node/placement.hpp"

namespace daedalus::node {

/// Holds what the segments of a node get of one record; of a no-op range nothing.
struct PlacedUpdate {
  std::vector<std::vector<engine::UpdatePart>> parts;  ///< By segment.
  std::vector<bool> concerned;                         ///< By hosted partition; empty for a no-op range.
  PartNumbers numbers;
};

/// A record of the log, ready for the segments, and what came of it where that is known.
struct ReplayedRecord {
  LogRecord record;
  std::shared_ptr<const OutcomeRecord> recorded;
  PlacedUpdate placed;
};

/// For one thread at a time; a copy is another thread's.
class UpdatePlacer {
 public:
  UpdatePlacer(std::shared_ptr<const semantics::Schema> schema, const contract::PartitionMap& map,
               const NodePlacement& placement);

  /// Parses and places. Errors: the record's body is not an update of this table.
  [[nodiscard]] Result<PlacedUpdate> place(const LogRecord& record);
  /// Does the same for a record that was read from the log. Errors (XX001): as place(); the log is of no use.
  [[nodiscard]] Result<ReplayedRecord> place_replayed(LogRecord record, std::shared_ptr<const OutcomeRecord> recorded);

 private:
  [[nodiscard]] Result<void> place_part(contract::UpdatePart part, const LogRecord& record, PlacedUpdate* placed);
  [[nodiscard]] Result<void> place_rows(const contract::InsertPart& part, Timestamp timestamp,
                                        const std::shared_ptr<const std::string>& body, PlacedUpdate* placed);

  std::shared_ptr<const semantics::Schema> schema_;
  contract::PlacementColumns placement_columns_;
  NodePlacement placement_;
};

}  // namespace daedalus::node
