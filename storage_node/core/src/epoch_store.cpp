#include "daedalus/node/epoch_store.hpp"

#include <utility>

#include "daedalus/base/check.hpp"

namespace daedalus::node {

EpochStore::Verdict EpochStore::request(Requester from, EpochRecord record) {
  if (record.epoch <= highest().epoch) {
    return Verdict::kNotHigher;
  }
  if (raw(record.epoch) - raw(highest().epoch) > kStepMax) {
    return Verdict::kTooFar;
  }
  if (requests_.size() >= kRequestsMax) {
    return Verdict::kTooMany;
  }
  if (record.kept_from == Timestamp{}) {
    record.kept_from = highest().kept_from;
  }
  requests_.push_back(Granted{from, std::move(record)});
  return Verdict::kTaken;
}

EpochStore::Granted EpochStore::on_persisted(Epoch epoch) {
  CHECK(!requests_.empty() && requests_.front().record.epoch == epoch);
  Granted granted = std::move(requests_.front());
  requests_.pop_front();
  in_force_ = granted.record;
  return granted;
}

Requester EpochStore::on_failed(Epoch epoch) {
  CHECK(!requests_.empty() && requests_.front().record.epoch == epoch);
  const Requester from = requests_.front().to;
  requests_.pop_front();
  return from;
}

const EpochRecord& EpochStore::highest() const { return requests_.empty() ? in_force_ : requests_.back().record; }

}  // namespace daedalus::node
