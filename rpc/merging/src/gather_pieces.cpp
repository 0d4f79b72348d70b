// How an answer goes on: what parts leave out is asked for piece by piece, as the reader reads.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daedalus/base/check.hpp"
#include "daedalus/base/planted_faults.hpp"
#include "daedalus/merging/gather.hpp"

namespace daedalus::merging {

namespace {

/// A piece costs a cycle of its segment, however small it is; where so much may be ahead, pieces are no smaller.
constexpr uint64_t kPieceBytesMin = 64u << 10;

bool is_of_one_segment(const wire::v1::Slice& a, const wire::v1::Slice& b) {
  return a.partition() == b.partition() && a.segment() == b.segment();
}

}  // namespace

bool Gather::lies_behind(const Query& query, const PartState& part, const wire::v1::Slice& next) {
  if (part.piece != nullptr) {
    return next.partition() == part.piece->partition() &&
           (next.segment() > part.piece->segment() ||
            (next.segment() == part.piece->segment() && next.first_slot() > part.piece->first_slot()));
  }
  if (const auto& slice = query.selection->slice) {
    return next.partition() == slice->partition &&
           (next.segment() > slice->segment ||
            (next.segment() == slice->segment && next.first_slot() > slice->first_slot));
  }
  return std::binary_search(part.part.partitions.begin(), part.part.partitions.end(), PartitionId{next.partition()}) &&
         next.first_slot() > 0;
}

std::optional<std::string> Gather::flaw_of(const Query& query, const PartState& part, const PartEnd& end) const {
  if (end.row_count && *end.row_count != part.row_count) {
    return fmt::format("{} announced {} rows and sent {}", candidates_.name(part.asked()), *end.row_count,
                       part.row_count);
  }
  for (const PartitionId partition : part.part.partitions) {
    const bool has_stamp = std::any_of(end.stamps.begin(), end.stamps.end(),
                                       [&](const Stamp& stamp) { return stamp.partition == raw(partition); });
    if (!has_stamp) {
      return fmt::format("{} ended its answer without partition {}", candidates_.name(part.asked()), raw(partition));
    }
  }
  const bool is_other_moment = query.moment != 0 && end.moment != 0 && query.moment != end.moment;
  if (is_other_moment && !is_planted(Fault::kPartsAtTwoMoments)) {
    return fmt::format("{} answered at moment {}, another part at moment {}", candidates_.name(part.asked()),
                       end.moment, query.moment);
  }
  const auto is_behind = [&](const wire::v1::Slice& next) { return lies_behind(query, part, next); };
  if (!std::all_of(end.rest.begin(), end.rest.end(), is_behind)) {
    return fmt::format("{} ended a slice before where it began", candidates_.name(part.asked()));
  }
  return std::nullopt;
}

void Gather::take_rest(QueryId id, Query& query, uint32_t index, PartEnd& end) {
  if (query.goes_on) {
    go_on(id, query, index, end);
  } else if (query.selection->slice && !end.rest.empty()) {
    query.next_slice = std::move(end.rest.front());
  } else {
    query.parts[index].rest = std::move(end.rest);
  }
}

void Gather::go_on(QueryId id, Query& query, uint32_t index, const PartEnd& end) {
  for (const wire::v1::Slice& next : end.rest) {
    if (query.parts[index].piece == nullptr) {
      PartState rest{.part = query.parts[index].part, .candidate = query.parts[index].candidate, .has_spoken = true};
      rest.part.partitions = {PartitionId{next.partition()}};
      rest.part.segment = next.segment();
      rest.piece = std::make_unique<wire::v1::Slice>(next);
      query.unasked.push_back(static_cast<uint32_t>(query.parts.size()));
      query.parts.push_back(std::move(rest));
    } else if (is_of_one_segment(*query.parts[index].piece, next)) {
      PartState& part = query.parts[index];
      *part.piece = next;
      part.has_ended = false;
      part.row_count = 0;
      query.unasked.push_back(index);
    } else {
      continue;  // Another part is the rest of that segment, if it has any.
    }
    ++query.waiting_count;
    going_on_.insert(id);
  }
}

uint64_t Gather::piece_bytes(const Query& query) const {
  // While one half is on its way the other one leaves.
  const uint64_t half = std::max<uint64_t>(limits_.ahead_bytes_max / 2, 1);
  return std::max(half / std::max<uint64_t>(query.waiting_count, 1), std::min(half, kPieceBytesMin));
}

bool Gather::wants_more(const Query& query, const rpc::OutputGauge& gauge) const {
  if (query.silent_count > 0 || !merges_.has_room(query.to, gauge)) {
    return false;
  }
  const uint64_t ahead = query.received_bytes - query.passed_bytes + query.asked_bytes;
  return ahead == 0 || ahead + piece_bytes(query) <= limits_.ahead_bytes_max;
}

void Gather::ask_for_more(const rpc::OutputGauge& gauge, Instant now, rpc::Outbox& out) {
  for (auto next = going_on_.begin(); next != going_on_.end();) {
    const QueryId id = *next++;
    Query& query = queries_.at(id);
    while (!query.unasked.empty() && wants_more(query, gauge)) {
      const uint32_t index = query.unasked.front();
      query.unasked.erase(query.unasked.begin());
      query.parts[index].piece->set_answer_bytes(piece_bytes(query));
      if (auto error = ask(id, query, index, now, out)) {
        fail(id, std::move(*error), out);
        break;
      }
    }
    if (const auto found = queries_.find(id); found != queries_.end() && found->second.unasked.empty()) {
      going_on_.erase(id);
    }
  }
}

bool Gather::waits_for_reader(QueryId id) const {
  const Query& query = queries_.at(id);
  return query.goes_on &&
         std::none_of(query.parts.begin(), query.parts.end(), [](const PartState& part) { return part.is_asked; });
}

bool Gather::has_work(const rpc::OutputGauge& gauge) const {
  return merges_.has_work(gauge) || std::any_of(going_on_.begin(), going_on_.end(),
                                                [&](QueryId id) { return wants_more(queries_.at(id), gauge); });
}

}  // namespace daedalus::merging
