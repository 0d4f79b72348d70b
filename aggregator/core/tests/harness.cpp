#include "harness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "daedalus/base/check.hpp"
#include "daedalus/contract/features.hpp"
#include "daedalus/contract/language.hpp"
#include "daedalus/semantics/placement.hpp"

namespace daedalus::aggregator::testing {

using semantics::Distribution;
using semantics::Type;
using semantics::TypeKind;
using semantics::Value;

namespace {

const Type kInt{.kind = TypeKind::kInt};
const Type kBigint{.kind = TypeKind::kBigint};
const Type kOrigin{.kind = TypeKind::kChar, .length = 3};
const Type kAnyNumeric{.kind = TypeKind::kNumeric};

std::string category_name(wire::v1::ErrorCategory category) {
  return wire::v1::ErrorCategory_Name(category).substr(sizeof("ERROR_CATEGORY_") - 1);
}

std::string describe_error(const wire::v1::Error& error) {
  std::string line = fmt::format("error {} {}", category_name(error.category()), error.sqlstate());
  if (error.ask_again_at() != 0) {
    line += fmt::format(" ask_again_at={}", error.ask_again_at());
  }
  for (const auto& missing : error.missing()) {
    line += fmt::format(" missing={}:{}", missing.node(), missing.partition());
  }
  return line;
}

std::string describe_confirmed(const wire::v1::WriteConfirmed& confirmed) {
  std::string line = fmt::format("confirmed t={}", confirmed.timestamp());
  for (const auto& outcome : confirmed.outcomes()) {
    line += fmt::format(" outcome={}:{}", outcome.node(), outcome.partition());
  }
  for (const auto& watermark : confirmed.watermarks()) {
    line += fmt::format(" watermark={}:{}", watermark.node(), watermark.applied());
  }
  return line;
}

std::string describe_marked(const wire::v1::Marked& marked) {
  std::string line = "marked";
  for (const auto& watermark : marked.watermarks()) {
    line += fmt::format(" {}:{}", watermark.node(), watermark.mark());
  }
  return line;
}

std::string describe_held(const wire::v1::Held& held) {
  std::string line = fmt::format("held {}", held.oldest());
  for (const uint64_t moment : held.refused()) {
    line += fmt::format(" refused={}", moment);
  }
  return line;
}

std::string describe_hold(const std::string& body) {
  wire::v1::HoldBody word;
  CHECK(word.ParseFromString(body));
  std::string line;
  for (const uint64_t moment : word.moments()) {
    line += fmt::format(" {}", moment);
  }
  return line + (word.lowest() == 0 ? "" : fmt::format(" lowest={}", word.lowest()));
}

std::string describe_result(const wire::v1::Result& result) {
  switch (result.kind_case()) {
    case wire::v1::Result::kRows:
      return fmt::format(
          "rows={}{}", result.rows().row_count(),
          result.rows().columns_size() > 0 ? fmt::format(" columns={}", result.rows().columns_size()) : "");
    case wire::v1::Result::kEnd:
      return fmt::format("end rows={} stamps={}", result.end().row_count(), result.end().stamps_size());
    case wire::v1::Result::kConfirmed:
      return describe_confirmed(result.confirmed());
    case wire::v1::Result::kRefused:
      return fmt::format("refused t={} {} node={}", result.refused().timestamp(),
                         wire::v1::WriteRefusal_Name(result.refused().reason()).substr(sizeof("WRITE_REFUSAL_") - 1),
                         result.refused().node());
    case wire::v1::Result::kError:
      return describe_error(result.error());
    case wire::v1::Result::kEpoch:
      return fmt::format("epoch granted={} epoch={} holder={} accepted={}", result.epoch().granted(),
                         result.epoch().epoch(), result.epoch().holder(), result.epoch().accepted_size());
    case wire::v1::Result::kStatus:
      return fmt::format("status nodes={}", result.status().nodes_size());
    case wire::v1::Result::kDescribed:
      return fmt::format("described {}", result.described().table_name());
    case wire::v1::Result::kMarked:
      return describe_marked(result.marked());
    case wire::v1::Result::kHeld:
      return describe_held(result.held());
    case wire::v1::Result::KIND_NOT_SET:
      break;
  }
  return "nothing";
}

std::string kind_name(wire::v1::OperationKind kind) {
  return wire::v1::OperationKind_Name(kind).substr(sizeof("OPERATION_KIND_") - 1);
}

}  // namespace

uint64_t base_seed() {
  const char* given = std::getenv("DAEDALUS_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
}

// ---- table and map ----

std::shared_ptr<const semantics::Schema> flights() {
  auto schema = std::make_shared<semantics::Schema>();
  schema->table_name = "flights";
  schema->fingerprint = std::string(64, 'f');
  schema->columns = {{.name = "id", .type = kInt, .nullable = false},
                     {.name = "origin", .type = kOrigin},
                     {.name = "delay", .type = kInt}};
  return schema;
}

std::shared_ptr<const contract::PartitionMap> make_map(uint32_t partitions, uint32_t nodes, Distribution distribution) {
  auto map = std::make_shared<contract::PartitionMap>();
  map->version = 7;
  map->distribution = distribution;
  if (distribution == Distribution::kHash) {
    map->columns = {1};
    map->grid = {partitions};
  }
  for (uint32_t partition = 0; partition < partitions; ++partition) {
    map->partitions.push_back({NodeId{partition % nodes}});
  }
  return map;
}

std::string origin_in(uint32_t partition, uint32_t partitions) {
  for (char letter = 'A'; letter <= 'Z'; ++letter) {
    const std::string origin(3, letter);
    if (semantics::hash_partition(semantics::placement_key(kOrigin, Value(origin)), partitions) == partition) {
      return origin;
    }
  }
  CHECK(false);
  return {};
}

wire::v1::Route route_to(const std::string& origin) {
  wire::v1::Route route;
  auto& equality = *route.add_equalities();
  equality.set_column(1);
  *equality.add_values() = contract::from_value(kOrigin, Value(origin));
  return route;
}

wire::v1::Expression origin_is(const std::string& origin) {
  wire::v1::Expression expression;
  auto& call = *expression.mutable_call();
  call.set_operator_(wire::v1::OPERATOR_EQUAL);
  call.add_arguments()->set_column(1);
  *call.add_arguments()->mutable_constant() = contract::from_value(kOrigin, Value(origin));
  return expression;
}

// ---- bodies ----

wire::v1::SelectBody select_ids(const std::string& origin) {
  wire::v1::SelectBody body;
  auto& output = *body.add_outputs();
  output.set_name("id");
  output.mutable_expression()->set_column(0);
  body.set_visible_outputs(1);
  if (!origin.empty()) {
    *body.mutable_filter() = origin_is(origin);
  }
  return body;
}

wire::v1::SelectBody select_totals() {
  wire::v1::SelectBody body;
  auto& count = *body.add_outputs();
  count.set_name("count");
  count.mutable_aggregate()->set_function(wire::v1::AGGREGATE_FUNCTION_COUNT_ROWS);
  auto& sum = *body.add_outputs();
  sum.set_name("sum");
  sum.mutable_aggregate()->set_function(wire::v1::AGGREGATE_FUNCTION_SUM);
  sum.mutable_aggregate()->mutable_argument()->set_column(2);
  body.set_visible_outputs(2);
  return body;
}

wire::v1::SelectBody select_first_ids() {
  wire::v1::SelectBody body = select_ids();
  body.add_order_by()->set_output(0);
  body.set_has_limit(true);
  body.set_limit(3);
  return body;
}

// ---- packed rows ----

std::string pack_ids(const std::vector<int64_t>& ids) {
  std::string rows;
  for (const int64_t id : ids) {
    const std::vector<Value> values{Value(id)};
    semantics::append_packed_row(std::span(&kInt, 1), values, rows);
  }
  return rows;
}

std::string pack_totals(int64_t count, int64_t sum) {
  std::string rows;
  const std::vector<Type> types{kBigint, kAnyNumeric};
  const std::vector<Value> values{Value(count), Value(semantics::Decimal{.unscaled = sum, .scale = 0})};
  semantics::append_packed_row(types, values, rows);
  return rows;
}

wire::v1::Operation make_operation(wire::v1::OperationKind kind, std::string body) {
  wire::v1::Operation operation;
  operation.mutable_header()->set_kind(kind);
  operation.set_body(std::move(body));
  return operation;
}

// ---- the cluster ----

Cluster::Cluster(ClusterOptions options)
    : options_(std::move(options)), map_(make_map(options_.partitions, options_.nodes, options_.distribution)) {
  AggregatorOptions aggregator = options_.aggregator;
  aggregator.name = "aggregator-0";
  aggregator.version = "1.0";
  aggregator.cluster_id = "test";
  std::map<rpc::LinkId, NodeId> links;
  for (uint32_t node = 0; node < options_.nodes; ++node) {
    aggregator.endpoints.emplace(NodeId{node}, fmt::format("node-{}:1", node));
    links.emplace(rpc::LinkId{node}, NodeId{node});
  }
  core_ = std::make_unique<AggregatorCore>(aggregator, schema_, map_, links, options_.known);
  for (uint32_t node = 0; options_.nodes_up && node < options_.nodes; ++node) {
    node_up(node);
  }
  static_cast<void>(take());
}

rpc::PeerId Cluster::connect(wire::v1::Role role) {
  wire::v1::Hello hello;
  hello.set_role(role);
  contract::announce_features(hello);
  return connect(hello);
}

rpc::PeerId Cluster::connect_older(wire::v1::Role role) {
  wire::v1::Hello hello;
  hello.set_role(role);
  return connect(hello);
}

rpc::PeerId Cluster::connect(const wire::v1::Hello& hello) {
  const rpc::PeerId peer{next_peer_++};
  names_[peer] = fmt::format("client {}", static_cast<uint64_t>(peer));
  next_sequence_[peer] = 1;
  rpc::PeerInfo info;
  info.hello = hello;
  core_->on_up(peer, info, now_, effects_);
  collect();
  return peer;
}

void Cluster::disconnect(rpc::PeerId peer) {
  core_->on_down(peer, "connection reset", now_, effects_);
  collect();
}

void Cluster::node_up(uint32_t node) {
  const rpc::PeerId peer{next_peer_++};
  names_[peer] = fmt::format("node {}", node);
  node_peer_[node] = peer;
  rpc::PeerInfo info;
  info.hello.set_role(wire::v1::ROLE_STORAGE_NODE);
  info.hello.set_node(node);
  contract::announce(options_.node_handles, info.hello);
  contract::announce(*options_.node_language, info.hello);
  if (options_.nodes_know_moments) {
    contract::announce_features(info.hello);
  }
  info.link = rpc::LinkId{node};
  core_->on_up(peer, info, now_, effects_);
  collect();
  answer_inquiries(node);
}

void Cluster::answer_inquiries(uint32_t node) {
  const rpc::PeerId peer = node_peer_.at(node);
  for (uint64_t sequence = 1; sequence <= last(peer); ++sequence) {
    wire::v1::Result result;
    if (operations_.at({peer, sequence}).header().kind() == wire::v1::OPERATION_KIND_EPOCH) {
      result.mutable_epoch()->set_granted(true);
    } else {
      result.mutable_described()->set_durability("off");
    }
    answer(peer, sequence, std::move(result));
  }
}

void Cluster::node_down(uint32_t node, const std::string& reason) {
  const rpc::PeerId peer = node_peer_.at(node);
  node_peer_.erase(node);
  core_->on_down(peer, reason, now_, effects_);
  collect();
}

rpc::PeerId Cluster::writer_up(bool knows_moments) {
  const auto requests = std::exchange(effects_.dials, {});
  CHECK(requests.size() == 1);
  const rpc::LinkId link{next_link_++};
  core_->on_dialled(requests.front().endpoint, link, effects_);
  const rpc::PeerId peer{next_peer_++};
  names_[peer] = "writer";
  rpc::PeerInfo info;
  info.hello.set_role(wire::v1::ROLE_WRITER);
  if (knows_moments) {
    contract::announce_features(info.hello);
  }
  info.link = link;
  core_->on_up(peer, info, now_, effects_);
  collect();
  return peer;
}

// ---- operations ----

uint64_t Cluster::send(rpc::PeerId peer, wire::v1::Operation operation) {
  const uint64_t sequence = next_sequence_[peer]++;
  operation.mutable_header()->set_sequence(sequence);
  core_->on_operation(peer, std::move(operation), now_, effects_);
  collect();
  return sequence;
}

uint64_t Cluster::select(rpc::PeerId peer, wire::v1::SelectBody body, wire::v1::ResultForm form) {
  body.set_form(form);
  auto operation = make_operation(wire::v1::OPERATION_KIND_SELECT, body.SerializeAsString());
  operation.mutable_header()->set_map_version(7);
  return send(peer, std::move(operation));
}

uint64_t Cluster::update(rpc::PeerId peer, uint64_t timestamp, const std::string& origin, uint64_t confirmed_through) {
  auto operation = make_operation(wire::v1::OPERATION_KIND_UPDATE, "update body");
  auto& header = *operation.mutable_header();
  header.set_map_version(7);
  if (!origin.empty()) {
    *header.add_routes() = route_to(origin);
  }
  header.mutable_update()->set_epoch(1);
  header.mutable_update()->set_timestamp(timestamp);
  header.mutable_update()->set_confirmed_through(confirmed_through);
  return send(peer, std::move(operation));
}

void Cluster::abort(rpc::PeerId peer, uint64_t sequence) {
  auto operation = make_operation(wire::v1::OPERATION_KIND_ABORT);
  operation.mutable_header()->set_abort_sequence(sequence);
  send(peer, std::move(operation));
}

uint64_t Cluster::mark(rpc::PeerId peer, uint64_t timestamp, bool is_passed_on) {
  auto operation = make_operation(wire::v1::OPERATION_KIND_MARK);
  operation.mutable_header()->set_mark(timestamp);
  operation.mutable_header()->set_is_passed_on(is_passed_on);
  return send(peer, std::move(operation));
}

uint64_t Cluster::hold(rpc::PeerId peer, const std::vector<uint64_t>& moments, uint64_t prefix_min) {
  wire::v1::HoldBody body;
  body.mutable_moments()->Add(moments.begin(), moments.end());
  auto operation = make_operation(wire::v1::OPERATION_KIND_HOLD, body.SerializeAsString());
  operation.mutable_header()->set_prefix_min(prefix_min);
  const uint64_t sequence = send(peer, std::move(operation));
  flush();
  return sequence;
}

// ---- answers ----

void Cluster::answer(rpc::PeerId peer, uint64_t sequence, wire::v1::Result result) {
  result.set_sequence(sequence);
  core_->on_result(peer, std::move(result), now_, effects_);
  collect();
}

void Cluster::rows(uint32_t node, uint64_t sequence, std::string packed, uint32_t row_count) {
  wire::v1::Result result;
  result.mutable_rows()->set_rows(std::move(packed));
  result.mutable_rows()->set_row_count(row_count);
  answer(node_peer_.at(node), sequence, std::move(result));
}

void Cluster::end(uint32_t node, uint64_t sequence, uint64_t row_count, const std::vector<uint32_t>& partitions,
                  uint64_t moment) {
  wire::v1::Result result;
  result.mutable_end()->set_row_count(row_count);
  result.mutable_end()->set_moment(moment);
  for (const uint32_t partition : partitions) {
    auto& stamp = *result.mutable_end()->add_stamps();
    stamp.set_node(node);
    stamp.set_partition(partition);
  }
  answer(node_peer_.at(node), sequence, std::move(result));
}

void Cluster::stop(uint32_t node, uint64_t sequence, uint32_t partition, uint64_t moment,
                   const std::map<uint32_t, uint64_t>& next_slots) {
  wire::v1::Result result;
  result.mutable_end()->set_moment(moment);
  result.mutable_end()->add_stamps()->set_partition(partition);
  for (const auto& [segment, slot] : next_slots) {
    wire::v1::Slice& rest = *result.mutable_end()->add_rest();
    rest.set_partition(partition);
    rest.set_segment(segment);
    rest.set_first_slot(slot);
  }
  answer(node_peer_.at(node), sequence, std::move(result));
}

void Cluster::fail(uint32_t node, uint64_t sequence, const Error& error) {
  wire::v1::Result result;
  *result.mutable_error() = contract::from_error(error);
  answer(node_peer_.at(node), sequence, std::move(result));
}

void Cluster::confirm(uint32_t node, uint64_t sequence, uint64_t timestamp, const std::vector<uint32_t>& partitions) {
  wire::v1::Result result;
  auto& confirmed = *result.mutable_confirmed();
  confirmed.set_timestamp(timestamp);
  for (const uint32_t partition : partitions) {
    auto& outcome = *confirmed.add_outcomes();
    outcome.set_node(node);
    outcome.set_partition(partition);
  }
  auto& watermark = *confirmed.add_watermarks();
  watermark.set_node(node);
  watermark.set_applied(timestamp);
  watermark.set_durable(timestamp);
  answer(node_peer_.at(node), sequence, std::move(result));
}

void Cluster::marked(uint32_t node, uint64_t sequence, uint64_t mark) {
  wire::v1::Result result;
  result.set_mark(mark);
  auto& watermark = *result.mutable_marked()->add_watermarks();
  watermark.set_node(node);
  watermark.set_mark(mark);
  answer(node_peer_.at(node), sequence, std::move(result));
}

void Cluster::held(uint32_t node, uint64_t sequence, uint64_t mark, const std::vector<uint64_t>& refused) {
  wire::v1::Result result;
  result.set_mark(mark);
  result.mutable_held()->mutable_refused()->Add(refused.begin(), refused.end());
  answer(node_peer_.at(node), sequence, std::move(result));
  flush();
}

void Cluster::refuse_moment(uint32_t node, uint64_t sequence, uint64_t mark) {
  wire::v1::Result result;
  result.set_mark(mark);
  auto& error = *result.mutable_error();
  error = contract::from_error(Error{ErrorCategory::kRetry, "40001", "the moment lies below the mark", {}, 0});
  error.set_ask_again_at(mark);
  answer(node_peer_.at(node), sequence, std::move(result));
}

void Cluster::refuse(uint32_t node, uint64_t sequence, uint64_t timestamp, wire::v1::WriteRefusal reason) {
  wire::v1::Result result;
  result.mutable_refused()->set_timestamp(timestamp);
  result.mutable_refused()->set_reason(reason);
  result.mutable_refused()->set_node(node);
  answer(node_peer_.at(node), sequence, std::move(result));
}

// ---- time and effects ----

void Cluster::flush() {
  core_->flush(now_, effects_);
  collect();
}

void Cluster::advance(int64_t duration_ns) {
  const Instant target = after(now_, duration_ns);
  while (effects_.wake_at <= target) {
    now_ = std::max(now_, effects_.wake_at);
    core_->on_deadline(now_, effects_);
    collect();
  }
  now_ = target;
}

void Cluster::collect() {
  while (core_->has_work(gauge_)) {
    core_->step(semantics::WorkBudget(1'000), gauge_, now_, effects_);
  }
  for (auto& [peer, operation] : effects_.operations) {
    const auto& header = operation.header();
    std::string line = kind_name(header.kind());
    if (header.kind() == wire::v1::OPERATION_KIND_ABORT) {
      line += fmt::format(" {}", kind_name(operations_.at({peer, header.abort_sequence()}).header().kind()));
    } else if (header.kind() == wire::v1::OPERATION_KIND_UPDATE) {
      line += fmt::format(" t={}", header.update().timestamp());
    } else if (header.kind() == wire::v1::OPERATION_KIND_NO_OP_RANGE) {
      line += fmt::format(" t={}..{}", header.update().first_timestamp(), header.update().timestamp());
    } else if (header.kind() == wire::v1::OPERATION_KIND_MARK) {
      line += fmt::format(" {}", header.mark());
    } else if (header.kind() == wire::v1::OPERATION_KIND_HOLD) {
      line += describe_hold(operation.body());
    }
    lines_ += fmt::format("{} <- {}\n", name(peer), line);
    CHECK(header.sequence() == last_sequence_[peer] + 1);
    last_sequence_[peer] = header.sequence();
    operations_[{peer, header.sequence()}] = std::move(operation);
  }
  for (auto& [peer, result] : effects_.results) {
    lines_ += fmt::format("{} #{} <- {}\n", name(peer), result.sequence(), describe_result(result));
    results_.emplace_back(peer, std::move(result));
  }
  for (const auto& [peer, reason] : effects_.closes) {
    lines_ += fmt::format("close {}\n", name(peer));
  }
  effects_.clear();
}

std::string Cluster::take() {
  results_.clear();
  return std::exchange(lines_, {});
}

std::string Cluster::name(rpc::PeerId peer) const {
  const auto found = names_.find(peer);
  return found == names_.end() ? fmt::format("peer {}", static_cast<uint64_t>(peer)) : found->second;
}

}  // namespace daedalus::aggregator::testing
