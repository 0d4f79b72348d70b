// Operations made of arbitrary bytes: the segment answers like a list of rows.
#include <cstdint>
#include <iostream>
#include <string_view>

#include "daedalus/base/check.hpp"
#include "model_round.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace daedalus::engine::test;
  constexpr size_t kTableBytes = 2;
  if (size < kTableBytes) {
    return 0;
  }
  // The table comes from a seed: its looks alone would use up the bytes that operations are to be made of.
  Random table(static_cast<uint64_t>(data[0] << 8 | data[1]));
  Random operations(std::string_view(reinterpret_cast<const char*>(data), size).substr(kTableBytes));
  const Round round = random_round(table, operations, {.operations = 300, .preload_rows_max = 200});
  if (const std::string fault = fault_of(round); !fault.empty()) {
    std::cerr << fault << "\n" << text_of(shrunk(round));
    CHECK(fault.empty());
  }
  return 0;
}
