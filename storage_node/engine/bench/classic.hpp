// The baseline: a row store that is read one record at a time, with an index over the queries on one attribute each.
//
// What a Clock Scan is without columns, vectors and composite keys; written to be read, not to be fast.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "ticket_mixes.hpp"

namespace daedalus::engine::bench {

/// What an engine answered to one query: enough to tell wrong from right.
struct Answer {
  uint64_t rows = 0;
  uint64_t id_sum = 0;

  friend bool operator==(const Answer&, const Answer&) = default;
};

class RowStore {
 public:
  explicit RowStore(const TicketTable& table);

  /// Answers all queries in one pass, results written out. composite: a query with flight and day is found by both at
  /// once, through an open-addressed table ("classic+").
  [[nodiscard]] std::vector<Answer> sweep(const std::vector<TicketQuery>& queries, bool composite) const;

  /// Sums flight and day of all rows from plain arrays: the time to read the key columns.
  [[nodiscard]] uint64_t read_keys() const;

 private:
  struct Condition {
    uint32_t column = 0;
    uint32_t offset = 0;
    uint32_t width = 0;
    bool is_text = false;
    int64_t low = 0;
    int64_t high = 0;
    std::string low_text;
    std::string high_text;
  };
  using Conditions = std::vector<Condition>;

  [[nodiscard]] Conditions compile(const TicketQuery& query) const;
  [[nodiscard]] bool matches(const Conditions& conditions, const uint8_t* row) const;
  void write_out(const uint8_t* row, std::string& out, Answer& answer) const;
  [[nodiscard]] uint64_t key_of(uint32_t column, const uint8_t* row) const;

  const TicketTable* table_;
  uint32_t row_size_;
  std::vector<uint8_t> rows_;
  std::vector<int16_t> flights_;
  std::vector<int32_t> days_;
};

}  // namespace daedalus::engine::bench
