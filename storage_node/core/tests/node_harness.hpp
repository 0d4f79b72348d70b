// One NodeCore over real engine segments that are stepped by hand, and words to speak to it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daedalus/contract/translate.hpp"
#include "daedalus/engine/segment.hpp"
#include "daedalus/node/node_core.hpp"
#include "daedalus/semantics/packed.hpp"
#include "daedalus/semantics/placement.hpp"
#include "daedalus/semantics/row_codec.hpp"

namespace daedalus::node {

/// tickets(id int not null, origin char(3), seats int)
[[nodiscard]] std::shared_ptr<const semantics::Schema> tickets_schema();

struct Ticket {
  int64_t id = 0;
  std::string origin = "ZRH";
  std::optional<int64_t> seats;

  friend auto operator<=>(const Ticket&, const Ticket&) = default;
};

// ---- expressions ----
[[nodiscard]] wire::v1::Expression column(uint32_t position);
[[nodiscard]] wire::v1::Expression constant(int64_t value);
[[nodiscard]] wire::v1::Expression call(wire::v1::Operator op, std::vector<wire::v1::Expression> arguments);

// ---- bodies ----
/// SELECT id, origin, seats [WHERE filter]
[[nodiscard]] wire::v1::SelectBody select_all(std::optional<wire::v1::Expression> filter = std::nullopt);
/// SELECT count(*), sum(seats)
[[nodiscard]] wire::v1::SelectBody select_count_and_sum();
/// Aggregates, orders and limits: none of them has slices or pieces.
[[nodiscard]] std::vector<wire::v1::SelectBody> selects_that_are_merged();
[[nodiscard]] wire::v1::UpdatePart insert_part(const std::vector<Ticket>& tickets, uint32_t first_ordinal = 0);
/// The body of an INSERT of one ticket.
[[nodiscard]] std::string ticket_with_id(int64_t id);
/// UPDATE ... SET seats = seats + by WHERE filter
[[nodiscard]] wire::v1::UpdatePart add_seats_part(int64_t by, wire::v1::Expression filter);
/// seats = dividend / seats.
[[nodiscard]] wire::v1::UpdatePart divide_seats_part(int64_t dividend, wire::v1::Expression filter);
/// Deletes every row whose seats go into the dividend more than ten times.
[[nodiscard]] wire::v1::UpdatePart delete_quotients_part(int64_t dividend);
[[nodiscard]] wire::v1::UpdatePart delete_part(wire::v1::Expression filter);
[[nodiscard]] std::string update_body(const std::vector<wire::v1::UpdatePart>& parts);

[[nodiscard]] std::vector<Ticket> read_tickets(const std::string& rows);

/// The result must be an error of this category and code whose message contains `part`.
void expect_error(const wire::v1::Result& result, wire::v1::ErrorCategory category, const std::string& sqlstate,
                  const std::string& part);

class SteppedSegments final : public SegmentPort {
 public:
  SteppedSegments(const semantics::Schema& schema, const engine::SegmentOptions& options, uint32_t count);

  [[nodiscard]] bool enqueue(SegmentIndex segment, engine::Query query) override;
  [[nodiscard]] bool enqueue(SegmentIndex segment, engine::Update update) override;
  void keep_from(SegmentIndex segment, Timestamp moment) override;
  [[nodiscard]] SegmentReport report(SegmentIndex segment) const override;

  [[nodiscard]] uint32_t count() const { return static_cast<uint32_t>(segments_.size()); }
  [[nodiscard]] engine::Segment& at(uint32_t index) { return *segments_[index]; }
  /// Returns the moment that each segment was told last.
  [[nodiscard]] const std::vector<Timestamp>& kept_from() const { return kept_from_; }

