// Defines what the node's core sees of its segments. Real ones with threads and stepped ones stand behind the same
// interface.
#pragma once

#include "daedalus/engine/segment.hpp"
#include "daedalus/node/requester.hpp"

namespace daedalus::node {

struct SegmentReport {
  engine::SegmentStatistics statistics;
  int32_t core = -1;  ///< The core the segment's thread is pinned to; -1: none.
};

/// Nothing blocks. What a segment puts out goes to NodeCore::on_output, in the segment's order, from the core's thread.
class SegmentPort {
 public:
  virtual ~SegmentPort() = default;
  /// False: the segment is full and took nothing.
  [[nodiscard]] virtual bool enqueue(SegmentIndex segment, engine::Query query) = 0;
  [[nodiscard]] virtual bool enqueue(SegmentIndex segment, engine::Update update) = 0;
  /// No query that the segment is given from now on is at a lower moment, unless somebody demands one that may be gone.
  virtual void keep_from(SegmentIndex segment, Timestamp moment) = 0;
  [[nodiscard]] virtual SegmentReport report(SegmentIndex segment) const = 0;
};

}  // namespace daedalus::node
