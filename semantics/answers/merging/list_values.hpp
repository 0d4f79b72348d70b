// The values of one list (docs/wire.md, "lists"), each once: whose they are, and of how many rows.
//
// Decides that a value is kept as the bytes by which it is found, and nothing beside it but a number of rows: there are
// as many as a table has distinct values. Values of types that show equal values differently (1.0 and 1.00) are kept as
// they came, too. Refuses to know what is made of them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "answer_merge.hpp"
#include "key_store.hpp"

namespace daedalus::semantics {

class ListValues {
 public:
  /// The plan outlives this object.
  ListValues(const MergePlan& plan, uint32_t list);

  /// Adds rows of the group number `owner` to what there is. `row`: a partial row of the list.
  void add(uint32_t owner, std::span<const Value> row);

  [[nodiscard]] uint32_t size() const { return keys_.size(); }
  /// The group whose value this is.
  [[nodiscard]] uint32_t owner(uint32_t number) const;
  [[nodiscard]] int64_t rows(uint32_t number) const { return rows_[number / kBlockRows][number % kBlockRows]; }
  /// Puts the list's values to their places among those of all lists; others stay.
  void read(uint32_t number, std::span<Value> list_values) const;

  [[nodiscard]] uint64_t memory_bytes() const { return keys_.memory_bytes() + rows_bytes_; }
  /// Frees a piece; true when nothing is left.
  [[nodiscard]] bool drop(WorkBudget& budget);

 private:
  static constexpr uint32_t kBlockRows = 1024;

  struct Part {
    uint32_t place = 0;  ///< Among the values of all lists.
    Type type;
  };

  uint32_t first_value_;  ///< The place in a row of the first value of all lists.
  std::vector<Part> parts_;
  bool shows_as_it_came_ = false;  ///< Some key does not say how its value is shown.
  KeyStore keys_;
  std::vector<std::vector<int64_t>> rows_;
  uint64_t rows_bytes_ = 0;
  std::string key_;
  std::string shown_;
};

}  // namespace daedalus::semantics
