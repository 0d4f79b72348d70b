#include "pipeline.hpp"

#include <algorithm>
#include <utility>

namespace daedalus::postgres {

bool Pipeline::is_full() const {
  return slots_.size() >= limits_.pipeline_max || parameter_bytes_ >= limits_.pipeline_bytes_max ||
         slots_.back().behind.size() >= limits_.output_pause_size;
}

Portal& Pipeline::add_query(Portal& portal, PreparedStatements::Statement unnamed) {
  Slot& slot = slots_.emplace_back();
  slot.unnamed = std::move(unnamed);
  parameter_bytes_ += portal.parameter_bytes;
  // A portal that is at its end stays behind its name.
  Portal left;
  left.statement = portal.statement;
  left.parameter_bytes = portal.parameter_bytes;
  left.formats = portal.formats;
  left.level = portal.level;
  left.has_started = true;
  left.has_ended = true;
  slot.portal = std::make_unique<Portal>(std::exchange(portal, std::move(left)));
  return *slot.portal;
}

Pipeline::Slot* Pipeline::find(uint64_t sequence) {
  const auto found = std::find_if(slots_.begin(), slots_.end(), [&](const Slot& slot) {
    return slot.portal != nullptr && slot.portal->sequence == sequence;
  });
  return found == slots_.end() ? nullptr : &*found;
}

void Pipeline::on_rows(Slot& slot, uint64_t bytes) {
  row_bytes_ += bytes;
  if (row_bytes_ <= limits_.pipeline_bytes_max || &slot == &slots_.front()) {
    return;
  }
  abort(slot);
  Portal& portal = *slot.portal;
  portal.encoder = nullptr;
  portal.has_ended = false;
  portal.failure.reset();
  slot.is_put_off = true;
}

Answers::Rows Pipeline::take_rows() {
  auto [rows, count] = answers_.take_all(*slots_.front().portal);
  row_bytes_ -= rows.size();
  return {std::move(rows), count};
}

void Pipeline::drop_first() {
  Slot& slot = slots_.front();
  if (slot.portal != nullptr) {
    abort(slot);
    parameter_bytes_ -= slot.portal->parameter_bytes;
  }
  slots_.pop_front();
  has_parsed_ahead_ = has_parsed_ahead_ && !slots_.empty();
}

void Pipeline::drop_queries() {
  while (!slots_.empty() && slots_.front().portal != nullptr) {
    drop_first();
  }
}

void Pipeline::abort(Slot& slot) {
  const uint64_t before = answers_.bytes();
  answers_.abort(*slot.portal);
  row_bytes_ -= before - answers_.bytes();
}

}  // namespace daedalus::postgres
