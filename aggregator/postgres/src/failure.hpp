#pragma once

#include <string>

#include "daedalus/base/result.hpp"

namespace daedalus::postgres {

/// An error as it goes out.
struct Failure {
  Error error;
  std::string detail;
  std::string context = {};
};

}  // namespace daedalus::postgres