 private:
  semantics::GenericRowCodec codec_;
  std::vector<std::unique_ptr<engine::Segment>> segments_;
  std::vector<Timestamp> kept_from_;
};

struct HarnessOptions {
  NodeOptions node;
  contract::PartitionMap map;
  engine::SegmentOptions segment;
  engine::StepBudget step;  ///< Bounds one step().
};

/// One partition on node 0, two segments, round robin, epoch 1 granted to "w", peer 1 up.
[[nodiscard]] HarnessOptions default_options();
/// An answer has 1,000 bytes at most.
[[nodiscard]] HarnessOptions with_small_answers();

class NodeHarness {
 public:
  explicit NodeHarness(HarnessOptions options = default_options());

  [[nodiscard]] NodeCore& core() { return *core_; }
  [[nodiscard]] SteppedSegments& segments() { return segments_; }
  [[nodiscard]] Instant now() const { return now_; }

  void connect(uint64_t peer);
  void disconnect(uint64_t peer);
  /// Sends with the next sequence of the peer, which it returns.
  uint64_t send(wire::v1::Operation operation, uint64_t peer = 1);
  /// Demands this prefix; without one all that the node has accepted, confirmed or not.
  uint64_t send_select(const wire::v1::SelectBody& body, std::optional<uint64_t> prefix_min = std::nullopt,
                       uint64_t remaining_ns = 0);
  /// Asks at exactly this moment.
  uint64_t send_select_at(const wire::v1::SelectBody& body, uint64_t at, bool is_firm = false);
  /// An update of the epoch in force, with the digest of its body.
  uint64_t send_update(uint64_t timestamp, std::string body, uint64_t peer = 1);
  uint64_t send_no_op(uint64_t first, uint64_t last, uint64_t peer = 1);
  uint64_t send_mark(uint64_t mark, uint64_t peer = 1);
  uint64_t send_hold(const std::vector<uint64_t>& moments, uint64_t lowest = 0, uint64_t peer = 1);
  uint64_t send_epoch(uint64_t epoch, const std::string& holder, bool inquire = false, uint64_t kept_from = 0);

  /// One cycle of one segment, or as much of it as the budget allows, and its outputs to the core.
  void step(uint32_t segment);
  /// Cycles until nothing is left to do.
  void settle();
  void wait(int64_t duration_ns);
  /// When the core wants to be woken, as it said last.
  [[nodiscard]] Instant wake_at() const { return effects_.wake_at; }
  /// Grants what waits for the disk.
  void sync_epochs();
  /// Writes the oldest `count` records that wait for the log; they are not durable yet.
  void append(size_t count);
  /// Everything that has been written is durable.
  void sync_log();
  [[nodiscard]] const std::deque<LogRecord>& log_waiting() const { return log_waiting_; }

  /// Everything that answered (peer, sequence) so far, in order; takes it.
  [[nodiscard]] std::vector<wire::v1::Result> take(uint64_t sequence, uint64_t peer = 1);
  /// The one result there must be.
  [[nodiscard]] wire::v1::Result take_only(uint64_t sequence, uint64_t peer = 1);
  /// The rows of an answer that must have ended well.
  [[nodiscard]] std::string take_rows(uint64_t sequence, wire::v1::QueryEnd* end = nullptr);
  [[nodiscard]] const std::vector<std::pair<uint64_t, std::string>>& closes() const { return closes_; }

  [[nodiscard]] static wire::v1::Operation operation(wire::v1::OperationKind kind, std::string body = {});

 private:
  void collect();

  HarnessOptions options_;
  std::shared_ptr<const semantics::Schema> schema_;
  SteppedSegments segments_;
  std::unique_ptr<NodeCore> core_;
  Instant now_{kSecond};
  Effects effects_;
  std::deque<EpochRecord> epochs_waiting_;
  std::deque<LogRecord> log_waiting_;
  Timestamp appended_{};
  rpc::EmptyGauge gauge_;
  std::map<uint64_t, uint64_t> sequences_;
  std::map<std::pair<uint64_t, uint64_t>, std::vector<wire::v1::Result>> results_;
  std::vector<std::pair<uint64_t, std::string>> closes_;
};

}  // namespace daedalus::node
