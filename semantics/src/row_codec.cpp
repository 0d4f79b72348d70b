#include "daedalus/semantics/row_codec.hpp"

#include <cstring>
#include <vector>

#include "daedalus/base/check.hpp"
#include "daedalus/semantics/packed.hpp"
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

/// Below this a loop beats a call.
constexpr uint32_t kShortText = 8;

/// Bytes before the zero padding. Text has no NUL, so the first zero ends it.
size_t unpadded_size(const uint8_t* place, uint32_t width) {
  if (width <= kShortText) {
    size_t size = width;
    while (size > 0 && place[size - 1] == 0) {
      --size;
    }
    return size;
  }
  const void* zero = std::memchr(place, 0, width);
  return zero == nullptr ? width : static_cast<size_t>(static_cast<const uint8_t*>(zero) - place);
}

/// The sizes of numbers are copied in registers.
void copy_value(uint8_t* to, const uint8_t* from, size_t size) {
  switch (size) {
    case 1:
      *to = *from;
      return;
    case 2:
      std::memcpy(to, from, 2);
      return;
    case 4:
      std::memcpy(to, from, 4);
      return;
    case 8:
      std::memcpy(to, from, 8);
      return;
    default:
      std::memcpy(to, from, size);
  }
}

uint32_t load_row(const void* context, const uint8_t* const* planes, const uint64_t* const* nulls, uint32_t slot,
                  const uint32_t* columns, uint32_t column_count, uint8_t* row, uint32_t row_capacity) {
  const auto& layout = *static_cast<const Layout*>(context);
  const uint32_t head = static_cast<uint32_t>(sizeof(uint32_t)) + (column_count + 7) / 8;
  if (row_capacity < head) {
    return 0;
  }
  std::memset(row, 0, head);
  uint8_t* bitmap = row + sizeof(uint32_t);
  uint32_t size = head;
  for (uint32_t i = 0; i < column_count; ++i) {
    const uint32_t column = columns[i];
    const ColumnLayout& it = layout[column];
    if (((nulls[column][slot / 64] >> (slot % 64)) & 1) != 0) {
      bitmap[i / 8] = static_cast<uint8_t>(bitmap[i / 8] | (1u << (i % 8)));
      continue;
    }
    const uint8_t* place = planes[column] + static_cast<size_t>(slot) * it.width;
    const bool is_text = is_string(it.type.kind);
    const size_t bytes = is_text ? unpadded_size(place, it.width) : it.width;
    const size_t prefix = is_text ? sizeof(uint16_t) : 0;
    if (row_capacity - size < prefix + bytes) {
      return 0;
    }
    if (is_text) {
      const auto length = static_cast<uint16_t>(bytes);
      std::memcpy(row + size, &length, sizeof length);
    }
    copy_value(row + size + prefix, place, bytes);
    size += static_cast<uint32_t>(prefix + bytes);
  }
  const auto row_size = static_cast<uint32_t>(size - sizeof(uint32_t));
  std::memcpy(row, &row_size, sizeof row_size);
  return size;
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
  uint32_t size = static_cast<uint32_t>(sizeof(uint32_t) + (schema.columns.size() + 7) / 8);
  for (const Column& column : schema.columns) {
    size += plane_width(column.type) + (is_string(column.type.kind) ? static_cast<uint32_t>(sizeof(uint16_t)) : 0);
  }
  return size;
}

}  // namespace daedalus::semantics
