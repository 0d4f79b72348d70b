// Includes what nearly every translation unit of base, semantics and the engine includes anyway: the standard library,
// and the two headers of Boost that Result and BigInt are made of, which their headers bring with or without this one.
//
// Nothing else belongs here: these libraries are to be free of Protocol Buffers, and the engine of fmt.
#pragma once

#include <algorithm>
#include <array>
#include <boost/multiprecision/cpp_int.hpp>
#include <boost/system/result.hpp>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <memory_resource>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>
