// A schema library as the schema compiler writes it, except that the environment may plant one fault in its descriptor.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "daedalus/schema/abi.h"

namespace {

int32_t store_row(const void*, const uint8_t*, uint32_t, uint8_t* const*, uint64_t* const*, uint32_t) { return 7; }

const uint8_t kDefault[] = {5, 0, 0, 0};
const uint32_t kPrimaryKey[] = {0};
daedalus_column_abi columns[3];
daedalus_schema_abi schema;
uint32_t doubled_key[] = {0, 0};

void reset() {
  columns[0] = {"id", 3, 0, 0, 0, 0, 0, 0, 4, nullptr, 0};
  columns[1] = {"amount", 7, 1, 0, 0, 20, 2, 0, 16, nullptr, 0};
  columns[2] = {"count", 3, 1, 1, 0, 0, 0, 0, 4, kDefault, sizeof kDefault};
  schema = {DAEDALUS_SCHEMA_ABI_VERSION,
            3,
            "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
            "sales",
            columns,
            kPrimaryKey,
            1,
            4 + 1 + 4 + 16 + 4,
            &store_row};
}

struct Fault {
  const char* name;
  void (*plant)();
};

const Fault kFaults[] = {
    {"version", [] { schema.abi_version = 99; }},
    {"no columns", [] { schema.column_count = 0; }},
    {"many columns", [] { schema.column_count = 1u << 30; }},
    {"null columns", [] { schema.columns = nullptr; }},
    {"fingerprint", [] { schema.fingerprint = "0123"; }},
    {"no fingerprint", [] { schema.fingerprint = nullptr; }},
    {"no table", [] { schema.table_name = ""; }},
    {"column name", [] { columns[1].name = nullptr; }},
    {"same name", [] { columns[1].name = "id"; }},
    {"kind", [] { columns[1].kind = 12; }},
    {"precision", [] { columns[1].precision = 39; }},
    {"scale", [] { columns[1].scale = 21; }},
    {"computed numeric", [] { columns[1].precision = 0; }},
    {"length", [] { columns[0].length = 4; }},
    {"empty varchar", [] { columns[0].kind = 11; }},
    {"width", [] { columns[1].plane_width = 8; }},
    {"nullable", [] { columns[1].nullable = 2; }},
    {"default size", [] { columns[2].default_packed_size = 3; }},
    {"default bytes", [] { columns[2].default_packed = nullptr; }},
    {"key column", [] { schema.primary_key_count = 4; }},
    {"key twice",
     [] {
       schema.primary_key = doubled_key;
       schema.primary_key_count = 2;
     }},
    {"row size", [] { schema.packed_row_size_max = 28; }},
    {"codec", [] { schema.store_row = nullptr; }},
};

}  // namespace

extern "C" const daedalus_schema_abi* daedalus_schema(void) {
  reset();
  const char* wanted = std::getenv("DAEDALUS_TEST_FAULT");
  for (const Fault& fault : kFaults) {
    if (wanted != nullptr && std::strcmp(wanted, fault.name) == 0) {
      fault.plant();
    }
  }
  if (wanted != nullptr && std::strcmp(wanted, "descriptor") == 0) {
    return nullptr;
  }
  return &schema;
}
