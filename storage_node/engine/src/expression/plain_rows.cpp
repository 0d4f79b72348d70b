#include "plain_rows.hpp"

#include <algorithm>
#include <cstring>

#include "daedalus/semantics/uuid.hpp"

namespace daedalus::engine {
namespace {

/// Places for values: more than a column of days has.
constexpr uint32_t kPlaces = 4'096;
constexpr uint32_t kPlaceBits = 12;
/// Rows before anything is remembered, and between looks at whether it is of use.
constexpr uint32_t kRowsBefore = 128;
constexpr uint32_t kRowsBetween = 8'192;
/// Longer texts are made anew.
constexpr size_t kTextBytesMax = 64;

bool is_small(const semantics::Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr ? text->size() <= kTextBytesMax : !std::holds_alternative<semantics::Decimal>(value);
}

/// The text that a value is: what it had before is gone, and its room is there.
std::string& text_in(semantics::Value& value) {
  auto* text = std::get_if<std::string>(&value);
  return text != nullptr ? *text : value.emplace<std::string>();
}

/// to_value(), for a value that takes many, one after the other.
void read(const ColumnLayout& layout, const uint8_t* bytes, semantics::Value& value) {
  if (layout.native == Native::kBytes) {
    const auto* text = reinterpret_cast<const char*>(bytes);
    text_in(value).assign(text, strnlen(text, layout.width));
  } else if (layout.type.kind == semantics::TypeKind::kUuid) {
    Int128 number = 0;
    std::memcpy(&number, bytes, sizeof number);
    semantics::write_uuid_bytes(number, text_in(value));
  } else {
    value = to_value(layout, bytes);
  }
}

}  // namespace

RememberedValues::Entry& RememberedValues::entry_of(uint64_t raw) {
  constexpr uint64_t kFactor = 0x9e3779b97f4a7c15u;
  return entries_[(raw * kFactor) >> (64 - kPlaceBits)];
}

const semantics::Value* RememberedValues::find(uint64_t raw) {
  if (!is_of_use_ || ++asked_ <= kRowsBefore) {
    return nullptr;
  }
  if (asked_ % kRowsBetween == 0) {
    is_of_use_ = found_ > kRowsBetween / 2;
    found_ = 0;
    if (!is_of_use_) {
      forget();
      return nullptr;
    }
  }
  if (entries_.empty()) {
    make_places();
    return nullptr;
  }
  const Entry& entry = entry_of(raw);
  const bool is_known = entry.is_known && entry.raw == raw;
  found_ += is_known ? 1 : 0;
  return is_known ? &entry.value : nullptr;
}

void RememberedValues::add(uint64_t raw, const semantics::Value& value) {
  if (!entries_.empty() && is_small(value)) {
    Entry& entry = entry_of(raw);
    entry.raw = raw;
    entry.is_known = true;
    entry.value = value;
  }
}

void RememberedValues::make_places() {
  is_of_use_ = tables_.fetch_add(1, std::memory_order_relaxed) < kTablesMax;
  if (is_of_use_) {
    entries_.resize(kPlaces);
  } else {
    tables_.fetch_sub(1, std::memory_order_relaxed);
  }
}

void RememberedValues::forget() {
  if (!entries_.empty()) {
    entries_ = {};
    tables_.fetch_sub(1, std::memory_order_relaxed);
  }
}

PlainRows::PlainRows(const TableLayout& layout, semantics::BoundExpression expression, DeadlineCheck* deadline_check)
    : layout_(&layout), expression_(std::move(expression)), deadline_check_(deadline_check) {
  semantics::for_each_input(expression_, [&](uint32_t number) { inputs_.push_back(number); });
  std::sort(inputs_.begin(), inputs_.end());
  inputs_.erase(std::unique(inputs_.begin(), inputs_.end()), inputs_.end());
  row_.resize(inputs_.empty() ? 0 : inputs_.back() + 1);
  may_remember_ = inputs_.size() == 1 && layout.columns[inputs_[0]].width <= sizeof(uint64_t);
}

const semantics::Value* PlainRows::value(const ChunkView& chunk, uint32_t row) {
  if (!may_remember_ || (layout_->columns[inputs_[0]].nullable && test_bit(chunk.nulls[inputs_[0]], row))) {
    return compute(chunk, row);
  }
  const uint32_t width = layout_->columns[inputs_[0]].width;
  uint64_t raw = 0;
  std::memcpy(&raw, chunk.planes[inputs_[0]] + size_t{row} * layout_->columns[inputs_[0]].stride, width);
  if (const semantics::Value* known = remembered_.find(raw); known != nullptr) {
    return known;
  }
  const semantics::Value* const computed = compute(chunk, row);
  if (computed != nullptr) {
    remembered_.add(raw, *computed);
  }
  return computed;
}

const semantics::Value* PlainRows::compute(const ChunkView& chunk, uint32_t row) {
  if (is_over()) {
    error_ = deadline_check_->error();
    return nullptr;
  }
  for (const uint32_t input : inputs_) {
    const ColumnLayout& layout = layout_->columns[input];
    if (layout.nullable && test_bit(chunk.nulls[input], row)) {
      texts_.give(std::exchange(row_[input], {}));
      continue;
    }
    if (semantics::is_null(row_[input]) && layout.native == Native::kBytes) {
      row_[input] = texts_.take();
    }
    const StoredValue stored = value_at(layout, chunk, input, row);
    if (layout.tail_width() == 0) {
      read(layout, stored.bytes, row_[input]);
      continue;
    }
    bytes_.resize(std::max<size_t>(bytes_.size(), layout.width));
    copy_value(layout, stored, bytes_.data());
    read(layout, bytes_.data(), row_[input]);
  }
  texts_.give(std::move(made_));
  Result<semantics::Value> computed = semantics::evaluate(expression_, row_, texts_);
  if (!computed) {
    error_ = is_over() ? deadline_check_->error() : computed.error();
    return nullptr;
  }
  made_ = std::move(*computed);
  return &made_;
}

}  // namespace daedalus::engine
