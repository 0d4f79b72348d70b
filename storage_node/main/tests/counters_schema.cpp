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

uint32_t load_row(const void* /*context*/, const uint8_t* const* planes, const uint64_t* const* /*nulls*/,
                  uint32_t slot, const uint32_t* /*columns*/, uint32_t column_count, uint8_t* row,
                  uint32_t row_capacity) {
  // The one column, any number of times.
  const uint32_t bitmap_size = (column_count + 7) / 8;
  const uint32_t row_size = bitmap_size + 4 * column_count;
  if (row_capacity < 4 + row_size) {
    return 0;
  }
  std::memcpy(row, &row_size, 4);
  std::memset(row + 4, 0, bitmap_size);
  for (uint32_t i = 0; i < column_count; ++i) {
    std::memcpy(row + 4 + bitmap_size + size_t{4} * i, planes[0] + size_t{slot} * 4, 4);
  }
  return 4 + row_size;
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
                                         store_row,
                                         load_row};

}  // namespace

extern "C" __attribute__((visibility("default"))) const daedalus_schema_abi* daedalus_schema(void) { return &kSchema; }
