// MARK and HOLD: what is confirmed, and what somebody still reads.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "daedalus/node/node_core.hpp"
#include "replies.hpp"

namespace daedalus::node {

namespace {

HoldWord to_word(const wire::v1::HoldBody& body) {
  HoldWord word;
  word.moments.reserve(static_cast<size_t>(body.moments_size()));
  std::transform(body.moments().begin(), body.moments().end(), std::back_inserter(word.moments),
                 [](uint64_t moment) { return Timestamp{moment}; });
  if (body.lowest() != 0) {
    word.lowest = Timestamp{body.lowest()};
  }
  return word;
}

/// Takes those below `bound` out of the moments.
std::vector<Timestamp> take_below(Timestamp bound, std::vector<Timestamp>& moments) {
  const auto first =
      std::partition(moments.begin(), moments.end(), [bound](Timestamp moment) { return moment >= bound; });
  std::vector<Timestamp> taken(first, moments.end());
  moments.erase(first, moments.end());
  return taken;
}

}  // namespace

void NodeCore::on_mark(Requester from, const wire::v1::Operation& operation, Effects& effects) {
  const uint64_t mark = operation.header().mark();
  if (!operation.body().empty() || mark > kTimestampMax) {
    return send_error(
        from,
        rejected("08P01", fmt::format("a mark of {} with {} bytes of a body cannot be", mark, operation.body().size())),
        0, effects);
  }
  read_mark_.learn(Timestamp{mark});
  *add_result(from, effects).mutable_marked()->add_watermarks() = watermark(applied());
}

void NodeCore::on_hold(Requester from, const wire::v1::Operation& operation, Instant now, Effects& effects) {
  wire::v1::HoldBody body;
  if (!body.ParseFromString(operation.body())) {
    return send_error(from, rejected("08P01", "the body of the hold does not parse"), 0, effects);
  }
  HoldWord word = to_word(body);
  const Timestamp window_from = oldest_in_windows();
  const std::vector<Timestamp> lost = take_below(window_from, word.moments);
  const auto refused = holds_.hold(from.peer, std::move(word), mark(), now);
  if (!refused) {
    return send_error(from,
                      retry("53000", fmt::format("node {} keeps {} moments for all who hold some, its maximum",
                                                 raw(options_.node), ReadHolds::kMomentsMax)),
                      options_.queries.retry_after_ns, effects);
  }
  raise_kept_from();
  auto* held = add_result(from, effects).mutable_held();
  held->set_oldest(raw(std::max(kept_from_, window_from)));
  for (const std::vector<Timestamp>* const moments : {&lost, &*refused}) {
    std::for_each(moments->begin(), moments->end(), [held](Timestamp moment) { held->add_refused(raw(moment)); });
  }
}

Timestamp NodeCore::oldest_in_windows() const {
  Timestamp oldest{};
  for (uint32_t i = 0; i < placement_.segment_count(); ++i) {
    oldest = std::max(oldest, segments_.report(SegmentIndex{i}).statistics.window_from);
  }
  return oldest;
}

void NodeCore::wait_for_mark(PreparedQuery query, Effects& effects) {
  if (const Requester from = query.requester; !outrun_.park(std::move(query), updates_.enqueued())) {
    send_parking_full(from, outrun_, effects);
  }
}

void NodeCore::release_outrun(Effects& effects) {
  for (const PreparedQuery& query : outrun_.take_reached(mark())) {
    send_below_mark(query.requester, raw(query.moment), effects);
  }
}

void NodeCore::raise_kept_from() {
  Timestamp asked = marks_.past();
  for (const auto& lowest : {holds_.lowest(), parked_.lowest()}) {
    asked = std::min(asked, lowest.value_or(asked));
  }
  if (asked <= kept_from_) {
    return;  // Segments may have given up already what lies below.
  }
  kept_from_ = asked;
  for (uint32_t i = 0; i < placement_.segment_count(); ++i) {
    segments_.keep_from(SegmentIndex{i}, kept_from_);
  }
}

void NodeCore::end_call(size_t results_before, std::optional<Instant> now, Effects& effects) {
  if (now) {
    marks_.note(mark(), *now);
  }
  release_outrun(effects);
  raise_kept_from();
  std::for_each(effects.results.begin() + static_cast<std::ptrdiff_t>(results_before), effects.results.end(),
                [this](auto& entry) {
                  if (!entry.second.has_rows()) {
                    entry.second.set_mark(raw(mark()));
                  }
                });
  effects.wake_at = next_deadline();
}

}  // namespace daedalus::node
