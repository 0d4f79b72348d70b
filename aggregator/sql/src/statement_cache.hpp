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

#include "daedalus/base/result.hpp"
#include "parsed_statement.hpp"

namespace daedalus::aggregator::sql {

/// Least recently used goes first, when there are too many statements or their texts grow too large together.
/// Thread-safe: one mutex, never held while parsing, so that two threads may parse the same new text once each.
class StatementCache {
 public:
  struct Bounds {
    size_t statements_max = 0;
    size_t text_bytes_max = 0;  ///< Of all texts together; a tree takes some tens of times its text.
  };
  struct Counters {
    uint64_t hits = 0;
    uint64_t misses = 0;
  };

  explicit StatementCache(Bounds bounds) : bounds_(bounds) {}

  /// The parsed text, from the cache or parsed now. Errors: those of ParsedStatement::parse(); failures are not kept.
  [[nodiscard]] Result<std::shared_ptr<const ParsedStatement>> get(std::string_view text);

  [[nodiscard]] Counters counters() const;
  [[nodiscard]] size_t size() const;

 private:
  using Entries = std::list<std::shared_ptr<const ParsedStatement>>;

  [[nodiscard]] std::shared_ptr<const ParsedStatement> find(std::string_view text);
  void put(std::shared_ptr<const ParsedStatement> statement);
  void evict_last();

  const Bounds bounds_;
  mutable std::mutex mutex_;
  Entries entries_;                                                  ///< Most recently used first.
  std::unordered_map<std::string_view, Entries::iterator> by_text_;  ///< Keys point into the entries' texts.
  size_t text_bytes_ = 0;
  Counters counters_;
};

}  // namespace daedalus::aggregator::sql
