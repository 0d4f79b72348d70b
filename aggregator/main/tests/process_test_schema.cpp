// A compiled schema of one column, by hand: enough for a process to start on.
#include "daedalus/schema/abi.h"

namespace {

constexpr daedalus_column_abi kColumns[] = {
    {.name = "id",
     .kind = 3,
     .nullable = 0,
     .has_default = 0,
     .default_is_null = 0,
     .precision = 0,
     .scale = 0,
     .length = 0,
     .plane_width = 4,
     .default_packed = nullptr,
     .default_packed_size = 0},
};

int32_t store_row(const void* /*context*/, const uint8_t* /*row*/, uint32_t /*row_size*/, uint8_t* const* /*planes*/,
                  uint64_t* const* /*nulls*/, uint32_t /*slot*/) {
  return -1;
}

constexpr daedalus_schema_abi kSchema = {
    .abi_version = DAEDALUS_SCHEMA_ABI_VERSION,
    .column_count = 1,
    .fingerprint = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
    .table_name = "numbers",
    .columns = kColumns,
    .primary_key = nullptr,
    .primary_key_count = 0,
    .packed_row_size_max = 9,
    .store_row = store_row,
};

}  // namespace

extern "C" const daedalus_schema_abi* daedalus_schema(void) { return &kSchema; }
