// Joins what the segments did with each update into one outcome, and knows how far the node as a whole is.
//
// Every admission goes to every segment, parts or not, so each segment puts out one output per admission, in order; an
// admission is applied when the last of them has. Refuses to know where updates come from and who hears of them.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "daedalus/base/units.hpp"
#include "daedalus/engine/operation.hpp"
#include "daedalus/node/effects.hpp"
#include "daedalus/node/placement.hpp"
#include "daedalus/node/requester.hpp"

namespace daedalus::node {

class UpdateTracker {
 public:
  UpdateTracker(const NodePlacement& placement, NodeId node);

  /// An admission that ends at `last`. `concerned` has one flag per hosted partition: whether it got a part; empty for
  /// a no-op range. The owner bounds how many are under way.
  /// `recorded`: what it did in an earlier life, where that is known and may not be told from what segments put out.
  void on_enqueued(Timestamp last, std::vector<bool> concerned, PartNumbers numbers = {},
                   std::shared_ptr<const OutcomeRecord> recorded = nullptr);
  /// Precondition (CHECKed): it is the segment's next one.
  void on_output(SegmentIndex segment, engine::UpdateOutput output);

  struct Applied {
    Timestamp last{};
    Outcomes outcomes;
    OutcomeRecord record;                           ///< By segment; of those that had a part in it.
    std::shared_ptr<const OutcomeRecord> recorded;  ///< As it was enqueued.
  };
  /// The oldest admission, once all segments have applied it.
  [[nodiscard]] std::optional<Applied> take_applied();

  [[nodiscard]] size_t under_way() const { return under_way_.size(); }
  /// Returns what an update did, in the order of partitions, of those that `concerned` names. A record of a log that
  /// did not count by parts yet has sums alone.
  [[nodiscard]] Outcomes outcomes_of(const std::vector<bool>& concerned, const PartNumbers& numbers,
                                     const OutcomeRecord& record) const;

 private:
  struct UnderWay {
    Timestamp last{};
    uint32_t segments_missing = 0;
    std::vector<bool> concerned;
    PartNumbers numbers;
    OutcomeRecord record;  ///< Holds what segments have put out so far, in the order in which they did.
    std::shared_ptr<const OutcomeRecord> recorded;
  };

  const NodePlacement& placement_;
  NodeId node_;
  std::deque<UnderWay> under_way_;
  uint64_t taken_ = 0;                ///< Admissions that have left under_way_.
  std::vector<uint64_t> outputs_of_;  ///< By segment: how many admissions it has applied.
};

}  // namespace daedalus::node
