#include "daedalus/merging/gather.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daedalus/base/check.hpp"
#include "daedalus/base/planted_faults.hpp"
#include "daedalus/contract/translate.hpp"
#include "daedalus/semantics/plain_answer.hpp"

namespace daedalus::merging {

namespace {

wire::v1::Error wire_error(const Error& error, int64_t retry_after_ns) {
  wire::v1::Error made = contract::from_error(error);
  made.set_retry_after_ns(static_cast<uint64_t>(retry_after_ns));
  return made;
}

using SharedColumns = std::shared_ptr<const std::vector<semantics::Column>>;

/// Returns whether rows of the one are read as rows of the other.
bool are_same(const SharedColumns& left, const SharedColumns& right) {
  return left == right || std::equal(left->begin(), left->end(), right->begin(), right->end(),
                                     [](const semantics::Column& a, const semantics::Column& b) {
                                       return a.type == b.type && a.name == b.name;
                                     });
}

constexpr size_t kSpareTextsMax = 256;
/// Memory of one that is kept.
constexpr size_t kSpareTextMax = 4096;

}  // namespace

Stamp Stamp::of(const wire::v1::SegmentStamp& stamp) {
  return {stamp.node(), stamp.partition(), stamp.segment(), stamp.applied(), stamp.durable()};
}

void Stamp::write(wire::v1::SegmentStamp& stamp) const {
  stamp.set_node(node);
  stamp.set_partition(partition);
  stamp.set_segment(segment);
  stamp.set_applied(applied);
  stamp.set_durable(durable);
}

Gather::Gather(GatherLimits limits, std::shared_ptr<ByteBudget> budget, Candidates& candidates)
    : limits_(std::move(limits)), candidates_(candidates), merges_(limits_.merges, std::move(budget)) {}

// ---- asking ----

void Gather::start(QueryId id, GatheredQuery query, Instant now, rpc::Outbox& out) {
  const auto [entry, is_new] = queries_.try_emplace(id);
  CHECK(is_new);
  Query& state = entry->second;
  state.to = query.to;
  state.form = query.form;
  state.columns = std::move(query.columns);
  state.shape_columns = std::move(query.shape_columns);
  state.selection = std::move(query.selection);
  state.next_slice = std::move(query.slice_after);
  state.counted = std::move(query.counted);
  state.rows = std::move(query.rows);
  state.moment = query.parts.empty() ? query.moment : 0;
  state.goes_on = query.goes_on;
  state.waiting_count = query.parts.size();
  state.silent_count = query.may_begin_anew ? query.parts.size() : 0;
  state.parts.reserve(query.parts.size());
  for (Part& part : query.parts) {
    state.parts.push_back(PartState{.part = std::move(part), .stamps = {}});
  }
  for (uint32_t index = 0; index < state.parts.size(); ++index) {
    if (auto error = ask(id, state, index, now, out)) {
      fail(id, std::move(*error), out);
      return;
    }
  }
  if (const auto added = add_known_rows(id, state); !added) {
    fail(id, added.error(), out);
    return;
  }
  if (state.waiting_count == 0) {
    complete(id, state, out);  // No part of the table can hold a row that qualifies.
  }
}

Result<void> Gather::add_known_rows(QueryId id, Query& query) {
  if (query.rows == nullptr) {
    return {};
  }
  open_merge(id, query);
  return merges_.add(id, static_cast<uint32_t>(query.parts.size()), *query.rows);
}

void Gather::open_merge(QueryId id, Query& query) {
  if (!std::exchange(query.is_merging, true)) {
    merges_.open(id, query.to, *query.selection, query.form);
    if (query.silent_count > 0) {
      merges_.hold_back(id);
    }
  }
}

std::optional<wire::v1::Error> Gather::ask(QueryId id, Query& query, uint32_t index, Instant now, rpc::Outbox& out) {
  PartState& part = query.parts.at(index);
  while (true) {
    auto error = candidates_.ask(id, index, part.asked(), part.piece.get(), now, out);
    if (!error) {
      part.is_asked = true;
      query.asked_bytes += part.piece != nullptr ? part.piece->answer_bytes() : 0;
      return std::nullopt;
    }
    if (part.candidate + 1 == part.part.candidates.size()) {
      return error;
    }
    query.last_refusal = error->message();
    ++part.candidate;
  }
}

// ---- what candidates say ----

void Gather::on_rows(QueryId id, uint32_t part, semantics::MergedRows rows, ByteLease lease, uint64_t moment,
                     rpc::Outbox& out) {
  const auto found = queries_.find(id);
  if (found == queries_.end()) {
    return;
  }
  Query& query = found->second;
  query.parts.at(part).row_count += rows.row_count;
  note_first_word(id, query, query.parts.at(part));
  note_moment(query, moment);
  if (is_planted(Fault::kAnswerMergedTwice)) {
    rows = {rows.rows + rows.rows, 2 * rows.row_count};
  }
  query.received_bytes += rows.rows.size();
  if (query.received_bytes > limits_.received_bytes_max && !query.goes_on) {
    fail(id, wire_error(semantics::answer_too_large({limits_.received_bytes_max, limits_.merges.owner}), 0), out);
    return;
  }
  open_merge(id, query);
  if (const auto added = merges_.add(id, part, std::move(rows), std::move(lease)); !added) {
    fail(id, added.error(), out);
  }
}

void Gather::on_end(QueryId id, uint32_t index, PartEnd end, rpc::Outbox& out) {
  const auto found = queries_.find(id);
  if (found == queries_.end()) {
    return;
  }
  Query& query = found->second;
  PartState& part = query.parts.at(index);
  CHECK(part.is_asked && !part.has_ended);
  note_first_word(id, query, part);
  part.is_asked = false;
  part.has_ended = true;
  query.asked_bytes -= part.piece != nullptr ? part.piece->answer_bytes() : 0;
  if (const auto flaw = flaw_of(query, part, end)) {
    wire::v1::Error error = wire_error(Error{ErrorCategory::kFatal, "XX000", *flaw, {}, 0}, 0);
    candidates_.add_missing(part.part, part.asked(), *flaw, error);
    fail(id, std::move(error), out);
    return;
  }
  query.lacks_moment |= end.moment == 0;
  note_moment(query, end.moment);
  if (part.piece == nullptr) {
    part.stamps = std::move(end.stamps);
  }
  --query.waiting_count;
  take_rest(id, query, index, end);
  if (query.waiting_count == 0) {
    complete(id, query, out);
  }
}

void Gather::note_first_word(QueryId id, Query& query, PartState& part) {
  if (std::exchange(part.has_spoken, true) || query.silent_count == 0 || --query.silent_count > 0) {
    return;
  }
  if (query.is_merging) {
    merges_.release(id);
  }
}

void Gather::complete(QueryId id, Query& query, rpc::Outbox& out) {
  if (!query.is_merging && !query.selection->grouping) {
    finish(id, query, out);  // There is nothing to merge.
    return;
  }
  open_merge(id, query);
  merges_.end_parts(id);
}

void Gather::on_failed(QueryId id, uint32_t index, wire::v1::Error error, Instant now, rpc::Outbox& out) {
  const auto found = queries_.find(id);
  if (found == queries_.end()) {
    return;
  }
  Query& query = found->second;
  PartState& part = query.parts.at(index);
  part.is_asked = false;
  query.asked_bytes -= part.piece != nullptr ? part.piece->answer_bytes() : 0;
  const bool is_untouched = part.row_count == 0;
  const bool has_others = part.candidate + 1 < part.part.candidates.size();
  if (error.category() != wire::v1::ERROR_CATEGORY_REJECTED && is_untouched && has_others) {
    query.last_refusal = error.message();
    ++part.candidate;
    if (auto refusal = ask(id, query, index, now, out)) {
      fail(id, std::move(*refusal), out);
    }
    return;
  }
  fail(id, std::move(error), out);
}

bool Gather::begin_anew(QueryId id, uint32_t refused, Instant now, rpc::Outbox& out) {
  Query& query = queries_.at(id);
  if (query.silent_count == 0) {
    return false;
  }
  query.parts.at(refused).is_asked = false;
  const auto is_piece = [](const PartState& part) { return part.piece != nullptr; };
  query.parts.erase(std::remove_if(query.parts.begin(), query.parts.end(), is_piece), query.parts.end());
  query.unasked.clear();
  going_on_.erase(id);
  const bool is_part_alone = is_planted(Fault::kPartsAtTwoMoments);
  if (!is_part_alone) {
    merges_.close(id);
    query.is_merging = false;
    query.received_bytes = 0;
    query.moment = 0;
    query.lacks_moment = false;
    query.silent_count = query.waiting_count = query.parts.size();
  }
  for (uint32_t index = 0; index < query.parts.size(); ++index) {
    if (is_part_alone && index != refused) {
      continue;
    }
    take_back(id, query, index, out);
    if (auto error = ask(id, query, index, now, out)) {
      fail(id, std::move(*error), out);
      return true;
    }
  }
  if (is_part_alone) {
    return true;
  }
  if (const auto added = add_known_rows(id, query); !added) {
    fail(id, added.error(), out);
  }
  return true;
}

void Gather::take_back(QueryId id, Query& query, uint32_t index, rpc::Outbox& out) {
  PartState& part = query.parts[index];
  if (part.is_asked) {
    candidates_.give_up(id, index, part.asked(), out);
  }
  part = PartState{.part = std::move(part.part), .stamps = {}};
}

// ---- what leaves ----

void Gather::step(semantics::WorkBudget& budget, const rpc::OutputGauge& gauge, rpc::Outbox& out) {
  merges_.step(budget, gauge, [&](MergeScheduler::Piece piece) { put(std::move(piece), out); });
}

void Gather::put(MergeScheduler::Piece piece, rpc::Outbox& out) {
  Query& query = queries_.at(piece.id);
  query.passed_bytes += piece.rows.rows.size();
  if (query.counted != nullptr) {
    query.counted_rows += piece.rows.row_count;
    piece.rows = {};
  }
  if (piece.error) {
    fail(piece.id, *piece.error, out);
  } else if (query.passed_bytes > limits_.merges.answer_bytes_max && !query.goes_on) {
    fail(piece.id, wire_error(semantics::answer_too_large({limits_.merges.answer_bytes_max, limits_.merges.owner}), 0),
         out);
  } else {
    if (piece.rows.row_count > 0) {
      send_rows(query, std::move(piece.rows), out);
    }
    if (piece.is_last) {
      finish(piece.id, query, out);
    }
  }
}

std::string Gather::spare_text() {
  if (spare_texts_.empty()) {
    return {};
  }
  std::string text = std::move(spare_texts_.back());
  spare_texts_.pop_back();
  return text;
}

void Gather::send_rows(Query& query, semantics::MergedRows rows, rpc::Outbox& out) {
  wire::v1::QueryRows& message = rpc::add_rows(query.to, out);
  if (query.form == semantics::AnswerForm::kFinal && !query.has_sent_columns) {
    add_columns(query, message);
  }
  if (query.row_count == 0) {
    message.set_moment(query.moment);
  }
  query.row_count += rows.row_count;
  message.set_row_count(static_cast<uint32_t>(rows.row_count));
  if (rows.rows.empty()) {
    return;  // An empty text that is set is allocated all the same.
  }
  message.mutable_rows()->swap(rows.rows);
  if (spare_texts_.size() < kSpareTextsMax && rows.rows.capacity() <= kSpareTextMax) {
    rows.rows.clear();
    spare_texts_.push_back(std::move(rows.rows));
  }
}

void Gather::add_columns(Query& query, wire::v1::QueryRows& message) {
  query.has_sent_columns = true;
  if (ShapeColumns* const shape = query.shape_columns.get(); shape != nullptr) {
    const bool is_first = shape->sent == nullptr;
    if (is_first) {
      shape->sent = query.columns;
    }
    if (is_first || are_same(shape->sent, query.columns)) {
      message.set_shape_sequence(shape->shape_sequence);
    }
    if (!is_first && message.shape_sequence() != 0) {
      return;
    }
  }
  message.mutable_columns()->Reserve(static_cast<int>(query.columns->size()));
  for (const semantics::Column& column : *query.columns) {
    contract::write_column(column, message.add_columns());
  }
}

Result<void> Gather::send_counted(Query& query, rpc::Outbox& out) {
  const std::vector<semantics::Value> number{static_cast<int64_t>(query.counted_rows)};
  auto rows = semantics::finished_answer(*query.counted, {&number, 1});
  if (!rows) {
    return rows.error();
  }
  if (rows->row_count > 0) {
    send_rows(query, std::move(*rows), out);
  }
  return {};
}

void Gather::finish(QueryId id, Query& query, rpc::Outbox& out) {
  if (query.counted != nullptr) {
    if (const auto sent = send_counted(query, out); !sent) {
      fail(id, sent.error(), out);
      return;
    }
  }
  if (query.form == semantics::AnswerForm::kFinal && !query.has_sent_columns) {
    send_rows(query, {}, out);
  }
  wire::v1::QueryEnd& end = rpc::add_end(query.to, candidates_.mark(), out);
  end.set_row_count(query.row_count);
  end.set_moment(query.lacks_moment ? 0 : query.moment);
  // By place, not by who was first: an end reads the same however the parts raced.
  for (const PartState& part : query.parts) {
    for (const Stamp& stamp : part.stamps) {
      stamp.write(*end.add_stamps());
    }
  }
  for (PartState& part : query.parts) {
    std::move(part.rest.begin(), part.rest.end(), google::protobuf::RepeatedFieldBackInserter(end.mutable_rest()));
  }
  if (query.next_slice) {
    *end.mutable_next_slice() = std::move(*query.next_slice);
  }
  close(id, out);
}

// ---- ends ----

void Gather::fail(QueryId id, const Error& error, rpc::Outbox& out) {
  fail(id, wire_error(error, limits_.retry_after_ns), out);
}

void Gather::fail(QueryId id, wire::v1::Error error, rpc::Outbox& out) {
  const auto found = queries_.find(id);
  if (found != queries_.end()) {
    wire::v1::Result& last = rpc::add_result(found->second.to, out);
    last.set_mark(candidates_.mark());
    *last.mutable_error() = std::move(error);
    close(id, out);
  }
}

void Gather::expire(QueryId id, wire::v1::Error error, rpc::Outbox& out) {
  const auto found = queries_.find(id);
  if (found == queries_.end()) {
    return;
  }
  for (const PartState& part : found->second.parts) {
    if (!part.has_ended) {
      candidates_.add_missing(part.part, part.asked(), "no complete answer in time", error);
    }
  }
  if (const std::string& refusal = found->second.last_refusal; !refusal.empty()) {
    error.set_message(fmt::format("{}; another one was asked after a refusal: {}", error.message(), refusal));
  }
  fail(id, std::move(error), out);
}

void Gather::forget(QueryId id, rpc::Outbox& out) {
  if (contains(id)) {
    close(id, out);
  }
}

void Gather::close(QueryId id, rpc::Outbox& out) {
  Query& query = queries_.at(id);
  for (uint32_t index = 0; index < query.parts.size(); ++index) {
    if (query.parts[index].is_asked) {
      candidates_.give_up(id, index, query.parts[index].asked(), out);
    }
  }
  merges_.close(id);
  queries_.erase(id);
  going_on_.erase(id);
  candidates_.on_over(id);
}

}  // namespace daedalus::merging
