// Packed rows from arbitrary bytes: nothing reads out of bounds, and what may be inserted can be read, stored and
// loaded unchanged.
#include <cstdint>
#include <string_view>
#include <vector>

#include "daedalus/base/check.hpp"
#include "daedalus/semantics/packed.hpp"
#include "daedalus/semantics/row_codec.hpp"
#include "plane_rows.hpp"

namespace daedalus::semantics {
namespace {

Schema make_schema() {
  Schema schema;
  const std::vector<Type> types = {
      {TypeKind::kBool}, {TypeKind::kSmallint},  {TypeKind::kInt},           {TypeKind::kBigint},
      {TypeKind::kReal}, {TypeKind::kDouble},    {TypeKind::kNumeric, 5, 2}, {TypeKind::kNumeric, 38, 10},
      {TypeKind::kDate}, {TypeKind::kTimestamp}, {TypeKind::kTimestampTz},   {TypeKind::kInterval},
      {TypeKind::kTime}, {TypeKind::kUuid},      {TypeKind::kChar, 0, 0, 4}, {TypeKind::kVarchar, 0, 0, 9}};
  for (const Type& type : types) {
    schema.columns.push_back({"c", type, schema.columns.size() % 3 != 0, {}});
  }
  return schema;
}

void check_row(const Schema& schema, std::string_view row) {
  const std::vector<Type> types = column_types(schema);
  const Result<std::vector<Value>> values = read_packed_row(types, row);
  if (!check_packed_row(schema, row)) {
    return;
  }
  CHECK(values);
  std::string again;
  append_packed_row(types, *values, again);
  CHECK(std::string_view(again).substr(4) == row);

  const GenericRowCodec generic(schema);
  std::vector<std::vector<uint8_t>> planes;
  std::vector<uint8_t*> plane_pointers;
  std::vector<uint64_t> nulls(schema.columns.size());
  std::vector<uint64_t*> null_pointers;
  for (const Column& column : schema.columns) {
    planes.emplace_back(plane_width(column.type) - tail_width(column.type));
    null_pointers.push_back(&nulls[null_pointers.size()]);
  }
  for (const Column& column : schema.columns) {
    planes.emplace_back(tail_width(column.type));
  }
  for (std::vector<uint8_t>& plane : planes) {
    plane_pointers.push_back(plane.data());
  }
  const RowCodec codec = generic.codec();
  const auto* bytes = reinterpret_cast<const uint8_t*>(row.data());
  CHECK(codec.store_row(codec.context, bytes, static_cast<uint32_t>(row.size()), plane_pointers.data(),
                        null_pointers.data(), 0) == 0);
  const testing::PlaneView view = {plane_pointers.data(), null_pointers.data()};
  CHECK(testing::packed_row_at(schema, view, 0) == again);
}

}  // namespace
}  // namespace daedalus::semantics

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace daedalus::semantics;
  static const Schema kSchema = make_schema();
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check_row(kSchema, bytes);
  PackedRows rows(bytes);
  for (auto row = rows.next(); row && row->has_value(); row = rows.next()) {
    check_row(kSchema, **row);
  }
  const std::vector<Type> computed = {
      {TypeKind::kNumeric}, {TypeKind::kVarchar}, {TypeKind::kInterval}, {TypeKind::kNumeric}};
  (void)read_packed_row(computed, bytes);
  return 0;
}
