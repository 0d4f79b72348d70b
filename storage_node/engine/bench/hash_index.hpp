// The baseline that does not sweep: a hash index from flight and day to rows, as any application could keep in process.
#pragma once

#include <vector>

#include "key_table.hpp"
#include "row_store.hpp"

namespace daedalus::engine::bench {

class HashIndex {
 public:
  explicit HashIndex(const RowStore& store);

  /// Returns whether a query names flight and day, so that the index serves it.
  [[nodiscard]] static bool serves(const ReadyQuery& query);

  /// Answers queries that the index serves, all of them together so that what each needs of memory is fetched while
  /// others are dealt with: first their places in the index, then their candidates, whose other conditions are verified
  /// and whose fetched columns are copied out.
  [[nodiscard]] std::vector<Answer> answer(const std::vector<ReadyQuery>& queries) const;

 private:
  struct Candidate {
    uint32_t query = 0;
    uint32_t row = 0;
  };

  [[nodiscard]] std::vector<Candidate> candidates(const std::vector<ReadyQuery>& queries) const;
  /// Fetches what the first conditions on a candidate read.
  void fetch(const Conditions& conditions, Candidate candidate) const;

  const RowStore* store_;
  KeyTable rows_;
};

}  // namespace daedalus::engine::bench
