// DESCRIBE, STATUS and EPOCH: what the node says about itself and who may write.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "daedalus/node/node_core.hpp"
#include "replies.hpp"

namespace daedalus::node {

namespace {

bool is_printable(const std::string& text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

/// Trailing zeros stay away: most buckets are beyond the longest cycle.
void add_cycle_counts(const engine::SegmentStatistics& statistics, wire::v1::SegmentStatus* segment) {
  const auto& counts = statistics.cycle_counts;
  const auto last = std::find_if(counts.rbegin(), counts.rend(), [](uint64_t count) { return count > 0; });
  segment->mutable_cycle_counts()->Add(counts.begin(), last.base());
}

}  // namespace

void NodeCore::on_describe(Requester from, Effects& effects) const {
  auto* reply = add_result(from, effects).mutable_described();
  reply->set_cluster_id(options_.cluster_id);
  reply->set_schema_fingerprint(schema_->fingerprint);
  reply->set_table_name(schema_->table_name);
  for (const semantics::Column& column : schema_->columns) {
    *reply->add_columns() = contract::from_column(column);
  }
  for (const uint32_t column : schema_->primary_key) {
    reply->add_primary_key(column);
  }
  *reply->mutable_map() = contract::from_partition_map(map_);
  for (const auto& [node, endpoint] : options_.addresses) {
    auto* address = reply->mutable_map()->add_nodes();
    address->set_node(raw(node));
    address->set_endpoint(endpoint);
  }
  reply->set_epoch(raw(epoch().epoch));
  reply->set_writer(epoch().holder);
  reply->set_writer_endpoint(epoch().endpoint);
  auto* limits = reply->mutable_limits();
  limits->set_answer_bytes_max(options_.queries.answer_bytes_max);
  limits->set_clauses_max(semantics::kClausesMax);
  limits->set_literals_max(semantics::kLiteralsMax);
  limits->set_update_rows_max(contract::kUpdateRowsMax);
  limits->set_update_bytes_max(contract::kUpdateBytesMax);
  limits->set_groups_max(semantics::kGroupsMax);
  reply->set_durability(to_text(log_.durability()));
}

void NodeCore::on_status(Requester from, Effects& effects) const {
  auto* reply = add_result(from, effects).mutable_status();
  reply->set_cluster_id(options_.cluster_id);
  fill(reply->add_nodes());
}

void NodeCore::fill(wire::v1::NodeStatus* status) const {
  status->set_node(raw(options_.node));
  status->set_endpoint(options_.endpoint);
  status->set_version(options_.version);
  status->set_reachable(true);
  if (problem()) {
    status->set_problem(fmt::format("{}; {}", problem()->message, problem()->hint));
  }
  status->set_durability(to_text(log_.durability()));
  status->set_epoch(raw(epoch().epoch));
  status->set_writer(epoch().holder);
  status->set_writer_endpoint(epoch().endpoint);
  status->set_accepted(raw(accepted()));
  status->set_applied(raw(applied()));
  status->set_durable(raw(durable()));
  status->set_incarnation(options_.incarnation);
  status->set_checkpoint(raw(storage_.checkpoint));
  status->set_log_bytes(storage_.log_bytes);
  status->set_checkpoint_bytes(storage_.checkpoint_bytes);
  status->set_process_id(options_.process_id);
  if (options_.allocator) {
    const AllocatorUse use = options_.allocator();
    status->mutable_allocator()->set_allocated_bytes(use.allocated_bytes);
    status->mutable_allocator()->set_resident_bytes(use.resident_bytes);
  }
  status->set_queries_total(queries_total_);
  status->set_updates_total(updates_total_);
  for (uint32_t i = 0; i < placement_.segment_count(); ++i) {
    const SegmentReport report = segments_.report(SegmentIndex{i});
    auto* segment = status->add_segments();
    segment->set_partition(raw(placement_.partition_of(SegmentIndex{i})));
    segment->set_segment(placement_.segment_within(SegmentIndex{i}));
    segment->set_rows(report.statistics.rows);
    segment->set_rows_max(report.statistics.rows_max);
    segment->set_memory_bytes(report.statistics.memory_bytes);
    segment->set_window_bytes(report.statistics.window_bytes);
    segment->set_window_bytes_max(report.statistics.window_bytes_max);
    segment->set_window_from(raw(report.statistics.window_from));
    segment->set_applied(raw(report.statistics.prefix));
    segment->set_durable(raw(log_.durable(report.statistics.prefix)));
    segment->set_cycles(report.statistics.cycles);
    segment->set_cycle_ns_last(report.statistics.cycle_ns_last);
    segment->set_cycle_ns_max(report.statistics.cycle_ns_max);
    segment->set_queue_queries(report.statistics.queue_queries);
    segment->set_queue_updates(report.statistics.queue_updates +
                               static_cast<uint32_t>(updates_.waiting(SegmentIndex{i})));
    segment->set_core(report.core);
    segment->set_numa_node(report.statistics.placement.numa_node);
    segment->set_placement_verified(report.statistics.placement.is_verified);
    segment->set_huge_page_bytes(report.statistics.placement.huge_page_bytes);
    segment->set_row_bytes(report.statistics.row_bytes);
    segment->set_cycles_late(report.statistics.cycles_late);
    add_cycle_counts(report.statistics, segment);
    segment->set_complete(!incomplete_);
    status->set_share_factor(report.statistics.share_factor_max);
    status->set_updates_per_cycle(report.statistics.updates_per_cycle_max);
    status->set_cycle_ns_target(report.statistics.cycle_ns_target);
  }
}

void NodeCore::on_epoch(Requester from, const wire::v1::Operation& operation, Effects& effects) {
  wire::v1::EpochBody body;
  if (!body.ParseFromString(operation.body())) {
    return send_error(from, rejected("08P01", "the body of the epoch operation does not parse"), 0, effects);
  }
  // One that is incomplete for want of updates may get them from another holder.
  if (problem() && (sequencer_.broken() || !log_.has_log())) {
    return send_epoch(from, false, problem(), effects);
  }
  if (body.inquire()) {
    return send_epoch(from, true, std::nullopt, effects);
  }
  const bool is_sound = !body.holder().empty() && body.holder().size() <= EpochStore::kTextSizeMax &&
                        body.endpoint().size() <= EpochStore::kTextSizeMax && is_printable(body.holder()) &&
                        is_printable(body.endpoint());
  if (!is_sound) {
    return send_error(from,
                      rejected("08P01", fmt::format("the holder of an epoch has a printable name of 1 to {} bytes",
                                                    EpochStore::kTextSizeMax)),
                      0, effects);
  }
  switch (epochs_.request(
      from, EpochRecord{Epoch{body.epoch()}, body.holder(), body.endpoint(), Timestamp{body.kept_from()}})) {
    case EpochStore::Verdict::kTaken:
      // Answered when it is on disk.
      effects.epochs.push_back(epochs_.highest());
      return;
    case EpochStore::Verdict::kNotHigher:
      return send_epoch(
          from, false,
          rejected("55006", fmt::format("epoch {} is not higher than {}, which \"{}\" holds on node {}", body.epoch(),
                                        raw(epochs_.highest().epoch), epochs_.highest().holder, raw(options_.node))),
          effects);
    case EpochStore::Verdict::kTooFar:
      return send_epoch(
          from, false,
          rejected(
              "22023",
              fmt::format("epoch {} is too far above {}, the highest that node {} knows: it may rise by {} at a time",
                          body.epoch(), raw(epochs_.highest().epoch), raw(options_.node), EpochStore::kStepMax),
              "inquire, and ask for the next one"),
          effects);
    case EpochStore::Verdict::kTooMany:
      return send_epoch(from, false, retry("53000", "too many epochs are on their way to the disk"), effects);
  }
}

void NodeCore::send_epoch(Requester to, bool is_granted, const std::optional<Error>& error, rpc::Outbox& out) const {
  // A refusal names what stands in the way, even when it is still on its way to the disk.
  const EpochRecord& record = error ? epochs_.highest() : epochs_.in_force();
  auto* reply = add_result(to, out).mutable_epoch();
  reply->set_granted(is_granted);
  reply->set_epoch(raw(record.epoch));
  reply->set_holder(record.holder);
  reply->set_endpoint(record.endpoint);
  *reply->add_accepted() = watermark(accepted());
  if (error) {
    *reply->mutable_error() = contract::from_error(*error);
  }
}

}  // namespace daedalus::node
