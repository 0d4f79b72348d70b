// A plain row store: every row's bytes one after the other, and conditions that test a row in a few instructions each.
//
// What the baselines share. Values of up to 8 bytes are kept so that their unsigned order is the order of the values:
// one comparison serves all types. Refuses to know how queries find their rows.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "measure.hpp"
#include "ticket_mixes.hpp"

namespace daedalus::engine::bench {

/// Holds what an engine answered to one query: enough to tell wrong from right.
struct Answer {
  uint64_t rows = 0;
  uint64_t id_sum = 0;

  friend bool operator==(const Answer&, const Answer&) = default;
};

inline uint64_t load_word(const uint8_t* bytes) {
  uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

/// Says where a column lies in a row: (word at offset) & mask is its value, or the first 8 bytes of a long string.
struct Field {
  uint32_t offset = 0;
  uint64_t mask = 0;
};

/// A range whose bounds are ready to be compared with a row's bytes, as the engine gets its constants ready.
struct ReadyBetween : Between {
  uint64_t low_word = 0;  ///< As a Field reads it.
  uint64_t high_word = 0;
  std::string
      tails;  ///< Holds what follows the first eight bytes of a string, of the lower bound, then of the upper one.
};
using ReadyQuery = std::vector<ReadyBetween>;

/// The query's equality on a column; null when it has none.
[[nodiscard]] inline const ReadyBetween* equality_on(const ReadyQuery& query, uint32_t column) {
  const auto found = std::find_if(query.begin(), query.end(), [column](const ReadyBetween& between) {
    return between.column == column && between.is_equality();
  });
  return found == query.end() ? nullptr : &*found;
}

/// One range on one column: (value − low) <= span. A long string at a bound is settled by the bytes behind the eighth.
struct WordCondition {
  Field field;
  uint64_t low = 0;
  uint64_t span = 0;
  uint32_t tail_size = 0;
  uint32_t tails = 0;  ///< Says where the lower bound's tail begins in Conditions::tails; the upper one's follows.
};

/// The conditions of many queries, those of one query contiguous and the most selective first.
struct Conditions {
  struct Query {
    uint32_t first = 0;
    uint32_t count = 0;
    uint64_t columns = 0;  ///< A bit a column that must not be NULL.
  };

  std::vector<WordCondition> all;
  std::vector<Query> queries;
  std::string tails;
};

class RowStore {
 public:
  explicit RowStore(const TicketTable& table);

  [[nodiscard]] const TicketTable& table() const { return *table_; }
  [[nodiscard]] uint32_t row_count() const { return table_->row_count(); }
  /// Bytes from one row to the next.
  [[nodiscard]] uint32_t row_size() const { return row_size_; }
  [[nodiscard]] const uint8_t* row(uint32_t number) const { return rows_.data() + size_t{number} * row_size_; }
  [[nodiscard]] Field field(uint32_t column) const { return fields_[column]; }

  void set(uint32_t row, uint32_t column, uint32_t ordinal);

  /// Constants become bytes: before the clock starts, for whoever is measured.
  [[nodiscard]] std::vector<ReadyQuery> make_ready(const std::vector<TicketQuery>& queries) const;
  /// About which share of the rows a range holds: from a sample.
  [[nodiscard]] double share(const Between& between) const;

  /// Adds a query without the ranges on these columns, which its access path has settled.
  void compile(const ReadyQuery& query, uint64_t settled_columns, Conditions& conditions) const;

  /// Returns whether a row meets all conditions of a query.
  [[nodiscard]] static bool matches(const Conditions& conditions, const Conditions::Query& query, const uint8_t* row) {
    if ((load_word(row) & query.columns) != 0) {
      return false;
    }
    const WordCondition* condition = conditions.all.data() + query.first;
    for (const WordCondition* end = condition + query.count; condition != end; ++condition) {
      if (!holds(*condition, row) || (condition->tail_size != 0 && !tail_holds(conditions, *condition, row))) {
        return false;
      }
    }
    return true;
  }
  /// The test of values of up to 8 bytes; of longer ones, whether the first 8 lie within.
  [[nodiscard]] static bool holds(const WordCondition& condition, const uint8_t* row) {
    return (load_word(row + condition.field.offset) & condition.field.mask) - condition.low <= condition.span;
  }

  /// Copies the fetched columns behind `out`.
  void write_out(const uint8_t* row, std::string& out, Answer& answer) const;

 private:
  /// Fetched columns that lie side by side are copied at once.
  struct Piece {
    uint32_t offset = 0;
    uint32_t size = 0;
  };

  [[nodiscard]] static bool tail_holds(const Conditions& conditions, const WordCondition& condition,
                                       const uint8_t* row);
  /// The value of an ordinal as a Field reads it.
  [[nodiscard]] uint64_t key_of(uint32_t column, uint32_t ordinal) const;
  void encode(uint32_t column, uint32_t ordinal, uint8_t* out) const;

  const TicketTable* table_;
  uint32_t row_size_;
  HugeArray<uint8_t> rows_;
  std::array<Field, kTicketColumns> fields_{};
  std::array<std::vector<uint32_t>, kTicketColumns> samples_;
  std::vector<Piece> pieces_;
  uint32_t fetched_size_ = 0;
};

}  // namespace daedalus::engine::bench
