#include "hold_witness.hpp"

#include <fmt/format.h>

#include "daedalus/base/check.hpp"

namespace daedalus::testing {

namespace {

constexpr int64_t kWordNs = 2 * kSecond;

}  // namespace

void HoldWitness::on_operation(rpc::PeerId peer, const wire::v1::Operation& operation) {
  if (operation.header().kind() != wire::v1::OPERATION_KIND_HOLD) {
    return;
  }
  wire::v1::HoldBody body;
  CHECK(body.ParseFromString(operation.body()));
  std::vector<Timestamp>& moments = asked_[{peer, operation.header().sequence()}];
  for (const uint64_t moment : body.moments()) {
    moments.push_back(Timestamp{moment});
  }
  // Queries are under way at and above `lowest`; where that is trimmed already, they are refused.
  if (body.lowest() != 0 && Timestamp{body.lowest()} >= kept_from_) {
    moments.push_back(Timestamp{body.lowest()});
  }
}

void HoldWitness::on_result(rpc::PeerId peer, const wire::v1::Result& result, Instant now) {
  auto asked = asked_.extract({peer, result.sequence()});
  if (!asked || !result.has_held()) {
    return;
  }
  std::vector<Timestamp> held = std::move(asked.mapped());
  std::erase_if(held, [&](Timestamp moment) {
    const auto& refused = result.held().refused();
    return std::find(refused.begin(), refused.end(), raw(moment)) != refused.end();
  });
  words_[peer] = {std::move(held), after(now, kWordNs)};
}

void HoldWitness::on_down(rpc::PeerId peer, Instant now) {
  if (const auto word = words_.find(peer); word != words_.end()) {
    word->second.end = std::min(word->second.end, after(now, kWordNs));
  }
}

std::optional<std::string> HoldWitness::complaint(Instant now) const {
  for (const auto& [peer, word] : words_) {
    for (const Timestamp moment : word.moments) {
      if (now < word.end && moment < kept_from_) {
        return fmt::format("moment {} is held, and segments were told that nobody asks below {}", raw(moment),
                           raw(kept_from_));
      }
    }
  }
  return std::nullopt;
}

}  // namespace daedalus::testing
