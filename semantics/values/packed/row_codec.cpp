#include "daedalus/semantics/row_codec.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "daedalus/base/check.hpp"
#include "daedalus/semantics/packed.hpp"
#include "daedalus/semantics/packed_walk.hpp"
#include "daedalus/semantics/packed_writer.hpp"

namespace daedalus::semantics {
namespace {

struct ColumnLayout {
  Type type;
  PackedColumn packed;
  bool nullable = true;
};

constexpr int32_t kStored = 0;
constexpr int32_t kMalformed = -1;

using Layout = std::vector<ColumnLayout>;

/// Says whether a value may be stored: the four checks abi.h names; everything else was checked at the border.
bool is_storable(const ColumnLayout& column, std::string_view bytes) {
  if (is_string(column.type.kind)) {
    return bytes.size() <= column.packed.width;
  }
  return column.type.kind != TypeKind::kBool || static_cast<uint8_t>(bytes[0]) <= 1;
}

/// Bytes to a place of `width`, zeros behind them.
void store_padded(uint8_t* place, uint32_t width, std::string_view bytes) {
  if (!bytes.empty()) {
    std::memcpy(place, bytes.data(), bytes.size());
  }
  std::memset(place + bytes.size(), 0, width - bytes.size());
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
        const uint32_t stride = it.packed.stride();
        store_padded(planes[column] + static_cast<size_t>(slot) * stride, stride, bytes.substr(0, stride));
        if (it.packed.has_tail()) {
          const uint32_t tail_width = it.packed.tail_width();
          store_padded(planes[layout.size() + column] + static_cast<size_t>(slot) * tail_width, tail_width,
                       bytes.substr(std::min<size_t>(stride, bytes.size())));
        }
        uint64_t& word = nulls[column][slot / 64];
        word = null ? word | bit : word & ~bit;
        return true;
      });
  return end == WalkEnd::kComplete ? kStored : kMalformed;
}

}  // namespace

struct GenericRowCodec::State {
  Layout layout;
};

GenericRowCodec::GenericRowCodec(const Schema& schema) : state_(std::make_unique<State>()) {
  for (const Column& column : schema.columns) {
    state_->layout.push_back({column.type, packed_column(column.type), column.nullable});
  }
}

GenericRowCodec::~GenericRowCodec() = default;

RowCodec GenericRowCodec::codec() const { return {&state_->layout, &store_row}; }

uint32_t packed_row_size_max(const Schema& schema) {
  uint32_t size = packed_head_size(static_cast<uint32_t>(schema.columns.size()));
  for (const Column& column : schema.columns) {
    size += packed_size_max(packed_column(column.type));
  }
  return size;
}

}  // namespace daedalus::semantics
