// Every kind of plane that kernels meet: all native types, and strings of all lengths that are treated apart.
#pragma once

#include "native.hpp"

namespace daedalus::engine::test {

struct Shape {
  Native native;
  uint32_t width;
};

constexpr Shape kShapes[] = {
    {Native::kBool, 1},  {Native::kInt16, 2},  {Native::kInt32, 4},  {Native::kInt64, 8}, {Native::kInt128, 16},
    {Native::kFloat, 4}, {Native::kDouble, 8}, {Native::kBytes, 1},  {Native::kBytes, 2}, {Native::kBytes, 3},
    {Native::kBytes, 4}, {Native::kBytes, 5},  {Native::kBytes, 6},  {Native::kBytes, 7}, {Native::kBytes, 8},
    {Native::kBytes, 9}, {Native::kBytes, 12}, {Native::kBytes, 60},
};

}  // namespace daedalus::engine::test
