#include "measure.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>

namespace daedalus::engine::bench {

double median(std::vector<double> values) {
  if (values.empty()) {
    return 0;
  }
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void Caches::evict() {
  for (size_t at = 0; at < dirt_.size(); at += 64) {
    dirt_[at] = static_cast<uint8_t>(dirt_[at] + 1);
  }
}

JsonLine& JsonLine::add(std::string_view name, std::string_view text) {
  start(name);
  fields_ += fmt::format("\"{}\"", text);
  return *this;
}

JsonLine& JsonLine::add(std::string_view name, double number) {
  start(name);
  fields_ += fmt::format("{:.5f}", number);
  return *this;
}

JsonLine& JsonLine::add(std::string_view name, uint64_t number) {
  start(name);
  fields_ += fmt::format("{}", number);
  return *this;
}

JsonLine& JsonLine::add(std::string_view name, const std::vector<double>& numbers) {
  start(name);
  fields_ += fmt::format("[{:.5f}]", fmt::join(numbers, ", "));
  return *this;
}

void JsonLine::print() const {
  fmt::print("{{{}}}\n", fields_);
  std::fflush(stdout);
}

void JsonLine::start(std::string_view name) { fields_ += fmt::format("{}\"{}\": ", fields_.empty() ? "" : ", ", name); }

}  // namespace daedalus::engine::bench
