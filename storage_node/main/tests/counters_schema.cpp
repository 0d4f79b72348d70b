// counters(id int not null): the smallest compiled schema, written by hand.
#include <cstdint>
#include <cstring>

#include "daedalus/schema/abi.h"

namespace {

constexpr uint32_t kRowSize = 5;  // One byte of NULL bits, four of the int.

int32_t store_row(const void* /*context*/, const uint8_t* row, uint32_t row_size, uint8_t* const* planes,
                  uint64_t* const* nulls, uint32_t slot) {
  if (row_size != kRowSize || row[0] != 0) {
    return -1;
  }
  std::memcpy(planes[0] + size_t{slot} * 4, row + 1, 4);
  nulls[0][slot / 64] &= ~(uint64_t{1} << (slot % 64));
  return 0;
}

constexpr daedalus_column_abi kColumns[] = {{"id", 3, 0, 0, 0, 0, 0, 0, 4, nullptr, 0}};
constexpr daedalus_schema_abi kSchema = {DAEDALUS_SCHEMA_ABI_VERSION,
                                         1,
                                         "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff",
                                         "counters",
                                         kColumns,
                                         nullptr,
                                         0,
                                         4 + kRowSize,
                                         store_row};

}  // namespace

extern "C" __attribute__((visibility("default"))) const daedalus_schema_abi* daedalus_schema(void) { return &kSchema; }
