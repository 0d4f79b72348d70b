// Expected failures: what went wrong, in the categories and codes that travel to the user unchanged.
#pragma once

#include <boost/system/result.hpp>
#include <cstdint>
#include <string>
#include <utility>

namespace daedalus {

/// The conclusion that a caller may draw from a failure; the numbers are those of the wire.
enum class ErrorCategory : uint8_t {
  kRetry = 1,     ///< Nothing happened; the same may succeed later.
  kRejected = 2,  ///< The request is wrong and will be wrong again.
  kUnknown = 3,   ///< It may or may not have taken effect.
  kFatal = 4,     ///< The cluster is broken or misconfigured.
};

/// One clear failure: what, where, and what to do.
struct Error {
  ErrorCategory category = ErrorCategory::kRejected;
  std::string sqlstate;   ///< PostgreSQL's five characters.
  std::string message;    ///< One sentence, lower case, no full stop; names what and where.
  std::string hint;       ///< Tells what to do; may be empty.
  uint32_t position = 0;  ///< Character in the SQL text, from 1; 0: none.

  friend bool operator==(const Error&, const Error&) = default;
};

/// Thrown only by Result::value() on a failure, which is a bug of the caller: check first.
[[noreturn]] void throw_exception_from_error(const Error& error, const boost::source_location& location);

template <typename T>
using Result = boost::system::result<T, Error>;

/// Shorthand for the commonest failure.
[[nodiscard]] inline Error rejected(std::string sqlstate, std::string message, std::string hint = {}) {
  return Error{ErrorCategory::kRejected, std::move(sqlstate), std::move(message), std::move(hint), 0};
}

}  // namespace daedalus
