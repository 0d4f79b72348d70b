// Rows of one chunk that one or several indexes find for one query: each leaves once, and they ascend.
//
// Decides nothing: a bitmap a query, and which of its words hold anything.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "branches.hpp"
#include "native.hpp"

namespace daedalus::engine {

class JoinedRows {
 public:
  explicit JoinedRows(uint32_t chunk_rows)
      : row_words_((chunk_rows + 63) / 64), marker_words_((row_words_ + 63) / 64) {}

  /// Room for so many queries. What add() was told has left before.
  void begin(size_t query_count) {
    if (rows_.size() < query_count * row_words_) {
      rows_.resize(query_count * row_words_);
      markers_.resize(query_count * marker_words_);
    }
  }

  void add(uint32_t place, uint32_t row) {
    uint64_t* words = rows_.data() + size_t{place} * row_words_;
    if (test_bit(words, row)) {
      mark_branch(Branch::kJoinedRow);
    }
    set_bit(words, row);
    set_bit(markers_.data() + size_t{place} * marker_words_, row / 64);
  }

  /// Calls use(row) for every row of a query, ascending; they are gone then.
  template <typename Use>
  void take(uint32_t place, Use&& use) {
    uint64_t* words = rows_.data() + size_t{place} * row_words_;
    uint64_t* markers = markers_.data() + size_t{place} * marker_words_;
    for_each_bit(markers, marker_words_, [&](uint32_t word) {
      for (uint64_t bits = words[word]; bits != 0; bits &= bits - 1) {
        use(word * 64 + static_cast<uint32_t>(__builtin_ctzll(bits)));
      }
      words[word] = 0;
    });
    std::fill_n(markers, marker_words_, 0);
  }

 private:
  uint32_t row_words_;
  uint32_t marker_words_;
  std::vector<uint64_t> rows_;     ///< By query.
  std::vector<uint64_t> markers_;  ///< By query: bit w for word w of its rows.
};

}  // namespace daedalus::engine
