#include "daedalus/semantics/row_codec.hpp"

#include <cstring>
#include <vector>

#include "daedalus/base/check.hpp"
#include "daedalus/semantics/packed.hpp"
#include "daedalus/semantics/packed_writer.hpp"
#include "int128.hpp"
#include "packed_walk.hpp"

namespace daedalus::semantics {
namespace {

struct ColumnLayout {
  Type type;
  uint32_t width = 0;
  bool nullable = true;
};

constexpr int32_t kStored = 0;
constexpr int32_t kMalformed = -1;

using Layout = std::vector<ColumnLayout>;

/// Whether a value may be stored: the four checks abi.h names; everything else was checked at the border.
bool is_storable(const ColumnLayout& column, std::string_view bytes) {
  if (is_string(column.type.kind)) {
    return bytes.size() <= column.width;
  }
  return column.type.kind != TypeKind::kBool || static_cast<uint8_t>(bytes[0]) <= 1;
}

int32_t store_row(const void* context, const uint8_t* row, uint32_t row_size, uint8_t* const* planes,
                  uint64_t* const* nulls, uint32_t slot) {
  const auto& layout = *static_cast<const Layout*>(context);
  const uint64_t bit = uint64_t{1} << (slot % 64);
  const WalkEnd end = walk_packed_row(
      layout.size(), std::string_view(reinterpret_cast<const char*>(row), row_size),
      [&](size_t column) -> const Type& { return layout[column].type; },
      [&](size_t column, bool null, std::string_view bytes) {
        const ColumnLayout& it = layout[column];
        if (null ? !it.nullable : !is_storable(it, bytes)) {
          return false;
        }
        uint8_t* place = planes[column] + static_cast<size_t>(slot) * it.width;
        if (!bytes.empty()) {
          std::memcpy(place, bytes.data(), bytes.size());
        }
        std::memset(place + bytes.size(), 0, it.width - bytes.size());
        uint64_t& word = nulls[column][slot / 64];
        word = null ? word | bit : word & ~bit;
        return true;
      });
  return end == WalkEnd::kComplete ? kStored : kMalformed;
}

uint32_t load_row(const void* context, const uint8_t* const* planes, const uint64_t* const* nulls, uint32_t slot,
                  const uint32_t* columns, uint32_t column_count, uint8_t* row, uint32_t row_capacity) {
  const auto& layout = *static_cast<const Layout*>(context);
  if (row_capacity < packed_head_size(column_count)) {
    return 0;
  }
  PackedRowWriter<Slack::kNone> writer(row, column_count);
  for (uint32_t i = 0; i < column_count; ++i) {
    const uint32_t column = columns[i];
    const PackedColumn packed = packed_column(layout[column].type);
    const uint8_t* value = planes[column] + static_cast<size_t>(slot) * packed.width;
    const bool is_null = ((nulls[column][slot / 64] >> (slot % 64)) & 1) != 0;
    const uint32_t room = row_capacity - writer.size();
    if (!is_null && room < packed_size_max(packed) &&
        room < packed_size_max({packed.is_text ? static_cast<uint16_t>(text_size(value, packed.width)) : packed.width,
                                packed.is_text})) {
      return 0;
    }
    writer.put(packed, value, is_null);
  }
  return writer.finish();
}

}  // namespace

struct GenericRowCodec::State {
  Layout layout;
};

GenericRowCodec::GenericRowCodec(const Schema& schema) : state_(std::make_unique<State>()) {
  for (const Column& column : schema.columns) {
    state_->layout.push_back({column.type, plane_width(column.type), column.nullable});
  }
}

GenericRowCodec::~GenericRowCodec() = default;

RowCodec GenericRowCodec::codec() const { return {&state_->layout, &store_row, &load_row}; }

uint32_t packed_row_size_max(const Schema& schema) {
  uint32_t size = packed_head_size(static_cast<uint32_t>(schema.columns.size()));
  for (const Column& column : schema.columns) {
    size += packed_size_max(packed_column(column.type));
  }
  return size;
}

}  // namespace daedalus::semantics
