#include <cstdio>
#include <cstdlib>

#include "daedalus/base/check.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/base/units.hpp"

namespace daedalus {

void check_failed(const char* expression, const char* file, int line) noexcept {
  std::fprintf(stderr, "%s:%d: CHECK failed: %s\n", file, line, expression);
  std::abort();
}

void throw_exception_from_error(const Error& error, const boost::source_location& location) {
  std::fprintf(stderr, "Result::value() on a failure (%s): ", error.message.c_str());
  check_failed("result.has_value()", location.file_name(), static_cast<int>(location.line()));
}

}  // namespace daedalus
