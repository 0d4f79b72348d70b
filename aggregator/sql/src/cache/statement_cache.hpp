// The statements parsed last, by their text: parsing is most of what compiling a repeated statement costs.
//
// Decides which statements are kept. Refuses to know what is in them.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include "daedalus/aggregator/statement.hpp"
#include "daedalus/base/result.hpp"
#include "parsed_statement.hpp"
#include "plan_variants.hpp"
#include "recent_texts.hpp"

namespace daedalus::aggregator::sql {

/// From when on a text is kept.
enum class Keep : uint8_t {
  kFromTheFirstTime,
  /// Most texts of clients that may ask anything never come again, and keeping a text takes a fifth of its cost.
  kFromTheSecondTime,
};

/// A parsed text.
struct FoundStatement {
  std::shared_ptr<const ParsedStatement> parsed;
  bool is_kept = false;
};

/// Least recently used goes first, when there are too many statements or their texts grow too large together.
/// Thread-safe: one mutex, never held while parsing, so that two threads may parse the same new text once each.
class StatementCache {
 public:
  struct Bounds {
    size_t statements_max = 0;
    size_t text_bytes_max = 0;  ///< All kept texts together have no more; a tree takes up to 80 times its text.
  };
  struct Counters {
    uint64_t hits = 0;
    uint64_t misses = 0;
  };

  explicit StatementCache(Bounds bounds) : bounds_(bounds) {}

  /// The parsed text, from the cache or parsed now. Errors: those of ParsedStatement::parse(); failures are not kept.
  [[nodiscard]] Result<FoundStatement> get(std::string_view text, Keep keep);

  [[nodiscard]] bool contains(std::string_view text) const;
  /// From now on known(text) is this, too; nothing happens when it is null, or the text is not kept.
  void know(std::shared_ptr<const CachedPlan> statement, std::string_view text);
  /// Null when nothing is known of the text. It counts as used.
  [[nodiscard]] std::shared_ptr<const KnownStatement> known(std::string_view text);

  [[nodiscard]] Counters counters() const;
  [[nodiscard]] size_t size() const;
  /// Counts the variants of all texts, without the first of each.
  [[nodiscard]] size_t more_variants() const;

 private:
  struct Entry {
    std::shared_ptr<const ParsedStatement> parsed;
    std::shared_ptr<const PlanVariants> known;
  };
  [[nodiscard]] static size_t more_of(const Entry& entry) {
    return entry.known == nullptr ? 0 : entry.known->size() - 1;
  }
  using Entries = std::list<Entry>;

  /// True when the text is never kept.
  [[nodiscard]] bool is_too_long(std::string_view text) const { return text.size() > bounds_.text_bytes_max / 8; }
  /// The text's entry, now the most recently used; null without one. Under mutex_.
  [[nodiscard]] Entry* use(std::string_view text);
  [[nodiscard]] std::shared_ptr<const ParsedStatement> find(std::string_view text);
  /// False: it is too long to be kept.
  bool put(std::shared_ptr<const ParsedStatement> statement);
  void evict_last();
  /// How many variants the entry may have, so that all texts have, beside one each, no more than as many as statements.
  [[nodiscard]] size_t variants_max(const Entry& entry) const;

  const Bounds bounds_;
  mutable std::mutex mutex_;
  Entries entries_;                                                  ///< Most recently used first.
  std::unordered_map<std::string_view, Entries::iterator> by_text_;  ///< Keys point into the entries' texts.
  size_t text_bytes_ = 0;
  size_t more_variants_ = 0;  ///< Number of variants of all entries, without the first of each.
  Counters counters_;
  RecentTexts recent_texts_;
};

}  // namespace daedalus::aggregator::sql
