// An error as a client hears of it.
#pragma once

#include <string>

#include "daedalus/base/result.hpp"
#include "daedalus/wire/v1/results.pb.h"

namespace daedalus::postgres {

struct Failure {
  Error error;
  std::string detail;
  std::string context = {};
};

/// Returns what the client is told that has wanted its statement to be stopped.
[[nodiscard]] Error cancelled_by_user();

/// Returns what the core says. `has_timeout`: the session has set one, which is what has stopped a statement then.
[[nodiscard]] Failure failure_of(const wire::v1::Error& error, bool has_timeout);

}  // namespace daedalus::postgres
