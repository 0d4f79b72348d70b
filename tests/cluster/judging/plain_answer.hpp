// What the answer to a question is, given the rows that its filter selects: plainly, without the product's aggregates,
// orders and merges.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "daedalus/semantics/types.hpp"
#include "question.hpp"

namespace daedalus::testing {

/// Column names of the answer, in order.
[[nodiscard]] std::vector<std::string> answer_columns(const semantics::Schema& schema, const Question& question);

/// The answer's packed rows; sorted by their bytes where the question asks for no order.
[[nodiscard]] std::vector<std::string> answer_rows(const semantics::Schema& schema, const Question& question,
                                                   std::vector<std::shared_ptr<const Row>> selected);

/// The same form for rows that came from the cluster. Nothing when they are cut short.
[[nodiscard]] std::optional<std::vector<std::string>> given_rows(const Question& question, const std::string& rows);

}  // namespace daedalus::testing
