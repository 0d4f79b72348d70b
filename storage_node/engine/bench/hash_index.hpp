// The baseline that does not sweep: a hash index from flight and day to rows, as any application could keep in process.
#pragma once

#include <vector>

#include "key_table.hpp"
#include "row_store.hpp"

namespace daedalus::engine::bench {

class HashIndex {
 public:
  explicit HashIndex(const RowStore& store);

  /// Whether a query names flight and day, so that the index serves it.
  [[nodiscard]] static bool serves(const TicketQuery& query);

  /// Answers queries that the index serves, one after the other: every candidate's other conditions are verified, the
  /// fetched columns copied out.
  [[nodiscard]] std::vector<Answer> answer(const std::vector<TicketQuery>& queries) const;

 private:
  const RowStore* store_;
  KeyTable rows_;
};

}  // namespace daedalus::engine::bench
