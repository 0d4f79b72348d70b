// Writes that become one update: what comes up to Sync, in one simple message, or in a block.
//
// Decides which writes go together and what is told of them before the update's outcome is known. INSERTs do, as each
// row's count is known beforehand; UPDATE and DELETE stand alone, as an outcome counts rows of the whole update.
// Refuses to know the writer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "daedalus/aggregator/statement.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/wire/v1/operations.pb.h"

namespace daedalus::postgres {

class WriteGroup {
 public:
  /// Of messages that are held back.
  static constexpr size_t kHeldBytesMax = 16u << 20;

  /// How far it has come: a savepoint.
  struct Mark {
    int part_count = 0;
    size_t last_rows_size = 0;  ///< Of the last part, if that is an INSERT.
    uint32_t last_row_count = 0;
    uint32_t rows = 0;
    uint64_t bytes = 0;
  };

  [[nodiscard]] bool has_any() const { return body_.parts_size() > 0; }
  /// Whether it has an UPDATE or DELETE.
  [[nodiscard]] bool is_alone() const { return is_alone_; }
  /// How many rows, and how many bytes of them, still go in.
  [[nodiscard]] uint64_t rows_left() const;
  [[nodiscard]] uint64_t bytes_left() const;
  /// Messages wait until the outcome is known.
  [[nodiscard]] bool is_holding() const { return is_holding_; }
  [[nodiscard]] std::string& held() { return held_; }

  /// Adds a write. Returns how many rows it inserts. Precondition: is_alone() is false, and nothing is there yet where
  /// it is no INSERT. Errors: 54000 together they are more than one update takes.
  [[nodiscard]] Result<uint32_t> add(aggregator::CompiledUpdate update);
  /// From now on messages are held back. `word` is what an update alone is told by, once its rows are counted: UPDATE
  /// or DELETE; empty: what it inserts is counted already.
  void hold(std::string word);
  [[nodiscard]] const wire::v1::UpdateBody& body() const { return body_; }
  /// The messages that were held back, with the tag of an update alone in its place. Messages are not held any longer.
  [[nodiscard]] std::string release();
  /// How many rows the update was applied to.
  void set_applied(uint64_t rows) { applied_ = rows; }
  void clear();
  [[nodiscard]] Mark mark() const;
  /// What was added since is gone. Precondition: the mark is of this group, which has only INSERTs.
  void go_back_to(const Mark& mark);

 private:
  wire::v1::UpdateBody body_;
  uint64_t bytes_ = 0;
  uint32_t rows_ = 0;
  uint64_t applied_ = 0;
  bool is_alone_ = false;
  bool is_holding_ = false;
  std::string held_;
  std::string word_;   ///< Of the tag that is missing.
  size_t tag_at_ = 0;  ///< In held_.
};

}  // namespace daedalus::postgres
