#include "holds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daedalus/base/check.hpp"
#include "failures.hpp"

namespace daedalus::aggregator {

namespace {

template <typename Moments>
bool contains(const Moments& moments, uint64_t moment) {
  return std::find(moments.begin(), moments.end(), moment) != moments.end();
}

}  // namespace

// ---- what a client asks ----

Result<void> Holds::check(Upstream upstream, const wire::v1::HoldBody& body) const {
  if (body.lowest() != 0) {
    return rejected("0A000", "an aggregator holds the moments of its clients one by one", "leave `lowest` unset");
  }
  if (static_cast<size_t>(body.moments_size()) > context_.options.holds_per_client_max) {
    return rejected("54000",
                    fmt::format("one connection holds at most {} moments", context_.options.holds_per_client_max),
                    "let go of moments that are not read any more");
  }
  if (std::count(body.moments().begin(), body.moments().end(), 0u) > 1) {
    return malformed("a HOLD takes one new moment at a time");
  }
  const bool is_under_way = std::any_of(takes_.begin(), takes_.end(),
                                        [&](const auto& entry) { return entry.second.upstream.peer == upstream.peer; });
  return is_under_way ? malformed("a HOLD of this connection has not been answered yet") : Result<void>();
}

Result<void> Holds::check_taking(size_t count, const wire::v1::OperationHeader& header, Instant now) const {
  if (held_count_ + takes_.size() + count > context_.options.holds_max) {
    return overloaded(fmt::format("the aggregator holds {} moments, and takes {}", held_count_, takes_.size()));
  }
  for (const NodeId node : context_.nodes.all()) {
    if (!context_.nodes.is_up(node)) {
      return unreachable(node, context_.nodes.endpoint(node), context_.nodes.problem(node));
    }
    if (!context_.nodes.knows_moments(node)) {
      return rejected("0A000",
                      fmt::format("storage node {} is older than this aggregator: it cannot hold a moment", raw(node)),
                      "replace it by the build of the aggregator");
    }
  }
  return context_.known.check_freshness(header.freshness_ns(), now);
}

std::vector<Holds::Wanted> Holds::replace(rpc::PeerId client, const wire::v1::HoldBody& body, uint64_t moment) {
  std::set<uint64_t>& held = held_[client];
  std::set<uint64_t> kept;
  for (const uint64_t before : held) {
    if (contains(body.moments(), before)) {
      kept.insert(before);
    } else {
      remove(before);
      --held_count_;
    }
  }
  std::vector<Wanted> wanted;
  for (const uint64_t listed : body.moments()) {
    if (listed == 0) {
      wanted.push_back({moment, false});
    } else if (!kept.contains(listed)) {
      wanted.push_back({listed, true});
    }
  }
  held = std::move(kept);
  if (held.empty()) {
    held_.erase(client);
  }
  return wanted;
}

void Holds::start(Upstream upstream, const wire::v1::OperationHeader& header, const wire::v1::HoldBody& body,
                  Instant deadline, Instant now, rpc::Outbox& out) {
  const auto refuse = [&](const Error& error) {
    const bool is_later = error.category == ErrorCategory::kRetry;
    reply(upstream, error_result(error, is_later ? context_.options.retry_after_ns : 0), out);
    context_.clients.finish(upstream);
  };
  if (const auto fine = check(upstream, body); !fine) {
    return refuse(fine.error());
  }
  const uint64_t moment = std::max(header.prefix_min(), raw(context_.known.mark()));
  std::vector<Wanted> wanted = replace(upstream.peer, body, moment);
  if (wanted.empty()) {
    answer(upstream, {}, {}, out);
    context_.clients.finish(upstream);
    return;
  }
  if (const auto fine = check_taking(wanted.size(), header, now); !fine) {
    return refuse(fine.error());
  }
  const uint64_t id = context_.next_id++;
  const std::vector<NodeId>& nodes = context_.nodes.all();
  for (const Wanted& each : wanted) {
    add(each.moment);
  }
  takes_.emplace(id, Take{.upstream = upstream,
                          .deadline = deadline,
                          .wanted = std::move(wanted),
                          .refused = {},
                          .word = 0,
                          .waiting = {nodes.begin(), nodes.end()}});
  context_.clients.assign(upstream, {Machine::kHold, id});
  context_.deadlines.add(deadline, {Machine::kHold, id});
  is_word_due_ = true;
}

// ---- the word to the nodes ----

void Holds::note_queries(Instant now) {
  if (renew_at_ == kNever) {
    renew_at_ = after(now, context_.options.hold_renewal_ns);
  }
}

void Holds::say(std::optional<Timestamp> lowest, Instant now, rpc::Outbox& out) {
  is_word_due_ = false;
  renew_at_ = kNever;
  const bool has_any = !moments_.empty() || lowest;
  if (!has_any && !std::exchange(has_said_any_, false)) {
    return;
  }
  has_said_any_ = has_any;
  if (has_any) {
    renew_at_ = after(now, context_.options.hold_renewal_ns);
  }
  const uint64_t word = ++last_word_;
  wire::v1::HoldBody body;
  for (const auto& [moment, count] : moments_) {
    body.add_moments(moment);
  }
  body.set_lowest(raw(lowest.value_or(Timestamp{})));
  wire::v1::Operation operation;
  operation.mutable_header()->set_kind(wire::v1::OPERATION_KIND_HOLD);
  operation.mutable_header()->set_map_version(context_.map->version);
  operation.set_body(body.SerializeAsString());
  for (const NodeId node : context_.nodes.all()) {
    if (context_.nodes.knows_moments(node)) {
      context_.nodes.send(node, operation, HoldTicket{word}, out);
    }
  }
  for (auto& [id, take] : takes_) {
    take.word = take.word == 0 ? word : take.word;
  }
}

void Holds::on_result(uint64_t word, NodeId node, const wire::v1::Result& result, rpc::Outbox& out) {
  for (auto take = takes_.begin(); take != takes_.end();) {
    const auto current = take++;  // It may end.
    const Take& state = current->second;
    if (state.word == 0 || state.word > word || !state.waiting.contains(node)) {
      continue;
    }
    if (result.has_held()) {
      on_held(current, node, result.held(), result.mark(), out);
      continue;
    }
    Error error = result.has_error()
                      ? contract::to_error(result.error())
                      : Error{ErrorCategory::kFatal, "08P01", "it answered HOLD with something else", {}, 0};
    error.message = fmt::format("storage node {}: {}", raw(node), error.message);
    fail(current, error, out);
  }
}

void Holds::on_held(Takes::iterator take, NodeId node, const wire::v1::Held& held, uint64_t mark, rpc::Outbox& out) {
  Take& state = take->second;
  bool is_raised = false;
  for (auto each = state.wanted.begin(); each != state.wanted.end();) {
    const bool is_refused = contains(held.refused(), each->moment);
    if (each->is_firm && is_refused) {
      state.refused.push_back(each->moment);
      remove(each->moment);
      each = state.wanted.erase(each);
      continue;
    }
    // The node may say yes because others hold the moment: one that is taken now has to show what has been confirmed.
    if (!each->is_firm && (is_refused || mark > each->moment)) {
      const uint64_t higher = std::max(raw(context_.known.mark()), held.oldest());
      if (higher <= each->moment) {
        fail(take,
             Error{
                 ErrorCategory::kFatal,
                 "XX000",
                 fmt::format("storage node {} does not hold moment {} and names no later one", raw(node), each->moment),
                 {},
                 0},
             out);
        return;
      }
      remove(each->moment);
      each->moment = higher;
      add(each->moment);
      is_raised = true;
    }
    ++each;
  }
  if (is_raised) {
    state.word = 0;
    state.waiting = {context_.nodes.all().begin(), context_.nodes.all().end()};
    is_word_due_ = true;
    return;
  }
  state.waiting.erase(node);
  if (state.waiting.empty()) {
    finish(take, out);
  }
}

// ---- ends ----

void Holds::answer(Upstream upstream, const std::vector<Wanted>& taken, const std::vector<uint64_t>& refused,
                   rpc::Outbox& out) {
  wire::v1::Result result;
  wire::v1::Held& held = *result.mutable_held();
  const auto fresh = std::find_if(taken.begin(), taken.end(), [](const Wanted& each) { return !each.is_firm; });
  if (fresh != taken.end()) {
    held.set_oldest(fresh->moment);
  } else if (const auto own = held_.find(upstream.peer); own != held_.end()) {
    held.set_oldest(*own->second.begin());
  }
  held.mutable_refused()->Add(refused.begin(), refused.end());
  result.set_mark(raw(context_.known.mark()));
  reply(upstream, std::move(result), out);
}

void Holds::finish(Takes::iterator take, rpc::Outbox& out) {
  Take& state = take->second;
  const std::vector<Wanted> taken = std::exchange(state.wanted, {});  // erase() lets go of what is still wanted.
  for (const Wanted& each : taken) {
    if (held_[state.upstream.peer].insert(each.moment).second) {
      ++held_count_;
    } else {
      remove(each.moment);  // The connection holds it already.
    }
  }
  answer(state.upstream, taken, state.refused, out);
  erase(take);
}

void Holds::fail(Takes::iterator take, const Error& error, rpc::Outbox& out) {
  const bool is_later = error.category == ErrorCategory::kRetry;
  reply(take->second.upstream, error_result(error, is_later ? context_.options.retry_after_ns : 0), out);
  erase(take);
}

void Holds::erase(Takes::iterator take) {
  for (const Wanted& each : take->second.wanted) {
    remove(each.moment);
  }
  context_.deadlines.remove(take->second.deadline, {Machine::kHold, take->first});
  context_.clients.finish(take->second.upstream);
  takes_.erase(take);
}

void Holds::remove(uint64_t moment) {
  const auto found = moments_.find(moment);
  CHECK(found != moments_.end());
  if (--found->second == 0) {
    moments_.erase(found);
  }
}

void Holds::on_node_lost(NodeId node, const std::string& reason, rpc::Outbox& out) {
  while (!takes_.empty()) {
    fail(takes_.begin(), unreachable(node, context_.nodes.endpoint(node), reason), out);
  }
}

void Holds::on_client_down(rpc::PeerId client) {
  const auto held = held_.find(client);
  if (held == held_.end()) {
    return;
  }
  for (const uint64_t moment : held->second) {
    remove(moment);
  }
  held_count_ -= static_cast<uint32_t>(held->second.size());
  held_.erase(held);
}

void Holds::abort(uint64_t take, rpc::Outbox& out) {
  fail(takes_.find(take), aborted("the HOLD was aborted by its client"), out);
}

void Holds::expire(uint64_t take, rpc::Outbox& out) {
  fail(takes_.find(take), too_late("not every storage node has said yes to one moment within the time"), out);
}

void Holds::forget(uint64_t take) { erase(takes_.find(take)); }

}  // namespace daedalus::aggregator
