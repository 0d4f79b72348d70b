// The matches of a regular expression in a text, one after the other, as PostgreSQL goes through them.
#pragma once

#include <cstdint>
#include <string_view>

#include "daedalus/semantics/scalar_function.hpp"
#include "expression.hpp"

namespace daedalus::semantics::scalar {

class Matches {
 public:
  /// start: a character, from 1.
  Matches(RegularExpression& expression, std::string_view text, int64_t start);

  /// False: there is no further one, or looking for it would take too long.
  bool next();
  /// To number `wanted`, from 1. False: there are fewer, or it would take too long.
  bool next(int64_t wanted);
  /// Errors: 54000 it would have taken too long; 57014 nobody waits for it any more.
  [[nodiscard]] Result<void> ended() const;
  [[nodiscard]] const TextSpan& match() const { return match_; }

 private:
  RegularExpression& expression_;
  std::string_view text_;
  size_t from_;  ///< Beyond the end of the text: there is none any more.
  TextSpan match_;
  uint64_t steps_ = 0;
  bool has_been_ended_ = false;
};

/// The flags at this place of a call's arguments, or none where it has fewer. Errors: those of read_flags(); 22023 they
/// ask for all matches, where `function` finds one: null where they may.
[[nodiscard]] Result<regular::Flags> flags_at(Arguments arguments, size_t place, const char* function);

/// The number at this place, or `otherwise`. Error 22023: it is less than `least`, as PostgreSQL names the parameter.
[[nodiscard]] Result<int64_t> number_at(Arguments arguments, size_t place, const char* parameter, int64_t otherwise,
                                        int64_t least);

/// regexp_replace() of arguments, `text` and so on.
[[nodiscard]] Result<Value> replace_first(Arguments arguments, const BoundExpression& call);
[[nodiscard]] Result<Value> replace_by_flags(Arguments arguments, const BoundExpression& call);
[[nodiscard]] Result<Value> replace_from(Arguments arguments, const BoundExpression& call);
[[nodiscard]] Type type_of_replaced_matches(std::span<const BoundExpression> arguments);

}  // namespace daedalus::semantics::scalar
