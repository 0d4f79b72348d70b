#include "node_harness.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>
#include <utility>

#include "daedalus/semantics/scalar_function.hpp"

namespace daedalus::node {

using semantics::TypeKind;

std::shared_ptr<const semantics::Schema> tickets_schema() {
  auto schema = std::make_shared<semantics::Schema>();
  schema->table_name = "tickets";
  schema->fingerprint = "tickets-1";
  schema->columns = {semantics::Column{"id", semantics::Type{TypeKind::kInt, 0, 0, 0}, false, {}},
                     semantics::Column{"origin", semantics::Type{TypeKind::kChar, 0, 0, 3}, true, {}},
                     semantics::Column{"seats", semantics::Type{TypeKind::kInt, 0, 0, 0}, true, {}}};
  return schema;
}

wire::v1::Expression column(uint32_t position) {
  wire::v1::Expression made;
  made.set_column(position);
  return made;
}

wire::v1::Expression constant(int64_t value) {
  wire::v1::Expression made;
  *made.mutable_constant() = contract::from_value(semantics::Type{TypeKind::kInt, 0, 0, 0}, semantics::Value(value));
  return made;
}

wire::v1::Expression call(wire::v1::Operator op, std::vector<wire::v1::Expression> arguments) {
  wire::v1::Expression made;
  made.mutable_call()->set_operator_(op);
  for (auto& argument : arguments) {
    *made.mutable_call()->add_arguments() = std::move(argument);
  }
  return made;
}

wire::v1::SelectBody select_all(std::optional<wire::v1::Expression> filter) {
  wire::v1::SelectBody body;
  for (uint32_t i = 0; i < 3; ++i) {
    auto* output = body.add_outputs();
    output->set_name(tickets_schema()->columns[i].name);
    *output->mutable_expression() = column(i);
  }
  body.set_visible_outputs(3);
  body.set_form(wire::v1::RESULT_FORM_PARTIAL);
  if (filter) {
    *body.mutable_filter() = *filter;
  }
  return body;
}

std::vector<wire::v1::SelectBody> selects_that_are_merged() {
  wire::v1::SelectBody ordered = select_all();
  ordered.add_order_by()->set_output(0);
  wire::v1::SelectBody limited = select_all();
  limited.set_has_limit(true);
  limited.set_limit(1);
  return {select_count_and_sum(), ordered, limited};
}

wire::v1::SelectBody select_count_and_sum() {
  wire::v1::SelectBody body;
  body.add_outputs()->mutable_aggregate()->set_function(wire::v1::AGGREGATE_FUNCTION_COUNT_ROWS);
  body.mutable_outputs(0)->set_name("count");
  auto* sum = body.add_outputs();
  sum->set_name("sum");
  sum->mutable_aggregate()->set_function(wire::v1::AGGREGATE_FUNCTION_SUM);
  *sum->mutable_aggregate()->mutable_argument() = column(2);
  body.set_visible_outputs(2);
  body.set_form(wire::v1::RESULT_FORM_PARTIAL);
  return body;
}

wire::v1::UpdatePart insert_part(const std::vector<Ticket>& tickets, uint32_t first_ordinal) {
  const auto types = semantics::column_types(*tickets_schema());
  wire::v1::UpdatePart part;
  for (const Ticket& ticket : tickets) {
    const std::vector<semantics::Value> values = {ticket.id, ticket.origin,
                                                  ticket.seats ? semantics::Value(*ticket.seats) : semantics::Value()};
    semantics::append_packed_row(types, values, *part.mutable_insert()->mutable_rows());
  }
  part.mutable_insert()->set_row_count(static_cast<uint32_t>(tickets.size()));
  part.mutable_insert()->set_first_ordinal(first_ordinal);
  return part;
}

std::string ticket_with_id(int64_t id) { return update_body({insert_part({Ticket{id, "ZRH", 2}})}); }

wire::v1::UpdatePart add_seats_part(int64_t by, wire::v1::Expression filter) {
  wire::v1::UpdatePart part;
  auto* assignment = part.mutable_modify()->add_assignments();
  assignment->set_column(2);
  *assignment->mutable_value() = call(wire::v1::OPERATOR_ADD, {column(2), constant(by)});
  *part.mutable_modify()->mutable_filter() = std::move(filter);
  return part;
}

namespace {

/// An operator of two int.
wire::v1::Expression of_ints(std::string_view sign, wire::v1::Expression left, wire::v1::Expression right) {
  const semantics::ArgumentKind kinds[] = {{semantics::TypeKind::kInt}, {semantics::TypeKind::kInt}};
  wire::v1::Expression made;
  made.mutable_call()->set_function(
      static_cast<uint32_t>((*semantics::resolve_function(sign, /*is_operator=*/true, kinds))->id));
  *made.mutable_call()->add_arguments() = std::move(left);
  *made.mutable_call()->add_arguments() = std::move(right);
  return made;
}

}  // namespace

wire::v1::UpdatePart divide_seats_part(int64_t dividend, wire::v1::Expression filter) {
  wire::v1::UpdatePart part;
  auto* assignment = part.mutable_modify()->add_assignments();
  assignment->set_column(2);
  *assignment->mutable_value() = of_ints("/", constant(dividend), column(2));
  *part.mutable_modify()->mutable_filter() = std::move(filter);
  return part;
}

wire::v1::UpdatePart delete_quotients_part(int64_t dividend) {
  wire::v1::UpdatePart part;
  *part.mutable_delete_()->add_residuals() = of_ints(">", of_ints("/", constant(dividend), column(2)), constant(10));
  return part;
}

wire::v1::UpdatePart delete_part(wire::v1::Expression filter) {
  wire::v1::UpdatePart part;
  *part.mutable_delete_()->mutable_filter() = std::move(filter);
  return part;
}

std::string update_body(const std::vector<wire::v1::UpdatePart>& parts) {
  wire::v1::UpdateBody body;
  for (const auto& part : parts) {
    *body.add_parts() = part;
  }
  return body.SerializeAsString();
}

std::vector<Ticket> read_tickets(const std::string& rows) {
  const auto types = semantics::column_types(*tickets_schema());
  std::vector<Ticket> tickets;
  semantics::PackedRows walk(rows);
  while (true) {
    const auto row = walk.next();
    EXPECT_TRUE(row);
    if (!row || !row->has_value()) {
      return tickets;
    }
    const auto values = semantics::read_packed_row(types, **row);
    EXPECT_TRUE(values);
    Ticket& ticket = tickets.emplace_back();
    ticket.id = std::get<int64_t>((*values)[0]);
    ticket.origin = std::get<std::string>((*values)[1]);
    ticket.seats = semantics::is_null((*values)[2]) ? std::nullopt : std::optional(std::get<int64_t>((*values)[2]));
  }
}

void expect_error(const wire::v1::Result& result, wire::v1::ErrorCategory category, const std::string& sqlstate,
                  const std::string& part) {
  ASSERT_TRUE(result.has_error()) << result.ShortDebugString();
  EXPECT_EQ(result.error().category(), category);
  EXPECT_EQ(result.error().sqlstate(), sqlstate);
  EXPECT_THAT(result.error().message(), testing::HasSubstr(part));
}

SteppedSegments::SteppedSegments(const semantics::Schema& schema, const engine::SegmentOptions& options, uint32_t count)
    : codec_(schema), kept_from_(count) {
  for (uint32_t i = 0; i < count; ++i) {
    segments_.push_back(std::make_unique<engine::Segment>(schema, codec_.codec(), options));
  }
}

bool SteppedSegments::enqueue(SegmentIndex segment, engine::Query query) {
  return segments_[raw(segment)]->enqueue(std::move(query));
}

bool SteppedSegments::enqueue(SegmentIndex segment, engine::Update update) {
  return segments_[raw(segment)]->enqueue(std::move(update));
}

void SteppedSegments::keep_from(SegmentIndex segment, Timestamp moment) {
  kept_from_[raw(segment)] = moment;
  segments_[raw(segment)]->keep_from(moment);
}

SegmentReport SteppedSegments::report(SegmentIndex segment) const {
  return SegmentReport{segments_[raw(segment)]->statistics(), -1};
}

HarnessOptions with_small_answers() {
  HarnessOptions options = default_options();
  options.node.queries.answer_bytes_max = 1000;
  return options;
}

HarnessOptions default_options() {
  HarnessOptions options;
  options.node.cluster_id = "test";
  options.node.segments = 2;
  options.map.version = 7;
  options.map.partitions = {{NodeId{0}}};
  options.segment.memory_bytes = 1u << 20;
  options.segment.chunk_rows = 256;
  return options;
}

NodeHarness::NodeHarness(HarnessOptions options)
    : options_(std::move(options)),
      schema_(tickets_schema()),
      segments_(
          *schema_, options_.segment,
          static_cast<uint32_t>(hosted_partitions(options_.map, options_.node.node).size()) * options_.node.segments),
      core_(std::make_unique<NodeCore>(options_.node, schema_, options_.map, segments_)) {
  connect(1);
  if (!options_.node.found_epoch) {
    const uint64_t sequence = send_epoch(1, "w");
    sync_epochs();
    EXPECT_TRUE(take_only(sequence).epoch().granted());
  }
}

void NodeHarness::connect(uint64_t peer) {
  core_->on_up(rpc::PeerId{peer}, rpc::PeerInfo{}, now_, effects_);
  collect();
}

void NodeHarness::disconnect(uint64_t peer) {
  core_->on_down(rpc::PeerId{peer}, now_, effects_);
  collect();
}

uint64_t NodeHarness::send(wire::v1::Operation operation, uint64_t peer) {
  const uint64_t sequence = ++sequences_[peer];
  operation.mutable_header()->set_sequence(sequence);
  core_->on_operation(rpc::PeerId{peer}, std::move(operation), now_, effects_);
  collect();
  return sequence;
}

wire::v1::Operation NodeHarness::operation(wire::v1::OperationKind kind, std::string body) {
  wire::v1::Operation made;
  made.mutable_header()->set_kind(kind);
  made.mutable_header()->set_map_version(7);
  made.set_body(std::move(body));
  return made;
}

uint64_t NodeHarness::send_select(const wire::v1::SelectBody& body, std::optional<uint64_t> prefix_min,
                                  uint64_t remaining_ns) {
  auto made = operation(wire::v1::OPERATION_KIND_SELECT, body.SerializeAsString());
  made.mutable_header()->set_prefix_min(prefix_min.value_or(raw(core_->accepted())));
  made.mutable_header()->set_remaining_ns(remaining_ns);
  return send(std::move(made));
}

uint64_t NodeHarness::send_select_at(const wire::v1::SelectBody& body, uint64_t at, bool is_firm) {
  auto made = operation(wire::v1::OPERATION_KIND_SELECT, body.SerializeAsString());
  made.mutable_header()->set_at(at);
  made.mutable_header()->set_is_firm(is_firm);
  return send(std::move(made));
}

uint64_t NodeHarness::send_update(uint64_t timestamp, std::string body, uint64_t peer) {
  auto made = operation(wire::v1::OPERATION_KIND_UPDATE, std::move(body));
  auto* header = made.mutable_header()->mutable_update();
  header->set_epoch(raw(core_->epoch().epoch));
  header->set_timestamp(timestamp);
  header->set_digest(semantics::digest(made.body()));
  return send(std::move(made), peer);
}

uint64_t NodeHarness::send_no_op(uint64_t first, uint64_t last, uint64_t peer) {
  auto made = operation(wire::v1::OPERATION_KIND_NO_OP_RANGE);
  auto* header = made.mutable_header()->mutable_update();
  header->set_epoch(raw(core_->epoch().epoch));
  header->set_first_timestamp(first);
  header->set_timestamp(last);
  return send(std::move(made), peer);
}

uint64_t NodeHarness::send_mark(uint64_t mark, uint64_t peer) {
  auto made = operation(wire::v1::OPERATION_KIND_MARK);
  made.mutable_header()->set_mark(mark);
  return send(std::move(made), peer);
}

uint64_t NodeHarness::send_hold(const std::vector<uint64_t>& moments, uint64_t lowest, uint64_t peer) {
  wire::v1::HoldBody body;
  body.mutable_moments()->Assign(moments.begin(), moments.end());
  body.set_lowest(lowest);
  return send(operation(wire::v1::OPERATION_KIND_HOLD, body.SerializeAsString()), peer);
}

uint64_t NodeHarness::send_epoch(uint64_t epoch, const std::string& holder, bool inquire, uint64_t kept_from) {
  wire::v1::EpochBody body;
  body.set_epoch(epoch);
  body.set_holder(holder);
  body.set_endpoint(holder + ":7500");
  body.set_inquire(inquire);
  body.set_kept_from(kept_from);
  return send(operation(wire::v1::OPERATION_KIND_EPOCH, body.SerializeAsString()));
}

void NodeHarness::step(uint32_t segment) {
  static_cast<void>(segments_.at(segment).step(now_, options_.step));
  while (auto output = segments_.at(segment).dequeue()) {
    core_->on_output(SegmentIndex{segment}, std::move(*output), now_, effects_);
  }
  collect();
}

void NodeHarness::settle() {
  for (bool busy = true; busy;) {
    busy = false;
    for (uint32_t i = 0; i < segments_.count(); ++i) {
      busy = busy || segments_.at(i).has_work();
      step(i);
    }
  }
}

void NodeHarness::wait(int64_t duration_ns) {
  now_ = after(now_, duration_ns);
  if (effects_.wake_at <= now_) {
    core_->on_deadline(now_, effects_);
  }
  collect();
}

void NodeHarness::sync_epochs() {
  while (!epochs_waiting_.empty()) {
    core_->on_epoch_persisted(epochs_waiting_.front().epoch, now_, effects_);
    epochs_waiting_.pop_front();
    collect();
  }
}

void NodeHarness::append(size_t count) {
  for (; count > 0 && !log_waiting_.empty(); --count) {
    appended_ = log_waiting_.front().range.last;
    log_waiting_.pop_front();
    core_->on_appended(appended_, now_, effects_);
  }
  collect();
}

void NodeHarness::sync_log() {
  core_->on_durable(appended_, now_, effects_);
  collect();
}

std::vector<wire::v1::Result> NodeHarness::take(uint64_t sequence, uint64_t peer) {
  return std::exchange(results_[{peer, sequence}], {});
}

wire::v1::Result NodeHarness::take_only(uint64_t sequence, uint64_t peer) {
  auto results = take(sequence, peer);
  EXPECT_EQ(results.size(), 1u) << "answers to operation " << sequence;
  return results.empty() ? wire::v1::Result() : results.front();
}

std::string NodeHarness::take_rows(uint64_t sequence, wire::v1::QueryEnd* end) {
  std::string rows;
  uint64_t row_count = 0;
  const auto results = take(sequence);
  EXPECT_FALSE(results.empty());
  for (const auto& result : results) {
    if (result.has_rows()) {
      rows += result.rows().rows();
      row_count += result.rows().row_count();
    } else {
      EXPECT_TRUE(result.has_end()) << result.ShortDebugString();
      EXPECT_EQ(&result, &results.back());
      EXPECT_EQ(result.end().row_count(), row_count);
      if (end != nullptr) {
        *end = result.end();
      }
    }
  }
  return rows;
}

void NodeHarness::collect() {
  while (core_->has_work(gauge_)) {
    core_->step(semantics::WorkBudget(1'000), gauge_, effects_);
  }
  EXPECT_TRUE(effects_.operations.empty());
  for (auto& [peer, result] : effects_.results) {
    results_[{raw(peer), result.sequence()}].push_back(std::move(result));
  }
  for (auto& [peer, reason] : effects_.closes) {
    closes_.emplace_back(raw(peer), reason);
  }
  epochs_waiting_.insert(epochs_waiting_.end(), effects_.epochs.begin(), effects_.epochs.end());
  log_waiting_.insert(log_waiting_.end(), effects_.log.begin(), effects_.log.end());
  effects_.clear();
  effects_.epochs.clear();
  effects_.log.clear();
}

}  // namespace daedalus::node
