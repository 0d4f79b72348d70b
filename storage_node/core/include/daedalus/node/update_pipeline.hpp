// Turns accepted updates into work for the segments: append, then enqueue. Keeps for the segments what is not in the
// log yet, and what they cannot take yet.
//
// Every segment gets every admission, with no parts where it has none:
// then a segment's own prefix is the node's, and a query's stamp needs no further thought. Nothing admitted is dropped.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/node/effects.hpp"
#include "daedalus/node/placement.hpp"
#include "daedalus/node/segment_port.hpp"
#include "daedalus/node/sequencer.hpp"
#include "daedalus/node/update_placer.hpp"
#include "daedalus/node/update_tracker.hpp"

namespace daedalus::node {

class UpdatePipeline {
 public:
  UpdatePipeline(std::shared_ptr<const semantics::Schema> schema, const contract::PartitionMap& map,
                 const NodePlacement& placement, NodeId node, SegmentPort& segments);

  /// Makes work of an admission; it waits for on_appended(). Precondition: admissions come in order. Errors: the body
  /// of an update that has its number already is not one; the node is broken then, and nothing was kept.
  [[nodiscard]] Result<LogRecord> accept(Admission admission);
  /// Everything up to `through` was done in an earlier life. `slots_known`: by segment, up to where slots are to be
  /// taken from records.
  void start_after(Timestamp through, std::vector<Timestamp> slots_known);
  /// Returns what the log says an update did, of which nothing is to be done again.
  [[nodiscard]] Outcomes outcomes_of(const PlacedUpdate& placed, const OutcomeRecord& recorded) const {
    return tracker_.outcomes_of(placed.concerned, placed.numbers, recorded);
  }
  /// Takes over what the log says was accepted next, up to `last`: it goes to the segments at once. `recorded`: null
  /// where its outcome is not known. Precondition (CHECKed): nothing waits for the log.
  void replay(Timestamp last, PlacedUpdate placed, std::shared_ptr<const OutcomeRecord> recorded);
  /// One that another thread may have.
  [[nodiscard]] UpdatePlacer placer() const { return placer_; }
  /// The first of an applied update's segments where it came out otherwise than recorded.
  [[nodiscard]] std::optional<SegmentIndex> disagreement(const UpdateTracker::Applied& applied) const;
  /// Learns that everything accepted up to `through` is in the log: it goes to the segments, in order.
  void on_appended(Timestamp through);
  void on_output(SegmentIndex segment, engine::UpdateOutput output);
  [[nodiscard]] std::optional<UpdateTracker::Applied> take_applied() { return tracker_.take_applied(); }
  /// Offers waiting updates to the segments again. Call when segments have put something out.
  void flush();

  /// Everything up to here is in the segments' rings, or ahead of any query that comes now.
  [[nodiscard]] Timestamp enqueued() const { return enqueued_; }
  /// Updates that wait for room in `segment`: a query must not overtake them.
  [[nodiscard]] size_t waiting(SegmentIndex segment) const { return waiting_[raw(segment)].size(); }
  /// The longest of those queues and of the one for the log; the owner takes no new updates beyond its bound.
  [[nodiscard]] size_t waiting_max() const;
  [[nodiscard]] size_t under_way() const { return appending_.size() + tracker_.under_way(); }

 private:
  /// An admission on its way to the log.
  struct Appending {
    Timestamp last{};
    PlacedUpdate placed;
    std::shared_ptr<const OutcomeRecord> recorded;
  };

  void enqueue(Appending work);
  /// Returns where its rows went in a segment, as far as they are not to be placed anew.
  [[nodiscard]] std::optional<engine::SlotRuns> recorded_slots(const Appending& work, SegmentIndex segment) const;
  void flush(SegmentIndex segment);

  UpdatePlacer placer_;
  SegmentPort& segments_;
  UpdateTracker tracker_;
  std::deque<Appending> appending_;
  Timestamp enqueued_{};
  std::vector<Timestamp> slots_known_;               ///< By segment.
  std::vector<std::deque<engine::Update>> waiting_;  ///< By segment.
};

}  // namespace daedalus::node
