// The blanks at the end of a char, where values of several lengths meet.
//
// Decides where they are kept and where they do not count. Refuses to know clauses.
#pragma once

#include <vector>

#include "daedalus/semantics/bound_expression.hpp"
#include "daedalus/semantics/scalar_function.hpp"

namespace daedalus::aggregator::sql {

/// Values of CASE and its like, of one kind: chars of several lengths become chars without a length, each with the
/// blanks that it has.
[[nodiscard]] Result<void> keep_blanks(std::vector<semantics::BoundExpression>& values);

/// A string as text, without the blanks of a char.
[[nodiscard]] Result<semantics::BoundExpression> without_blanks(semantics::BoundExpression value);

/// Puts the choice among texts in the place of the text of a choice among chars: text is what kernels compare. To be
/// done when nothing looks for equal expressions any more.
[[nodiscard]] Result<void> choose_texts(semantics::BoundExpression& expression);

/// A text as a char without a length.
[[nodiscard]] Result<semantics::BoundExpression> as_char(semantics::BoundExpression text);

/// A char without its blanks.
[[nodiscard]] Result<semantics::BoundExpression> char_without_blanks(semantics::BoundExpression value);

/// Values of one kind that are compared with each other: where one of them has blanks of its own, which do not count,
/// all become texts.
[[nodiscard]] Result<void> make_comparable(std::vector<semantics::BoundExpression>& values);

/// Takes the blanks from the arguments of a function for which they do not count, where chars have blanks of their own.
/// What is compared is then text, for which there is the same operator.
[[nodiscard]] Result<void> ignore_blanks(const semantics::ScalarFunction& function,
                                         std::vector<semantics::BoundExpression>& arguments);

}  // namespace daedalus::aggregator::sql
