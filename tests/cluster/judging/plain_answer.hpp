// Answers a question, given the rows that its filter selects: plainly, without the product's aggregates over segments
// and nodes, its orders and its merges.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daedalus/semantics/types.hpp"
#include "question.hpp"

namespace daedalus::testing {

/// Column names of the answer, in order.
[[nodiscard]] std::vector<std::string> answer_columns(const semantics::Schema& schema, const Question& question);

/// Their types.
[[nodiscard]] std::vector<semantics::Type> answer_types(const semantics::Schema& schema, const Question& question);

/// The answer, or what it may be: a question that limits rows and asks for no order may be answered by any of them.
struct PlainAnswer {
  std::vector<std::string> rows;   ///< Packed: in their order, those that may come in any order by their bytes.
  uint64_t row_count = 0;          ///< Less than there are rows: any so many of these.
  std::vector<size_t> class_ends;  ///< Ends of the rows that are equal in the order; none: all may come in any order.
};

[[nodiscard]] PlainAnswer answer_to(const semantics::Schema& schema, const Question& question,
                                    const std::vector<std::shared_ptr<const Row>>& selected);

/// Returns whether packed rows that came from the cluster are the answer.
[[nodiscard]] bool is_answer(const PlainAnswer& answer, const std::string& given);

}  // namespace daedalus::testing
