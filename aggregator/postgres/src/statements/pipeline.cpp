#include "pipeline.hpp"

#include <algorithm>
#include <utility>

namespace daedalus::postgres {

bool Pipeline::is_full() const {
  return entries_.size() >= limits_.pipeline_max || parameter_bytes_ >= limits_.pipeline_bytes_max ||
         entries_.back().behind.size() >= limits_.output_pause_size;
}

Portal& Pipeline::add_query(Portal& portal, PreparedStatements::Statement unnamed) {
  Entry& entry = entries_.emplace_back();
  entry.unnamed = std::move(unnamed);
  parameter_bytes_ += portal.parameter_bytes;
  // A portal that is at its end stays behind its name.
  Portal left;
  left.statement = portal.statement;
  left.parameter_bytes = portal.parameter_bytes;
  left.formats = portal.formats;
  left.level = portal.level;
  left.has_started = true;
  left.has_ended = true;
  entry.portal = std::make_unique<Portal>(std::exchange(portal, std::move(left)));
  return *entry.portal;
}

Pipeline::Entry* Pipeline::find(uint64_t sequence) {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.portal != nullptr && entry.portal->sequence == sequence;
  });
  return found == entries_.end() ? nullptr : &*found;
}

void Pipeline::on_rows(Entry& entry, uint64_t bytes) {
  row_bytes_ += bytes;
  if (row_bytes_ <= limits_.pipeline_bytes_max || &entry == &entries_.front()) {
    return;
  }
  abort(entry);
  Portal& portal = *entry.portal;
  portal.encoder = nullptr;
  portal.has_ended = false;
  portal.failure.reset();
  entry.is_put_off = true;
}

Answers::Rows Pipeline::take_rows() {
  auto [rows, count] = answers_.take_all(*entries_.front().portal);
  row_bytes_ -= rows.size();
  return {std::move(rows), count};
}

void Pipeline::drop_first() {
  Entry& entry = entries_.front();
  if (entry.portal != nullptr) {
    abort(entry);
    parameter_bytes_ -= entry.portal->parameter_bytes;
  }
  entries_.pop_front();
  has_parsed_ahead_ = has_parsed_ahead_ && !entries_.empty();
}

void Pipeline::drop_queries() {
  while (!entries_.empty() && entries_.front().portal != nullptr) {
    drop_first();
  }
}

void Pipeline::abort(Entry& entry) {
  const uint64_t before = answers_.bytes();
  answers_.abort(*entry.portal);
  row_bytes_ -= before - answers_.bytes();
}

}  // namespace daedalus::postgres
