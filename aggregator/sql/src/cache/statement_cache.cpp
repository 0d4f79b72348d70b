#include "statement_cache.hpp"

#include <algorithm>

namespace daedalus::aggregator::sql {

Result<FoundStatement> StatementCache::get(std::string_view text, Keep keep) {
  if (auto found = find(text)) {
    return FoundStatement{std::move(found), true};
  }
  auto parsed = ParsedStatement::parse(text);
  if (!parsed) {
    return parsed.error();
  }
  FoundStatement found{std::move(*parsed), false};
  if (keep == Keep::kFromTheFirstTime || recent_texts_.seen_before(text)) {
    found.is_kept = put(found.parsed);
  }
  return found;
}

StatementCache::Counters StatementCache::counters() const {
  const std::lock_guard lock(mutex_);
  return counters_;
}

size_t StatementCache::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

StatementCache::Entry* StatementCache::use(std::string_view text) {
  if (is_too_long(text)) {
    return nullptr;  // Hashing megabytes would take longer than a turn of the thread that asks.
  }
  const auto found = by_text_.find(text);
  if (found == by_text_.end()) {
    return nullptr;
  }
  entries_.splice(entries_.begin(), entries_, found->second);
  return &*found->second;
}

std::shared_ptr<const ParsedStatement> StatementCache::find(std::string_view text) {
  const std::lock_guard lock(mutex_);
  const Entry* entry = use(text);
  ++(entry == nullptr ? counters_.misses : counters_.hits);
  return entry == nullptr ? nullptr : entry->parsed;
}

void StatementCache::know(std::shared_ptr<const CachedPlan> statement, std::string_view text) {
  if (statement != nullptr) {
    const std::lock_guard lock(mutex_);
    if (Entry* entry = use(text)) {
      const size_t before = more_of(*entry);
      entry->known = PlanVariants::with(entry->known.get(), std::move(statement), variants_max(*entry));
      more_variants_ = more_variants_ - before + more_of(*entry);
    }
  }
}

size_t StatementCache::variants_max(const Entry& entry) const {
  const size_t of_others = more_variants_ - more_of(entry);
  return std::min(PlanVariants::kVariantsMax, 1 + bounds_.statements_max - of_others);
}

size_t StatementCache::more_variants() const {
  const std::lock_guard lock(mutex_);
  return more_variants_;
}

bool StatementCache::contains(std::string_view text) const {
  const std::lock_guard lock(mutex_);
  return by_text_.contains(text);
}

std::shared_ptr<const KnownStatement> StatementCache::known(std::string_view text) {
  const std::lock_guard lock(mutex_);
  const Entry* entry = use(text);
  return entry == nullptr ? nullptr : entry->known;
}

bool StatementCache::put(std::shared_ptr<const ParsedStatement> statement) {
  const size_t text_size = statement->text().size();
  if (is_too_long(statement->text())) {
    return false;  // Most likely an INSERT that never comes again; it would push out too many others.
  }
  const std::lock_guard lock(mutex_);
  if (by_text_.contains(statement->text())) {
    return true;  // Another thread parsed the same text in the meantime.
  }
  entries_.push_front({std::move(statement), nullptr});
  by_text_.emplace(entries_.front().parsed->text(), entries_.begin());
  text_bytes_ += text_size;
  while (entries_.size() > bounds_.statements_max || text_bytes_ > bounds_.text_bytes_max) {
    evict_last();
  }
  return true;
}

void StatementCache::evict_last() {
  text_bytes_ -= entries_.back().parsed->text().size();
  more_variants_ -= more_of(entries_.back());
  by_text_.erase(entries_.back().parsed->text());
  entries_.pop_back();
}

}  // namespace daedalus::aggregator::sql
