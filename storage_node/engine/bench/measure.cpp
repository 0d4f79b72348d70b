#include "measure.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>

namespace daedalus::engine::bench {

double processor_milliseconds() {
  timespec time{};
  CHECK(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

double median(std::vector<double> values) {
  if (values.empty()) {
    return 0;
  }
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

uint64_t last_level_cache_bytes() {
  uint64_t most = 0;
  for (int index = 0;; ++index) {
    std::ifstream file(fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/size", index));
    uint64_t size = 0;
    char unit = 'K';
    if (!(file >> size)) {
      return most;
    }
    file >> unit;
    most = std::max(most, size << (unit == 'M' ? 20 : 10));
  }
}

Caches::Caches() : dirt_(std::max<uint64_t>(2 * last_level_cache_bytes(), 160u << 20)) {}

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
