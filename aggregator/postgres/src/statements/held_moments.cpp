#include "held_moments.hpp"

#include <algorithm>
#include <utility>

namespace daedalus::postgres {

void HeldMoments::give_up(Requests& requests) {
  wanted_.reset();
  if (std::exchange(asked_, std::nullopt)) {
    requests.abort(sequence_);
    has_let_go_ = true;  // It may be held all the same.
  }
}

bool HeldMoments::has_news() {
  has_let_go_ = std::erase_if(held_, [](const auto& moment) { return moment.expired(); }) > 0 || has_let_go_;
  return sequence_ == 0 && (wanted_ || has_let_go_);
}

void HeldMoments::tell(wire::v1::Operation operation, Requests& requests) {
  operation.mutable_header()->set_kind(wire::v1::OPERATION_KIND_HOLD);
  wire::v1::HoldBody body;
  for (const auto& held : held_) {
    if (const HeldMoment moment = held.lock(); moment != nullptr && *moment != 0) {  // 0 is a new one there.
      body.add_moments(*moment);
    }
  }
  asked_ = std::exchange(wanted_, std::nullopt);
  if (asked_) {
    body.add_moments(*asked_);
  }
  has_let_go_ = false;
  body.SerializeToString(operation.mutable_body());
  sequence_ = requests.ask(std::move(operation));
}

HeldMoment HeldMoments::take(const wire::v1::Result& answer) {
  sequence_ = 0;
  const auto asked = std::exchange(asked_, std::nullopt);
  if (!asked || !answer.has_held()) {
    return nullptr;
  }
  auto moment = std::make_shared<const uint64_t>(*asked != 0 ? *asked : answer.held().oldest());
  const auto& refused = answer.held().refused();
  if (std::find(refused.begin(), refused.end(), *moment) == refused.end()) {
    held_.emplace_back(moment);
  }
  return moment;
}

}  // namespace daedalus::postgres
