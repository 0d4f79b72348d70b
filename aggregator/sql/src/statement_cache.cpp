#include "statement_cache.hpp"

namespace daedalus::aggregator::sql {

Result<std::shared_ptr<const ParsedStatement>> StatementCache::get(std::string_view text) {
  if (auto found = find(text)) {
    return found;
  }
  auto parsed = ParsedStatement::parse(text);
  if (parsed.has_value()) {
    put(*parsed);
  }
  return parsed;
}

StatementCache::Counters StatementCache::counters() const {
  const std::lock_guard lock(mutex_);
  return counters_;
}

size_t StatementCache::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

std::shared_ptr<const ParsedStatement> StatementCache::find(std::string_view text) {
  const std::lock_guard lock(mutex_);
  const auto found = by_text_.find(text);
  if (found == by_text_.end()) {
    ++counters_.misses;
    return nullptr;
  }
  ++counters_.hits;
  entries_.splice(entries_.begin(), entries_, found->second);
  return *found->second;
}

void StatementCache::put(std::shared_ptr<const ParsedStatement> statement) {
  const size_t text_size = statement->text().size();
  if (text_size > bounds_.text_bytes_max / 8) {
    return;  // Most likely an INSERT that never comes again; it would push out too many others.
  }
  const std::lock_guard lock(mutex_);
  if (by_text_.contains(statement->text())) {
    return;  // Another thread parsed the same text in the meantime.
  }
  entries_.push_front(std::move(statement));
  by_text_.emplace(entries_.front()->text(), entries_.begin());
  text_bytes_ += text_size;
  while (entries_.size() > bounds_.statements_max || text_bytes_ > bounds_.text_bytes_max) {
    evict_last();
  }
}

void StatementCache::evict_last() {
  text_bytes_ -= entries_.back()->text().size();
  by_text_.erase(entries_.back()->text());
  entries_.pop_back();
}

}  // namespace daedalus::aggregator::sql
