// Which submissions get a number, and what is remembered of those that have one: docs/protocol.md, "Submissions".
#include <fmt/format.h>

#include <algorithm>

#include "writer_model.hpp"

namespace daedalus::testing {

namespace {

/// From the first update that is not confirmed to the last: so many outcomes a node remembers.
constexpr uint64_t kUnconfirmedSpanMax = 8192;
/// Outcomes that nobody may be told yet; those of updates under way come on top.
constexpr size_t kUntoldMax = 8192;

}  // namespace

// ---- submissions ----

std::optional<SubmitRefusal> WriterModel::submit(const Submission& submission, const std::string& body,
                                                 const std::vector<wire::v1::Route>& routes, uint64_t map_version,
                                                 WriterEffects& effects) {
  if (const auto found = known_.find(submission.key); found != known_.end()) {
    answer_known(submission.key, found->second, effects);
    return {};
  }
  if (phase_ != Phase::kActive) {
    return inactive(submission);
  }
  if (!is_new(submission)) {
    return submission.is_repeated ? unknowable(submission, memory()) : stale(submission);
  }
  Kept kept{.body = body,
            .routes = routes,
            .map_version = map_version,
            .submission = submission.key,
            .confirmed_through = confirmed_through_,
            .sequences = {}};
  const bool is_blind = blind_through() != Timestamp{} && last_numbered_ >= blind_through_;
  if (is_blind || kept_.size() >= options_.updates_kept_max || untold_.size() >= kUntoldMax ||
      raw(last_numbered_) - raw(confirmed_through_) >= kUnconfirmedSpanMax ||
      (!kept_.empty() && bytes_kept_ + kept.bytes() > options_.bytes_kept_max)) {
    return SubmitRefusal{no_room()};
  }
  last_numbered_ = next(last_numbered_);
  bytes_kept_ += kept.bytes();
  kept_.emplace(last_numbered_, std::move(kept));
  remember(submission.key, Known{.timestamp = last_numbered_, .confirmed = {}});
  effects.append_through = last_numbered_;
  return {};
}

/// Its outcome comes once, to all who ask under this id: now, or when those with a part in it know of it.
void WriterModel::answer_known(const SubmissionKey& submission, const Known& known, WriterEffects& effects) {
  const bool is_waiting = !known.confirmed || untold_.contains(known.timestamp);
  if (!is_waiting && may_tell(known.timestamp, *known.confirmed)) {
    effects.outcomes.push_back({submission, known.confirmed, {}});
  } else if (phase_ == Phase::kFailed) {
    effects.outcomes.push_back({submission, {}, unknown_outcome(known.timestamp)});
  } else if (!is_waiting) {  // From before the process: nodes may have forgotten what they knew then.
    untold_.emplace(known.timestamp, Untold{submission, *known.confirmed});
  }
}

uint64_t KeptUpdate::bytes() const {
  wire::v1::OperationHeader header;
  header.set_map_version(map_version);
  for (const auto& route : routes) {
    *header.add_routes() = route;
  }
  return body.size() + header.ByteSizeLong();
}

SubmitRefusal WriterModel::inactive(const Submission& submission) const {
  if (phase_ != Phase::kFailed) {
    return {
        Error{ErrorCategory::kRetry, "57P03",
              "the writer has not raised its epoch on all nodes yet" + (epoch_refusal_ ? ": " + *epoch_refusal_ : ""),
              "try again", 0}};
  }
  return submission.is_repeated ? unknowable(submission, failure_->message) : SubmitRefusal{*failure_};
}

SubmitRefusal WriterModel::unknowable(const Submission& submission, const std::string& why) const {
  return {
      Error{ErrorCategory::kUnknown, "08007",
            fmt::format("the submission was sent before, in epoch {} after update {}, and may have taken effect; {}",
                        submission.epoch, submission.numbered_after, why),
            "look at the rows to find out", 0}};
}

SubmitRefusal WriterModel::stale(const Submission& submission) const {
  return {Error{ErrorCategory::kRetry, "55000",
                fmt::format("the submission was made in epoch {} after update {}; {}", submission.epoch,
                            submission.numbered_after, memory()),
                "send it again with the epoch and timestamp of this answer", 0},
          true};
}

std::string WriterModel::memory() const {
  return fmt::format("the writer is in epoch {} and knows what was submitted after update {}", epoch_,
                     raw(forgotten_through_));
}

Error WriterModel::no_room() const {
  const auto slowest =
      std::min_element(watermarks_.begin(), watermarks_.end(),
                       [](const auto& left, const auto& right) { return left.second.durable < right.second.durable; });
  return Error{ErrorCategory::kRetry, "53400",
               fmt::format("{} updates wait for node {}, which has reached {} of {}", kept_.size(), slowest->first,
                           raw(slowest->second.durable), raw(last_numbered_)),
               "try again later, or see to that node", 0};
}

// ---- what is remembered ----

namespace {

/// The cost of one submission for the Java core beside its outcome.
constexpr uint64_t kEntryBytes = 128;

}  // namespace

uint64_t WriterModel::Known::bytes() const { return kEntryBytes + (confirmed ? confirmed->ByteSizeLong() : 0); }

uint64_t WriterModel::younger_half() const {
  const uint64_t forgotten = raw(forgotten_through_);
  return forgotten == 0 ? 0 : forgotten + (raw(last_numbered_) - forgotten) / 2;
}

Timestamp WriterModel::numbered_after() const { return std::max(journaled_through_, Timestamp{younger_half()}); }

bool WriterModel::is_new(const Submission& submission) const {
  // A first sending must know of the younger half, so that there is time to repeat it.
  const uint64_t since = submission.is_repeated ? raw(forgotten_through_) : younger_half();
  return submission.epoch >= first_epoch_ && submission.epoch <= epoch_ && submission.numbered_after >= since &&
         submission.numbered_after <= raw(last_numbered_);
}

void WriterModel::remember(const SubmissionKey& submission, Known known) {
  known_bytes_ += known.bytes();
  known_.insert_or_assign(submission, std::move(known));
  known_order_.push_back(submission);
  forget_oldest();
}

void WriterModel::remember_outcome(const SubmissionKey& submission, const wire::v1::WriteConfirmed& confirmed) {
  if (const auto known = known_.find(submission); known != known_.end()) {
    known_bytes_ -= known->second.bytes();
    known->second.confirmed = confirmed;
    known_bytes_ += known->second.bytes();
    forget_oldest();
  }
}

void WriterModel::forget_oldest() {
  while (known_.size() > options_.submissions_known_max ||
         (known_bytes_ > options_.submission_bytes_max && known_.size() > 1)) {
    const auto oldest = known_.find(known_order_.front());
    forgotten_through_ = oldest->second.timestamp;
    known_bytes_ -= oldest->second.bytes();
    known_.erase(oldest);
    known_order_.pop_front();
  }
}

}  // namespace daedalus::testing
