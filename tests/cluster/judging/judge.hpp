// Judges what a cluster says by what it was asked.
//
// Decides, from the plain table alone, whether an answer is that of its question and a confirmation that of its update:
// which segments an answer must account for, which moment it may be of, which rows the table has then, and what an
// update did in each partition. What the answer says of itself is only ever compared, never believed. Refuses to know
// how the cluster came by it: no routes, no bodies, no normal forms.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daedalus/wire/v1/results.pb.h"
#include "plain_table.hpp"

namespace daedalus::testing {

/// Everything that came back for one question.
struct GivenAnswer {
  Question question;
  Timestamp prefix_promised{};  ///< Highest update confirmed before the question was sent, or its moment was taken.
  Timestamp prefix_demanded{};  ///< Lowest moment that the question says it wants.
  std::optional<Timestamp> at;  ///< The question is at this moment and no other, however old it is.
  /// Up to which update all may have been confirmed when the answer was complete: without a demand for more, no answer
  /// is of a later moment.
  Timestamp confirmed_at_most{UINT64_MAX};
  /// An older build had part in it, which names no moment.
  bool names_moment = true;
  std::vector<wire::v1::Column> columns;
  std::string rows;
  uint64_t row_count = 0;  ///< As announced with the rows.
  wire::v1::QueryEnd end;
};

class Judge {
 public:
  /// `table` outlives the judge.
  explicit Judge(const PlainTable& table) : table_(table) {}

  /// Returns what is wrong with a complete answer, a sentence each. Ask once every row that could have been in it is in
  /// the table.
  [[nodiscard]] std::vector<std::string> answer(const GivenAnswer& answer) const;

  /// Returns what is wrong with the confirmation of update `timestamp`.
  [[nodiscard]] std::vector<std::string> confirmation(Timestamp timestamp,
                                                      const wire::v1::WriteConfirmed& confirmed) const;

 private:
  const PlainTable& table_;
};

}  // namespace daedalus::testing
