#include "daedalus/node/node_core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "daedalus/base/check.hpp"
#include "node_call.hpp"
#include "replies.hpp"

namespace daedalus::node {

namespace {

/// Returns whether an operation of this kind is taken even while the node stops: what it has under way goes on.
bool concerns_what_is_under_way(wire::v1::OperationKind kind) {
  return kind == wire::v1::OPERATION_KIND_ABORT || kind == wire::v1::OPERATION_KIND_MARK ||
         kind == wire::v1::OPERATION_KIND_HOLD;
}

}  // namespace

NodeCore::NodeCore(NodeOptions options, std::shared_ptr<const semantics::Schema> schema, contract::PartitionMap map,
                   SegmentPort& segments)
    : options_(std::move(options)),
      schema_(std::move(schema)),
      map_(std::move(map)),
      segments_(segments),
      placement_(schema_, map_, options_.node, options_.segments),
      sequencer_(options_.sequencer),
      log_(options_.durability),
      updates_(schema_, map_, placement_, options_.node, segments_),
      shapes_(schema_),
      parked_(options_.parked_queries_max),
      outrun_(options_.parked_queries_max),
      queries_(options_.queries, options_.node, placement_, updates_, log_, segments_) {
  if (options_.found_epoch) {
    epochs_.restore(*options_.found_epoch);
    sequencer_.restore(*options_.found_epoch);
    needs_epoch_ = true;
  }
  if (options_.found_epoch && !log_.has_log()) {
    incomplete_ =
        Error{ErrorCategory::kFatal, "55000",
              fmt::format("node {} was restarted and has lost its rows: it is incomplete", raw(options_.node)),
              "durability is off: start the cluster afresh and load it again", 0};
  }
}

void NodeCore::start_after(Timestamp through, std::vector<Timestamp> slots_known) {
  CHECK(log_.has_log());
  sequencer_.start_after(through);
  updates_.start_after(through, std::move(slots_known));
  log_.on_durable(through);
  read_mark_.learn(through);
  marks_.start_from(through);
}

void NodeCore::remember(const ReplayedRecord& replayed) {
  sequencer_.remember(replayed.record.range, replayed.record.identity,
                      updates_.outcomes_of(replayed.placed, *replayed.recorded));
}

void NodeCore::replay(ReplayedRecord replayed) {
  TimestampRange range = replayed.record.range;
  CHECK(range.last > accepted());
  range.first = next(accepted());  // A range that a checkpoint lies in leaves the rest.
  updates_.replay(range.last, std::move(replayed.placed), std::move(replayed.recorded));
  sequencer_.replay(range, replayed.record.identity);
  log_.on_durable(range.last);
  read_mark_.learn(range.last);
}

void NodeCore::on_recovered() { incomplete_ = lost_before(epochs_.in_force()); }

void NodeCore::on_up(rpc::PeerId peer, const rpc::PeerInfo& /*info*/, Instant now, Effects& effects) {
  const Call call(*this, effects, now);
  last_sequence_.emplace(peer, 0);
  shapes_.on_up(peer);
}

void NodeCore::on_down(rpc::PeerId peer, Instant now, Effects& effects) {
  const Call call(*this, effects, now);
  last_sequence_.erase(peer);
  shapes_.on_down(peer);
  sequencer_.on_peer_down(peer);
  parked_.on_peer_down(peer);
  outrun_.on_peer_down(peer);
  queries_.on_peer_down(peer, effects);
  holds_.on_peer_down(peer, now);
}

void NodeCore::on_operation(rpc::PeerId peer, wire::v1::Operation&& operation, Instant now, Effects& effects) {
  const Call call(*this, effects, now);
  const auto last = last_sequence_.find(peer);
  if (last == last_sequence_.end()) {
    return;  // It has gone, or is being closed.
  }
  const Requester from{peer, operation.header().sequence()};
  if (from.sequence <= last->second) {
    effects.closes.emplace_back(peer, fmt::format("sequence {} came after {}", from.sequence, last->second));
    on_down(peer, now, effects);
    return;
  }
  last->second = from.sequence;
  dispatch(from, std::move(operation), now, effects);
}

void NodeCore::dispatch(Requester from, wire::v1::Operation operation, Instant now, Effects& effects) {
  if (operation.header().kind() == wire::v1::OPERATION_KIND_DEFINE) {
    return shapes_.define(from.peer, operation.header().shape_handle(), operation.body());
  }
  if (is_draining_ && !concerns_what_is_under_way(operation.header().kind())) {
    send_error(from, retry("57P01", fmt::format("node {} is stopping", raw(options_.node))), 0, effects);
    return;
  }
  if (const auto error = check_header(operation.header())) {
    send_error(from, *error, 0, effects);
    return;
  }
  switch (operation.header().kind()) {
    case wire::v1::OPERATION_KIND_SELECT:
      return on_select(from, operation, now, effects);
    case wire::v1::OPERATION_KIND_ABORT:
      return on_abort(from, operation.header(), effects);
    case wire::v1::OPERATION_KIND_UPDATE:
    case wire::v1::OPERATION_KIND_NO_OP_RANGE:
      return on_update(from, std::move(operation), now, effects);
    case wire::v1::OPERATION_KIND_DESCRIBE:
      return on_describe(from, effects);
    case wire::v1::OPERATION_KIND_STATUS:
      return on_status(from, effects);
    case wire::v1::OPERATION_KIND_EPOCH:
      return on_epoch(from, operation, effects);
    case wire::v1::OPERATION_KIND_MARK:
      return on_mark(from, operation, effects);
    case wire::v1::OPERATION_KIND_HOLD:
      return on_hold(from, operation, now, effects);
    case wire::v1::OPERATION_KIND_STATEMENT:
    case wire::v1::OPERATION_KIND_SUBMIT:
      return send_error(
          from,
          rejected("0A000", "a storage node serves neither statements nor submissions", "send them to an aggregator"),
          0, effects);
    default:
      return send_error(
          from,
          rejected("08P01", fmt::format("operation kind {} is not known", static_cast<int>(operation.header().kind()))),
          0, effects);
  }
}

void NodeCore::on_output(SegmentIndex segment, engine::Output output, Instant now, Effects& effects) {
  const Call call(*this, effects, now);
  if (auto* query = std::get_if<engine::QueryOutput>(&output)) {
    if (auto outrun = queries_.on_output(segment, std::move(*query), now, effects)) {
      wait_for_mark(std::move(*outrun), effects);
    }
  } else {
    updates_.on_output(segment, std::move(std::get<engine::UpdateOutput>(output)));
  }
  updates_.flush();
  finish_applied(now, effects);
}

void NodeCore::on_epoch_persisted(Epoch epoch, Instant now, Effects& effects) {
  const Call call(*this, effects, now);
  const EpochStore::Granted granted = epochs_.on_persisted(epoch);
  needs_epoch_ = false;
  if (log_.has_log()) {
    incomplete_ = lost_before(granted.record);
  }
  SequencerEffects decided;
  sequencer_.on_epoch(granted.record, decided);
  carry_out(std::move(decided), now, effects);
  send_epoch(granted.to, true, std::nullopt, effects);
}

void NodeCore::on_epoch_failed(Epoch epoch, const Error& why, Effects& effects) {
  const Call call(*this, effects);
  send_epoch(epochs_.on_failed(epoch), false, why, effects);
}

/// Returns what the holder cannot send any more, and this node does not have.
std::optional<Error> NodeCore::lost_before(const EpochRecord& record) const {
  if (record.kept_from <= next(accepted())) {
    return std::nullopt;
  }
  return Error{ErrorCategory::kFatal, "55000",
               fmt::format("node {} has updates up to {}, and writer \"{}\" kept those from {} on: what lies between "
                           "is lost here, so the node is incomplete",
                           raw(options_.node), raw(accepted()), record.holder, raw(record.kept_from)),
               "put back a newer copy of its data directory, or start the cluster afresh and load it again", 0};
}

void NodeCore::on_appended(Timestamp through, Instant now, Effects& effects) {
  const Call call(*this, effects, now);
  updates_.on_appended(through);
  unpark(now, effects);
}

void NodeCore::on_durable(Timestamp through, Instant now, Effects& effects) {
  const Call call(*this, effects, now);
  CHECK(through <= updates_.enqueued());
  log_.on_durable(through);
  SequencerEffects decided;
  sequencer_.on_durable(through, decided);
  carry_out(std::move(decided), now, effects);
}

void NodeCore::step(semantics::WorkBudget budget, const rpc::OutputGauge& gauge, Effects& effects) {
  const Call call(*this, effects);
  queries_.step(budget, gauge, effects);
}

void NodeCore::on_deadline(Instant now, Effects& effects) {
  const Call call(*this, effects, now);
  SequencerEffects decided;
  sequencer_.on_deadline(now, decided);
  carry_out(std::move(decided), now, effects);
  queries_.on_deadline(now, effects);
  holds_.on_deadline(now);
  for (const PreparedQuery& late : parked_.take_late(now)) {
    send_error(late.requester,
               retry("57014", fmt::format("node {} has reached {}, the query demands {}", raw(options_.node),
                                          raw(queryable()), raw(late.moment))),
               0, effects);
  }
  for (const PreparedQuery& late : outrun_.take_late(now)) {
    send_error(late.requester,
               retry("57014", fmt::format("one update alone has overwritten more than node {} keeps, and it has not "
                                          "been confirmed in time: the query asked for the table at {}, before it",
                                          raw(options_.node), raw(late.moment))),
               0, effects);
  }
}

Instant NodeCore::next_deadline() const {
  return std::min({sequencer_.next_deadline(), queries_.next_deadline(), parked_.next_deadline(),
                   outrun_.next_deadline(), holds_.next_deadline(), marks_.next_deadline()});
}

const std::optional<Error>& NodeCore::problem() const {
  return sequencer_.broken() ? sequencer_.broken() : incomplete_;
}

size_t NodeCore::under_way() const {
  return queries_.running() + parked_.size() + outrun_.size() + updates_.under_way();
}

void NodeCore::on_abort(Requester from, const wire::v1::OperationHeader& header, Effects& effects) {
  const Requester wanted{from.peer, header.abort_sequence()};
  if (parked_.take(wanted) || outrun_.take(wanted)) {
    send_error(wanted, rejected("57014", "the query was aborted"), 0, effects);
  } else {
    queries_.abort(wanted, effects);  // One that has ended already has had its answer.
  }
}

}  // namespace daedalus::node
