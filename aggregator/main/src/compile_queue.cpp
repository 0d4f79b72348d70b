#include "compile_queue.hpp"

namespace daedalus::aggregator {

void CompileQueue::push(CompileRequest request) {
  const Kind kind = request.bytes > kSmallBytesMax ? kLarge : kSmall;
  kinds_.emplace(request.ticket, std::pair(kind, request.client));
  Line& line = lines_[kind];
  auto& waiting = line.clients[request.client];
  if (waiting.empty()) {
    line.turns.push_back(request.client);
  }
  waiting.emplace(request.ticket, std::move(request));
}

void CompileQueue::cancel(CompileTicket ticket) {
  const auto found = kinds_.find(ticket);
  if (found == kinds_.end()) {
    return;
  }
  const auto [kind, client] = found->second;
  kinds_.erase(found);
  Line& line = lines_[kind];
  const auto waiting = line.clients.find(client);
  waiting->second.erase(ticket);
  if (waiting->second.empty()) {
    line.clients.erase(waiting);
    line.turns.remove(client);
  }
}

std::optional<CompileQueue::Next> CompileQueue::pop(bool may_be_large) {
  const bool is_large = may_be_large && has_large() && (!has_small() || !was_large_);
  if (!is_large && !has_small()) {
    return std::nullopt;
  }
  was_large_ = is_large;
  Line& line = lines_[is_large ? kLarge : kSmall];
  const rpc::PeerId client = line.turns.front();
  const auto waiting = line.clients.find(client);
  const auto oldest = waiting->second.begin();
  Next next{std::move(oldest->second), is_large};
  kinds_.erase(oldest->first);
  waiting->second.erase(oldest);
  if (waiting->second.empty()) {
    line.clients.erase(waiting);
    line.turns.pop_front();
  } else {
    line.turns.splice(line.turns.end(), line.turns, line.turns.begin());
  }
  return next;
}

}  // namespace daedalus::aggregator
