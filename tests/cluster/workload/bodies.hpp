// Questions and updates as the bodies in which they travel.
#pragma once

#include <string>
#include <vector>

#include "daedalus/semantics/types.hpp"
#include "question.hpp"

namespace daedalus::testing {

/// Returns the name of a column of the answer.
[[nodiscard]] std::string output_name(const semantics::Schema& schema, const PlainOutput& output);

/// SelectBody, RESULT_FORM_FINAL.
[[nodiscard]] std::string select_body(const semantics::Schema& schema, const Question& question);

/// UpdateBody. Rows are numbered through all insert parts.
[[nodiscard]] std::string update_body(const semantics::Schema& schema, const std::vector<PlainPart>& parts);

}  // namespace daedalus::testing
