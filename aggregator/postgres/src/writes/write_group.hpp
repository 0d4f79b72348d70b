// Writes that become one update: what comes up to Sync, in one simple message, or in a block.
//
// Decides which part of the update each write is, and what is told of it when. What an INSERT comes to is known
// beforehand; an UPDATE or DELETE is a part of its own, whose tag is missing until the outcome tells how many rows that
// was applied to. Refuses to know the writer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daedalus/aggregator/statement.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/wire/v1/operations.pb.h"

namespace daedalus::postgres {

class WriteGroup {
 public:
  /// Messages that are held back have at most so many bytes.
  static constexpr size_t kHeldBytesMax = 16u << 20;

  /// How far it has come: a savepoint.
  struct Mark {
    int part_count = 0;
    size_t last_rows_size = 0;  ///< The last part's, if that is an INSERT.
    uint32_t last_row_count = 0;
    uint32_t rows = 0;
    uint64_t bytes = 0;
  };

  [[nodiscard]] bool has_any() const { return body_.parts_size() > 0; }
  /// Returns whether it has an UPDATE or DELETE of which nobody has been told.
  [[nodiscard]] bool awaits_counts() const { return !tags_.empty(); }
  /// The bytes of its writes, and of what is held back.
  [[nodiscard]] uint64_t bytes() const { return bytes_ + held_.size(); }
  /// How many rows, and how many bytes of them, still go in.
  [[nodiscard]] uint64_t rows_left() const;
  [[nodiscard]] uint64_t bytes_left() const;
  /// Messages wait until the outcome is known.
  [[nodiscard]] bool is_holding() const { return is_holding_; }
  [[nodiscard]] std::string& held() { return held_; }

  /// Adds a write, behind those that are there. Returns how many rows it inserts. Errors: 54000 together they are more
  /// than one update takes.
  [[nodiscard]] Result<uint32_t> add(aggregator::CompiledUpdate update);
  /// From now on messages are held back. `word` is what the last write is told by, once its rows are counted: UPDATE or
  /// DELETE; empty: what it inserts is counted already.
  void hold(std::string word);
  [[nodiscard]] const wire::v1::UpdateBody& body() const { return body_; }
  /// The messages that were held back, with all tags in their places. Messages are not held any longer. Precondition:
  /// set_part_rows(), where it awaits counts.
  [[nodiscard]] std::string release();
  /// How many rows each part was applied to.
  void set_part_rows(std::vector<uint64_t> rows) { part_rows_ = std::move(rows); }
  void clear();
  [[nodiscard]] Mark mark() const;
  /// Drops what was added since. Precondition: the mark is of this group, which has only INSERTs, as all blocks.
  void go_back_to(const Mark& mark);

 private:
  /// One that is missing.
  struct Tag {
    std::string word;
    size_t at = 0;  ///< In held_.
    size_t part = 0;
  };

  wire::v1::UpdateBody body_;
  uint64_t bytes_ = 0;
  uint32_t rows_ = 0;
  bool is_holding_ = false;
  std::string held_;
  std::vector<Tag> tags_;  ///< In the order of their places, and of their parts.
  std::vector<uint64_t> part_rows_;
};

}  // namespace daedalus::postgres
