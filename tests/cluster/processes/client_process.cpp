#include "client_process.hpp"

#include <algorithm>
#include <utility>

#include "daedalus/base/check.hpp"

namespace daedalus::testing {

namespace {

/// Before the next slice, and before one is asked for again.
constexpr int64_t kSlicePauseNsMax = 20 * kMillisecond;
constexpr int64_t kSliceRepeatedNsMax = 200 * kMillisecond;
/// A slice that waits for so long is asked for again.
constexpr uint64_t kSliceNsMax = 1 * kSecond;

}  // namespace

ClientProcess::ClientProcess(const ClusterConfiguration& configuration, std::string name,
                             std::vector<std::string> aggregators, std::string submitter,
                             rpc::SimulatedNetwork& network, OnReport on_report)
    : configuration_(configuration),
      network_(network),
      on_report_(std::move(on_report)),
      names_(std::move(aggregators)),
      submissions_(std::move(submitter)) {
  endpoint_ = &network.start(name, make_hello(configuration, wire::v1::ROLE_CLIENT, name), *this);
  for (const std::string& aggregator : names_) {
    endpoint_->dial(aggregator);
  }
}

void ClientProcess::on_up(rpc::PeerId peer, const rpc::PeerInfo& info) {
  Aggregator& aggregator = aggregators_[peer];
  aggregator.name = names_.at(raw(*info.link));
  aggregator.slots = contract::SentHandles(contract::announced(info.hello));
}

void ClientProcess::on_down(rpc::PeerId peer, const std::string& /*reason*/) {
  aggregators_.erase(peer);
  for (auto entry = in_flight_.lower_bound({peer, 0}); entry != in_flight_.end() && entry->first.first == peer;) {
    entry->second.is_lost = true;
    answers_.push_back(std::move(entry->second));
    entry = in_flight_.erase(entry);
  }
  for (auto entry = carriers_.lower_bound({peer, 0}); entry != carriers_.end() && entry->first.first == peer;) {
    const uint64_t number = entry->second;
    entry = carriers_.erase(entry);
    if (submissions_.is_under_way(number)) {
      submissions_.on_lost(number);
      send_submission_later(number);
    }
  }
}

void ClientProcess::on_operation(rpc::PeerId /*peer*/, wire::v1::Operation&& /*operation*/) {}

void ClientProcess::send(rpc::PeerId peer, wire::v1::Operation operation) {
  operation.mutable_header()->set_sequence(aggregators_.at(peer).next_sequence++);
  rpc::Outbox out;
  out.operations.emplace_back(peer, std::move(operation));
  endpoint_->send(std::move(out));
}

// ---- questions ----

bool ClientProcess::ask(const Workload::Query& query, const Manner& manner, uint64_t which) {
  return !aggregators_.empty() && ask(query, manner, at(which));
}

rpc::PeerId ClientProcess::at(uint64_t which) const {
  return std::next(aggregators_.begin(), static_cast<std::ptrdiff_t>(which % aggregators_.size()))->first;
}

bool ClientProcess::ask(const Workload::Query& query, const Manner& manner, rpc::PeerId peer) {
  const auto found = aggregators_.find(peer);
  if (found == aggregators_.end()) {
    return false;
  }
  Aggregator& aggregator = found->second;
  Answer answer;
  answer.manner = manner;
  answer.aggregator = aggregator.name;
  answer.asked_at = network_.now();
  answer.given.question = query.question;
  answer.given.prefix_promised = manner.prefix_promised;
  answer.given.prefix_demanded =
      manner.is_of_session ? std::max(manner.prefix_demanded, seen_) : manner.prefix_demanded;
  answer.given.at = manner.at;
  if (manner.slice_bytes > 0) {
    answer.slices = SliceReader(query.body, manner.slice_bytes);
    ask_slice(peer, std::move(answer));
    return true;
  }
  wire::v1::Operation operation;
  wire::v1::OperationHeader& header = *operation.mutable_header();
  header = header_of(answer);
  if (manner.is_text) {
    operation.set_body(statement(peer, aggregator, query, manner.is_prepared, header).SerializeAsString());
  } else {
    header.mutable_routes()->Add(query.routes.begin(), query.routes.end());
    operation.set_body(select(peer, aggregator, query, manner.is_prepared, header));
  }
  send_question(peer, std::move(operation), std::move(answer));
  return true;
}

wire::v1::OperationHeader ClientProcess::header_of(const Answer& answer) const {
  const Manner& manner = answer.manner;
  wire::v1::OperationHeader header;
  header.set_remaining_ns(static_cast<uint64_t>(manner.remaining_ns));
  header.set_prefix_min(raw(answer.given.prefix_demanded));
  if (manner.at) {
    header.set_at(raw(*manner.at));
    header.set_is_firm(true);
  }
  header.set_freshness_ns(static_cast<uint64_t>(manner.freshness_ns));
  if (manner.is_text) {
    header.set_kind(wire::v1::OPERATION_KIND_STATEMENT);
  } else {
    header.set_kind(wire::v1::OPERATION_KIND_SELECT);
    header.set_map_version(configuration_.map->version - (manner.has_older_map ? 1 : 0));
  }
  return header;
}

void ClientProcess::send_question(rpc::PeerId peer, wire::v1::Operation operation, Answer answer) {
  const OperationId id{peer, aggregators_.at(peer).next_sequence};
  const int64_t abort_after_ns = answer.manner.abort_after_ns;
  in_flight_[id] = std::move(answer);
  send(peer, std::move(operation));
  if (abort_after_ns >= 0) {
    endpoint_->post_at(after(network_.now(), abort_after_ns), [this, id] { abort(id); });
  }
}

void ClientProcess::ask_slice(rpc::PeerId peer, Answer answer) {
  wire::v1::Operation operation;
  *operation.mutable_header() = header_of(answer);
  operation.mutable_header()->set_remaining_ns(kSliceNsMax);
  operation.set_body(answer.slices.ask(answer.given));
  send_question(peer, std::move(operation), std::move(answer));
}

void ClientProcess::ask_slice_later(rpc::PeerId peer, Answer answer, int64_t pause_ns_max) {
  ++waiting_slices_;
  const Instant when = after(network_.now(), network_.random().between(0, pause_ns_max));
  endpoint_->post_at(when, [this, peer, shared = std::make_shared<Answer>(std::move(answer))] {
    --waiting_slices_;
    if (aggregators_.contains(peer)) {
      ask_slice(peer, std::move(*shared));
      return;
    }
    shared->is_lost = true;
    answers_.push_back(std::move(*shared));
  });
}

wire::v1::StatementBody ClientProcess::statement(rpc::PeerId peer, Aggregator& aggregator, const Workload::Query& query,
                                                 bool is_prepared, wire::v1::OperationHeader& header) {
  wire::v1::StatementBody body;
  if (!is_prepared) {
    body.set_sql(query.text);
    return body;
  }
  body.mutable_parameters()->Add(query.parameters.begin(), query.parameters.end());
  wire::v1::ShapeBody shape;
  shape.set_sql(query.prepared_text);
  if (!use_handle(peer, aggregator, std::make_shared<const contract::ShapeBytes>(shape.SerializeAsString()), header)) {
    body.set_sql(query.prepared_text);
  }
  return body;
}

std::string ClientProcess::select(rpc::PeerId peer, Aggregator& aggregator, const Workload::Query& query,
                                  bool is_prepared, wire::v1::OperationHeader& header) {
  const bool is_by_handle = is_prepared && query.shape != nullptr && use_handle(peer, aggregator, query.shape, header);
  return is_by_handle ? query.shape_values : query.body;
}

bool ClientProcess::use_handle(rpc::PeerId peer, Aggregator& aggregator,
                               const std::shared_ptr<const contract::ShapeBytes>& shape,
                               wire::v1::OperationHeader& header) {
  const auto use = aggregator.slots.use(shape);
  if (!use) {
    return false;
  }
  header.set_shape_handle(use->handle);
  if (use->is_new) {
    wire::v1::Operation definition;
    definition.mutable_header()->set_kind(wire::v1::OPERATION_KIND_DEFINE);
    definition.mutable_header()->set_shape_handle(use->handle);
    definition.set_body(shape->bytes());
    send(peer, std::move(definition));
  }
  return true;
}

void ClientProcess::abort(OperationId id) {
  const auto wanted = in_flight_.find(id);
  if (wanted == in_flight_.end()) {
    return;
  }
  wanted->second.is_aborted = true;
  wire::v1::Operation operation;
  operation.mutable_header()->set_kind(wire::v1::OPERATION_KIND_ABORT);
  operation.mutable_header()->set_abort_sequence(id.second);
  send(id.first, std::move(operation));
}

void ClientProcess::on_result(rpc::PeerId peer, wire::v1::Result&& result) {
  const OperationId id{peer, result.sequence()};
  if (const auto carrier = carriers_.extract(id)) {
    on_submission_result(carrier.mapped(), result);
    return;
  }
  if (const auto asked = aggregators_.find(peer);
      asked != aggregators_.end() && asked->second.hold_sequence == result.sequence()) {
    on_hold_result(asked->second, peer, result);
    return;
  }
  const auto entry = in_flight_.find(id);
  CHECK(entry != in_flight_.end());  // Nothing may follow the end of an answer.
  Answer& answer = entry->second;
  GivenAnswer& given = answer.given;
  if (result.has_rows()) {
    auto columns = result.rows().columns();
    if (const uint64_t shape = result.rows().shape_sequence(); shape != 0) {
      auto& known = aggregators_.at(peer).columns;
      const bool is_first = known.try_emplace(shape, columns).second;
      CHECK(is_first == !columns.empty());  // Once for each definition, with the first answer that leaves.
      columns = known.at(shape);
    }
    given.columns.insert(given.columns.end(), columns.begin(), columns.end());
    given.rows += result.rows().rows();
    given.row_count += result.rows().row_count();
    return;
  }
  Answer whole = std::move(answer);
  in_flight_.erase(entry);
  if (is_ended(peer, whole, result)) {
    answers_.push_back(std::move(whole));
  }
}

bool ClientProcess::is_ended(rpc::PeerId peer, Answer& answer, wire::v1::Result& result) {
  const bool is_sliced = answer.manner.slice_bytes > 0;
  answer.ended_at = network_.now();
  if (result.has_end()) {
    seen_ = std::max(seen_, Timestamp{result.end().moment()});
    if (is_sliced && answer.slices.goes_on(result.end(), answer.given)) {
      ask_slice_later(peer, std::move(answer), kSlicePauseNsMax);
      return false;
    }
    answer.has_end = true;
    if (!is_sliced) {
      answer.given.end = std::move(*result.mutable_end());
    }
    return true;
  }
  CHECK(result.has_error());
  if (is_sliced && answer.slices.is_asked_again(result.error(), answer.given)) {
    ask_slice_later(peer, std::move(answer), kSliceRepeatedNsMax);
    return false;
  }
  answer.error = std::move(*result.mutable_error());
  return true;
}

// ---- moments that are held ----

void ClientProcess::hold(uint64_t which, OnHeld on_held) {
  if (aggregators_.empty()) {
    return;
  }
  const rpc::PeerId peer = at(which);
  Aggregator& aggregator = aggregators_.at(peer);
  if (!std::exchange(aggregator.holds, true)) {
    aggregator.on_held = std::move(on_held);
    send_hold(peer, /*takes_one=*/true);
  }
}

void ClientProcess::let_go(rpc::PeerId aggregator) {
  if (aggregators_.contains(aggregator)) {
    send_hold(aggregator, /*takes_one=*/false);
  }
}

void ClientProcess::send_hold(rpc::PeerId peer, bool takes_one) {
  Aggregator& aggregator = aggregators_.at(peer);
  CHECK(aggregator.hold_sequence == 0);  // One at a time.
  aggregator.hold_sequence = aggregator.next_sequence;
  wire::v1::HoldBody body;
  if (takes_one) {
    body.add_moments(0);
  }
  wire::v1::Operation operation;
  operation.mutable_header()->set_kind(wire::v1::OPERATION_KIND_HOLD);
  operation.set_body(body.SerializeAsString());
  send(peer, std::move(operation));
}

void ClientProcess::on_hold_result(Aggregator& aggregator, rpc::PeerId peer, const wire::v1::Result& result) {
  aggregator.hold_sequence = 0;
  const auto on_held = std::exchange(aggregator.on_held, {});
  const bool is_held = on_held && result.has_held();
  aggregator.holds = is_held;
  if (on_held) {
    on_held(peer, is_held ? std::optional(Timestamp{result.held().oldest()}) : std::nullopt);
  }
}

// ---- submissions ----

void ClientProcess::submit(uint64_t number, const Workload::Update& update, bool is_text, int64_t remaining_ns) {
  const Instant deadline = after(network_.now(), remaining_ns);
  submissions_.start(number, is_text ? update.text : std::nullopt, update.body, deadline);
  endpoint_->post_at(deadline, [this, number] {
    if (submissions_.is_under_way(number)) {
      on_report_(submissions_.give_up(number));
    }
  });
  send_submission(number);
}

void ClientProcess::send_submission(uint64_t number) {
  if (!submissions_.is_under_way(number)) {
    return;
  }
  if (aggregators_.empty()) {
    send_submission_later(number);
    return;
  }
  const uint64_t which = network_.random().below(aggregators_.size());
  const auto& [peer, aggregator] = *std::next(aggregators_.begin(), static_cast<std::ptrdiff_t>(which));
  carriers_[{peer, aggregator.next_sequence}] = number;
  send(peer, submissions_.send(number, configuration_.map->version, network_.now()));
}

void ClientProcess::send_submission_later(uint64_t number) {
  const int64_t pause_max_ns = submissions_.pause_ns(number);
  const int64_t pause_ns = network_.random().between(pause_max_ns / 2, pause_max_ns);
  endpoint_->post_at(after(network_.now(), pause_ns), [this, number] { send_submission(number); });
}

void ClientProcess::on_submission_result(uint64_t number, const wire::v1::Result& result) {
  if (!submissions_.is_under_way(number)) {
    return;  // Given up meanwhile.
  }
  SubmissionReport report;
  switch (submissions_.on_result(number, result, report)) {
    case ClientSubmissions::Next::kEnded:
      if (report.confirmed) {
        seen_ = std::max(seen_, Timestamp{report.confirmed->timestamp()});
      }
      on_report_(report);
      return;
    case ClientSubmissions::Next::kSendNow:
      send_submission(number);
      return;
    case ClientSubmissions::Next::kSendLater:
      send_submission_later(number);
  }
}

}  // namespace daedalus::testing
